import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { type CliError, usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { readNamedFile, readStdin } from '../../terminal/secret-input.ts';

/**
 * The members of a document in YAML, which JSON is too. @param path `-` for standard input
 * @throws CliError exit 2 when it cannot be read, or is not a document
 */
export async function readDocument(ports: CliPorts, path: string): Promise<JsonObject> {
  return (await readPlacedDocument(ports, path)).members;
}

export interface PlacedDocument {
  readonly members: JsonObject;
  /** The line of a member, or of the nearest that contains it, from 1. */
  lineOf(place: readonly (string | number)[]): number;
}

/** The same with the lines of its members. @throws as readDocument */
export async function readPlacedDocument(ports: CliPorts, path: string): Promise<PlacedDocument> {
  const text =
    path === '-'
      ? await readStdin(ports, Number.POSITIVE_INFINITY)
      : await readNamedFile(ports, path, 'file');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { uniqueKeys: true, lineCounter });
  const [problem] = document.errors;
  if (problem !== undefined) throw usageError(`${path} is not YAML: ${problem.message}`, 'correct the file');
  // A few aliases are a convenience, a great many are an attack.
  const content: unknown = document.toJS({ maxAliasCount: 100 });
  const members = asObject(content);
  if (members !== content) throw usageError(`${path} does not contain an object.`, 'correct the file');
  return { members, lineOf: (place) => lineCounter.linePos(offsetOf(document, place)).line };
}

/**
 * The refusal of a member, as the person who wrote the file reads it.
 * @param at.field as the server calls it
 */
export function inFile(
  error: CliError,
  at: { file: string; line: number; what: string; field: string },
): CliError {
  // After the name of the field it says what is wrong; before it, only that something is.
  const said = error.message.split(`${at.field} `).at(-1);
  return error.inOtherWords(
    `${at.file}:${at.line}: ${at.what}: ${said}`,
    'correct the file; nothing was changed',
  );
}

function offsetOf(document: Document, place: readonly (string | number)[]): number {
  const within = document.getIn(place.slice(0, -1), true);
  const pairs = isMap(within) ? within.items : [];
  // Its value may begin on the next line.
  const key = pairs.map((pair) => pair.key).find((one) => isScalar(one) && one.value === place.at(-1));
  const node = key ?? document.getIn(place, true);
  if (isNode(node)) return node.range?.[0] ?? 0;
  return place.length === 0 ? 0 : offsetOf(document, place.slice(0, -1));
}
