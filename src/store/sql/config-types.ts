import { configTypeEntity } from '../../model/entities/config-type.ts';
import type { Millis } from '../../platform/clock.ts';
import type { ConfigTypeStore, NewConfigType } from '../contracts/config-types.ts';
import type { PatchOf } from '../contracts/entities.ts';
import type { Database } from './codec.ts';
import { entityTable } from './entity-table.ts';
import { first, type Intent } from './intent.ts';

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
      return (await read(findConfigTypesSql(names.length), ...names)).map((row) => table.read(row));
    },
    list: (query) => list(table.listed, query, table.read),
    create: (configType, now) => write('createConfigType', { configType, now }),
    update: (id, patch, now) => write('updateConfigType', { id, patch, now }),
    delete: (id) => write('deleteConfigType', { id }),
  };
}

/** @param count how many names are bound */
function findConfigTypesSql(count: number): string {
  return `SELECT * FROM config_types WHERE name IN (${Array.from({ length: count }, () => '?').join(', ')})`;
}

function createConfigType(args: { readonly configType: NewConfigType; readonly now: Millis }): Intent<void> {
  return table.insert(args.configType, args.now);
}

function* updateConfigType(args: {
  readonly id: string;
  readonly patch: PatchOf<typeof configTypeEntity>;
  readonly now: Millis;
}): Intent<boolean> {
  return (yield* table.update(args)) !== undefined;
}

function* deleteConfigType(args: { readonly id: string }): Intent<boolean> {
  return (yield* first('DELETE FROM config_types WHERE id = ? RETURNING id', args.id)) !== undefined;
}
