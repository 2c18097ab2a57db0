import { parseYamlSource } from '../../../config/yaml-source.ts';
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
  const { value, faults, placeOfKey } = parseYamlSource(text, Number.POSITIVE_INFINITY);
  const [fault] = faults;
  if (fault !== undefined) throw usageError(`${path}:${fault.line}: ${fault.message}.`, 'correct the file');
  const members = asObject(value);
  if (members !== value) throw usageError(`${path} does not contain an object.`, 'correct the file');
  return { members, lineOf: (place) => placeOfKey(place).line };
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
