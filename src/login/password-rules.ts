// What a new password must be. Enforced where one is set, never at login (security: SP 800-63B-4 3.1.1.2).

import { AuthError } from '../errors/auth-error.ts';
import type { PasswordPolicy } from '../model/auth-policy.ts';
import { commonPasswords } from './common-passwords.ts';

/** In bytes of UTF-8; refused before anything is hashed. */
const maxPasswordBytes = 1024;
/** Whatever a policy says. Unicode code points. */
const leastPasswordLength = 8;

/**
 * Checks a new password against the policy's rules, a list of common passwords and the user's own names.
 * @param ownNames user name, identity name: must not be the password nor make up most of it
 * @throws AuthError password_not_acceptable with every reason; the password itself is never in it
 */
export function checkNewPassword(
  password: string,
  policy: PasswordPolicy,
  ownNames: readonly string[],
): void {
  const reasons = [...lengthProblems(password, policy), ...compositionProblems(password, policy)];
  const plain = simplify(password);
  if (commonPasswords.has(plain) || isRepetition(plain)) {
    reasons.push('it is one of the passwords that are guessed first');
  }
  const own = ownNames
    .map(simplify)
    .find((name) => name.length >= 3 && plain.replaceAll(name, '').length < 6 && plain.includes(name));
  if (own !== undefined) reasons.push('it is made of the name of the user');
  if (reasons.length === 0) return;
  throw new AuthError('password_not_acceptable', {
    description: `The password is not acceptable: ${reasons.join('; ')}`,
    fields: reasons.map((reason) => ({ field: 'password', reason })),
  });
}

/** What a new password has to be, for people who are about to choose one. */
export interface PasswordRules {
  /** Unicode code points. */
  readonly minLength: number;
  /** Bytes of UTF-8. */
  readonly maxBytes: number;
  readonly requireMixedCase: boolean;
  readonly requireNumberChar: boolean;
  readonly requireSpecialChar: boolean;
}

export function passwordRules(policy: PasswordPolicy): PasswordRules {
  const { requireMixedCase, requireNumberChar, requireSpecialChar } = policy;
  return {
    minLength: shortestPassword(policy),
    maxBytes: maxPasswordBytes,
    requireMixedCase,
    requireNumberChar,
    requireSpecialChar,
  };
}

/** The fewest characters that a new password may have under the policy. */
export function shortestPassword(policy: PasswordPolicy): number {
  return Math.max(policy.minPasswordLength, leastPasswordLength);
}

function lengthProblems(password: string, policy: PasswordPolicy): string[] {
  const least = shortestPassword(policy);
  const length = [...password].length;
  if (Buffer.byteLength(password) > maxPasswordBytes) return [`it is longer than ${maxPasswordBytes} bytes`];
  return length < least ? [`it has ${length} characters, at least ${least} are needed`] : [];
}

function compositionProblems(password: string, policy: PasswordPolicy): string[] {
  const problems: string[] = [];
  if (policy.requireMixedCase && !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password))) {
    problems.push('it needs an upper-case and a lower-case letter');
  }
  if (policy.requireNumberChar && !/\p{Nd}/u.test(password)) problems.push('it needs a digit');
  if (policy.requireSpecialChar && !/[^\p{L}\p{Nd}\s]/u.test(password))
    problems.push('it needs a special character');
  return problems;
}

/** Case, width and separators do not make a password harder to guess. */
function simplify(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s._-]/g, '');
}

/** One short piece over and over, like `abcabcabcabc` or `aaaaaaaaaaaa`. */
function isRepetition(text: string): boolean {
  return /^(.{1,4})\1+$/u.test(text);
}
