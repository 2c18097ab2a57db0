import { asObject, type JsonObject } from '../../../platform/formats/json-shape.ts';
import { usageError } from '../../terminal/cli-error.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { readNamedFile } from '../../terminal/secret-input.ts';
import { requireTidyName } from '../../terminal/tidy-name.ts';
import type { ApiClient } from '../connection/api-client.ts';
import type { EntityField } from './descriptor.ts';
import { entityNamed } from './entities.ts';
import { findEntity } from './lookup.ts';

/** A field and what was typed for it; undefined if nothing was. */
export interface TypedField {
  readonly field: EntityField;
  /** The field as the person knows it: `--tag`, `<name>`. */
  readonly label: string;
  readonly typed: unknown;
}

/**
 * The body made of the typed fields, and of the document where nothing was typed.
 * @param api resolves references, which are typed as names
 * @throws CliError exit 2 for a value that cannot be read
 */
export async function bodyOf(
  { ports, api }: { readonly ports: CliPorts; readonly api: ApiClient },
  fields: readonly TypedField[],
  document: JsonObject = {},
): Promise<JsonObject> {
  let body = document;
  for (const { field, label, typed } of fields) {
    if (typed !== undefined)
      body = withMember(
        body,
        field.path.split('.'),
        await typedValue({ ports, api, sofar: body }, { field, label, typed }),
      );
  }
  return body;
}

async function typedValue(
  { ports, api, sofar }: { readonly ports: CliPorts; readonly api: ApiClient; readonly sofar: JsonObject },
  { field, label, typed }: TypedField,
): Promise<unknown> {
  if (field.kind === 'flag') return typed === true;
  if (field.kind === 'tags') return tagsOf(Array.isArray(typed) ? typed.map(String) : [String(typed)], label);
  const text = String(typed);
  if (namePaths.has(field.path)) requireTidyName(label, text);
  if (field.nullable === true && text === '') return null;
  switch (field.kind) {
    case 'text':
      return text;
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'integer':
      if (!/^-?\d{1,15}$/.test(text))
        throw usageError(`${label} needs a whole number, not "${text}".`, 'type a number');
      return Number(text);
    case 'file':
      return readNamedFile(ports, text, 'file');
    case 'reference':
      return (await findEntity(api, entityNamed(field.entity), text)).id;
    case 'revoked': {
      const entity = revokedEntities[String(sofar.type)];
      return entity === undefined ? text : (await findEntity(api, entityNamed(entity), text)).id;
    }
  }
}

/** The entity that a revocation of this type names. The others name something without a name. */
const revokedEntities: Readonly<Record<string, string>> = {
  IDENTITY: 'identity',
  EXT_JWT_SIGNER: 'ext-jwt-signer',
  CA: 'ca',
};

const namePaths = new Set(['name', 'username']);

function tagsOf(pairs: readonly string[], label: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      throw usageError(`"${pair}" is not a tag.`, `${label} key=value`);
    }),
  );
}

function withMember(object: JsonObject, [name = '', ...rest]: readonly string[], value: unknown): JsonObject {
  if (rest.length === 0) return { ...object, [name]: value };
  return { ...object, [name]: withMember(asObject(object[name]), rest, value) };
}
