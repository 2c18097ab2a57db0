// API sessions and the rotation of their refresh tokens.

import { isDisabled } from '../../model/account.ts';
import type { IdentityInTokens } from '../../model/entities/identity.ts';
import { asId } from '../../model/ids.ts';
import { apiSessionListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  ApiSessionStore,
  EndingOrder,
  RenewSession,
  RotateOutcome,
  RotateRefreshToken,
} from '../contracts/api-sessions.ts';
import {
  apiSessionOf,
  identityInTokensOf,
  identityOf,
  integer,
  integerOrNull,
  isProven,
  ownSessionOf,
  text,
  textOrNull,
} from './codec.ts';
import { concern } from './concern.ts';
import { all, first, type Intent, raw, type Sql, type SqlRow, type SqlValue, sql } from './intent.ts';
import { legacyIntents, legacyWrites } from './legacy-sessions.ts';
import { listSource } from './list-source.ts';
import { mayLogIn } from './login-row.ts';
import { endSession, endSessionsOf } from './session-ends.ts';

export const apiSessions = concern<ApiSessionStore>()({
  writes: {
    ...legacyWrites,
    end: endSession,
    endAllOf: (identityId, reason, now) => endSessionsOf({ identityId, reason, now }),
    endOthers: ({ id, identityId }, reason, now) => endSessionsOf({ identityId, reason, now, except: id }),
  },
  intents: { ...legacyIntents, endOldestSessions, rotateRefreshToken, renewSession },
  methods: ({ dialect, write, read, find, list, all }) => ({
    find: (id) => find(apiSessionOf, 'SELECT * FROM api_sessions WHERE id = ?', id),
    listByIds: (ids) => all(apiSessionOf, sessionsByIdsSql(dialect.jsonTexts), JSON.stringify(ids)),
    findOwn: (id, now) => find(ownSessionOf, findOwnSql, id, now),
    findByTokenHash: (tokenHash) =>
      find(apiSessionOf, 'SELECT * FROM api_sessions WHERE token_hash = ?', tokenHash),
    findCertChain: (id) => find(certChainOf, 'SELECT cert_chain FROM api_sessions WHERE id = ?', id),
    list: (query, now) =>
      list(liveSessions(now), query, (row) => ({
        ...apiSessionOf(row),
        identityName: text(row, 'identity_name'),
      })),
    async openLegacy(session) {
      const opened = await write('openLegacySession', [session]);
      return opened === null ? null : { ...apiSessionOf(opened.row), newProgram: opened.newProgram };
    },
    rotateRefreshToken: ({ within, ...rotate }) => write('rotateRefreshToken', [rotate], { within }),
    async renew(renew) {
      const rows = await write('renewSession', [renew]);
      return rows === undefined
        ? null
        : { session: apiSessionOf(rows.session), identity: identityOf(rows.identity) };
    },
    findByRefreshToken: (id, hash, now) =>
      find(
        (row) => ({
          session: apiSessionOf(row),
          refreshExpiresAt: Math.min(integer(row, 'refresh_expires_at'), integer(row, 'family_expires_at')),
        }),
        findByRefreshTokenSql,
        id,
        hash,
        now,
        now,
      ),
    async endOldestOf(identityId, most, { now, order }) {
      // Most logins end nothing, and this is all that they cost: no order is needed to see whether there are too many.
      const beyond = await read(`${amongSql[order]} LIMIT 1 OFFSET ?`, identityId, now, most);
      if (beyond.length === 0) return [];
      return (await write('endOldestSessions', [{ identityId, most, now, order }])).map((id) => asId(id));
    },
    async *listEnded(now, endedAfter, together = endedTogether) {
      let last: readonly SqlValue[] = [endedAfter, Number.MAX_SAFE_INTEGER, ''];
      for (;;) {
        const rows = await read(endedSessionsSql, ...last, now, together);
        yield rows.map((row) => ({ id: asId(text(row, 'id')), expiresAt: integer(row, 'expires_at') }));
        const end = rows[together - 1];
        if (end === undefined) return;
        last = [integer(end, 'ended_at'), integer(end, 'expires_at'), text(end, 'id')];
      }
    },
  }),
});

function certChainOf(row: SqlRow): readonly string[] | null {
  const chain = textOrNull(row, 'cert_chain');
  return chain === null ? null : JSON.parse(chain);
}

/** Takes the ids as one JSON array. @param jsonTexts of the dialect */
const sessionsByIdsSql = (jsonTexts: string): string =>
  `SELECT * FROM api_sessions WHERE id IN (SELECT value FROM ${jsonTexts}(?))`;

const findOwnSql = `SELECT authenticator_id, ca_id, key_thumbprint, passed, auth_time, ip_address, login_ip_address, program, operating_system,
    created_at, last_activity_at, expires_at
  FROM api_sessions WHERE id = ? AND ended_at IS NULL AND expires_at > ?`;

