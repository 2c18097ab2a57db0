// Which intents may run beside others on PostgreSQL. By default an intent runs alone, across all nodes, as in SQLite's
// writer thread: its reads stay true until it commits, so rules over several rows need no locks. The intents below
// are the frequent ones. Each was reviewed against every other one of the list under READ COMMITTED: either one guarded
// statement decides it, or it holds keys of the entities that it changes, and shares keys of those that it relies on.
// Policies, signers and authorities cannot change meanwhile, because the intents that change those run alone.

import { nameKeys } from '../../model/names.ts';
import type { StoredCode } from '../contracts/auth-requests.ts';
import { mayCostMeans } from '../sql/identities.ts';
import type { ConcernIntents, IntentCall } from '../sql/store.ts';

/** Held until the end of the transaction: alone, or shared with intents that rely on the same. */
interface Key {
  readonly name: string;
  readonly isShared: boolean;
}
type KeysOf<Intents> = {
  readonly [Name in keyof Intents]?: Intents[Name] extends (...args: infer Args) => unknown
    ? (...args: Args) => readonly Key[]
    : never;
};

const alone = (...names: readonly string[]): readonly Key[] =>
  names.map((name) => ({ name, isShared: false }));
const none = () => alone();
/** Of those who end what an identity has open, or take something from it. */
const identity = (id: string) => alone(`identity:${id}`);
/** Facts about an identity that must stay true: it is not disabled, and has its authenticator. */
const relyOn = (id: string): Key => ({ name: `identity:${id}`, isShared: true });
/** Two simultaneous removals must not each rely on the administrator that the other one removes. */
const administrators = alone('administrators');
const named = (...names: readonly (string | null | undefined)[]): readonly Key[] =>
  names.flatMap((name) => alone(...(name ? nameKeys(name).map((key) => `name:${key}`) : [])));
const usernameOf = (made: object) =>
  'username' in made && typeof made.username === 'string' ? made.username : null;
const attemptKeys = (keys: readonly string[]) => alone(...keys.map((key) => `attempts:${key}`));

// Intents that count and add the browser sessions of an identity.
const browserKey = (identityId: string) => alone(`browser-sessions:${identityId}`);
const loginKeys = (identityId: string, code: StoredCode | null): readonly Key[] => [
  relyOn(identityId),
  ...attemptKeys(code?.forgetFailures ?? []),
  ...(code?.browserSession === undefined ? [] : browserKey(identityId)),
];
const session = (id: string) => alone(`session:${id}`);
const certificatesOf = (sessionId: string) => alone(`session-certificates:${sessionId}`);

/** By concern and name. */
const concurrentIntents: { readonly [Name in keyof ConcernIntents]?: KeysOf<ConcernIntents[Name]> } = {
  authRequests: {
    extend: none,
    // Shares no key, because it learns whose code it is with its first statement. An intent that ends an identity's
    // open logins waits at the row of that code (`forgetLogins`) and then finds the session. Like `openLegacySession`
    // and `addPassed`, it changes the row of `last_logins` for its program before that of the identity, and deletes
    // only those that others changed long ago.
    redeemCode: none,
    // Read, decide and write a counter, or clear one.
    recordPrimaryLogin: ({ code, identityId }) => loginKeys(identityId, code),
    recordFactor: ({ code, progress }) => loginKeys(progress.identityId, code),
  },
  apiSessions: {
    // The row of the session decides: an intent that takes away what they rely on ends the session too.
    rotateRefreshToken: none,
    renewSession: none,
    // Several of the owner lock its row before they end it.
    end: session,
    endAllOf: identity,
    endOthers: ({ identityId }) => identity(identityId),
    openLegacySession: ({ progress }) => [relyOn(progress.identityId)],
    recordActivity: none,
    // Reads which factors were passed already.
    addPassed: session,
  },
  browserSessions: {
    // Reads which applications there were already.
    continueBrowserSession: ({ identityId }) => [relyOn(identityId), ...browserKey(identityId)],
    end: none,
  },
  // Count what there is already.
  sessionCertificates: { add: ({ sessionId }) => certificatesOf(sessionId), revoke: certificatesOf },
  deviceLogins: { begin: () => alone('device-logins'), settle: none },
  oidcClients: { useAssertion: none },
  totp: { burnStep: none, burnRecoveryCode: none },
  passkeys: { use: none },
  loginAttempts: { appendRows: none },
  auditEvents: { appendRows: none },
  deliveries: { hold: none, note: none, release: none },
  nodes: { announce: none, leave: none },
  attempts: { count: (limits) => attemptKeys(limits.map(({ key }) => key)), clear: attemptKeys },
  // Changes of identities and of their parts.
  identities: {
    create: (identity, password) => named(identity.name, password?.username),
    update: (id, patch) => [
      ...identity(id),
      ...named(patch.name),
      ...(mayCostMeans(patch) ? administrators : []),
    ],
    delete: (id) => [...identity(id), ...administrators],
  },
  authenticators: {
    rehashPassword: none,
    createPassword: ({ identityId, username }) => [...identity(identityId), ...named(username)],
    createCertificate: ({ identityId }) => identity(identityId),
  },
  enrollments: {
    create: ({ identityId, username }) => [...identity(identityId), ...named(username)],
    createIdentity: ({ name }, made) => named(name, ...made.map(usernameOf)),
    enroll: ({ name }, { limit }) => [...named(name), ...attemptKeys(limit ? [limit.key] : [])],
    renew: none,
    delete: none,
    redeem: ({ authenticator }) => [
      ...identity(authenticator.identityId),
      ...named(usernameOf(authenticator)),
    ],
  },
};

