import { stringify } from 'yaml';
import { withApi } from '../client/api-client.ts';
import { asObject } from '../client/json-shape.ts';
import { printResult, type Report } from '../terminal/output.ts';

export interface ExportOptions {
  readonly server?: string;
  readonly kind?: readonly string[];
  readonly schema?: boolean;
}

/** `export`: the document of the server, as YAML. */
export async function exportCommand(report: Report, { server, kind, schema }: ExportOptions): Promise<void> {
  if (schema === true) {
    const { stateJsonSchema } = await import('../../http/management/state-schemas.ts');
    report.ports.stdout.write(`${JSON.stringify(stateJsonSchema(), null, 2)}\n`);
    return;
  }
  await withApi(report, server, async (api) => {
    const query = kind === undefined ? {} : { kinds: [...new Set(kind)].join(',') };
    const { data } = await api.call({ method: 'GET', path: '/state', query });
    // Long text is not folded: certificates and names keep their lines.
    printResult(report, data, () => stringify(asObject(data), { lineWidth: 0 }));
  });
}
