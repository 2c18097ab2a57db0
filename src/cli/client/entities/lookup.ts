import { nearestKey } from '../../../config/nearest-key.ts';
import { type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { CliError } from '../../terminal/output.ts';
import { renderTable } from '../../terminal/table.ts';
import type { ApiClient } from '../connection/api-client.ts';
import { type EntityDescriptor, entityNoun } from './descriptor.ts';
import { entityNamed } from './entities.ts';

/**
 * The entity with this id, or otherwise with this name; an identity also by the user name of its password.
 * @throws CliError when there is none, or several have the name
 */
export async function findEntity(
  api: ApiClient,
  entity: EntityDescriptor,
  nameOrId: string,
): Promise<JsonObject & { readonly id: string }> {
  const text = filterText(nameOrId);
  const filter = ['id', ...entity.lookupFields].map((field) => `${field} = ${text}`).join(' or ');
  const query = { filter, limit: '10' };
  const { rows: found } = await api.call({ method: 'GET', path: entity.path, query });
  const one = found.find(({ id }) => id === nameOrId) ?? (found.length === 1 ? found[0] : undefined);
  const id = textField(one ?? {}, 'id');
  if (one !== undefined && id !== undefined) return { ...one, id };
  const what = entityNoun(entity);
  if (found.length === 0) {
    for (const other of entity.sharesIdsWith ?? []) {
      const bearing = entityNamed(other);
      const bearer = (await idByName(api, bearing, nameOrId)) ?? (await ownerOf(api, bearing, text));
      const theirs = bearer === undefined ? undefined : await withId(api, entity, bearer);
      if (theirs !== undefined) return theirs;
    }
    const owner = await ownerOf(api, entity, text);
    const owned = owner === undefined ? undefined : await withId(api, entity, owner);
    if (owned !== undefined) return owned;
    const similar = await similarNames(api, entity, nameOrId);
    throw new CliError(`There is no ${what} "${nameOrId}".${similar}`, {
      code: 'NOT_FOUND',
      next: `overlay-auth list ${entity.aliases[0] ?? entity.name}`,
    });
  }
  const ids = found.map((candidate) => String(candidate.id)).join(', ');
  const table = renderTable(entity.columns, found);
  throw new CliError(`"${nameOrId}" means more than one ${what}:\n${table}`, {
    code: 'ambiguous',
    next: `use one of these ids: ${ids}`,
  });
}

/** Similar names, for a typing mistake: those that contain the text, or the one that is a few edits away. */
async function similarNames(api: ApiClient, entity: EntityDescriptor, name: string): Promise<string> {
  if (!entity.lookupFields.includes('name') || name.length < 3) return '';
  const filter = `name icontains ${filterText(name.slice(0, 2))}`;
  const query = { filter, limit: '200' };
  const { rows } = await api.call({ method: 'GET', path: entity.path, query });
  const names = rows.flatMap((row) => textField(row, 'name') ?? []);
  const containing = names.filter((one) => one.toLowerCase().includes(name.toLowerCase()));
  const near = nearestKey(name, names);
  const meant = containing.length > 0 ? containing.slice(0, 5) : near === undefined ? [] : [near];
  return meant.length === 0 ? '' : ` Did you mean ${meant.map((one) => JSON.stringify(one)).join(' or ')}?`;
}

async function withId(
  api: ApiClient,
  entity: EntityDescriptor,
  id: string,
): Promise<(JsonObject & { readonly id: string }) | undefined> {
  const query = { filter: `id = ${filterText(id)}`, limit: '1' };
  const [found] = (await api.call({ method: 'GET', path: entity.path, query })).rows;
  return found === undefined ? undefined : { ...found, id };
}

/** The id of the entity with exactly this name; undefined when there is none. */
function idByName(api: ApiClient, entity: EntityDescriptor, name: string): Promise<string | undefined> {
  return idIn(api, { path: entity.path, filter: `name = ${filterText(name)}`, member: 'id' });
}

/** The id of the entity whose password, for example, has this user name. */
async function ownerOf(
  api: ApiClient,
  { foundBy }: EntityDescriptor,
  text: string,
): Promise<string | undefined> {
  if (foundBy === undefined) return undefined;
  const { path, field, owner } = foundBy;
  return idIn(api, { path, filter: `${field} = ${text}`, member: owner });
}

async function idIn(
  api: ApiClient,
  { path, filter, member }: { path: string; filter: string; member: string },
): Promise<string | undefined> {
  const { rows } = await api.call({ method: 'GET', path, query: { filter, limit: '1' } });
  return textField(rows[0] ?? {}, member);
}

/** A text literal in the filter language. */
export function filterText(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
