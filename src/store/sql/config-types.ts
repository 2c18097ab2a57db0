import { configTypeEntity } from '../../model/entities/config-type.ts';
import type { Millis } from '../../platform/clock.ts';
import type { ConfigTypeStore, NewConfigType } from '../contracts/config-types.ts';
import type { PatchOf } from '../contracts/entities.ts';
import type { Database } from './codec.ts';
import { entityTable } from './entity-table.ts';
import { affects, among, type Intent, sql } from './intent.ts';

const table = entityTable(configTypeEntity);

export const configTypeIntents = { createConfigType, updateConfigType, deleteConfigType } as const;

export function configTypeStore({
  writing,
  read,
  find,
  list,
}: Database<typeof configTypeIntents>): ConfigTypeStore {
  return {
    find: (id) => find(table.read, 'SELECT * FROM config_types WHERE id = ?', id),
    async findByNames(names) {
      if (names.length === 0) return [];
      const { sql: named, params } = sql`SELECT * FROM config_types WHERE name IN ${among(names)}`;
      return (await read(named, ...params)).map((row) => table.read(row));
    },
    list: (query) => list(table.listed, query, table.read),
    ...writing({ create: 'createConfigType', update: 'updateConfigType', delete: 'deleteConfigType' }),
  };
}

function createConfigType(configType: NewConfigType, now: Millis): Intent<void> {
  return table.insert(configType, now);
}

function* updateConfigType(
  id: string,
  patch: PatchOf<typeof configTypeEntity>,
  now: Millis,
): Intent<boolean> {
  return (yield* table.update({ id, patch, now })) !== undefined;
}

function deleteConfigType(id: string): Intent<boolean> {
  return affects('DELETE FROM config_types WHERE id = ? RETURNING id', id);
}
