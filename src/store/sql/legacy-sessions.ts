// Sessions of the legacy mechanism: rows of `api_sessions`, each with a session token.

import { isDisabled } from '../../model/account.ts';
import type { NewProgram } from '../../model/last-login.ts';
import type { PassedMethod } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { OpenedWith, OpenLegacySession, SessionActivity } from '../contracts/api-sessions.ts';
import { apiSessionOf, identityOf, insertOr, text, textOrNull } from './codec.ts';
import { first, type Intent, run, type SqlRow } from './intent.ts';
import { keepClientInfo, keepLastLogin, keepLogin, knownLoginsSql } from './last-logins.ts';
import { stillVouches } from './login-row.ts';

/** Of `apiSessions`, as are the methods below. */
export const legacyIntents = { openLegacySession } as const;

const identitySql = `SELECT identities.*, ${knownLoginsSql('identities.id')},
    (SELECT identity_id FROM totp_enrollments WHERE identity_id = identities.id) AS enrolled
  FROM identities WHERE id = ?`;

function* openLegacySession(
  session: OpenLegacySession,
): Intent<{ readonly row: SqlRow; readonly newProgram: NewProgram | null } | null> {
  const { progress, now } = session;
  const identity = yield* first(identitySql, progress.identityId);
  if (identity === undefined || isDisabled(identityOf(identity), now)) return null;
  for (const vouched of session.vouched ?? []) {
    const still = stillVouches(progress.identityId, vouched);
    if ((yield* first`SELECT 1 AS one WHERE ${still}`) === undefined) return null;
  }
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
      ...{ id, mechanism: 'legacy', identityId, authenticatorId, tokenHash, passed, authTime },
      ...{ certThumbprint, certChain, signerId, caId, clientId: '', scopes: [], issuer, configTypes },
      ...{ ipAddress, createdAt: now, lastActivityAt: now, expiresAt, loginIpAddress: place?.ipAddress },
      ...{ program: place?.program, operatingSystem: place?.operatingSystem },
    },
    'RETURNING *',
  );
  yield* keepClientInfo(progress.identityId, progress.clientInfo);
  // While a factor is outstanding, the login is not complete.
  const isComplete = session.isComplete && identity.enrolled === null;
  const opened = row === undefined || !isComplete ? null : apiSessionOf(row);
  const newProgram = opened === null ? null : yield* keepLogin(identity.known_logins, opened, now);
  yield* keepLastLogin(progress.identityId, identity, now);
  return row === undefined ? null : { row, newProgram };
}

export const legacyWrites = {
  *addPassed(id: string, factor: PassedMethod, completedAt: Millis | null): Intent<OpenedWith | null> {
    const isOpen = `id = ? AND mechanism = 'legacy' AND ended_at IS NULL`;
    const found = yield* first(`SELECT passed FROM api_sessions WHERE ${isOpen}`, id);
    if (found === undefined) return null;
    const passed = new Set(JSON.parse(text(found, 'passed')) as PassedMethod[]).add(factor);
    // First: an intent that ends the session waits for this row.
    const row = yield* first(
      `UPDATE api_sessions SET passed = ? WHERE ${isOpen} RETURNING *, ${knownLoginsSql('api_sessions.identity_id')}`,
      JSON.stringify([...passed]),
      id,
    );
    if (row === undefined) return null;
    if (completedAt === null) return { newProgram: null };
    return { newProgram: yield* keepLogin(row.known_logins, apiSessionOf(row), completedAt) };
  },
  *recordActivity(activity: readonly SessionActivity[]): Intent<void> {
    // Ordered by id, so that two nodes that record the same sessions cannot deadlock.
    const ordered = activity.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    for (const { id, lastActivityAt, expiresAt } of ordered)
      yield* run`UPDATE api_sessions SET last_activity_at = ${lastActivityAt}, expires_at = ${expiresAt}
         WHERE id = ${id} AND mechanism = 'legacy' AND ended_at IS NULL
         AND last_activity_at < ${lastActivityAt}`;
  },
};