/** More at a time would occupy memory twice for longer, and delay other requests. */
const endedTogether = 5000;

/** Matches an index that contains every column: looking up each row in the table took twice as long. */
const endedSessionsSql = `SELECT id, expires_at, ended_at FROM api_sessions
  WHERE ended_at IS NOT NULL AND (ended_at, expires_at, id) > (?, ?, ?) AND expires_at > ?
  ORDER BY ended_at, expires_at, id LIMIT ?`;

const hasSingleProof = "(mechanism = 'legacy' AND passed NOT LIKE '%,%')";
const newestFirst = 'created_at DESC, id DESC';
const aliveOf = 'SELECT id FROM api_sessions WHERE identity_id = ? AND ended_at IS NULL AND expires_at > ?';

/** The sessions of which some may have to end. */
const amongSql: Readonly<Record<EndingOrder, string>> = {
  oldest: aliveOf,
  'single-proof': aliveOf,
  'only-single-proof': `${aliveOf} AND ${hasSingleProof}`,
};
/** Sessions that end last come first. */
const lastToEnd: Readonly<Record<EndingOrder, string>> = {
  oldest: newestFirst,
  'single-proof': `CASE WHEN ${hasSingleProof} THEN 1 ELSE 0 END, ${newestFirst}`,
  'only-single-proof': newestFirst,
};

/** In batches: sessions left from before there was a limit must not delay others. */
const endedAtOnce = 1000;

function* endOldestSessions(args: {
  readonly identityId: string;
  readonly most: number;
  readonly now: Millis;
  readonly order: EndingOrder;
}): Intent<readonly string[]> {
  const { identityId, most, now, order } = args;
  const sql = `${amongSql[order]} ORDER BY ${lastToEnd[order]} LIMIT ? OFFSET ?`;
  const rows = yield* all(sql, identityId, now, endedAtOnce, most);
  const ids = rows.map((row) => text(row, 'id'));
  for (const id of ids) yield* endSession(id, 'too-many', now);
  return ids;
}

/** The identity exists: deleting it ends its sessions. */
function liveSessions(now: Millis) {
  return listSource('api_sessions', apiSessionListFields, {
    identity: 'JOIN',
    columns: { type: 'mechanism' },
    inOrder: ['createdAt'],
    where: sql`api_sessions.ended_at IS NULL AND api_sessions.expires_at > ${now}`,
  });
}

/** For `identityInTokensOf`, of the session that was changed: another statement would be another round trip. */
const bearerSql = `identity_id AS id,
       (SELECT name FROM identities WHERE identities.id = api_sessions.identity_id) AS name,
       (SELECT is_admin FROM identities WHERE identities.id = api_sessions.identity_id) AS is_admin`;

/** Whether the session is one of this client and what it has proven, and its identity may log in. */
function mayContinue({ clientId, certThumbprint, keyThumbprint, now }: Omit<RenewSession, 'expiresAt'>): Sql {
  return sql`client_id = ${clientId}
       AND (cert_thumbprint IS NULL OR cert_thumbprint = ${certThumbprint})
       AND (key_thumbprint IS NULL OR key_thumbprint = ${keyThumbprint})
       AND ${mayLogIn(raw('api_sessions.identity_id'), now)}`;
}

function* rotateRefreshToken(rotate: RotateRefreshToken): Intent<RotateOutcome> {
  const { now } = rotate;
  // This statement alone decides: only the holder of the live token meets its condition, and only once.
  const row = yield* first`UPDATE api_sessions SET refresh_hash = ${rotate.nextHash},
       refresh_generation = ${rotate.nextGeneration}, issuer = ${rotate.issuer},
       refresh_expires_at = ${rotate.nextExpiresAt}, refresh_rotated_at = ${now}, last_activity_at = ${now},
       ip_address = ${rotate.ipAddress},
       expires_at = CASE WHEN expires_at > ${rotate.sessionExpiresAt} THEN expires_at ELSE ${rotate.sessionExpiresAt} END
     WHERE id = ${rotate.sessionId} AND refresh_hash = ${rotate.presentedHash}
     AND refresh_generation = ${rotate.presentedGeneration} AND ended_at IS NULL
       AND refresh_expires_at > ${now} AND family_expires_at > ${now}
       AND ${mayContinue(rotate)}
     RETURNING expires_at, ${raw(bearerSql)}`;
  if (row === undefined) return yield* refuseRefresh(rotate);
  // Only the columns that the answer needs: data that crosses to another thread is copied twice.
  const session = { ipAddress: rotate.ipAddress, lastActivityAt: now, expiresAt: integer(row, 'expires_at') };
  return { outcome: 'rotated', session, identity: identityInTokensOf(row) };
}

