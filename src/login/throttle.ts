// Throttles guessing: a guess is counted, durably and for all nodes, before its outcome is known.

import { AuthError } from '../errors/auth-error.ts';
import type { PasswordPolicy } from '../model/entities/auth-policy.ts';
import type { AuthenticatorId, IdentityId } from '../model/ids.ts';
import { type Clock, DAY, HOUR, MINUTE, type Millis, SECOND } from '../platform/clock.ts';
import { sha256Bytes } from '../platform/digest.ts';
import { sourcesOf } from '../platform/network/sources.ts';
import { type AttemptLimit, type AttemptStore, lockEnd } from '../store/contracts/attempts.ts';

/** Means "for ever": an administrator has to unlock. */
const untilUnlocked = 36_500 * DAY;

/** The counter of a password authenticator, or null when its policy never locks: then an earlier lock does not count. */
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
 * @param name the target of the guess
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

/** The limits of one source: failed proofs, refused answers of providers, logins of devices, and mails. */
const mostOfSource = { source: 300, visit: 300, device: 30, reset: 20 } as const;
export type SourceKind = keyof typeof mostOfSource;

/**
 * The counters of a source, the narrow one last: where that is locked, nothing counts against those who share the wide
 * one with it.
 */
export function sourceLimits(kind: SourceKind, ipAddress: string): readonly AttemptLimit[] {
  return sourcesOf(ipAddress)
    .map(({ prefix, shares }) => ({
      key: `${kind}:${prefix}`,
      max: mostOfSource[kind] * shares,
      lockFor: MINUTE,
      longestLock: 15 * MINUTE,
      forgetAfter: 10 * MINUTE,
    }))
    .reverse();
}

export interface ThrottleNeeds {
  readonly store: { readonly attempts: Omit<AttemptStore, 'clear'> };
  readonly clock: Clock;
}

/** A guess whose outcome only this service knows yet. */
export interface EvaluatedGuess {
  /** Null when there is nothing to lock. */
  readonly target: AttemptLimit | null;
  readonly ipAddress: string;
  readonly isRight: boolean;
}

/**
 * Decides whether the outcome of a guess matters, before anything depends on it: a wrong one is counted on its target
 * and its source, and a right one passes only if neither was locked by the guesses before it. All guesses at a target
 * take this step, one after the other, so of any number at once no more than the limit are answered by what they are.
 * @returns `locked` when the target is, and only the source counted: the caller refuses as for a wrong guess, at the
 * same cost
 * @throws AuthError rate_limited   the source has guessed too often, at any target
 */
export async function settleGuess(
  needs: ThrottleNeeds,
  { target, ipAddress, isRight }: EvaluatedGuess,
): Promise<'settled' | 'locked'> {
  const now = needs.clock.now();
  const sources = sourceLimits('source', ipAddress);
  const limits = target === null ? sources : [target, ...sources];
  const outcome = await needs.store.attempts.count(limits, isRight ? 0 : 1, now);
  if (outcome.outcome === 'counted') return 'settled';
  // Guesses at a locked target have already counted against the source, in the same step: a second step would reveal by
  // its time that the name exists.
  if (outcome.key === target?.key) return 'locked';
  throw throttled(outcome.key, outcome.until - now);
}

/**
 * Refuses to check further proofs of any method from a throttled source.
 * @throws AuthError rate_limited
 */
export async function requireOpenSource(
  needs: ThrottleNeeds,
  ipAddress: string,
  kind: SourceKind = 'source',
): Promise<void> {
  const now = needs.clock.now();
  for (const limit of sourceLimits(kind, ipAddress)) {
    const until = await lockedUntil(needs, limit);
    if (until !== null) throw throttled(limit.key, until - now);
  }
}

/** Until when the counter is locked, or null. */
export async function lockedUntil(needs: ThrottleNeeds, limit: AttemptLimit): Promise<Millis | null> {
  const now = needs.clock.now();
  return lockEnd(limit, await needs.store.attempts.lockedUntil(limit.key, now), now);
}

/**
 * Counts a refused certificate, token or passkey against its source. Unlike a guess, it is counted afterwards, so a
 * valid one costs no commit; the limits of each request bound what many at once can compute before they are counted.
 */
export async function countRefusal(
  needs: ThrottleNeeds,
  ipAddress: string,
  kind: SourceKind = 'source',
): Promise<void> {
  await needs.store.attempts.count(sourceLimits(kind, ipAddress), 1, needs.clock.now());
}

/**
 * Counts an action that a source may begin only so often, before it begins.
 * @throws AuthError rate_limited
 */
export async function countBeginning(
  needs: ThrottleNeeds,
  ipAddress: string,
  kind: SourceKind,
): Promise<void> {
  const now = needs.clock.now();
  const outcome = await needs.store.attempts.count(sourceLimits(kind, ipAddress), 1, now);
  if (outcome.outcome === 'refused') throw throttled(outcome.key, outcome.until - now);
}

/** Mails for a forgotten password in an hour, for one name, and for one identity under all its names. */
const mostResets = 3;

function resetLimit(of: string): AttemptLimit {
  return { key: `reset:${of}`, max: mostResets, lockFor: HOUR, longestLock: HOUR, forgetAfter: HOUR };
}

/**
 * Counts a request for a mail against the name and its source, in one step.
 * @returns false when the name has had enough: the caller answers as always
 * @throws AuthError rate_limited   the source has
 */
export async function countReset(needs: ThrottleNeeds, name: string, ipAddress: string): Promise<boolean> {
  const ofName = resetLimit(`name-${sha256Bytes(name).toString('base64url', 0, 16)}`);
  const now = needs.clock.now();
  const limits = [ofName, ...sourceLimits('reset', ipAddress)];
  const outcome = await needs.store.attempts.count(limits, 1, now);
  if (outcome.outcome === 'counted') return true;
  if (outcome.key === ofName.key) return false;
  throw throttled(outcome.key, outcome.until - now);
}

/** The same for the identity that was found. @returns false when it has had enough */
export async function countResetOf(needs: ThrottleNeeds, identityId: IdentityId): Promise<boolean> {
  const limits = [resetLimit(identityId)];
  return (await needs.store.attempts.count(limits, 1, needs.clock.now())).outcome === 'counted';
}

/**
 * Uses up a single-use item, for all nodes.
 * @param key    with the kind of item, and an id of at least 128 random bits
 * @param within how long it would work otherwise
 * @returns false when it was used before
 */
export async function useOnce(needs: ThrottleNeeds, key: string, within: Millis): Promise<boolean> {
  const once = { key, max: 1, lockFor: within, longestLock: Number.POSITIVE_INFINITY, forgetAfter: within };
  return (await needs.store.attempts.count([once], 1, needs.clock.now())).outcome === 'counted';
}

function throttled(key: string, wait: Millis): AuthError {
  return new AuthError('rate_limited', {
    detail: `source ${key} is throttled`,
    retryAfterSeconds: Math.ceil(wait / SECOND),
  });
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
  store: { attempts: AttemptStore },
  identityId: IdentityId,
  passwordAuthenticatorId: AuthenticatorId | null,
): Promise<void> {
  const keys = failureKeys(identityId, passwordAuthenticatorId);
  if (await store.attempts.areCounted(keys)) await store.attempts.clear(keys);
}

/** Resets the counters of `failureKeys`. */
export function forgetFailures(
  { attempts }: { attempts: AttemptStore },
  identityId: IdentityId,
  passwordAuthenticatorId: AuthenticatorId | null,
): Promise<void> {
  return attempts.clear(failureKeys(identityId, passwordAuthenticatorId));
}
