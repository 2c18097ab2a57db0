// How sessions end, one by one and together with everything that depends on the same proof: browser sessions and logins
// in progress.

import type { SessionEndReason } from '../../model/api-session.ts';
import type { Voucher } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import { isToldSql, tellApplication } from './application-notices.ts';
import { endBrowserSession, endBrowserSessionsOf, endBrowserSessionsWhere } from './browser-sessions.ts';
import { recordChange } from './changes.ts';
import { integer, text, textOrNull } from './codec.ts';
import { all, type Intent, raw, run, type Sql, type SqlRow, sql } from './intent.ts';

/**
 * Only with these reasons the person is meant to be logged out. With the others the person continues, or a client is
 * to blame.
 */
const endsBrowserSession: ReadonlySet<SessionEndReason> = new Set(['logout', 'administrator', 'revoked']);

interface End {
  readonly reason: SessionEndReason;
  readonly now: Millis;
}

/**
 * Ends the live sessions of which a condition holds, each with a change-feed entry, and has their applications told.
 * Nothing else ends a session. One whose tokens have expired is only told of.
 * @returns the rows of all of them
 */
function* end(which: Sql, { reason, now }: End): Intent<readonly SqlRow[]> {
  const rows =
    yield* all`UPDATE api_sessions SET ended_at = ${now}, end_reason = ${reason}, refresh_hash = NULL,
       told_until = NULL
     WHERE ended_at IS NULL AND (expires_at > ${now} OR told_until > ${now}) AND ${which}
     RETURNING id, identity_id, client_id, issuer, expires_at, browser_session_id, ${raw(isToldSql)}`;
  for (const row of rows) {
    if (isLive(row, now)) yield* recordChange('session-ended', text(row, 'id'), now);
    yield* tellApplication(row, now);
  }
  return rows;
}

function isLive(row: SqlRow, now: Millis): boolean {
  return integer(row, 'expires_at') > now;
}

/** Ends a live session, as `end`. False when it was not alive. */
export function* endSession(id: string, reason: SessionEndReason, now: Millis): Intent<boolean> {
  const [row] = yield* end(sql`id = ${id}`, { reason, now });
  if (row === undefined) return false;
  const browserSession = textOrNull(row, 'browser_session_id');
  if (browserSession !== null && endsBrowserSession.has(reason))
    yield* endBrowserSession(browserSession, now);
  return isLive(row, now);
}

/**
 * Ends the live sessions of which a condition holds, as `end`.
 * @returns how many sessions
 */
export function* endSessionsWhere(which: Sql, how: End): Intent<number> {
  return (yield* end(which, how)).filter((row) => isLive(row, how.now)).length;
}

/**
 * Ends every live session of an identity except one, and deletes its logins in progress, so that what was proven
 * earlier cannot open a session later.
 * @returns how many sessions
 */
export function* endSessionsOf(args: {
  identityId: string;
  reason: SessionEndReason;
  now: Millis;
  /** Null and left out: none continues. */
  except?: string | null;
  exceptLogin?: string;
  /** Only sessions that were opened at or before this point. */
  openedUntil?: Millis;
}): Intent<number> {
  const { identityId, except = null, openedUntil = Number.MAX_SAFE_INTEGER } = args;
  const which = sql`identity_id = ${identityId} AND id <> ${except ?? ''} AND created_at <= ${openedUntil}`;
  yield* forgetLogins(identityId, args.exceptLogin);
  const ended = yield* endSessionsWhere(which, args);
  yield* endBrowserSessionsOf({ identityId, openedUntil, now: args.now });
  return ended;
}

/** The column in which a kind of session says what was proven. Ids are unique, so no other text in it looks like one. */
const proofsOf = { api: raw('passed'), browser: raw('progress') } as const;

/**
 * Ends the live sessions and the browser sessions of which a condition holds.
 * @returns how many API sessions
 */
function* endBoth(which: (proofs: Sql) => Sql, how: End & { readonly except?: string }): Intent<number> {
  const { except = '', now } = how;
  const ended = yield* endSessionsWhere(sql`id <> ${except} AND ${which(proofsOf.api)}`, how);
  yield* endBrowserSessionsWhere(which(proofsOf.browser), now);
  return ended;
}

/**
 * Ends every live session that an authenticator opened, except one, and deletes the logins in progress.
 * @param args.authenticatorId null: those that a claim opened or completed, of a token or by the rule of an authority
 */
export function* endSessionsOfAuthenticator(args: {
  identityId: string;
  authenticatorId: string | null;
  now: Millis;
  except?: string;
}): Intent<void> {
  const { identityId, authenticatorId } = args;
  const by = (proofs: Sql) =>
    authenticatorId === null
      ? sql`(authenticator_id IS NULL OR ${proofs} LIKE '%"ejs:%')`
      : sql`authenticator_id = ${authenticatorId}`;
  yield* forgetLogins(identityId);
  yield* endBoth((proofs) => sql`identity_id = ${identityId} AND ${by(proofs)}`, {
    ...args,
    reason: 'credential-changed',
  });
}

/** Ends every live session that a passkey opened or completed, and deletes the logins in progress. */
export function* endSessionsOfPasskey(args: {
  identityId: string;
  passkeyId: string;
  now: Millis;
}): Intent<void> {
  const { identityId, passkeyId, now } = args;
  const by = (proofs: Sql) =>
    sql`identity_id = ${identityId} AND (authenticator_id = ${passkeyId}
      OR ${proofs} LIKE '%' || ${passkeyId} || '%')`;
  yield* forgetLogins(identityId);
  yield* endBoth(by, { reason: 'credential-changed', now });
}

/**
 * Ends the logins of an identity that have not opened a session yet. Used codes stay, so that a second use is noticed.
 * Comes before the end of the sessions: where intents run side by side, it waits for a code that is just being redeemed,
 * whose session is there only then.
 */
export function* forgetLogins(identityId: string, except = ''): Intent<void> {
  yield* run`DELETE FROM auth_requests WHERE identity_id = ${identityId} AND code_used_at IS NULL
    AND id <> ${except}`;
}

/**
 * Ends every live session that a signer opened or completed, or that an authority opened, and deletes the logins in
 * progress that depend on it, so that what it vouched for before cannot open a session later.
 * @param byRule      for an authority: only sessions of identities that its rule found
 * @param openedUntil only sessions that were opened at or before this point
 * @returns how many sessions
 */
export function* endSessionsOpenedBy(
  voucher: Voucher['kind'],
  id: string,
  end: { reason: SessionEndReason; now: Millis; byRule?: boolean; openedUntil?: Millis | undefined },
): Intent<number> {
  const { byRule = false, openedUntil = Number.MAX_SAFE_INTEGER } = end;
  const vouchedFor = (proofs: Sql) =>
    voucher === 'ca'
      ? sql`ca_id = ${id}`
      : sql`(signer_id = ${id} OR ${proofs} LIKE '%"ejs:' || ${id} || '"%')`;
  const found = raw(byRule ? 'authenticator_id IS NULL' : '1 = 1');
  const ended = yield* endBoth(
    (proofs) => sql`${vouchedFor(proofs)} AND created_at <= ${openedUntil} AND ${found}`,
    end,
  );
  // Progress names signers and authorities by id, and nothing else in that text can look like one. Used codes stay.
  yield* run(`DELETE FROM auth_requests WHERE code_used_at IS NULL AND progress LIKE '%' || ? || '%'`, id);
  return ended;
}
