import type { ConfigType } from '../../model/config-type.ts';
import type { Tags } from '../../model/identity.ts';
import { asId } from '../../model/ids.ts';
import { configTypeListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type { ConfigTypePatch, ConfigTypeStore, NewConfigType } from '../contracts/config-types.ts';
import { type Database, integer, text } from './codec.ts';
import { first, type Intent, run, type SqlRow, type SqlValue } from './intent.ts';
import { listSource } from './list-source.ts';

const listed = listSource('config_types', configTypeListFields);

export const configTypeIntents = { createConfigType, updateConfigType, deleteConfigType } as const;

export function configTypeStore({ write, read, find, list }: Database): ConfigTypeStore {
  return {
    find: (id) => find(configTypeOf, 'SELECT * FROM config_types WHERE id = ?', id),
    async findByNames(names) {
      if (names.length === 0) return [];
      return (await read(findConfigTypesSql(names.length), ...names)).map(configTypeOf);
    },
    list: (query) => list(listed, query, configTypeOf),
    create: (configType, now) => write('createConfigType', { configType, now }),
    update: (id, patch, now) => write('updateConfigType', { id, patch, now }),
    delete: (id) => write('deleteConfigType', { id }),
  };
}

function configTypeOf(row: SqlRow): ConfigType {
  return {
    id: asId(text(row, 'id')),
    name: text(row, 'name'),
    tags: JSON.parse(text(row, 'tags')) as Tags,
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
  };
}

/** @param count how many names are bound */
function findConfigTypesSql(count: number): string {
  return `SELECT * FROM config_types WHERE name IN (${Array.from({ length: count }, () => '?').join(', ')})`;
}

function* createConfigType(args: { readonly configType: NewConfigType; readonly now: Millis }): Intent<void> {
  const { configType, now } = args;
  yield* run(
    'INSERT INTO config_types (id, name, tags, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
    configType.id,
    configType.name,
    JSON.stringify(configType.tags),
    now,
    now,
  );
}

function* updateConfigType(args: {
  readonly id: string;
  readonly patch: ConfigTypePatch;
  readonly now: Millis;
}): Intent<boolean> {
  const { id, patch, now } = args;
  const set: [string, SqlValue][] = [['updated_at', now]];
  if (patch.name !== undefined) set.push(['name', patch.name]);
  if (patch.tags !== undefined) set.push(['tags', JSON.stringify(patch.tags)]);
  const row = yield* first(
    `UPDATE config_types SET ${set.map(([column]) => `${column} = ?`).join(', ')} WHERE id = ? RETURNING id`,
    ...set.map(([, value]) => value),
    id,
  );
  return row !== undefined;
}

function* deleteConfigType(args: { readonly id: string }): Intent<boolean> {
  return (yield* first('DELETE FROM config_types WHERE id = ? RETURNING id', args.id)) !== undefined;
}
