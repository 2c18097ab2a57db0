// Logins in progress and the redemption of authorization codes.

import { isDisabled } from '../../model/account.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import { programOfSession } from '../../model/client-info.ts';
import { asId } from '../../model/ids.ts';
import type { LoginProgress } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  AuthRequestStore,
  LoginRecord,
  NewRefreshFamily,
  PrimaryRecorded,
  RedeemCode,
  RedeemOutcome,
  RedeemRefusal,
} from '../contracts/auth-requests.ts';
import { clearAttempts } from './attempts.ts';
import { openBrowserSession } from './browser-sessions.ts';
import {
  authPolicyRulesOf,
  disablingOf,
  identityInTokensOf,
  insertOr,
  integer,
  integerOrNull,
  isProven,
  text,
  textOrNull,
} from './codec.ts';
import { concern } from './concern.ts';
import { passwordWasChosen, withdrawInvitation } from './identities.ts';
import { first, type Intent, raw, run, type Sql, type SqlRow, sql, together } from './intent.ts';
import { keepClientInfo, keepLastLogin, keepLogin, knownLoginsSql, loginsBefore } from './last-logins.ts';
import { type LoginRow, loginRow, mayLogIn, provenText, putLogin, stillVouches } from './login-row.ts';
import { endSession, endSessionsOf } from './session-ends.ts';

export const authRequests = concern<AuthRequestStore>()({
  writes: {
    *recordFactor(factor) {
      const { key, generation, now } = factor;
      const isOpen = sql`id = ${key} AND generation = ${generation} AND code_hash IS NULL AND expires_at > ${now}`;
      const { vouched: claim = null } = factor;
      const vouched = claim === null ? raw('1 = 1') : stillVouches(factor.progress.identityId, claim);
      const proven = provenText(factor.progress, factor.code?.browserSession?.id);
      // Comparing text works because this service wrote it, and reading it back keeps the order of members.
      const row =
        yield* first`UPDATE auth_requests SET progress = ${proven}, code_hash = ${factor.code?.hash ?? null},
          code_expires_at = ${factor.code?.expiresAt ?? null},
          expires_at = ${Math.max(factor.expiresAt, factor.code?.expiresAt ?? 0)}
         WHERE ${isOpen} AND progress = ${JSON.stringify(factor.known)} AND ${vouched} RETURNING issuer`;
      if (row === undefined) {
        const open = yield* first`SELECT CASE WHEN ${vouched} THEN 1 ELSE 0 END AS is_vouched
          FROM auth_requests WHERE ${isOpen}`;
        if (open === undefined) return 'superseded';
        return open.is_vouched === 1 ? 'outdated' : 'changed';
      }
      if (factor.code !== null) yield* clearAttempts(factor.code.forgetFailures);
      yield* openBrowserSession(proven, text(row, 'issuer'), factor.code);
      return 'recorded';
    },
    *replacePassword({ key, generation, authenticatorId, passwordHash, now }) {
      const row = yield* first`UPDATE authenticators SET password_hash = ${passwordHash},
         password_set_at = ${now}, updated_at = ${now}
         WHERE id = ${authenticatorId} AND method = 'updb' AND EXISTS (SELECT 1 FROM auth_requests
           WHERE auth_requests.id = ${key} AND generation = ${generation} AND code_hash IS NULL
           AND expires_at > ${now}
             AND auth_requests.identity_id = authenticators.identity_id)
         RETURNING identity_id`;
      if (row === undefined) return false;
      const identityId = text(row, 'identity_id');
      yield* endSessionsOf({ identityId, reason: 'credential-changed', now, exceptLogin: key });
      yield* withdrawInvitation(identityId);
      yield* passwordWasChosen(identityId, now);
      return true;
    },
    *extend(key, expiresAt) {
      yield* run`UPDATE auth_requests SET expires_at = ${expiresAt}
        WHERE id = ${key} AND expires_at < ${expiresAt} AND code_hash IS NULL`;
    },
  },
  intents: { recordPrimaryLogin, redeemCode },
  methods: ({ write, find }) => ({
    recordPrimaryLogin: ({ authRequest, progress, ...login }) =>
      write('recordPrimaryLogin', [
        { ...login, ...loginRow(authRequest, progress, login.code?.browserSession?.id) },
      ]),
    findLogin: (key, now) => find(loginRecordOf, findLoginSql, key, now),
    async redeemCode({ within, ...redeem }) {
      const done = await write('redeemCode', [redeem], { within });
      return done.outcome === 'redeemed' ? redeemOutcomeOf(redeem, done) : done;
    },
  }),
});

