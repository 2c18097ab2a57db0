// The rules for a new password. Enforced when one is set, never at login (security: SP 800-63B-4 3.1.1.2).

import { AuthError } from '../../errors/auth-error.ts';
import type { PasswordPolicy } from '../../model/entities/auth-policy.ts';
import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import { inNormalForm } from '../../platform/formats/normal-form.ts';
import { largestPasswordBytes, opaqueString } from '../../platform/secrets/password-hash.ts';
import { isCommonPassword } from './common-passwords.ts';

/** The minimum; a policy cannot lower it. Unicode code points. */
const leastPasswordLength = 8;

/** The rules that a password can break. */
export type PasswordRule =
  | 'too-long'
  | 'too-short'
  | 'mixed-case'
  | 'digit'
  | 'special'
  | 'common'
  | 'same'
  | 'own-name';

interface Broken {
  readonly rule: PasswordRule;
  readonly reason: string;
}

/** A password that breaks rules: `fields` describes each in English, `rules` has their codes. */
export class PasswordNotAcceptable extends AuthError {
  override readonly name = 'PasswordNotAcceptable';
  readonly rules: readonly PasswordRule[];

  constructor(broken: readonly Broken[]) {
    super('password_not_acceptable', {
      description: `The password is not acceptable: ${broken.map(({ reason }) => reason).join('; ')}`,
      fields: broken.map(({ reason }) => ({ field: 'password', reason })),
    });
    this.rules = broken.map(({ rule }) => rule);
  }
}

/**
 * Checks a new password against the policy's rules, a list of common passwords and the user's own names.
 * @param ownNames user name, identity name: must not be the password or most of it
 * @throws PasswordNotAcceptable with every reason; the password itself is never in it
 * @throws AuthError password_not_acceptable   it contains characters that no password may have
 */
export function checkNewPassword(
  password: string,
  policy: PasswordPolicy,
  ownNames: readonly string[],
): void {
  const broken = [...lengthProblems(password, policy), ...compositionProblems(password, policy)];
  const plain = simplify(password);
  if (isCommonPassword(plain) || isRepetition(plain))
    broken.push({ rule: 'common', reason: 'it is too common' });
  const own = ownNames
    .map(simplify)
    .find((name) => name.length >= 3 && plain.replaceAll(name, '').length < 6 && plain.includes(name));
  if (own !== undefined)
    broken.push({ rule: 'own-name', reason: 'it is too similar to the name of the user' });
  if (broken.length > 0) throw new PasswordNotAcceptable(broken);
  requireReadable(password);
}

function requireReadable(password: string): void {
  try {
    opaqueString(password);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    throw new AuthError('password_not_acceptable', {
      description: `The password is not acceptable: ${error.reason}`,
      fields: [{ field: 'password', reason: error.reason }],
    });
  }
}

/** The refusal of a new password that equals the current one. */
export function samePassword(): PasswordNotAcceptable {
  return new PasswordNotAcceptable([{ rule: 'same', reason: 'it is the current password' }]);
}

/** The rules for a new password, to show to people before they choose one. */
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
    maxBytes: largestPasswordBytes,
    requireMixedCase,
    requireNumberChar,
    requireSpecialChar,
  };
}

/** The fewest characters that a new password may have under the policy. */
export function shortestPassword(policy: PasswordPolicy): number {
  return Math.max(policy.minPasswordLength, leastPasswordLength);
}

function lengthProblems(password: string, policy: PasswordPolicy): Broken[] {
  const least = shortestPassword(policy);
  const length = [...password].length;
  if (Buffer.byteLength(password) > largestPasswordBytes)
    return [{ rule: 'too-long', reason: `it is longer than ${largestPasswordBytes} bytes` }];
  return length < least
    ? [{ rule: 'too-short', reason: `it has ${length} characters, at least ${least} are needed` }]
    : [];
}

function compositionProblems(password: string, policy: PasswordPolicy): Broken[] {
  const problems: Broken[] = [];
  if (policy.requireMixedCase && !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password)))
    problems.push({ rule: 'mixed-case', reason: 'it needs an upper-case and a lower-case letter' });
  if (policy.requireNumberChar && !/\p{Nd}/u.test(password))
    problems.push({ rule: 'digit', reason: 'it needs a digit' });
  if (policy.requireSpecialChar && !/[^\p{L}\p{Nd}\s]/u.test(password))
    problems.push({ rule: 'special', reason: 'it needs a special character' });
  return problems;
}

/** Case, width and separators do not make a password harder to guess. */
function simplify(text: string): string {
  return inNormalForm(text, 'NFKC')
    .toLowerCase()
    .replaceAll(/[\s._-]/g, '');
}

/** One short piece repeated, like `abcabcabcabc` or `aaaaaaaaaaaa`. */
function isRepetition(text: string): boolean {
  return /^(.{1,4})\1+$/u.test(text);
}
