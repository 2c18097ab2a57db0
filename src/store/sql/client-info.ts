import type { ClientInfo } from '../../model/client-info.ts';
import { HOUR, type Millis } from '../../platform/clock.ts';
import { excluded, insertOr, integerOrNull, reader } from './codec.ts';
import { type Intent, run, type SqlRow } from './intent.ts';

/** Stores the report of a client, replacing earlier ones. Writes nothing if it is the same. */
export function* keepClientInfo(identityId: string, info: ClientInfo | undefined): Intent<void> {
  if (info === undefined) return;
  yield* insertOr(
    'client_info',
    { identityId, ...info },
    `ON CONFLICT (identity_id) DO UPDATE SET ${excluded('env_info sdk_info')}
     WHERE client_info.env_info <> excluded.env_info OR client_info.sdk_info <> excluded.sdk_info`,
  );
}

/**
 * Stores when an identity logged in. Only once an hour, because every login would otherwise rewrite its row.
 * @param row with the identity's `last_login_at`
 */
export function* keepLastLogin(identityId: string, row: SqlRow, now: Millis): Intent<void> {
  const last = integerOrNull(row, 'last_login_at');
  if (last !== null && last > now - HOUR) return;
  yield* run('UPDATE identities SET last_login_at = ? WHERE id = ?', now, identityId);
}

export const clientInfoOf = reader<ClientInfo>()('envInfo:json sdkInfo:json');

export const findClientInfoSql = 'SELECT * FROM client_info WHERE identity_id = ?';
