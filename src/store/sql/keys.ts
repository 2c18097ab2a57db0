import type { SigningKey } from '../../model/signing-key.ts';
import type { Millis } from '../../platform/clock.ts';
import type { KeyStore, ReplaceSealed, SealedKind } from '../contracts/keys.ts';
import { recordChange } from './changes.ts';
import { type Database, insert, insertOr, signingKeyOf, text } from './codec.ts';
import { affects, first, type Intent, run } from './intent.ts';

export const keyIntents = { rotateSigningKey, keepServerSecret, replaceSealed } as const;

export function keyStore({ write, writing, read, find }: Database<typeof keyIntents>): KeyStore {
  return {
    async listSigningKeys(now) {
      const sql = `SELECT * FROM signing_keys WHERE removed_at IS NULL OR removed_at > ?
        ORDER BY active_from, created_at, kid`;
      return (await read(sql, now)).map(signingKeyOf);
    },
    ...writing({ rotateSigningKey: 'rotateSigningKey', replaceSealed: 'replaceSealed' }),
    async listSealed(kind, after, limit) {
      const { table, id, sealed } = sealedColumns[kind];
      const sql = `SELECT ${id} AS id, ${sealed} AS sealed FROM ${table}
        WHERE ${id} > ? AND ${sealed} IS NOT NULL ORDER BY ${id} LIMIT ?`;
      return (await read(sql, after, limit)).map((row) => ({
        id: text(row, 'id'),
        sealed: text(row, 'sealed'),
      }));
    },
    async serverSecret(name, make) {
      const kept = await find(
        (row) => text(row, 'sealed'),
        'SELECT sealed FROM server_secrets WHERE name = ?',
        name,
      );
      return kept ?? write('keepServerSecret', [name, make()]);
    },
  };
}

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

function* replaceSealed({ kind, secret, ...replace }: ReplaceSealed): Intent<boolean> {
  const { table, id, sealed } = sealedColumns[kind];
  const sql = `UPDATE ${table} SET ${sealed} = ? WHERE ${id} = ? AND ${sealed} = ? RETURNING ${id}`;
  if (!(yield* affects(sql, replace.sealed, secret.id, secret.sealed))) return false;
  if (kind === 'signing-key') yield* recordChange('signing-keys', secret.id, replace.now);
  return true;
}

function* rotateSigningKey(rotation: {
  readonly next: SigningKey;
  readonly newestSeen: string | null;
  readonly retireOldAt: Millis;
  readonly removeOldAt: Millis;
}): Intent<boolean> {
  const { next } = rotation;
  const newest = yield* first`SELECT kid FROM signing_keys WHERE alg = ${next.alg}
     AND (removed_at IS NULL OR removed_at > ${next.createdAt})
     ORDER BY active_from DESC, created_at DESC, kid DESC LIMIT 1`;
  if ((newest === undefined ? null : text(newest, 'kid')) !== rotation.newestSeen) return false;
  yield* run`UPDATE signing_keys SET retired_at = ${rotation.retireOldAt},
    removed_at = ${rotation.removeOldAt} WHERE alg = ${next.alg} AND retired_at IS NULL`;
  yield* insert('signing_keys', { ...next, retiredAt: null, removedAt: null });
  yield* recordChange('signing-keys', next.kid, next.createdAt);
  return true;
}

function* keepServerSecret(name: string, sealed: string): Intent<string> {
  yield* insertOr('server_secrets', { name, sealed }, 'ON CONFLICT (name) DO NOTHING');
  const row = yield* first('SELECT sealed FROM server_secrets WHERE name = ?', name);
  if (row === undefined) throw new Error('a server secret was not kept');
  return text(row, 'sealed');
}
