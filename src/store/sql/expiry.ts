import { DAY, HOUR, MINUTE, type Millis } from '../../platform/clock.ts';
import type { ExpiryStore } from '../contracts/expiry.ts';
import { concern } from './concern.ts';
import { all } from './intent.ts';

export const expiry = concern<ExpiryStore>()({
  writes: {
    *deleteExpired(now, batch) {
      let left = batch;
      const expired: readonly (readonly [table: string, key: string, condition: string, before: Millis])[] = [
        ['auth_requests', 'id', 'expires_at <= ?', now],
        ['device_logins', 'id', 'expires_at <= ?', now],
        ['browser_sessions', 'id', 'expires_at <= ?', now],
        ['api_sessions', 'id', `${mayDeleteSession} AND mechanism = 'oidc'`, now],
        ['api_sessions', 'id', `${mayDeleteSession} AND mechanism = 'legacy'`, now - activityGrace],
        ['session_certificates', 'id', 'expires_at <= ?', now],
        ['revocations', 'id', 'expires_at <= ?', now],
        ['pending_totp', 'flow', 'expires_at <= ?', now],
        ['used_assertions', 'id', 'expires_at <= ?', now],
        ['attempts', 'key', 'forget_at <= ?', now],
        ['enrollments', 'id', 'expires_at <= ?', now - enrollmentGrace],
        ['invitations', 'identity_id', 'expires_at <= ?', now - enrollmentGrace],
        ['setup_links', 'id', 'expires_at <= ?', now - setupLinkGrace],
        ['bulk_jobs', 'id', "state IN ('checking', 'checked') AND updated_at <= ?", now - checkGrace],
        ['signing_keys', 'kid', 'removed_at <= ?', now],
        // Readers at the newest entry find by it that the feed is still the same.
        ['changes', 'seq', 'at <= ? AND seq < (SELECT max(seq) FROM changes)', now - changeLifetime],
      ];
      for (const [table, key, condition, before] of expired) {
        if (left === 0) break;
        const sql = `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?) RETURNING ${key}`;
        const rows = yield* all(sql, before, left);
        left -= rows.length;
      }
      return batch - left;
    },
  },
});

/** Other nodes read an entry of the feed long before it is this old. */
const changeLifetime: Millis = HOUR;
/** Another node may have used the legacy session and not recorded it yet. */
const activityGrace: Millis = MINUTE;
/** Kept so that people who come too late learn why, and administrators can renew the enrollment. */
const enrollmentGrace: Millis = 7 * DAY;
/** Kept so that a used link can say for a while that it was used. */
const setupLinkGrace: Millis = 7 * DAY;

/** A job that is only checked this long was left: no caller waits for its table. */
const checkGrace: Millis = DAY;

/** As the index says. */
const mayDeleteSession = 'coalesce(told_until, expires_at) <= ?';
