import { isDeepStrictEqual } from 'node:util';
import { caEntity } from '../../model/entities/ca.ts';
import { patched } from '../../model/entities/entity.ts';
import type { CaStore } from '../contracts/cas.ts';
import { recordChange } from './changes.ts';
import { concern } from './concern.ts';
import { usualMethods, usualWrites } from './entity-methods.ts';
import { entityTable } from './entity-table.ts';
import { affects, first } from './intent.ts';
import { endSessionsOpenedBy } from './session-ends.ts';

const table = entityTable(caEntity);

export const cas = concern<CaStore>()({
  writes: {
    ...usualWrites(table, 'ca'),
    *update(id, patch, now) {
      const row = yield* first('SELECT * FROM cas WHERE id = ?', id);
      if (row === undefined) return false;
      const before = table.read(row);
      yield* table.update({ id, now, patch: patched(caEntity.fields, before, patch) });
      const { externalIdClaim: rule } = patch;
      if (rule !== undefined && !isDeepStrictEqual(rule, before.externalIdClaim))
        yield* endSessionsOpenedBy('ca', id, { reason: 'credential-changed', now, byRule: true });
      yield* recordChange('ca', id, now);
      return true;
    },
    *verify(id, now) {
      const sql =
        'UPDATE cas SET verified_at = ?, updated_at = ? WHERE id = ? AND verified_at IS NULL RETURNING id';
      if (!(yield* affects(sql, now, now, id))) return false;
      yield* recordChange('ca', id, now);
      return true;
    },
  },
  methods: (database) => ({
    ...usualMethods(table, database),
    listTrusted: () => database.all(table.read, listTrustedCasSql),
  }),
});

const listTrustedCasSql =
  'SELECT * FROM cas WHERE is_auth_enabled = 1 AND verified_at IS NOT NULL ORDER BY id';
