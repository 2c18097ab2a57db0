import type { TypedField } from '../../../model/entities/typed-fields.ts';
import { asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { readNamedFile, readPicture, readSecretFile } from '../../terminal/secret-input.ts';
import { requireTidyName } from '../../terminal/tidy-name.ts';
import type { ApiClient } from '../connection/api-client.ts';
import type { EntityDescriptor } from './descriptor.ts';
import { entityNamed } from './entities.ts';
import { findEntity } from './lookup.ts';

/** A field and what was typed for it; undefined if nothing was. */
export interface Given {
  readonly of: TypedField;
  readonly typed: unknown;
}

interface Needs {
  readonly ports: CliPorts;
  /** Resolves references, which are typed as names. */
  readonly api: ApiClient;
  readonly entity: EntityDescriptor;
}

/**
 * The body made of the typed fields, and of the document where nothing was typed.
 * @throws CliError exit 2 for a value that cannot be read
 */
export async function bodyOf(
  needs: Needs,
  given: readonly Given[],
  document: JsonObject = {},
): Promise<JsonObject> {
  let body = document;
  for (const one of given) {
    if (one.typed === undefined) continue;
    body = withMember(body, one.of.path.split('.'), await typedValue(needs, one, body));
  }
  return body;
}

async function typedValue(
  { ports, api, entity }: Needs,
  { of: { path, field, spelling }, typed }: Given,
  sofar: JsonObject,
): Promise<unknown> {
  // As the person knows it: `--tag`, `<name>`.
  const label = spelling.split(' ')[0] ?? '';
  if (field.kind === 'flag') return typed === true;
  if (field.kind === 'tags' || field.kind === 'pairs') return pairsOf([typed].flat().map(String), label);
  const text = String(typed);
  if (path === 'name' || path === 'username') requireTidyName(label, text);
  if (field.isNullable && text === '') return null;
  if (field.isSecret) return readSecretFile(ports, text, 'file');
  switch (field.kind) {
    case 'texts':
    case 'choices':
      return partsOf(text);
    case 'references':
      return Promise.all(partsOf(text).map((part) => idNamed(api, field.to, part)));
    case 'integer':
    case 'number':
      if (!/^-?\d{1,15}$/.test(text))
        throw usageError(`${label} needs a whole number, not "${text}".`, 'type a number');
      return Number(text);
    case 'pem':
      return readNamedFile(ports, text, 'file');
    case 'picture':
      return text.startsWith('data:') ? text : readPicture(ports, text);
    default: {
      const named =
        field.kind === 'reference' ? field.to : path === 'id' ? entity.namedById?.(sofar) : undefined;
      return named === undefined ? text : idNamed(api, named, text);
    }
  }
}

function partsOf(list: string): readonly string[] {
  const parts = list.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** @throws CliError when there is none */
async function idNamed(api: ApiClient, entity: string, nameOrId: string): Promise<string> {
  return (await findEntity(api, entityNamed(entity), nameOrId)).id;
}

function pairsOf(pairs: readonly string[], label: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      throw usageError(`"${pair}" is not a name and a value.`, `${label} name=value`);
    }),
  );
}

function withMember(object: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  if (rest.length === 0) return { ...object, [name]: value };
  return { ...object, [name]: withMember(asObject(object[name]), rest, value) };
}
