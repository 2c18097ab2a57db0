import type { KeyStore, SealedKind, SealedSecret } from '../contracts/keys.ts';
import { recordChange } from './changes.ts';
import { insert, insertOr, reader, signingKeyOf, text } from './codec.ts';
import { concern } from './concern.ts';
import { affects, first, type Intent, run } from './intent.ts';

export const keys = concern<KeyStore>()({
  writes: {
    *rotateSigningKey({ next, newestSeen, retireOldAt, removeOldAt }) {
      const newest = yield* first`SELECT kid FROM signing_keys WHERE alg = ${next.alg}
         AND (removed_at IS NULL OR removed_at > ${next.createdAt})
         ORDER BY active_from DESC, created_at DESC, kid DESC LIMIT 1`;
      if ((newest === undefined ? null : text(newest, 'kid')) !== newestSeen) return false;
      yield* run`UPDATE signing_keys SET retired_at = ${retireOldAt},
        removed_at = ${removeOldAt} WHERE alg = ${next.alg} AND retired_at IS NULL`;
      yield* insert('signing_keys', { ...next, retiredAt: null, removedAt: null });
      yield* recordChange('signing-keys', next.kid, next.createdAt);
      return true;
    },
    *replaceSealed({ kind, secret, sealed: replacement, now }) {
      const { table, id, sealed } = sealedColumns[kind];
      const sql = `UPDATE ${table} SET ${sealed} = ? WHERE ${id} = ? AND ${sealed} = ? RETURNING ${id}`;
      if (!(yield* affects(sql, replacement, secret.id, secret.sealed))) return false;
      if (kind === 'signing-key') yield* recordChange('signing-keys', secret.id, now);
      return true;
    },
  },
  intents: { keepServerSecret },
  methods: ({ write, find, all }) => ({
    listSigningKeys: (now) =>
      all(
        signingKeyOf,
        `SELECT * FROM signing_keys WHERE removed_at IS NULL OR removed_at > ?
          ORDER BY active_from, created_at, kid`,
        now,
      ),
    listSealed(kind, after, limit) {
      const { table, id, sealed } = sealedColumns[kind];
      const sql = `SELECT ${id} AS id, ${sealed} AS sealed FROM ${table}
        WHERE ${id} > ? AND ${sealed} IS NOT NULL ORDER BY ${id} LIMIT ?`;
      return all(sealedOf, sql, after, limit);
    },
    async serverSecret(name, make) {
      const sql = 'SELECT sealed FROM server_secrets WHERE name = ?';
      const kept = await find((row) => text(row, 'sealed'), sql, name);
      return kept ?? write('keepServerSecret', [name, make()]);
    },
  }),
});

const sealedOf = reader<SealedSecret>()('id sealed');

/** Every column with sealed values, and the key of its row. */
export const sealedColumns: Readonly<Record<SealedKind, { table: string; id: string; sealed: string }>> = {
  'signing-key': { table: 'signing_keys', id: 'kid', sealed: 'sealed_private_key' },
  'server-secret': { table: 'server_secrets', id: 'name', sealed: 'sealed' },
  enrollment: { table: 'enrollments', id: 'id', sealed: 'sealed_token' },
  totp: { table: 'totp_enrollments', id: 'identity_id', sealed: 'sealed_seed' },
  'pending-totp': { table: 'pending_totp', id: 'flow', sealed: 'sealed_seed' },
  'device-login': { table: 'device_logins', id: 'id', sealed: 'sealed_code' },
  'event-subscription': { table: 'event_subscriptions', id: 'id', sealed: 'sealed_secrets' },
  signer: { table: 'external_jwt_signers', id: 'id', sealed: 'sealed_client_secret' },
};

function* keepServerSecret(name: string, sealed: string): Intent<string> {
  yield* insertOr('server_secrets', { name, sealed }, 'ON CONFLICT (name) DO NOTHING');
  const row = yield* first('SELECT sealed FROM server_secrets WHERE name = ?', name);
  if (row === undefined) throw new Error('a server secret was not kept');
  return text(row, 'sealed');
}
