// Throttles guessing: an attempt is counted, durably and for all nodes, before it is evaluated.

import { AuthError } from '../errors/auth-error.ts';
import type { PasswordPolicy } from '../model/auth-policy.ts';
import type { AuthenticatorId, IdentityId } from '../model/ids.ts';
import { type Clock, DAY, HOUR, MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import { sha256Bytes } from '../platform/digest.ts';
import { sourcePrefix } from '../platform/network/source-prefix.ts';
import type { AttemptLimit, AttemptStore } from '../store/contracts/attempts.ts';

/** Means "for ever": an administrator has to unlock. */
const untilUnlocked = 36_500 * DAY;

/** The counter of a password authenticator, or null when its policy never locks. */
export function passwordLimit(authenticatorId: string, policy: PasswordPolicy): AttemptLimit | null {
  if (policy.maxAttempts <= 0) return null;
  const lockFor = policy.lockoutDurationMinutes <= 0 ? untilUnlocked : policy.lockoutDurationMinutes * MINUTE;
  return {
    key: passwordKey(authenticatorId),
    max: policy.maxAttempts,
    lockFor,
    longestLock: Math.max(lockFor, DAY),
    forgetAfter: DAY,
  };
}

/**
 * Counts a guess at what cannot be locked, such as an unknown user, and locks nothing: if only known users had a
 * counter, its time would reveal that the name exists. Strangers choose the names, so these share 256 rows.
 * @param name what the guess is about
 */
export function unlockableLimit(name: string): AttemptLimit {
  return {
    key: passwordKey(`nobody-${sha256Bytes(name).toString('hex', 0, 1)}`),
    max: Number.MAX_SAFE_INTEGER,
    lockFor: 0,
    longestLock: 0,
    forgetAfter: DAY,
  };
}

export function passwordKey(authenticatorId: string): string {
  return `password:${authenticatorId}`;
}

/**
 * The counter of an identity's second factor: TOTP and recovery codes, in every flow and mechanism. After a hundred
 * failures in a row only an administrator can help (NIST SP 800-63B 3.2.2).
 */
export function totpLimit(identityId: string): AttemptLimit {
  return {
    key: totpKey(identityId),
    max: 5,
    lockFor: 30 * SECOND,
    longestLock: HOUR,
    mostLocks: 20,
    forgetAfter: DAY,
  };
}

export function totpKey(identityId: string): string {
  return `totp:${identityId}`;
}

/** The counter of the source of guesses. */
export function sourceLimit(ipAddress: string): AttemptLimit {
  return {
    key: `source:${sourcePrefix(ipAddress)}`,
    max: 300,
    lockFor: MINUTE,
    longestLock: 15 * MINUTE,
    forgetAfter: 10 * MINUTE,
  };
}

/** Allows something once within the time: the first attempt locks it. @param key with what it is, and a random id */
export function onceLimit(key: string, within: Millis): AttemptLimit {
  return { key, max: 1, lockFor: within, longestLock: within, forgetAfter: within };
}

/** The counter of device logins by source, since each of them is a row. */
export function deviceLimit(ipAddress: string): AttemptLimit {
  return {
    key: `device:${sourcePrefix(ipAddress)}`,
    max: 30,
    lockFor: MINUTE,
    longestLock: 15 * MINUTE,
    forgetAfter: 10 * MINUTE,
  };
}

export interface ThrottleNeeds {
  readonly store: { readonly attempts: AttemptStore };
  readonly clock: Clock;
}

/**
 * Reserves one attempt on the counter of the target and on that of the source.
 * @param target null when there is nothing to lock, such as an unknown user
 * @returns `locked` when the target is locked, and only the source counted: the caller refuses as for a wrong guess, at
 * the same cost
 * @throws AuthError rate_limited   the source has guessed too often, whatever the target
 */
export async function reserveGuess(
  needs: ThrottleNeeds,
  target: AttemptLimit | null,
  ipAddress: string,
): Promise<'reserved' | 'locked'> {
  const source = sourceLimit(ipAddress);
  const now = needs.clock.now();
  const limits = target === null ? [source] : [target, source];
  const outcome = await needs.store.attempts.reserve(limits, now);
  if (outcome.outcome === 'reserved') return 'reserved';
  // Guesses at a locked target have already counted against the source, in the same step: a second step would reveal by
  // its time that the name exists.
  if (outcome.key !== source.key) return 'locked';
  throw throttled(source.key, outcome.until - now);
}

/**
 * Refuses to check further proofs from a throttled source, whatever the method.
 * @throws AuthError rate_limited
 */
export async function requireOpenSource(needs: ThrottleNeeds, ipAddress: string): Promise<void> {
  const { key } = sourceLimit(ipAddress);
  const now = needs.clock.now();
  const until = await needs.store.attempts.lockedUntil(key, now);
  if (until !== null) throw throttled(key, until - now);
}

/**
 * Counts a refused certificate or token against its source. Unlike a guess, it is counted afterwards, so a valid one
 * costs no commit; the limits of each request bound what many at once can compute before they are counted.
 */
export async function countRefusal(needs: ThrottleNeeds, ipAddress: string): Promise<void> {
  await needs.store.attempts.reserve([sourceLimit(ipAddress)], needs.clock.now());
}

function throttled(key: string, wait: Millis): AuthError {
  return new AuthError('rate_limited', {
    detail: `source ${key} is throttled`,
    retryAfterSeconds: Math.ceil(wait / SECOND),
  });
}

/** Takes back a reservation: the guess was right, or could not be evaluated. */
export async function releaseGuess(
  needs: ThrottleNeeds,
  target: AttemptLimit | null,
  ipAddress: string,
): Promise<void> {
  await needs.store.attempts.release(countersOf(target, ipAddress));
}

/** The keys of the counters on which a guess is reserved. */
export function countersOf(target: AttemptLimit | null, ipAddress: string): readonly string[] {
  const source = sourceLimit(ipAddress).key;
  return target === null ? [source] : [target.key, source];
}

/**
 * The counters of an identity that only a full authentication or an administrator resets and unlocks: a known password
 * must not buy guesses at the code.
 * @param passwordAuthenticatorId of its password, or of what it logged in with; null when it has none
 */
export function failureKeys(
  identityId: IdentityId,
  passwordAuthenticatorId: AuthenticatorId | null,
): readonly string[] {
  const password = passwordAuthenticatorId === null ? [] : [passwordKey(passwordAuthenticatorId)];
  return [...password, totpKey(identityId)];
}

/** Resets the counters of `failureKeys` after a login. Most logins find nothing to reset, and need no further commit. */
export async function forgetFailuresIfAny(
  store: { readonly attempts: AttemptStore },
  identityId: IdentityId,
  passwordAuthenticatorId: AuthenticatorId | null,
): Promise<void> {
  const keys = failureKeys(identityId, passwordAuthenticatorId);
  if (await store.attempts.areCounted(keys)) await store.attempts.clear(keys);
}

/** Resets the counters of `failureKeys`. */
export function forgetFailures(
  { attempts }: { readonly attempts: AttemptStore },
  identityId: IdentityId,
  passwordAuthenticatorId: AuthenticatorId | null,
): Promise<void> {
  return attempts.clear(failureKeys(identityId, passwordAuthenticatorId));
}

// A right guess stays reserved until the login is recorded. The step that records it takes the reservation back, which
// saves a commit. A crash in between leaves one failure too many, never one too few.

export interface ReservedGuess {
  /** The keys of its counters (`AttemptStore.release`), for whoever takes it back; none from the second call on. */
  take(): readonly string[];
}

export function reservedGuess(keys: readonly string[]): ReservedGuess {
  let held = keys;
  return {
    take() {
      const taken = held;
      held = [];
      return taken;
    },
  };
}

/** Takes the guess back in a separate step, unless `take` was called. */
export async function giveBack(needs: Pick<ThrottleNeeds, 'store'>, guess: ReservedGuess): Promise<void> {
  const keys = guess.take();
  if (keys.length > 0) await needs.store.attempts.release(keys);
}
