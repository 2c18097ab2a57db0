// The rules for a new password. Enforced when one is set, never at login (security: SP 800-63B-4 3.1.1.2).

import { AuthError } from '../../errors/auth-error.ts';
import type { PasswordPolicy } from '../../model/entities/auth-policy.ts';
import { inNormalForm } from '../../platform/formats/normal-form.ts';
import { MalformedInput } from '../../platform/formats/strict-input.ts';
import { largestPasswordBytes, opaqueString } from '../../platform/secrets/password-hash.ts';

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
 * @param names user name, identity name: must not be the password or most of it
 * @throws PasswordNotAcceptable with every reason; the password itself is never in it
 * @throws AuthError password_not_acceptable   it contains characters that no password may have
 */
export function checkNewPassword(password: string, policy: PasswordPolicy, names: readonly string[]): void {
  const broken = [...lengthProblems(password, policy), ...compositionProblems(password, policy)];
  const plain = simplify(password);
  if (isCommonPassword(plain) || isRepetition(plain))
    broken.push({ rule: 'common', reason: 'it is too common' });
  const own = names
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

// Common passwords, in the form that `simplify` makes. They combine the words at the top of every published list with the
// endings that people add to satisfy a rule, so that the few hundred stems below make several thousand passwords.

const stems =
  'password passwort passw0rd p@ssword p@ssw0rd pa55word letmein welcome iloveyou sunshine princess dragon monkey football baseball superman batman trustno1 master shadow michael jennifer jordan hunter ranger buster soccer hockey killer george charlie andrew thomas daniel jessica pepper ginger summer winter spring autumn sommer frühling herbst hallo servus geheim schatz computer internet samsung google facebook linkedin whatever starwars pokemon chocolate butterfly liverpool arsenal chelsea barcelona ronaldo messi freedom secret login admin administrator root toor guest test testing default changeme changeit access controller overlay overlayauth ziti openziti network quickstart example company business office private security';

const keyboardWalks =
  'qwerty qwertyuiop qwertyui qwertz qwertzuiop qwertzui azerty azertyuiop asdfgh asdfghjk asdfghjkl zxcvbn zxcvbnm yxcvbnm 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc qazwsx qazwsxedc zaq12wsx q1w2e3r4 q1w2e3r4t5 abcdef abcdefg abcdefgh abcdefghi abcdefghij abc123 abcd1234 a1b2c3d4 123qwe qwe123 qweasd qweasdzxc asdasd asd123 123456 1234567 12345678 123456789 1234567890 12345678910 123456789012 0123456789 987654321 9876543210 0987654321 11223344 112233 1122334455 147258369 159753 123123 123321 12341234 123123123 1234512345';

const usualEndings =
  '1 12 123 1234 12345 123456 1234567 12345678 123456789 1234567890 ! !! 1! 12! 123! 1234! 0 00 000 01 007 2020 2021 2022 2023 2024 2025 2026 2027 2023! 2024! 2025! 2026! 69 99 666 777 888 abc qwerty # ? @123 @1234 #123';

let all: ReadonlySet<string> | undefined;

/** Built at the first change of a password: a start need not wait for tens of thousands of texts, nor keep them. */
function isCommonPassword(plain: string): boolean {
  all ??= new Set(commonPasswords());
  return all.has(plain);
}

function commonPasswords(): readonly string[] {
  const endings = ['', ...usualEndings.split(' ')];
  return [...stems.split(' '), ...keyboardWalks.split(' ')].flatMap((stem) =>
    endings.flatMap((ending) => [`${stem}${ending}`, `${ending}${stem}`, `${stem}${stem}${ending}`]),
  );
}