/** After this many redemptions with wrong bindings a code no longer works. */
const maxCodeFailures = 5;

type RecordPrimaryLogin = Parameters<AuthRequestStore['recordPrimaryLogin']>[0];

type PrimaryLoginRow = Omit<RecordPrimaryLogin, 'authRequest' | 'progress'> & LoginRow;

function* recordPrimaryLogin(login: PrimaryLoginRow): Intent<PrimaryRecorded> {
  const { key, code } = login;
  const proven = isStillProven(login);
  const sameBrowser =
    'auth_requests.browser_binding IS NULL OR auth_requests.browser_binding = excluded.browser_binding';
  const row = yield* putLogin(login, login, { proven, sameBrowser });
  if (row === undefined) {
    const held = yield* first`SELECT 1 AS one WHERE ${proven}`;
    if (held === undefined) return 'changed';
    const record = yield* first('SELECT code_hash FROM auth_requests WHERE id = ?', key);
    return record?.code_hash === null ? 'elsewhere' : 'finished';
  }
  if (integer(row, 'generation') > 1) yield* run('DELETE FROM pending_totp WHERE flow = ?', key);
  yield* clearAttempts(code?.forgetFailures ?? []);
  yield* openBrowserSession(login.progress, login.issuer, code);
  return 'recorded';
}

/** True if the verified facts of the primary login have not changed, and the identity was not disabled meanwhile. */
function isStillProven({ identityId, vouched = [], now, ...opened }: PrimaryLoginRow): Sql {
  const vouchers = vouched.map((each) => stillVouches(identityId, each));
  return together([mayLogIn(identityId, now), hasOpened(opened), ...vouchers], ' AND ');
}

function hasOpened({
  authenticatorId,
  verifiedHash = null,
}: Pick<PrimaryLoginRow, 'authenticatorId' | 'verifiedHash'>): Sql {
  if (authenticatorId === null) return raw('1 = 1');
  if (verifiedHash === null)
    return sql`(EXISTS (SELECT 1 FROM authenticators WHERE id = ${authenticatorId})
      OR EXISTS (SELECT 1 FROM passkeys WHERE id = ${authenticatorId}))`;
  return sql`EXISTS (SELECT 1 FROM authenticators
    WHERE id = ${authenticatorId} AND password_hash = ${verifiedHash})`;
}

const findLoginSql = 'SELECT * FROM auth_requests WHERE id = ? AND expires_at > ?';

function loginRecordOf(row: SqlRow): LoginRecord {
  return {
    authRequest: JSON.parse(text(row, 'request')) as AuthRequest,
    generation: integer(row, 'generation'),
    progress: JSON.parse(text(row, 'progress')) as LoginProgress,
    hasCode: row.code_hash !== null,
    expiresAt: integer(row, 'expires_at'),
  };
}

type RefusedCode = Extract<RedeemOutcome, { outcome: 'refused' }>;

/** The outcome of the intent: the login that won, as the text of its columns. */
interface RedeemedLogin
  extends Omit<Extract<RedeemOutcome, { outcome: 'redeemed' }>, 'session' | 'nonce' | 'certificateKey'> {
  readonly request: string;
  readonly progress: string;
}

