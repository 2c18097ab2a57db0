import { Document, Scalar, visit } from 'yaml';
import { asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { escapeUnseen } from '../../../platform/log/log-line.ts';
import { printResult, type Report } from '../../terminal/output.ts';
import { withApi } from '../connection/api-client.ts';

interface ExportOptions {
  readonly server?: string;
  readonly kind?: readonly string[];
  readonly schema?: boolean;
}

/** `export`: the document of the server, as YAML. */
export async function exportCommand(report: Report, { server, kind, schema }: ExportOptions): Promise<void> {
  if (schema === true) {
    const { stateJsonSchema } = await import('../../../http/management/state-schemas.ts');
    report.ports.stdout.write(`${JSON.stringify(stateJsonSchema(), null, 2)}\n`);
    return;
  }
  await withApi(report, server, async (api) => {
    const query = kind === undefined ? {} : { kinds: [...new Set(kind)].join(',') };
    const { data } = await api.call({ method: 'GET', path: '/state', query });
    printResult(report, data, () => yamlOf(asObject(data)));
  });
}

/** Text with characters that nobody sees is quoted, because only there YAML has escapes for them. */
function yamlOf(state: JsonObject): string {
  const document = new Document(state);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && escapeUnseen(node.value) !== node.value)
        node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  // Long text is not folded: certificates and names keep their lines.
  return escapeUnseen(document.toString({ lineWidth: 0 }));
}