function keysOfIntent(name: string): ((...args: readonly unknown[]) => readonly Key[]) | undefined {
  const [concern = '', intent = ''] = name.split('.');
  const known: Readonly<Record<string, object | undefined>> = concurrentIntents;
  return (known[concern] as ReturnType<typeof Object.fromEntries> | undefined)?.[intent];
}

/** Intents that end sessions: none of them may find one expired that was used a moment ago. */
const ending: ReadonlySet<string> = new Set([
  'apiSessions.end',
  'apiSessions.endAllOf',
  'apiSessions.endOthers',
  'identities.update',
  'identities.delete',
]);

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
/** Parameters: the keys, in the order in which to take them, and which of them are shared. */
export const holdKeys = `SELECT CASE WHEN is_shared THEN pg_advisory_xact_lock_shared(hashtextextended(key, 0))
    ELSE pg_advisory_xact_lock(hashtextextended(key, 0)) END
  FROM unnest($1::text[], $2::boolean[]) AS held (key, is_shared)`;

/** The locks of an intent, always in the same order: as `holdKeys` takes it. */
export type HeldKeys = readonly [names: readonly string[], areShared: readonly boolean[]];

/**
 * The keys that an intent holds; null when it runs alone. On behalf of a caller it also relies on the identity of the
 * caller and on that of whom the caller helps: what was checked about them stays true until it commits. (The row of the
 * session is locked by the check.) What has to be as the caller has seen it must be held, or the intent runs alone.
 */
export function keysOf({ name, args, caller }: IntentCall): HeldKeys | null {
  const keys = keysOfIntent(name);
  if (keys === undefined) return null;
  const held = new Map<string, boolean>();
  const hold = ({ name, isShared }: Key) => held.set(name, isShared && held.get(name) !== false);
  keys(...args).forEach(hold);
  if (caller !== undefined) {
    const { unchanged, helped, actor } = caller;
    const seen = unchanged?.entity === 'identities' ? `identity:${unchanged.id}` : '';
    if (unchanged !== null && held.get(seen) !== false) return null;
    hold(relyOn(actor.identityId));
    if (helped !== null) hold(relyOn(helped));
  }
  const names = [...held.keys()].sort();
  return [names, names.map((key) => held.get(key) === true)];
}

/**
 * Whether an intent waits until activity that this node noticed earlier is recorded. Using a session extends it in
 * memory first, and neither an intent that ends it nor what its owner does may find it expired in the store.
 */
export function comesAfterActivity({ name, caller }: Omit<IntentCall, 'args'>): boolean {
  return caller !== undefined || ending.has(name) || keysOfIntent(name) === undefined;
}
