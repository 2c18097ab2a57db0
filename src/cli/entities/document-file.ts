import { parseDocument } from 'yaml';
import { usageError } from '../cli-error.ts';
import { asObject, type JsonObject } from '../client/json-shape.ts';
import type { CliPorts } from '../ports.ts';
import { readNamedFile } from '../terminal/secret-input.ts';

/**
 * The members of a document in YAML, which JSON is too.
 * @throws CliError exit 2 when it cannot be read, or holds something else
 */
export async function readDocument(ports: CliPorts, path: string): Promise<JsonObject> {
  const document = parseDocument(await readNamedFile(ports, path, 'file'), { uniqueKeys: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw usageError(`${path} is no YAML: ${problem.message}`, 'correct the file');
  // A few aliases are a convenience, and very many an attack.
  const content: unknown = document.toJS({ maxAliasCount: 100 });
  const members = asObject(content);
  if (members !== content) throw usageError(`${path} does not hold an object.`, 'correct the file');
  return members;
}
