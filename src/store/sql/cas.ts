import { isDeepStrictEqual } from 'node:util';
import { caEntity } from '../../model/entities/ca.ts';
import { patched } from '../../model/entities/entity.ts';
import type { Millis } from '../../platform/clock.ts';
import type { CaStore, NewCa } from '../contracts/cas.ts';
import type { PatchOf } from '../contracts/entities.ts';
import { recordChange } from './changes.ts';
import type { Database } from './codec.ts';
import { entityTable } from './entity-table.ts';
import { affects, type ById, first, type Intent } from './intent.ts';
import { endSessionsOpenedBy } from './session-ends.ts';

const table = entityTable(caEntity);

export const caIntents = { createCa, updateCa, verifyCa, deleteCa } as const;

export function caStore({ write, read, find, list }: Database<typeof caIntents>): CaStore {
  return {
    find: (id) => find(table.read, 'SELECT * FROM cas WHERE id = ?', id),
    list: (query) => list(table.listed, query, table.read),
    async listAll() {
      return (await read('SELECT * FROM cas ORDER BY id')).map((row) => table.read(row));
    },
    async listTrusted() {
      return (await read(listTrustedCasSql)).map((row) => table.read(row));
    },
    create: (ca, now) => write('createCa', { ca, now }),
    update: (id, patch, now) => write('updateCa', { id, patch, now }),
    verify: (id, now) => write('verifyCa', { id, now }),
    delete: (id, now) => write('deleteCa', { id, now }),
  };
}

const listTrustedCasSql =
  'SELECT * FROM cas WHERE is_auth_enabled = 1 AND verified_at IS NOT NULL ORDER BY id';

function* createCa({ ca, now }: { readonly ca: NewCa; readonly now: Millis }): Intent<void> {
  yield* table.insert(ca, now);
  yield* recordChange('ca', ca.id, now);
}

function* updateCa(args: ById & { readonly patch: PatchOf<typeof caEntity> }): Intent<boolean> {
  const { id, patch, now } = args;
  const row = yield* first('SELECT * FROM cas WHERE id = ?', id);
  if (row === undefined) return false;
  const before = table.read(row);
  yield* table.update({ ...args, patch: patched(caEntity.fields, before, patch) });
  const { externalIdClaim: rule } = patch;
  if (rule !== undefined && !isDeepStrictEqual(rule, before.externalIdClaim)) {
    yield* endSessionsOpenedBy('ca', id, { reason: 'credential-changed', now, byRule: true });
  }
  yield* recordChange('ca', id, now);
  return true;
}

function* verifyCa({ id, now }: ById): Intent<boolean> {
  const sql =
    'UPDATE cas SET verified_at = ?, updated_at = ? WHERE id = ? AND verified_at IS NULL RETURNING id';
  if (!(yield* affects(sql, now, now, id))) return false;
  yield* recordChange('ca', id, now);
  return true;
}

function* deleteCa({ id, now }: ById): Intent<boolean> {
  if (!(yield* affects('DELETE FROM cas WHERE id = ? RETURNING id', id))) return false;
  yield* recordChange('ca', id, now);
  return true;
}
