// Username and password (UPDB). Every refusal takes the same path and the same work, whatever its cause:
// unknown user, locked, disabled, method not allowed, wrong password.

import type { AttemptRecorder } from '../../model/login-attempt.ts';
import type { AuthenticatorStore, PasswordLogin } from '../../store/contracts/authenticators.ts';
import { mayLogIn } from '../account.ts';
import type { PasswordProof, PrimaryVerdict } from '../primary-verdict.ts';
import {
  countersOf,
  passwordLimit,
  releaseGuess,
  reservedGuess,
  reserveGuess,
  type ThrottleNeeds,
} from '../throttle.ts';
import { unknownNameMark, usernameKey } from './username.ts';

/** Hashes passwords in a bounded pool of its own. Its promises reject when the queue is full. */
export interface PasswordHasher {
  /**
   * Whether the password is the one behind the hash. Null stands for "nobody": the same work, and false.
   * False also for text that can never be a password.
   */
  matches(phc: string | null, password: string): Promise<boolean>;
  /** A PHC string under the current parameters. @throws MalformedInput for text that cannot be a password */
  hash(password: string): Promise<string>;
  /** Whether a stored hash has other parameters than `hash` would use now. */
  isOutdated(phc: string): boolean;
}

export interface PasswordLoginNeeds extends ThrottleNeeds {
  readonly store: ThrottleNeeds['store'] & { readonly authenticators: AuthenticatorStore };
  readonly hasher: PasswordHasher;
  /** See `unknownNameMark`. */
  readonly unknownNameKey: Buffer;
}

/**
 * Decides a password login. Identity and policy are read again after the hash, which takes its time.
 * @throws AuthError rate_limited   this source has guessed too often
 * @throws HashPoolFull             too many logins wait already; nothing was counted
 */
export async function verifyPassword(
  needs: PasswordLoginNeeds,
  username: string,
  password: string,
  attempt: AttemptRecorder,
  ipAddress: string,
): Promise<PrimaryVerdict<PasswordProof>> {
  const key = usernameKey(username);
  const login = key === undefined ? null : await needs.store.authenticators.findPasswordLogin(key);
  attempt.about(
    key === undefined || login === null
      ? { subject: key === undefined ? '(not a user name)' : unknownNameMark(needs.unknownNameKey, key) }
      : { subject: key, identityId: login.identity.id },
  );

  const target = login === null ? null : passwordLimit(login.authenticator.id, login.policy.primary.updb);
  const reserved = await reserveGuess(needs, target, ipAddress);
  const phc = reserved === 'locked' || login === null ? null : login.passwordHash;
  const matches = await needs.hasher.matches(phc, password).catch(async (error) => {
    await releaseGuess(needs, reserved === 'locked' ? null : target, ipAddress);
    throw error;
  });
  if (key === undefined || login === null) {
    attempt.failed('user name known', 'unknown-user');
    return { verdict: 'refused' };
  }
  attempt.passed('user name known', login.authenticator.username);
  if (reserved === 'locked') {
    attempt.failed('authenticator unlocked', 'locked', 'too many failures in a row');
    return { verdict: 'refused' };
  }
  attempt.passed('authenticator unlocked');
  if (!matches) {
    attempt.failed('password', 'wrong-password');
    return { verdict: 'refused' };
  }
  attempt.passed('password');

  const current = await needs.store.authenticators.findPasswordLogin(key);
  if (current === null || current.passwordHash !== login.passwordHash) {
    attempt.failed('unchanged', 'changed-meanwhile', 'the password was changed while it was checked');
    return { verdict: 'refused' };
  }
  if (!mayLogIn(current, 'password', attempt, needs.clock.now())) return { verdict: 'refused' };
  const verifiedHash = await upgradeHash(needs, current, password);
  return {
    verdict: 'passed',
    account: current,
    proof: {
      method: 'password',
      authenticatorId: current.authenticator.id,
      verifiedHash,
      reserved: reservedGuess(countersOf(target, ipAddress)),
      current: verifiedHash === current.passwordHash ? current : null,
    },
  };
}

/**
 * Stores the password under today's parameters. A full pool is no reason to refuse a login: the next one tries again.
 * @returns the hash that is stored unless the password was changed meanwhile
 */
async function upgradeHash(
  needs: PasswordLoginNeeds,
  { authenticator, passwordHash }: PasswordLogin,
  password: string,
): Promise<string> {
  if (!needs.hasher.isOutdated(passwordHash)) return passwordHash;
  const newHash = await needs.hasher.hash(password).catch(() => null);
  if (newHash === null) return passwordHash;
  await needs.store.authenticators.rehashPassword(authenticator.id, passwordHash, newHash);
  return newHash;
}
