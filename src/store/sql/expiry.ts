import { DAY, HOUR, MINUTE, type Millis } from '../../platform/clock.ts';
import type { ExpiryStore } from '../contracts/expiry.ts';
import { concern } from './concern.ts';
import { deleteSome, raw, type Sql, sql } from './intent.ts';

export const expiry = concern<ExpiryStore>()({
  writes: {
    *deleteExpired(now, batch) {
      let left = batch;
      const over = sql`expires_at <= ${now}`;
      const overdue = sql`expires_at <= ${now - tokenGrace}`;
      const deleted: readonly (readonly [table: string, where: Sql, key?: string])[] = [
        ['auth_requests', over],
        ['device_logins', over],
        ['browser_sessions', over],
        ['api_sessions', sql`${endOfSession} <= ${now} AND mechanism = 'oidc'`],
        ['api_sessions', sql`${endOfSession} <= ${now - activityGrace} AND mechanism = 'legacy'`],
        ['session_certificates', over],
        ['revocations', over],
        ['pending_totp', over, 'flow'],
        ['used_assertions', over],
        ['attempts', sql`forget_at <= ${now}`, 'key'],
        ['enrollments', overdue],
        ['invitations', overdue, 'identity_id'],
        ['setup_links', overdue],
        ['bulk_jobs', sql`state IN ('checking', 'checked') AND updated_at <= ${now - checkGrace}`],
        ['signing_keys', sql`removed_at <= ${now}`, 'kid'],
        // Readers at the newest entry find by it that the feed is still the same.
        ['changes', sql`at <= ${now - changeLifetime} AND seq < (SELECT max(seq) FROM changes)`, 'seq'],
      ];
      for (const [table, where, key] of deleted) {
        if (left === 0) break;
        left -= yield* deleteSome({ table, key, where }, left);
      }
      return batch - left;
    },
  },
});

/** Other nodes read an entry of the feed long before it is this old. */
const changeLifetime: Millis = HOUR;
/** Another node may have used the legacy session and not recorded it yet. */
const activityGrace: Millis = MINUTE;
/**
 * Kept so that people who come too late learn why, a used link can say that it was used, and administrators can renew an
 * enrollment.
 */
const tokenGrace: Millis = 7 * DAY;

/** A job that is only checked this long was left: no caller waits for its table. */
const checkGrace: Millis = DAY;

/** As the index says. */
const endOfSession = raw('coalesce(told_until, expires_at)');
