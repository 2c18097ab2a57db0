import { Document, Scalar, visit } from 'yaml';
import { asList, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { escapeUnseen } from '../../../platform/log/log-line.ts';
import type { Flags, Texts } from '../../terminal/command.ts';
import { printResult, type Report, showingProgress } from '../../terminal/output.ts';
import { withApi } from '../connection/api-client.ts';

type ExportOptions = Texts<'server'> & Flags<'schema'> & { readonly kind?: readonly string[] };

/** `export`: the document of the server, as YAML. */
export async function exportCommand(report: Report, { server, kind, schema }: ExportOptions): Promise<void> {
  if (schema === true) {
    const { stateJsonSchema } = await import('../../../http/management/state-schemas.ts');
    report.ports.stdout.write(`${JSON.stringify(stateJsonSchema(), null, 2)}\n`);
    return;
  }
  await withApi(report, server, async (api) => {
    const query = { kinds: kind && [...new Set(kind)].join(',') };
    const { document } = await api.call({ method: 'GET', path: '/state', query });
    const text = report.json ? '' : await showingProgress(report, async (show) => yamlOf(document, show));
    printResult(report, document, () => text);
  });
}

const writtenAtOnce = 500;

/** A part of each list at a time: 100,000 entities take half a minute. @param show gets how far it is */
function yamlOf(state: JsonObject, show: (text: string) => void): string {
  const parts = Object.entries(state).flatMap(([kind, listed]) => {
    const entities = asList(listed);
    const count = Math.max(1, Math.ceil(entities.length / writtenAtOnce));
    return Array.from({ length: count }, (_, part) => {
      const begin = part * writtenAtOnce;
      if (count > 1) show(`${kind}: ${begin} of ${entities.length} written`);
      const text = partOf({ [kind]: entities.slice(begin, begin + writtenAtOnce) });
      // Only the first one has the line with the kind.
      return part === 0 ? text : text.slice(text.indexOf('\n') + 1);
    });
  });
  return parts.join('');
}

/** Text with invisible characters is quoted, because only there YAML has escapes for them. */
function partOf(state: JsonObject): string {
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
