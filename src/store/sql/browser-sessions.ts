// Browser sessions: a row exists as long as the person stays signed in. Ending one deletes it. Every use reads the row,
// so other nodes need no notice.

import type { BrowserSession } from '../../model/browser-session.ts';
import { browserSessionListFields } from '../../model/list-fields.ts';
import type { LoginProgress } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { StoredCode } from '../contracts/auth-requests.ts';
import type {
  BrowserSessionStore,
  ContinueBrowserSession,
  NamedBrowserSession,
} from '../contracts/browser-sessions.ts';
import { isToldSql, tellApplication } from './application-notices.ts';
import { insert, integer, reader, text } from './codec.ts';
import { concern } from './concern.ts';
import { all, type Intent, raw, run, type Sql, type SqlRow, sql } from './intent.ts';
import { listSource } from './list-source.ts';
import { type LoginRow, loginRow, putLogin } from './login-row.ts';

export const browserSessions = concern<BrowserSessionStore>()({
  writes: { end: endBrowserSession },
  intents: { continueBrowserSession },
  methods: ({ write, find, list }) => ({
    findByToken: (id, tokenHash, now) =>
      find(
        browserSessionOf,
        'SELECT * FROM browser_sessions WHERE id = ? AND token_hash = ? AND expires_at > ?',
        id,
        tokenHash,
        now,
      ),
    continueWith: ({ authRequest, progress, ...use }) =>
      write('continueBrowserSession', [{ ...use, ...loginRow(authRequest, progress, use.id) }]),
    list: (query, now) => list(living(now), query, namedBrowserSessionOf),
    find: (id, now) => find(namedBrowserSessionOf, findSql, id, now),
  }),
});

/** The identity exists: deleting it ends its browser sessions. */
function living(now: Millis) {
  return listSource('browser_sessions', browserSessionListFields, {
    identity: 'JOIN',
    where: sql`browser_sessions.expires_at > ${now}`,
  });
}

const findSql = `SELECT browser_sessions.*, identities.name AS identity_name
  FROM browser_sessions JOIN identities ON identities.id = browser_sessions.identity_id
  WHERE browser_sessions.id = ? AND browser_sessions.expires_at > ?`;

const sessionColumns = 'id issuer progress:json applications:json ipAddress createdAt lastUsedAt expiresAt';
const browserSessionOf = reader<BrowserSession>()(sessionColumns);
const namedBrowserSessionOf = reader<NamedBrowserSession>()(`${sessionColumns} identityName`);

/**
 * Opens the browser session that comes with a code, if there is one. It replaces the previous one of that browser.
 * Called in the step that records the code.
 * @param proven the progress of the login, as JSON for its column
 */
export function* openBrowserSession(proven: string, issuer: string, code: StoredCode | null): Intent<void> {
  if (code?.browserSession === undefined) return;
  const { id, tokenHash, application, ipAddress, now, expiresAt, replaces, most } = code.browserSession;
  // An SDK's report of its machine is stored with the identity. The place stays: a session is recognised by it.
  const { certificateKey: _key, clientInfo: _info, ...kept } = JSON.parse(proven) as LoginProgress;
  const { identityId, authenticatorId, signerId, caId } = kept;
  if (replaces !== null) {
    yield* takeOver(replaces, { id, identityId });
    yield* endBrowserSession(replaces, now);
  }
  yield* insert('browser_sessions', {
    ...{ id, tokenHash, identityId, authenticatorId, signerId, caId, issuer, progress: kept },
    ...{ applications: [application], ipAddress, createdAt: now, lastUsedAt: now, expiresAt },
  });
  // Otherwise a person who can log in could fill the store.
  const surplus = yield* all`SELECT id FROM browser_sessions WHERE identity_id = ${kept.identityId}
       ORDER BY created_at DESC, id DESC LIMIT 1000 OFFSET ${most}`;
  for (const row of surplus) yield* endBrowserSession(text(row, 'id'), now);
}

/** Applications beyond this number need confirmation again. */
const mostApplications = 100;

