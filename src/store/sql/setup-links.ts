import type { Millis } from '../../platform/clock.ts';
import type { SetupLinkStore } from '../contracts/setup-links.ts';
import { insert, integer, integerOrNull } from './codec.ts';
import { concern } from './concern.ts';
import { createIdentity } from './identities.ts';
import { first, run, type SqlRow, unforced } from './intent.ts';

export const setupLinks = concern<SetupLinkStore>()({
  writes: {
    *create({ now, ...link }) {
      yield* run('UPDATE setup_links SET expires_at = ? WHERE used_at IS NULL AND expires_at > ?', now, now);
      yield* insert('setup_links', { ...link, createdAt: now });
    },
    *redeem({ tokenHash, admin, password, now }) {
      const won = yield* first`UPDATE setup_links SET used_at = ${now}
        WHERE token_hash = ${tokenHash} AND used_at IS NULL AND expires_at > ${now} RETURNING id`;
      if (won === undefined) {
        const state = setupLinkState(yield* first(findSetupLinkSql, tokenHash), now);
        return state === 'usable' ? 'used' : state;
      }
      yield* createIdentity(unforced, [admin, password, now]);
      return 'created';
    },
  },
  methods: ({ read }) => ({
    async check(tokenHash, now) {
      const [row] = await read(findSetupLinkSql, tokenHash);
      return setupLinkState(row, now);
    },
  }),
});

const findSetupLinkSql = 'SELECT * FROM setup_links WHERE token_hash = ?';

/** Whether a link can be used. */
function setupLinkState(row: SqlRow | undefined, now: Millis): 'usable' | 'used' | 'expired' | 'unknown' {
  if (row === undefined) return 'unknown';
  if (integerOrNull(row, 'used_at') !== null) return 'used';
  return integer(row, 'expires_at') > now ? 'usable' : 'expired';
}
