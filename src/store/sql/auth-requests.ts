// Logins in progress and the redemption of authorization codes.

import type { AuthRequest } from '../../model/auth-request.ts';
import { isDisabled } from '../../model/identity.ts';
import { asId } from '../../model/ids.ts';
import type { LoginProgress } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  AuthRequestStore,
  LoginRecord,
  RedeemCode,
  RedeemOutcome,
  RedeemRefusal,
} from '../contracts/auth-requests.ts';
import { endSession } from './api-sessions.ts';
import { clearAttempts } from './attempts.ts';
import { keepClientInfo } from './client-info.ts';
import {
  apiSessionOf,
  authPolicyRulesOf,
  identityOf,
  integer,
  integerOrNull,
  text,
  textOrNull,
} from './codec.ts';
import { first, type Intent, type SqlRow } from './intent.ts';

/** After so many redemptions with wrong bindings a code is worthless. */
const maxCodeFailures = 5;

type RecordPrimaryLogin = Parameters<AuthRequestStore['recordPrimaryLogin']>[0];

export function* recordPrimaryLogin(login: RecordPrimaryLogin): Intent<'recorded' | 'finished' | 'changed'> {
  const { authRequest, progress, code } = login;
  const { condition, params } = hasStillPassword(progress.authenticatorId, login.verifiedHash);
  const row = yield* first(
    `INSERT INTO auth_requests (id, request, client_id, redirect_uri, code_challenge, issuer, identity_id, progress,
       generation, code_hash, code_expires_at, expires_at)
     SELECT ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ? WHERE ${condition}
     ON CONFLICT (id) DO UPDATE SET
       identity_id = excluded.identity_id, progress = excluded.progress,
       generation = auth_requests.generation + 1, code_hash = excluded.code_hash,
       code_expires_at = excluded.code_expires_at,
       expires_at = CASE WHEN excluded.expires_at > auth_requests.expires_at THEN excluded.expires_at
         ELSE auth_requests.expires_at END
     WHERE auth_requests.code_hash IS NULL
     RETURNING generation`,
    authRequest.key,
    JSON.stringify(authRequest),
    authRequest.clientId,
    authRequest.redirectUri,
    authRequest.codeChallenge,
    authRequest.issuer,
    progress.identityId,
    JSON.stringify(progress),
    code?.hash ?? null,
    code?.expiresAt ?? null,
    Math.max(login.expiresAt, code?.expiresAt ?? 0),
    ...params,
  );
  if (row === undefined) {
    const held = yield* first(`SELECT 1 AS one WHERE ${condition}`, ...params);
    return held === undefined ? 'changed' : 'finished';
  }
  if (integer(row, 'generation') > 1)
    yield* first('DELETE FROM pending_totp WHERE flow = ?', authRequest.key);
  if (code !== null) yield* clearAttempts({ keys: code.forgetFailures });
  return 'recorded';
}

/** The condition that an authenticator has the password that was verified; true when none was. */
function hasStillPassword(
  authenticatorId: string | null,
  verifiedHash: string | null | undefined,
): { readonly condition: string; readonly params: readonly string[] } {
  if (authenticatorId === null || verifiedHash === undefined || verifiedHash === null) {
    return { condition: '1 = 1', params: [] };
  }
  const condition = 'EXISTS (SELECT 1 FROM authenticators WHERE id = ? AND password_hash = ?)';
  return { condition, params: [authenticatorId, verifiedHash] };
}

export function* recordFactor(
  factor: Parameters<AuthRequestStore['recordFactor']>[0],
): Intent<'recorded' | 'superseded' | 'outdated'> {
  const { key, generation, now } = factor;
  const isOpen = 'id = ? AND generation = ? AND code_hash IS NULL AND expires_at > ?';
  // The text is the one that this service wrote, and read back with its members in the same order.
  const row = yield* first(
    `UPDATE auth_requests SET progress = ?, code_hash = ?, code_expires_at = ?, expires_at = ?
     WHERE ${isOpen} AND progress = ? RETURNING id`,
    JSON.stringify(factor.progress),
    factor.code?.hash ?? null,
    factor.code?.expiresAt ?? null,
    Math.max(factor.expiresAt, factor.code?.expiresAt ?? 0),
    key,
    generation,
    now,
    JSON.stringify(factor.known),
  );
  if (row === undefined) {
    const open = yield* first(`SELECT id FROM auth_requests WHERE ${isOpen}`, key, generation, now);
    return open === undefined ? 'superseded' : 'outdated';
  }
  if (factor.code !== null) yield* clearAttempts({ keys: factor.code.forgetFailures });
  return 'recorded';
}

export function* extendLogin(args: { readonly key: string; readonly expiresAt: Millis }): Intent<void> {
  yield* first(
    'UPDATE auth_requests SET expires_at = ? WHERE id = ? AND expires_at < ? AND code_hash IS NULL',
    args.expiresAt,
    args.key,
    args.expiresAt,
  );
}

export const findLoginSql = 'SELECT * FROM auth_requests WHERE id = ? AND expires_at > ?';