const bearer = 'FROM identities WHERE identities.id = auth_requests.identity_id';
/** The identity and its rules, with the login that won: another statement would be another round trip. */
const bearerSql = `identity_id AS id, (SELECT name ${bearer}) AS name, (SELECT is_admin ${bearer}) AS is_admin,
       (SELECT last_login_at ${bearer}) AS last_login_at,
       (SELECT disabled_at ${bearer}) AS disabled_at, (SELECT disabled_until ${bearer}) AS disabled_until,
       (SELECT primary_rules FROM auth_policies WHERE id = (SELECT auth_policy_id ${bearer})) AS primary_rules,
       (SELECT secondary_rules FROM auth_policies WHERE id = (SELECT auth_policy_id ${bearer})) AS secondary_rules,
       (SELECT require_dpop FROM auth_policies WHERE id = (SELECT auth_policy_id ${bearer})) AS require_dpop,
       (SELECT count(*) FROM api_sessions
         WHERE api_sessions.identity_id = auth_requests.identity_id AND ended_at IS NULL
           AND api_sessions.id <> auth_requests.session_id) AS other_sessions,
       ${knownLoginsSql('auth_requests.identity_id')}`;

function* redeemCode(redeem: RedeemCode): Intent<RedeemedLogin | RefusedCode> {
  const { now } = redeem;
  // This statement alone decides. Repeated after a lost answer, it finds its own session. A used code is kept as long as
  // the first tokens of its session can live.
  const won = yield* first`UPDATE auth_requests SET code_used_at = ${now}, session_id = ${redeem.session.id},
       expires_at = CASE WHEN expires_at > ${redeem.session.expiresAt} THEN expires_at ELSE ${redeem.session.expiresAt} END
     WHERE id = ${redeem.key} AND code_hash = ${redeem.codeHash}
       AND (code_used_at IS NULL OR session_id = ${redeem.session.id})
       AND code_expires_at > ${now} AND code_failures < ${maxCodeFailures} AND ${isClientThere(redeem)}
       AND client_id = ${redeem.clientId} AND redirect_uri = ${redeem.redirectUri}
       AND code_challenge = ${redeem.codeChallenge} AND issuer = ${redeem.issuer}
       AND (cert_thumbprint IS NULL OR cert_thumbprint = ${redeem.certThumbprint})
       AND (key_thumbprint IS NULL OR key_thumbprint = ${redeem.keyThumbprint})
     RETURNING request, progress, ${raw(bearerSql)}`;
  if (won === undefined) return yield* refuseCode(redeem);
  if (!isBearerUsable(won, now)) return refused('identity-unavailable');
  const identity = identityInTokensOf(won);
  const request = text(won, 'request');
  const progress = text(won, 'progress');
  const opened = openedSession(redeem, request, progress);
  yield* insertSession(opened, redeem.session);
  yield* keepClientInfo(identity.id, opened.progress.clientInfo);
  const known = redeem.isAskedAgain ? loginsBefore(won.known_logins, now) : won.known_logins;
  const newProgram = yield* keepLogin(known, opened.session, now);
  yield* keepLastLogin(identity.id, won, now);
  const policy = { ...authPolicyRulesOf(won), requireDpop: won.require_dpop === 1 };
  const openSessions = integer(won, 'other_sessions') + 1;
  return { outcome: 'redeemed', identity, policy, openSessions, newProgram, request, progress };
}

/** A missing policy refuses, as a missing identity does. */
function isBearerUsable(row: SqlRow, now: Millis): boolean {
  if (row.name === null || row.primary_rules === null) return false;
  return !isDisabled(disablingOf(row), now);
}

interface OpenedSession {
  readonly session: ApiSession;
  readonly refresh: NewRefreshFamily | null;
  readonly authRequest: AuthRequest;
  readonly progress: LoginProgress;
}

