import { configTypeEntity } from '../../model/entities/config-type.ts';
import type { Millis } from '../../platform/clock.ts';
import type { ConfigTypeStore, NewConfigType } from '../contracts/config-types.ts';
import type { PatchOf } from '../contracts/entities.ts';
import type { Database } from './codec.ts';
import { entityTable } from './entity-table.ts';
import type { ById } from './intent.ts';
import { affects, type Intent } from './intent.ts';

const table = entityTable(configTypeEntity);

export const configTypeIntents = { createConfigType, updateConfigType, deleteConfigType } as const;

export function configTypeStore({
  write,
  read,
  find,
  list,
}: Database<typeof configTypeIntents>): ConfigTypeStore {
  return {
    find: (id) => find(table.read, 'SELECT * FROM config_types WHERE id = ?', id),
    async findByNames(names) {
      if (names.length === 0) return [];
      const sql = `SELECT * FROM config_types WHERE name IN (${names.map(() => '?').join(', ')})`;
      return (await read(sql, ...names)).map((row) => table.read(row));
    },
    list: (query) => list(table.listed, query, table.read),
    create: (configType, now) => write('createConfigType', { configType, now }),
    update: (id, patch, now) => write('updateConfigType', { id, patch, now }),
    delete: (id) => write('deleteConfigType', { id }),
  };
}

function createConfigType(args: { readonly configType: NewConfigType; readonly now: Millis }): Intent<void> {
  return table.insert(args.configType, args.now);
}

function* updateConfigType(
  args: ById & { readonly patch: PatchOf<typeof configTypeEntity> },
): Intent<boolean> {
  return (yield* table.update(args)) !== undefined;
}

function deleteConfigType({ id }: { readonly id: string }): Intent<boolean> {
  return affects('DELETE FROM config_types WHERE id = ? RETURNING id', id);
}
