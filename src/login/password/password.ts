// Username and password (UPDB). Every refusal takes the same path and does the same work: unknown user, locked,
// disabled, method not allowed, wrong password.

import type { RequestOrigin } from '../../model/audit-event.ts';
import type { PasswordAuthenticator } from '../../model/authenticator.ts';
import type { IdentityId } from '../../model/ids.ts';
import type { AttemptRecorder } from '../../model/login-attempt.ts';
import { type UsernameKey, usernameKey } from '../../model/names.ts';
import { notedRecord } from '../../model/noted-record.ts';
import { hmacSha256 } from '../../platform/digest.ts';
import { MalformedInput } from '../../platform/formats/strict-input.ts';
import { askerOf, type HashPool } from '../../platform/secrets/hash-pool.ts';
import {
  needsRehash,
  type Password,
  preparePassword,
  typedHash,
  typedPassword,
} from '../../platform/secrets/password-hash.ts';
import { lockEnd } from '../../store/contracts/attempts.ts';
import type { AuthenticatorStore, PasswordLogin } from '../../store/contracts/authenticators.ts';
import { mayLogIn, type PasswordProof, type PrimaryVerdict } from '../primary-verdict.ts';
import type { LoginServices, PasswordHasher } from '../services.ts';
import { passwordLimit, requireOpenSource, settleGuess, unlockableLimit } from '../throttle.ts';

type GuessOrigin = Pick<RequestOrigin, 'ipAddress' | 'gone'>;

/**
 * Decides a password login. Identity and policy are read again after the hash, because that takes time.
 * @throws AuthError rate_limited   this source has guessed too often
 * @throws HashPoolFull             too many logins are waiting already; nothing is counted
 * @throws HashUnwanted             the client has gone before anything was compared; nothing is counted
 */
export async function verifyPassword(
  needs: LoginServices,
  { username, password, origin }: { username: string; password: string; origin: GuessOrigin },
  attempt: AttemptRecorder,
): Promise<PrimaryVerdict<PasswordProof>> {
  const { ipAddress, gone } = origin;
  // No user name begins or ends with a space, so that of a typed one is the keyboard's.
  const key = usernameKey(username.trim());
  const login = key === undefined ? null : await needs.store.authenticators.findPasswordLogin(key);
  // Also for known users: work done only for one kind would reveal by its time whether the user exists.
  const unknown = { mark: unknownNameMark(needs.unknownNameKey, key), limit: unlockableLimit(key ?? '') };
  attempt.about(
    key === undefined || login === null
      ? { subject: key === undefined ? '(not a user name)' : unknown.mark }
      : { subject: key, identityId: login.identity.id },
  );

  const own = login === null ? null : passwordLimit(login.authenticator.id, login.policy.primary.updb);
  const target = own ?? unknown.limit;
  await requireOpenSource(needs, ipAddress);
  // The step below decides. But once a password is locked, not even time may tell what a guess at it was.
  const stored = login?.lockedUntil ?? null;
  const isLocked = own !== null && lockEnd(own, stored, needs.clock.now()) !== null;
  const phc = isLocked || login === null ? null : login.passwordHash;
  const matches = await needs.hasher.matches(phc, password, { source: ipAddress, gone });
  const held = notedRecord();
  const current = login === null ? null : await judge(needs, { login, password, matches }, held);
  const settled = await settleGuess(needs, { target, ipAddress, isRight: current !== null });
  if (login === null) {
    attempt.failed('user name known', 'unknown-user');
    return { verdict: 'refused' };
  }
  attempt.passed('user name known', login.authenticator.username);
  if (settled === 'locked') {
    attempt.failed('authenticator unlocked', 'locked', 'too many failures in a row');
    return { verdict: 'refused' };
  }
  attempt.passed('authenticator unlocked');
  held.handTo(attempt);
  if (current === null) return { verdict: 'refused' };
  const verifiedHash = await upgradeHash(needs, current, password);
  return {
    verdict: 'passed',
    account: current,
    proof: {
      method: 'password',
      authenticatorId: current.authenticator.id,
      verifiedHash,
      current: verifiedHash === current.passwordHash ? current : null,
    },
  };
}

