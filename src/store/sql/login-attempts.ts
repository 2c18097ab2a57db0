import { loginAttemptListFields } from '../../model/list-fields.ts';
import type { LoginAttempt } from '../../model/login-attempt.ts';
import { HOUR } from '../../platform/clock.ts';
import { widestSource } from '../../platform/network/sources.ts';
import type { QueuedEvent } from '../contracts/deliveries.ts';
import type { ListedAttempt, LoginAttemptStore } from '../contracts/login-attempts.ts';
import { countOf, evict } from './bounded-trail.ts';
import { insertAll, integer, reader, text } from './codec.ts';
import { concern } from './concern.ts';
import { deliverEvents } from './deliveries.ts';
import { deleteSome, type Intent, raw, type SomeRows, sql } from './intent.ts';
import { listSource } from './list-source.ts';

const every = listSource('login_attempts', loginAttemptListFields, {
  identity: 'LEFT JOIN',
  inOrder: ['at'],
});
const isOfLogin = "login_attempts.mechanism <> 'request'";
const ofLogins = { ...every, where: raw(isOfLogin) };

export const loginAttempts = concern<LoginAttemptStore>()({
  writes: {
    deleteBefore: (before, batch) =>
      deleteSome({ table: 'login_attempts', where: sql`at < ${before}` }, batch),
  },
  intents: {
    /** @param rows with the checks as JSON text */
    *appendRows(
      rows: readonly object[],
      keepAtMost: number | null,
      queued: readonly QueuedEvent[],
    ): Intent<void> {
      yield* insertAll('login_attempts', rows);
      yield* deliverEvents(queued);
      if (keepAtMost === null) return;
      const refused = yield* countOf(of('refused'));
      const tooManyRefused = Math.max(0, refused - Math.floor(keepAtMost * mostRefused));
      const passed = yield* countOf(of('passed'));
      const tooManyPassed = refused - tooManyRefused + passed - keepAtMost;
      const most = rows.length + mostOverdue;
      // A stranger has no identity, and owners of accounts may come from anywhere.
      yield* evict(
        of('refused'),
        [
          ['source', 'identity_id'],
          ['identity_id', 'source'],
        ],
        Math.min(tooManyRefused, most),
      );
      yield* evict(of('passed'), [['identity_id'], ['source']], Math.min(tooManyPassed, most));
      // They come from strangers, so they take no room from logins, and those of one kind none from another.
      const tooManyRequests = (yield* countOf(requests)) - Math.floor(keepAtMost * mostRequests);
      yield* evict(requests, [['reason'], ['source', 'identity_id']], Math.min(tooManyRequests, most));
    },
  },
  methods: ({ dialect, write, inTurn, list, listed: named }) => ({
    append(attempts, keepAtMost, queued = []) {
      const rows = attempts.map((attempt) => ({
        ...attempt,
        checks: JSON.stringify(attempt.checks),
        // Addresses are counted together by their widest network.
        source: widestSource(attempt.ipAddress),
      }));
      return write('appendRows', [rows, keepAtMost, queued]);
    },
    findByReference: (reference) =>
      named(every, { field: 'reference', value: reference, most: mostOfReference }, listedOf),
    list: (query) => list(ofLogins, query, listedOf),
    async countByHour(since, budget) {
      const sql = `SELECT at / ${HOUR} AS hour, outcome, count(*) AS total FROM login_attempts
        WHERE ${dialect.withinTime('login_attempts')} AND at >= ? AND ${isOfLogin}
        GROUP BY 1, 2 ORDER BY 1, 2`;
      const rows = await inTurn(budget, (read) => read({ sql, params: [since] }));
      return rows.map((row) => ({
        from: integer(row, 'hour') * HOUR,
        outcome: text(row, 'outcome') as LoginAttempt['outcome'],
        count: integer(row, 'total'),
      }));
    },
  }),
});

/** More steps than any request has. */
const mostOfReference = 50;

const listedOf = reader<ListedAttempt>()(
  'reference at step mechanism outcome reason? identityId? subject? ipAddress issuer checks:json identityName?',
);

/** A step deletes at most this many more than came in, so a table far over its limit shrinks in small steps. */
const mostOverdue = 1200;

/** The share of refusals. They never give way to logins that passed, and those keep the rest. */
const mostRefused = 3 / 4;

/** Of refused requests, in addition. */
const mostRequests = 1 / 4;

function of(outcome: LoginAttempt['outcome']): SomeRows {
  return { table: 'login_attempts', where: sql`outcome = ${outcome} AND ${raw(isOfLogin)}` };
}

const requests: SomeRows = {
  table: 'login_attempts',
  where: raw("outcome = 'refused' AND mechanism = 'request'"),
};
