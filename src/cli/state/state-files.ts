// Documents in files: several are one, as long as they do not speak of the same entity.

import { usageError } from '../cli-error.ts';
import { asList, asObject, type JsonObject, textField } from '../client/json-shape.ts';
import { readDocument } from '../entities/document-file.ts';
import type { CliPorts } from '../ports.ts';
import { printable } from '../terminal/output.ts';

/**
 * Puts the documents of all files together. What is wrong inside of an entity the server says.
 * @throws CliError exit 2: a file cannot be read, a kind is no list, or two files name one entity
 */
export async function readStateFiles(ports: CliPorts, files: readonly string[]): Promise<JsonObject> {
  const state = new Map<string, unknown[]>();
  const places = new Map<string, string>();
  for (const file of files) {
    for (const [kind, entities] of Object.entries(await readDocument(ports, file))) {
      if (!Array.isArray(entities))
        throw usageError(`${file}: ${printable(kind)} does not hold a list.`, 'correct the file');
      const list = state.get(kind) ?? [];
      state.set(kind, list);
      for (const entity of asList(entities)) {
        const name = textField(asObject(entity), 'name') ?? '';
        const former = places.get(`${kind} ${name}`);
        if (name !== '' && former !== undefined)
          throw usageError(
            `${kind} ${printable(name)} stands twice: in ${former} and in ${file}.`,
            'leave it in one place',
          );
        places.set(`${kind} ${name}`, file);
        list.push(entity);
      }
    }
  }
  return Object.fromEntries(state);
}
