import type { SigningKey } from '../../model/signing-key.ts';
import type { Millis } from '../../platform/clock.ts';
import { recordChange } from './changes.ts';
import { text } from './codec.ts';
import { first, type Intent } from './intent.ts';

export function* rotateSigningKey(rotation: {
  readonly next: SigningKey;
  readonly newestSeen: string | null;
  readonly retireOldAt: Millis;
  readonly removeOldAt: Millis;
}): Intent<boolean> {
  const { next } = rotation;
  const newest = yield* first(
    `SELECT kid FROM signing_keys WHERE alg = ? AND (removed_at IS NULL OR removed_at > ?)
     ORDER BY active_from DESC, created_at DESC, kid DESC LIMIT 1`,
    next.alg,
    next.createdAt,
  );
  if ((newest === undefined ? null : text(newest, 'kid')) !== rotation.newestSeen) return false;
  yield* first(
    'UPDATE signing_keys SET retired_at = ?, removed_at = ? WHERE alg = ? AND retired_at IS NULL',
    rotation.retireOldAt,
    rotation.removeOldAt,
    next.alg,
  );
  yield* first(
    `INSERT INTO signing_keys (kid, alg, public_jwk, sealed_private_key, created_at, active_from, retired_at,
       removed_at) VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)`,
    next.kid,
    next.alg,
    next.publicJwk,
    next.sealedPrivateKey,
    next.createdAt,
    next.activeFrom,
  );
  yield* recordChange('signing-keys', next.kid, next.createdAt);
  return true;
}

export function* keepServerSecret(args: { readonly name: string; readonly sealed: string }): Intent<string> {
  yield* first(
    'INSERT INTO server_secrets (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
    args.name,
    args.sealed,
  );
  const row = yield* first('SELECT sealed FROM server_secrets WHERE name = ?', args.name);
  if (row === undefined) throw new Error('a server secret was not kept');
  return text(row, 'sealed');
}
