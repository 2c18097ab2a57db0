import { entityNamed, type Referred } from '../../model/entities/all-entities.ts';
import type { EntityKind } from '../../model/entities/entity.ts';
import { sha256 } from '../../platform/digest.ts';
import { NotAsSeen } from '../contracts/gathered.ts';
import { ReferenceGone } from '../contracts/store.ts';
import type { Unchanged, VersionedEntity, VersionStore } from '../contracts/versions.ts';
import { concern } from './concern.ts';
import { first, type Intent, type SqlRow } from './intent.ts';

const rowOf = (entity: VersionedEntity | EntityKind) =>
  `SELECT * FROM ${entityNamed(entity).table} WHERE id = ?`;

export const versions = concern<VersionStore>()({
  methods: ({ find }) => ({ find: (entity, id) => find(versionOf, rowOf(entity), id) }),
});

/**
 * Checks the version in the transaction of the change. If the entity is gone, the intent says so.
 * @throws NotAsSeen changed
 */
export function* requireUnchanged({ entity, id, versions }: Unchanged): Intent<void> {
  const row = yield* first(rowOf(entity), id);
  if (row !== undefined && !versions.includes(versionOf(row))) throw new NotAsSeen('changed');
}

/** The columns of JSON have no foreign keys. @throws ReferenceGone */
export function* requireReferred(referred: readonly Referred[]): Intent<void> {
  for (const { to, id } of referred)
    if ((yield* first(`SELECT id FROM ${entityNamed(to).table} WHERE id = ?`, id)) === undefined)
      throw new ReferenceGone();
}

/** The time alone is not enough: two changes may fall into one millisecond. */
function versionOf(row: SqlRow): string {
  // Logins renew these without a decision of a person. A new password changes `updated_at`.
  const { password_hash: _hash, last_login_at: _login, dropped_scopes: _scopes, ...fields } = row;
  return sha256(JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 22);
}
