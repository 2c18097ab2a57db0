import { sha256 } from '../../platform/digest.ts';
import { NotAsSeen } from '../contracts/gathered.ts';
import type { Unchanged, VersionedEntity, VersionStore } from '../contracts/versions.ts';
import { concern } from './concern.ts';
import { first, type Intent, type SqlRow } from './intent.ts';

const rowOf: Readonly<Record<VersionedEntity, string>> = {
  identities: 'SELECT * FROM identities WHERE id = ?',
  authenticators: 'SELECT * FROM authenticators WHERE id = ?',
  'auth-policies': 'SELECT * FROM auth_policies WHERE id = ?',
  'external-jwt-signers': 'SELECT * FROM external_jwt_signers WHERE id = ?',
  cas: 'SELECT * FROM cas WHERE id = ?',
  'config-types': 'SELECT * FROM config_types WHERE id = ?',
  'event-subscriptions': 'SELECT * FROM event_subscriptions WHERE id = ?',
  'oidc-clients': 'SELECT * FROM oidc_clients WHERE id = ?',
};

export const versions = concern<VersionStore>()({
  methods: ({ find }) => ({ find: (entity, id) => find(versionOf, rowOf[entity], id) }),
});

/**
 * Checks the version in the transaction of the change. If the entity is gone, the intent says so.
 * @throws NotAsSeen changed
 */
export function* requireUnchanged({ entity, id, versions }: Unchanged): Intent<void> {
  const row = yield* first(rowOf[entity], id);
  if (row !== undefined && !versions.includes(versionOf(row))) throw new NotAsSeen('changed');
}

/** The time alone is not enough: two changes may fall into one millisecond. */
function versionOf(row: SqlRow): string {
  // Logins renew these, and nobody has decided anything by them. A new password changes `updated_at`.
  const { password_hash: _hash, last_login_at: _login, dropped_scopes: _scopes, ...fields } = row;
  return sha256(JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 22);
}
