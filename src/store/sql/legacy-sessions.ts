// Sessions of the legacy mechanism: rows of `api_sessions`, each with a session token.

import { isDisabled } from '../../model/account.ts';
import type { PassedMethod } from '../../model/login.ts';
import type { OpenLegacySession, SessionActivity } from '../contracts/api-sessions.ts';
import { keepClientInfo, keepLastLogin } from './client-info.ts';
import { identityOf, insertOr, text, textOrNull } from './codec.ts';
import { first, type Intent, run, type SqlRow } from './intent.ts';

/** Of `apiSessions`, as are the methods below. */
export const legacyIntents = { openLegacySession } as const;

function* openLegacySession(session: OpenLegacySession): Intent<SqlRow | null> {
  const { progress, now } = session;
  const identity = yield* first('SELECT * FROM identities WHERE id = ?', progress.identityId);
  if (identity === undefined || isDisabled(identityOf(identity), now)) return null;
  const claimed = session.externalId ?? null;
  if (claimed !== null && textOrNull(identity, 'external_id') !== claimed) return null;
  if (progress.authenticatorId !== null) {
    const sql = 'SELECT password_hash FROM authenticators WHERE id = ?';
    const authenticator = yield* first(sql, progress.authenticatorId);
    if (authenticator === undefined) return null;
    const verified = session.verifiedHash ?? null;
    if (verified !== null && textOrNull(authenticator, 'password_hash') !== verified) return null;
  }
  const { identityId, authenticatorId, passed, authTime, certThumbprint, signerId, caId, place } = progress;
  const { id, tokenHash, certChain, issuer, configTypes, ipAddress, expiresAt } = session;
  const row = yield* insertOr(
    'api_sessions',
    {
      ...{
        id,
        mechanism: 'legacy',
        identityId,
        authenticatorId,
        tokenHash,
        passed,
        authTime,
        certThumbprint,
      },
      ...{ certChain, signerId, caId, clientId: '', scopes: [], issuer, configTypes, ipAddress },
      ...{ createdAt: now, lastActivityAt: now, expiresAt },
      ...{
        loginIpAddress: place?.ipAddress,
        program: place?.program,
        operatingSystem: place?.operatingSystem,
      },
    },
    'RETURNING *',
  );
  yield* keepClientInfo(progress.identityId, progress.clientInfo);
  yield* keepLastLogin(progress.identityId, identity, now);
  return row ?? null;
}

export const legacyWrites = {
  *addPassed(id: string, factor: PassedMethod): Intent<boolean> {
    const row = yield* first`SELECT passed FROM api_sessions WHERE id = ${id} AND mechanism = 'legacy'
      AND ended_at IS NULL`;
    if (row === undefined) return false;
    const passed = new Set(JSON.parse(text(row, 'passed')) as PassedMethod[]).add(factor);
    yield* run('UPDATE api_sessions SET passed = ? WHERE id = ?', JSON.stringify([...passed]), id);
    return true;
  },
  *recordActivity(activity: readonly SessionActivity[]): Intent<void> {
    // Ordered by id, so that two nodes that record the same sessions cannot deadlock.
    const ordered = activity.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    for (const { id, lastActivityAt, expiresAt } of ordered) {
      yield* run`UPDATE api_sessions SET last_activity_at = ${lastActivityAt}, expires_at = ${expiresAt}
         WHERE id = ${id} AND mechanism = 'legacy' AND ended_at IS NULL
         AND last_activity_at < ${lastActivityAt}`;
    }
  },
};
