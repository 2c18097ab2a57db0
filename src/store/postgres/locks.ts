// Which intents may run beside others on PostgreSQL. By default an intent runs alone, across all nodes, as in SQLite's
// writer thread: what it reads stays true until it commits, so rules over several rows (the last administrator, no
// session after disabling) need no locks. The intents below are the frequent ones. Each was reviewed against every
// other one of the list under READ COMMITTED: either one guarded statement decides it, or it names a key that it holds.
// The identities, policies and authenticators that they read cannot change meanwhile, because the intents that change
// those run alone.

import type { StoredCode } from '../contracts/auth-requests.ts';
import type { IntentArgs, IntentCall, IntentName } from '../sql/store.ts';

/** Keys that an intent holds, against others of the list that name the same key. */
type KeysOf<Name extends IntentName> = (args: IntentArgs<Name>) => readonly string[];

const none = (): readonly string[] => [];
const attemptKeys = (keys: readonly string[]): readonly string[] => keys.map((key) => `attempts:${key}`);

// Intents that count and add the browser sessions of an identity.
const browserKey = (identityId: string) => `browser-sessions:${identityId}`;
const browserKeys = (identityId: string, code: StoredCode | null): readonly string[] =>
  code?.browserSession === undefined ? [] : [browserKey(identityId)];

const concurrentIntents: { readonly [Name in IntentName]?: KeysOf<Name> } = {
  extendLogin: none,
  redeemCode: none,
  rotateRefreshToken: none,
  renewSession: none,
  endSession: none,
  useAssertion: none,
  openLegacySession: none,
  recordActivity: none,
  burnTotpStep: none,
  burnRecoveryCode: none,
  appendLoginAttempts: none,
  appendAuditEvents: none,
  holdQueue: none,
  noteDeliveries: none,
  releaseQueue: none,
  announceNode: none,
  leaveNode: none,
  // Intents that read, decide and write a counter, or clear one.
  recordPrimaryLogin: ({ code, identityId }) => [
    ...attemptKeys(code?.forgetFailures ?? []),
    ...browserKeys(identityId, code),
  ],
  recordFactor: ({ code, progress }) => [
    ...attemptKeys(code?.forgetFailures ?? []),
    ...browserKeys(progress.identityId, code),
  ],
  // Reads which applications there were already.
  continueBrowserSession: ({ identityId }) => [browserKey(identityId)],
  endBrowserSession: none,
  // Reads which factors were passed already.
  addPassed: ([id]) => [`session:${id}`],
  countAttempt: ([limits]) => attemptKeys(limits.map(({ key }) => key)),
  clearAttempts: ({ keys }) => attemptKeys(keys),
};

/** The first half of all our advisory locks, so that other programs on the same database have their own. */
const ours = 0x4f_41;
export const migrationLock = `${ours}, 1`;
const intentLock = `${ours}, 2`;
/** The second half is so large that none of ours has it. */
export const lockOfTrial = (number: number): string => `${ours}, ${number | 0x40_00_00_00}`;

/** Waits until no intent is under way on any node, and blocks new ones until the end of the transaction. */
export const holdIntents = `SELECT pg_advisory_xact_lock(${intentLock})`;

const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
/** Begins the transaction of an intent that runs alone. */
export const beginAlone = `${begin}; SELECT pg_advisory_xact_lock(${intentLock})`;
/** Begins the transaction of an intent that runs beside others of its kind. */
export const beginConcurrent = `${begin}; SELECT pg_advisory_xact_lock_shared(${intentLock})`;
/** Parameter: the keys, in the order in which to take them. */
export const holdKeys = `SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM unnest($1::text[]) AS key`;

/**
 * The keys that an intent holds, always in the same order; null when it runs alone. An intent on behalf of a caller
 * holds one in any case: what was checked about the caller stays true until it commits.
 */
export function keysOf({ name, args, caller }: IntentCall): readonly string[] | null {
  if (caller !== undefined) return null;
  const keys = (
    concurrentIntents[name as IntentName] as ((args: unknown) => readonly string[]) | undefined
  )?.(args);
  return keys === undefined ? null : [...new Set(keys)].sort();
}

/**
 * Whether an intent waits until activity that this node noticed earlier is recorded. Using a session extends it in
 * memory first, and neither an intent that ends it nor what its owner does may find it expired in the store.
 */
export function comesAfterActivity({ name, caller }: Omit<IntentCall, 'args'>): boolean {
  return caller !== undefined || name === 'endSession' || !(name in concurrentIntents);
}