function* refuseRefresh(rotate: RotateRefreshToken): Intent<RotateOutcome> {
  const row = yield* first('SELECT * FROM api_sessions WHERE id = ?', rotate.sessionId);
  if (row === undefined) return refused('unknown');
  if (integerOrNull(row, 'ended_at') !== null) return refused('ended');
  if (!isBound(row, rotate)) return refused('wrong-binding');
  const liveGeneration = integer(row, 'refresh_generation');
  if (rotate.presentedGeneration < liveGeneration) {
    if (isRetry(row, rotate, liveGeneration)) {
      const identity = yield* usableBearer(row, rotate.now);
      return identity === null ? refused('identity-unavailable') : { outcome: 'repeated', identity };
    }
    if (isDuplicate(row, rotate, liveGeneration)) return refused('duplicate');
    if (yield* endSession(rotate.sessionId, 'refresh-reuse', rotate.now)) return { outcome: 'reused' };
    // Another transaction may have ended it since it was read. Then that end counts.
    const now = yield* first('SELECT ended_at FROM api_sessions WHERE id = ?', rotate.sessionId);
    return now !== undefined && integerOrNull(now, 'ended_at') !== null
      ? refused('ended')
      : { outcome: 'reused' };
  }
  const isLive =
    rotate.presentedGeneration === liveGeneration && rotate.presentedHash === textOrNull(row, 'refresh_hash');
  if (!isLive) return refused('unknown');
  return refused((yield* usableBearer(row, rotate.now)) === null ? 'identity-unavailable' : 'expired');
}

/** The identity of a session; null if it is gone or disabled. */
function* usableBearer(session: SqlRow, now: Millis): Intent<IdentityInTokens | null> {
  const row = yield* first('SELECT * FROM identities WHERE id = ?', text(session, 'identity_id'));
  return row === undefined || isDisabled(identityOf(row), now) ? null : identityInTokensOf(row);
}

function isBound(row: SqlRow, rotate: RotateRefreshToken): boolean {
  return (
    text(row, 'client_id') === rotate.clientId &&
    isProven(row, 'cert_thumbprint', rotate.certThumbprint) &&
    isProven(row, 'key_thumbprint', rotate.keyThumbprint)
  );
}

/**
 * A retry by a client that lost the answer: it sends the direct predecessor shortly afterwards, and the successor is
 * still unused. Only a client that has the predecessor can compute the hash of the successor.
 */
function isRetry(row: SqlRow, rotate: RotateRefreshToken, liveGeneration: number): boolean {
  const rotatedAt = integerOrNull(row, 'refresh_rotated_at');
  const endsAt = Math.min(integer(row, 'refresh_expires_at'), integer(row, 'family_expires_at'));
  return (
    rotate.presentedGeneration === liveGeneration - 1 &&
    rotatedAt !== null &&
    Math.abs(rotate.now - rotatedAt) < (rotate.retryGrace ?? 0) &&
    rotate.now < endsAt &&
    textOrNull(row, 'refresh_hash') === rotate.nextHash
  );
}

/** A client that sent the same request twice: it sends the direct predecessor again at once, from the same address. */
function isDuplicate(row: SqlRow, rotate: RotateRefreshToken, liveGeneration: number): boolean {
  const rotatedAt = integerOrNull(row, 'refresh_rotated_at');
  return (
    rotate.presentedGeneration === liveGeneration - 1 &&
    rotatedAt !== null &&
    // With two nodes, or after the clock was changed, the later request may carry the earlier time.
    Math.abs(rotate.now - rotatedAt) < rotate.duplicateWindow &&
    text(row, 'ip_address') === rotate.ipAddress
  );
}

function refused(reason: Extract<RotateOutcome, { outcome: 'refused' }>['reason']): RotateOutcome {
  return { outcome: 'refused', reason };
}

/** The rows of the session and its identity. Undefined when the session must not continue. */
function* renewSession(renew: RenewSession): Intent<{ session: SqlRow; identity: SqlRow } | undefined> {
  const { now, expiresAt } = renew;
  const session = yield* first`UPDATE api_sessions SET last_activity_at = ${now},
       ip_address = ${renew.ipAddress}, issuer = ${renew.issuer},
       expires_at = CASE WHEN expires_at > ${expiresAt ?? 0} THEN expires_at ELSE ${expiresAt ?? 0} END
     WHERE id = ${renew.sessionId} AND mechanism = 'oidc' AND ended_at IS NULL AND expires_at > ${now}
       AND ${mayContinue(renew)}
     RETURNING *`;
  if (session === undefined) return undefined;
  const identity = yield* first('SELECT * FROM identities WHERE id = ?', text(session, 'identity_id'));
  if (identity === undefined) throw new Error('a live session has no identity');
  return { session, identity };
}

const findByRefreshTokenSql = `SELECT * FROM api_sessions WHERE id = ? AND refresh_hash = ?
  AND ended_at IS NULL AND refresh_expires_at > ? AND family_expires_at > ?`;