function* continueBrowserSession(
  use: Omit<ContinueBrowserSession, 'authRequest' | 'progress'> & LoginRow,
): Intent<'recorded' | 'gone' | 'finished'> {
  const { id, code, now } = use;
  // Held, so that an end that comes meanwhile finds the code.
  const [session] = yield {
    ...sql`SELECT applications FROM browser_sessions
      WHERE id = ${id} AND token_hash = ${use.tokenHash} AND expires_at > ${now}`,
    heldTable: 'browser_sessions',
  };
  if (session === undefined) return 'gone';
  const proven = sql`EXISTS (SELECT 1 FROM browser_sessions WHERE id = ${id})`;
  const sameBrowser = 'auth_requests.browser_binding = excluded.browser_binding';
  const recorded = yield* putLogin(use, { code, expiresAt: code.expiresAt }, { proven, sameBrowser });
  if (recorded === undefined) return 'finished';
  const known = JSON.parse(text(session, 'applications')) as string[];
  const applications = [...new Set([...known, use.application])].slice(-mostApplications);
  yield* run`UPDATE browser_sessions SET applications = ${JSON.stringify(applications)},
    last_used_at = ${now}, expires_at = ${use.expiresAt} WHERE id = ${use.id}`;
  return 'recorded';
}

/**
 * Where the same person has logged in again, what they used before belongs to the new session: applications are told of
 * the end of that one. Nothing is left that could be told of the end of the old one.
 */
function* takeOver(old: string, { id, identityId }: { id: string; identityId: string }): Intent<void> {
  yield* run`UPDATE auth_requests SET progress = replace(progress, ${old}, ${id}) WHERE ${codesOf(identityId, old)}`;
  yield* run`UPDATE api_sessions SET browser_session_id = ${id}
    WHERE identity_id = ${identityId} AND ended_at IS NULL AND browser_session_id = ${old}`;
}

/** The unused codes that a browser session gave. Ids are unique, so nothing else in the text can look like one. */
function codesOf(identityId: string, id: string): Sql {
  return sql`identity_id = ${identityId} AND code_used_at IS NULL AND progress LIKE '%' || ${id} || '%'`;
}

/**
 * Ends a browser session and its codes, so that no application logs in with it later. Where intents run side by side,
 * it waits for a code that is just being redeemed, whose application is told.
 */
export function* endBrowserSession(id: string, now: Millis): Intent<boolean> {
  const ended = yield* deleteSessions(sql`id = ${id}`);
  for (const row of ended)
    yield* run`DELETE FROM auth_requests WHERE ${codesOf(text(row, 'identity_id'), id)}`;
  yield* tellApplications(ended, now);
  return ended.length > 0;
}

/**
 * Ends the browser sessions of which a condition holds. The caller ends the logins of their people, with their codes.
 */
export function* endBrowserSessionsWhere(which: Sql, now: Millis): Intent<void> {
  yield* tellApplications(yield* deleteSessions(which), now);
}

function deleteSessions(which: Sql): Intent<readonly SqlRow[]> {
  return all`DELETE FROM browser_sessions WHERE ${which} RETURNING id, identity_id,
    (SELECT count(*) FROM oidc_clients WHERE backchannel_logout_uri IS NOT NULL) AS told_clients`;
}

/**
 * Has the applications told that logged in with browser sessions which have ended. Their API sessions continue: access
 * that was granted for the time without the person stays (OIDC Back-Channel Logout 1.0, 2.7).
 */
function* tellApplications(ended: readonly SqlRow[], now: Millis): Intent<void> {
  for (const row of ended) {
    if (integer(row, 'told_clients') === 0) continue;
    const opened = yield* all`SELECT id, identity_id, client_id, issuer, ${raw(isToldSql)} FROM api_sessions
       WHERE identity_id = ${text(row, 'identity_id')} AND ended_at IS NULL
       AND (expires_at > ${now} OR told_until > ${now}) AND browser_session_id = ${text(row, 'id')}`;
    for (const session of opened) yield* tellApplication(session, now);
  }
}

/**
 * Ends the browser sessions of an identity, also the one that opened the API session of the caller: a thief with a copy
 * of its cookie is in the same session.
 */
export function* endBrowserSessionsOf(of: {
  readonly identityId: string;
  readonly openedUntil: Millis;
  readonly now: Millis;
}): Intent<void> {
  const { identityId, openedUntil, now } = of;
  yield* endBrowserSessionsWhere(sql`identity_id = ${identityId} AND created_at <= ${openedUntil}`, now);
}