/** The session that a code opens, derived from its login, which is given as the text of its columns. */
function openedSession(
  { session, keyThumbprint, now }: RedeemCode,
  request: string,
  proven: string,
): OpenedSession {
  const authRequest = JSON.parse(request) as AuthRequest;
  const progress = JSON.parse(proven) as LoginProgress;
  const { id, ipAddress, expiresAt, program, isForProgram } = session;
  const { clientId, browserBinding, scopes, issuer, configTypes, resources = [] } = authRequest;
  const { identityId, authenticatorId, passed, authTime, certThumbprint, signerId, caId, place } = progress;
  const openedByProgram = isForProgram && browserBinding === null;
  return {
    session: {
      ...{ id, mechanism: 'oidc' as const, identityId, authenticatorId, passed, authTime, certThumbprint },
      ...{ keyThumbprint, signerId, caId, clientId, openedByProgram, scopes, issuer, configTypes, resources },
      ...{ ipAddress, loginIpAddress: place?.ipAddress ?? null },
      ...programOfSession(place, progress.clientInfo, program),
      ...{ createdAt: now, lastActivityAt: now, expiresAt, endedAt: null, endReason: null },
    },
    refresh: scopes.includes('offline_access') ? session.refresh : null,
    authRequest,
    progress,
  };
}

/** The outcome for the caller, who knows which session was to be opened. The intent returns only the login. */
function redeemOutcomeOf(redeem: RedeemCode, { request, progress, ...won }: RedeemedLogin): RedeemOutcome {
  const { session, authRequest, progress: proven } = openedSession(redeem, request, progress);
  return { ...won, session, nonce: authRequest.nonce, certificateKey: proven.certificateKey ?? null };
}

function* insertSession(
  { session, refresh, progress }: OpenedSession,
  { toldUntil, certChain }: Pick<RedeemCode['session'], 'toldUntil' | 'certChain'>,
): Intent<void> {
  const { endedAt: _endedAt, endReason: _endReason, resources, ...row } = session;
  const columns = {
    ...row,
    resources: resources.length === 0 ? null : resources,
    refreshHash: refresh?.hash,
    refreshGeneration: 1,
    refreshExpiresAt: refresh?.expiresAt,
    familyExpiresAt: refresh?.familyExpiresAt,
    browserSessionId: progress.browserSessionId,
    toldUntil,
    certChain: session.caId === null ? null : certChain,
  };
  yield* insertOr('api_sessions', columns, 'ON CONFLICT (id) DO NOTHING');
}

/** A node that has not heard of the deletion yet still begins logins for the client. */
function isClientThere({ clientId, isRegistered = false }: RedeemCode): Sql {
  return isRegistered ? sql`EXISTS (SELECT 1 FROM oidc_clients WHERE id = ${clientId})` : raw('1 = 1');
}

/** Why the code was refused, and the consequences. */
function* refuseCode(redeem: RedeemCode): Intent<RefusedCode> {
  const row = yield* first`SELECT * FROM auth_requests WHERE id = ${redeem.key}
    AND code_hash = ${redeem.codeHash} AND ${isClientThere(redeem)}`;
  if (row === undefined) return refused('unknown');
  const isBound =
    text(row, 'client_id') === redeem.clientId &&
    text(row, 'redirect_uri') === redeem.redirectUri &&
    text(row, 'code_challenge') === redeem.codeChallenge &&
    text(row, 'issuer') === redeem.issuer;
  const isCertified = isProven(row, 'cert_thumbprint', redeem.certThumbprint);
  const isKeyed = isProven(row, 'key_thumbprint', redeem.keyThumbprint);
  if (!isBound || !isCertified || !isKeyed) {
    yield* run('UPDATE auth_requests SET code_failures = code_failures + 1 WHERE id = ?', redeem.key);
    return refused(!isBound ? 'wrong-binding' : isKeyed ? 'wrong-certificate' : 'wrong-key');
  }
  if (integerOrNull(row, 'code_used_at') === null)
    return refused(integer(row, 'code_failures') >= maxCodeFailures ? 'too-many-attempts' : 'expired');
  // Even after failed redemptions: they must not hide a second use.
  const sessionId = textOrNull(row, 'session_id');
  const ended = sessionId !== null && (yield* endSession(sessionId, 'code-reuse', redeem.now));
  return { outcome: 'refused', reason: 'already-used', endedSession: ended ? asId(sessionId) : null };
}

function refused(reason: RedeemRefusal): RefusedCode {
  return { outcome: 'refused', reason, endedSession: null };
}
