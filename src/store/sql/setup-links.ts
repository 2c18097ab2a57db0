import type { Millis } from '../../platform/clock.ts';
import type { RedeemSetupLink, SetupLinkStore } from '../contracts/setup-links.ts';
import { type Database, insert, integer, integerOrNull } from './codec.ts';
import { createIdentity } from './identities.ts';
import { first, type Intent, run, type SqlRow } from './intent.ts';

export const setupLinkIntents = { createSetupLink, redeemSetupLink } as const;

export function setupLinkStore({ read, writing }: Database<typeof setupLinkIntents>): SetupLinkStore {
  return {
    ...writing({ create: 'createSetupLink', redeem: 'redeemSetupLink' }),
    async check(tokenHash, now) {
      const [row] = await read(findSetupLinkSql, tokenHash);
      return setupLinkState(row, now);
    },
  };
}

function* createSetupLink({ now, ...link }: Parameters<SetupLinkStore['create']>[0]): Intent<void> {
  yield* run('UPDATE setup_links SET expires_at = ? WHERE used_at IS NULL AND expires_at > ?', now, now);
  yield* insert('setup_links', { ...link, createdAt: now });
}

const findSetupLinkSql = 'SELECT * FROM setup_links WHERE token_hash = ?';

/** Whether a link can be used. */
function setupLinkState(row: SqlRow | undefined, now: Millis): 'usable' | 'used' | 'expired' | 'unknown' {
  if (row === undefined) return 'unknown';
  if (integerOrNull(row, 'used_at') !== null) return 'used';
  return integer(row, 'expires_at') > now ? 'usable' : 'expired';
}

function* redeemSetupLink(args: RedeemSetupLink): Intent<'created' | 'used' | 'expired' | 'unknown'> {
  const { tokenHash, now } = args;
  const won = yield* first`UPDATE setup_links SET used_at = ${now}
    WHERE token_hash = ${tokenHash} AND used_at IS NULL AND expires_at > ${now} RETURNING id`;
  if (won === undefined) {
    const state = setupLinkState(yield* first(findSetupLinkSql, tokenHash), now);
    return state === 'usable' ? 'used' : state;
  }
  yield* createIdentity({ identity: args.admin, password: args.password, now });
  return 'created';
}