/** The login as it is now, if it is open to this password; null, and recorded, if not. */
async function judge(
  needs: LoginServices,
  {
    login: { authenticator, passwordHash },
    password,
    matches,
  }: { login: PasswordLogin; password: string; matches: boolean },
  attempt: AttemptRecorder,
): Promise<PasswordLogin | null> {
  if (!matches) return attempt.failed('password', 'wrong-password');
  attempt.passed('password');
  const current = await needs.store.authenticators.findPasswordLogin(authenticator.usernameKey);
  const checked = { checked: passwordHash, password, source: authenticator.identityId };
  if (current === null || !(await isStillOf(needs, { stored: current.passwordHash, ...checked })))
    return attempt.failed('unchanged', 'changed-meanwhile', 'the password was changed while it was checked');
  return mayLogIn(current, { method: 'password', now: needs.clock.now() }, attempt) ? current : null;
}

/**
 * Stores the password with today's parameters. A full pool is no reason to refuse a login: the next one tries again.
 * @returns the hash that is now stored, unless the password was changed meanwhile
 */
async function upgradeHash(
  needs: LoginServices,
  { authenticator, passwordHash }: PasswordLogin,
  password: string,
): Promise<string> {
  if (!needs.hasher.isOutdated(passwordHash)) return passwordHash;
  const newHash = await needs.hasher.hash(password, authenticator.identityId).catch(() => null);
  if (newHash === null) return passwordHash;
  await needs.store.authenticators.rehashPassword(authenticator.id, passwordHash, newHash);
  const current = await needs.store.authenticators.findPasswordLogin(authenticator.usernameKey);
  const stored = current?.passwordHash ?? newHash;
  if (stored === newHash) return newHash;
  const { identityId: source } = authenticator;
  return (await isStillOf(needs, { stored, checked: passwordHash, password, source })) ? stored : newHash;
}

/**
 * Whether the stored hash is of the password that was checked. Of several logins at the same moment, one renews an
 * outdated hash, and the others must not take that for another password.
 * @param of.checked the hash that the password has matched
 */
async function isStillOf(
  needs: LoginServices,
  {
    stored,
    checked,
    password,
    source,
  }: { stored: string; checked: string; password: string; source: string },
): Promise<boolean> {
  if (stored === checked) return true;
  return (
    needs.hasher.isOutdated(checked) && needs.hasher.matches(stored, password, source).catch(() => false)
  );
}

/**
 * The mark of an unknown user name in decision records. People type passwords there, so the text itself is not stored.
 * The same text has the same mark on every node, which distinguishes a client that repeats one name from one that tries
 * many.
 * @param secret server secret: without it the text cannot be found by trial
 */
export function unknownNameMark(secret: Buffer, key: UsernameKey | undefined): string {
  return `unknown name #${hmacSha256(secret, key ?? '').toString('hex', 0, 5)}`;
}

/** The hasher over the bounded pool. */
export function passwordHasher(pool: HashPool): PasswordHasher {
  return {
    async matches(phc, password, asker) {
      const typed = typedPassword(password);
      // Text that cannot be a password costs nothing. This depends on the text only, not on the user.
      if (typed === undefined) return false;
      const prepared = prepare(password);
      const imported = phc === null ? undefined : typedHash(phc);
      if (imported !== undefined) {
        // Cheaper than ours: time must neither reveal whose hash was imported, nor let a right guess overtake wrong ones.
        const matches = await pool.verify(imported, typed, asker);
        // Once something was compared, the guess is counted, even if its client has gone.
        await pool.verify(null, prepared ?? typed, askerOf(asker).source);
        return matches;
      }
      // Only an imported hash can be of such a text. The work is the same anyway.
      return pool.verify(prepared === null ? null : phc, prepared ?? typed, asker);
    },
    async hash(password, source) {
      return pool.hash(preparePassword(password), source);
    },
    isOutdated: (phc) => typedHash(phc) !== undefined || needsRehash(phc, pool.cost),
  };
}

function prepare(password: string): Password | null {
  try {
    return preparePassword(password);
  } catch (error) {
    if (error instanceof MalformedInput) return null;
    throw error;
  }
}

/** The password of an identity, which has one at most. */
export async function passwordOf(
  authenticators: Pick<AuthenticatorStore, 'listOf'>,
  identityId: IdentityId,
): Promise<PasswordAuthenticator | null> {
  const theirs = await authenticators.listOf([identityId]);
  return theirs.find((authenticator) => authenticator.method === 'updb') ?? null;
}
