// Which intents may run beside others on PostgreSQL. By default an intent runs alone, over all nodes, as it does
// in the writer thread of SQLite: what it reads stays true until it commits, so that rules over several rows (the
// last administrator, no session after a disabling) need no locks. The intents below are the frequent
// ones. Each was looked at beside every other one of the list under READ COMMITTED: one guarded statement decides
// it, or it is named a key that it holds. What they read of identities, policies and authenticators cannot change
// meanwhile, because the intents that change those run alone.

import type { StoredCode } from '../contracts/auth-requests.ts';
import type { IntentArgs, IntentCall, IntentName } from '../sql/store.ts';

/** Keys that an intent holds against others of the list that name the same. */
type KeysOf<Name extends IntentName> = (args: IntentArgs<Name>) => readonly string[];

const none = (): readonly string[] => [];
const attemptKeys = (keys: readonly string[]): readonly string[] => keys.map((key) => `attempts:${key}`);

// What counts and adds the browser sessions of an identity.
const browserKey = (identityId: string) => `browser-sessions:${identityId}`;
const browserKeys = (identityId: string, code: StoredCode | null): readonly string[] =>
  code?.browserSession === undefined ? [] : [browserKey(identityId)];

const besideOthers: { readonly [Name in IntentName]?: KeysOf<Name> } = {
  extendLogin: none,
  redeemCode: none,
  rotateRefreshToken: none,
  renewSession: none,
  endSession: none,
  openLegacySession: none,
  recordActivity: none,
  burnTotpStep: none,
  burnRecoveryCode: none,
  appendLoginAttempts: none,
  appendAuditEvents: none,
  announceNode: none,
  leaveNode: none,
  // What reads, decides and writes a counter, and what clears one.
  recordPrimaryLogin: ({ code, release, identityId }) => [
    ...attemptKeys([...(release ?? []), ...(code?.forgetFailures ?? [])]),
    ...browserKeys(identityId, code),
  ],
  recordFactor: ({ code, progress }) => [
    ...attemptKeys(code?.forgetFailures ?? []),
    ...browserKeys(progress.identityId, code),
  ],
  // Reads which applications there were before.
  continueBrowserSession: ({ identityId }) => [browserKey(identityId)],
  endBrowserSession: none,
  // Reads what was passed before.
  addPassed: ({ id }) => [`session:${id}`],
  reserveAttempt: ({ limits }) => attemptKeys(limits.map(({ key }) => key)),
  clearAttempts: ({ keys }) => attemptKeys(keys),
  releaseAttempts: ({ keys }) => attemptKeys(keys),
};

/** First halves of all our advisory locks; other programs on the same database have their own. */
const ours = 0x4f_41;
export const migrationLock = `${ours}, 1`;
const intentLock = `${ours}, 2`;
const feedLock = `${ours}, 3`;

/** Waits until no intent is under way on any node, and keeps them waiting until the end of the transaction. */
export const holdIntents = `SELECT pg_advisory_xact_lock(${intentLock})`;

const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
/** Begins the transaction of an intent that runs alone. */
export const beginAlone = `${begin}; SELECT pg_advisory_xact_lock(${intentLock})`;
/** Begins the transaction of an intent that runs beside others of its sort. */
export const beginBesideOthers = `${begin}; SELECT pg_advisory_xact_lock_shared(${intentLock})`;
/** Parameter: the keys, in the order in which they are taken. */
export const holdKeys = `SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM unnest($1::text[]) AS key`;

/**
 * Before the first entry of a transaction in the change feed. Numbers are given out in the order of the inserts,
 * but transactions become visible in the order of their commits: without the lock a reader could see 8, continue from
 * there and never see 7. Held until after the commit.
 */
export const holdFeed = `SELECT pg_advisory_xact_lock(${feedLock})`;

/**
 * The keys that an intent holds, in one order for all; null when it runs alone. In the name of a caller each does: what
 * was asked about the caller stays true until it commits.
 */
export function keysOf({ name, args, caller }: IntentCall): readonly string[] | null {
  if (caller !== undefined) return null;
  const keys = (besideOthers[name] as ((args: unknown) => readonly string[]) | undefined)?.(args);
  return keys === undefined ? null : [...new Set(keys)].sort();
}

/**
 * Whether an intent waits for the writing down of activity that this node began before. A session that is used lives
 * on in memory first, and neither who ends it nor what its owner does must find it expired in the store.
 */
export function comesAfterActivity({ name, caller }: Omit<IntentCall, 'args'>): boolean {
  return caller !== undefined || name === 'endSession' || !(name in besideOthers);
}