export function loginRecordOf(row: SqlRow): LoginRecord {
  return {
    authRequest: JSON.parse(text(row, 'request')) as AuthRequest,
    generation: integer(row, 'generation'),
    progress: JSON.parse(text(row, 'progress')) as LoginProgress,
    hasCode: row.code_hash !== null,
    expiresAt: integer(row, 'expires_at'),
  };
}

export function* redeemCode(redeem: RedeemCode): Intent<RedeemOutcome> {
  const { now } = redeem;
  // The one statement that decides. A code that was used is kept as long as the first tokens of its session.
  const won = yield* first(
    `UPDATE auth_requests SET code_used_at = ?, session_id = ?,
       expires_at = CASE WHEN expires_at > ? THEN expires_at ELSE ? END
     WHERE id = ? AND code_hash = ? AND code_used_at IS NULL AND code_expires_at > ? AND code_failures < ?
       AND client_id = ? AND redirect_uri = ? AND code_challenge = ? AND issuer = ?
     RETURNING request, progress, identity_id`,
    now,
    redeem.session.id,
    redeem.session.expiresAt,
    redeem.session.expiresAt,
    redeem.key,
    redeem.codeHash,
    now,
    maxCodeFailures,
    redeem.clientId,
    redeem.redirectUri,
    redeem.codeChallenge,
    redeem.issuer,
  );
  if (won === undefined) return yield* refuseCode(redeem);
  const row = yield* first(
    `SELECT identities.*, auth_policies.primary_rules, auth_policies.secondary_rules
     FROM identities JOIN auth_policies ON auth_policies.id = identities.auth_policy_id WHERE identities.id = ?`,
    text(won, 'identity_id'),
  );
  const identity = row === undefined ? null : identityOf(row);
  if (row === undefined || identity === null || isDisabled(identity, now))
    return refused('identity-unavailable');
  const authRequest = JSON.parse(text(won, 'request')) as AuthRequest;
  const progress = JSON.parse(text(won, 'progress')) as LoginProgress;
  const session = apiSessionOf(yield* openSession(redeem, authRequest, progress));
  yield* keepClientInfo(identity.id, progress.clientInfo);
  const { nonce } = authRequest;
  const policy = authPolicyRulesOf(row);
  const certificateKey = progress.certificateKey ?? null;
  return { outcome: 'redeemed', session, identity, policy, nonce, certificateKey };
}

function* openSession(redeem: RedeemCode, authRequest: AuthRequest, progress: LoginProgress): Intent<SqlRow> {
  const { session, now } = redeem;
  const refresh = authRequest.scopes.includes('offline_access') ? session.refresh : null;
  const row = yield* first(
    `INSERT INTO api_sessions (id, mechanism, identity_id, authenticator_id, passed, auth_time, cert_thumbprint,
       signer_id, ca_id, primary_proof, client_id, scopes, issuer, config_types, ip_address, created_at, last_activity_at, expires_at,
       refresh_hash, refresh_generation, refresh_expires_at, family_expires_at)
     VALUES (?, 'oidc', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?) RETURNING *`,
    session.id,
    progress.identityId,
    progress.authenticatorId,
    JSON.stringify(progress.passed),
    progress.authTime,
    progress.certThumbprint,
    progress.signerId,
    progress.caId,
    progress.primaryProof === undefined ? null : JSON.stringify(progress.primaryProof),
    authRequest.clientId,
    JSON.stringify(authRequest.scopes),
    authRequest.issuer,
    JSON.stringify(authRequest.configTypes),
    session.ipAddress,
    now,
    now,
    session.expiresAt,
    refresh?.hash ?? null,
    refresh?.expiresAt ?? null,
    refresh?.familyExpiresAt ?? null,
  );
  if (row === undefined) throw new Error('an insert returned nothing');
  return row;
}

/** Why the code was refused, and what follows from it. */
function* refuseCode(redeem: RedeemCode): Intent<RedeemOutcome> {
  const row = yield* first(
    'SELECT * FROM auth_requests WHERE id = ? AND code_hash = ?',
    redeem.key,
    redeem.codeHash,
  );
  if (row === undefined) return refused('unknown');
  const isBound =
    text(row, 'client_id') === redeem.clientId &&
    text(row, 'redirect_uri') === redeem.redirectUri &&
    text(row, 'code_challenge') === redeem.codeChallenge &&
    text(row, 'issuer') === redeem.issuer;
  if (!isBound) {
    yield* first('UPDATE auth_requests SET code_failures = code_failures + 1 WHERE id = ?', redeem.key);
    return refused('wrong-binding');
  }
  if (integerOrNull(row, 'code_used_at') === null) {
    return refused(integer(row, 'code_failures') >= maxCodeFailures ? 'too-many-attempts' : 'expired');
  }
  // However often it was tried with wrong bindings in between: a second use must not be hidden by failures.
  const sessionId = textOrNull(row, 'session_id');
  const ended = sessionId !== null && (yield* endSession(sessionId, 'code-reuse', redeem.now));
  return { outcome: 'refused', reason: 'already-used', endedSession: ended ? asId(sessionId) : null };
}

function refused(reason: RedeemRefusal): RedeemOutcome {
  return { outcome: 'refused', reason, endedSession: null };
}
