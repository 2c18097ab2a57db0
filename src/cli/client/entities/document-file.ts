import { parseDocument } from 'yaml';
import { asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { usageError } from '../../terminal/cli-error.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { readNamedFile, readStdin } from '../../terminal/secret-input.ts';

/**
 * The members of a document in YAML, which JSON is too. @param path `-` for standard input
 * @throws CliError exit 2 when it cannot be read, or is not a document
 */
export async function readDocument(ports: CliPorts, path: string): Promise<JsonObject> {
  const text = path === '-' ? await readStdin(ports) : await readNamedFile(ports, path, 'file');
  const document = parseDocument(text, { uniqueKeys: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw usageError(`${path} is not YAML: ${problem.message}`, 'correct the file');
  // A few aliases are a convenience, a great many are an attack.
  const content: unknown = document.toJS({ maxAliasCount: 100 });
  const members = asObject(content);
  if (members !== content) throw usageError(`${path} does not contain an object.`, 'correct the file');
  return members;
}
