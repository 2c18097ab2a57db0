// TOTP codes and recovery codes at login: one counter, one rule, for both mechanisms.

import { AuthError } from '../../errors/auth-error.ts';
import type { IdentityId } from '../../model/ids.ts';
import type { AttemptRecorder, StepOrigin } from '../../model/login-attempt.ts';
import { notedRecord } from '../../model/noted-record.ts';
import { hmacSha256 } from '../../platform/digest.ts';
import { isTotpCode, matchingTimeStep } from '../../platform/secrets/totp-code.ts';
import type { TotpProof } from '../../store/contracts/totp.ts';
import { recordedAttempt } from '../recorded-attempt.ts';
import type { LoginServices } from '../services.ts';
import { settleGuess, type ThrottleNeeds, totpLimit } from '../throttle.ts';

/** The codes of so many time steps before and after the present one count too (RFC 6238 5.2, 6). */
export const acceptedDrift = 1;

/** Label under which the seed of an enrolled identity is sealed. */
export function seedLabel(identityId: IdentityId): string {
  return `totp/${identityId}`;
}

/** A code that a person has typed. */
export interface SentCode extends StepOrigin {
  readonly identityId: IdentityId;
  readonly code: string;
}

/**
 * Verifies a TOTP or recovery code, with a decision record, and uses it up: the statement that accepts a step or a code
 * decides. Wrong, used, locked and not enrolled get the same answer outside. A code that was right but used before is no
 * guess, and does not count as one.
 * @returns what it has proven, for the change that it permits
 * @throws AuthError invalid_totp_code, rate_limited
 */
export function verifyTotp(needs: LoginServices, sent: SentCode): Promise<TotpProof> {
  return recordedAttempt(needs, { ...sent, step: 'totp' }, (attempt) => useCode(needs, sent, attempt));
}

async function useCode(
  needs: LoginServices,
  { identityId, code, origin: { ipAddress } }: SentCode,
  attempt: AttemptRecorder,
): Promise<TotpProof> {
  attempt.about({ identityId });
  const held = notedRecord();
  const right = await rightCode(needs, { identityId, code }, held);
  await settleCode(needs, { identityId, code, ipAddress, isRight: right !== null }, attempt);
  held.handTo(attempt);
  if (right === null) throw new AuthError('invalid_totp_code');
  if (!(await right.burn())) {
    attempt.failed('first use', 'replayed-code', 'this code, or a later one, was accepted before');
    throw new AuthError('invalid_totp_code');
  }
  attempt.passed('first use');
  return right.proof;
}

/**
 * Settles a guess at a code. Text that cannot be a code counts against its source alone, or five slips
 * of the finger would lock a person out.
 * @throws AuthError invalid_totp_code   locked, which is recorded
 * @throws as settleGuess
 */
export async function settleCode(
  needs: ThrottleNeeds,
  {
    identityId,
    code,
    ...guess
  }: { identityId: IdentityId; code: string; ipAddress: string; isRight: boolean },
  attempt: AttemptRecorder,
): Promise<void> {
  const isGuess = isTotpCode(typedCode(code)) || readRecoveryCode(code) !== undefined;
  const target = isGuess ? totpLimit(identityId) : null;
  if ((await settleGuess(needs, { target, ...guess })) === 'locked') {
    attempt.failed('factor unlocked', 'locked', 'too many wrong codes in a row');
    throw new AuthError('invalid_totp_code');
  }
  if (isGuess) attempt.passed('factor unlocked');
}

/** With a function that uses up the code, true for exactly one caller; null, and recorded, when the code is wrong. */
async function rightCode(
  { store: { totp }, ...needs }: LoginServices,
  { identityId, code }: { identityId: IdentityId; code: string },
  attempt: AttemptRecorder,
): Promise<{ proof: TotpProof; burn: () => Promise<boolean> } | null> {
  const enrollment = await totp.find(identityId);
  if (enrollment === null) return attempt.failed('enrolled', 'totp-not-enrolled');
  attempt.passed('enrolled');
  const { enrolledAt } = enrollment;
  const now = needs.clock.now();
  const recoveryCode = readRecoveryCode(code);
  if (recoveryCode !== undefined) {
    const recoveryHash = recoveryCodeHash(needs.recoveryKey, identityId, recoveryCode);
    if (!(await totp.knowsRecoveryCode(identityId, recoveryHash)))
      return attempt.failed('recovery code', 'wrong-code', 'an unknown recovery code');
    attempt.passed('recovery code', `${enrollment.recoveryCodesLeft} were left`);
    return {
      proof: { enrolledAt, recoveryHash },
      burn: () => totp.burnRecoveryCode(identityId, recoveryHash, now),
    };
  }
  const seed = needs.vault.open(enrollment.sealedSeed, seedLabel(identityId));
  const step = matchingTimeStep(seed, typedCode(code), { now, drift: acceptedDrift });
  if (step === undefined)
    return attempt.failed(
      'code',
      'wrong-code',
      'not the code of this half minute, nor of the one before or after',
    );
  attempt.passed('code');
  return {
    proof: { enrolledAt, recoveryHash: null },
    burn: () => totp.burnStep(identityId, enrolledAt, step),
  };
}

/** A keyed hash, because ten characters are too few for a plain one. */
export function recoveryCodeHash(key: Buffer, identityId: IdentityId, code: string): string {
  return hmacSha256(key, `${identityId}\0${code}`).toString('base64url');
}

/**
 * A code as it is meant: people type and paste codes in groups, as they are printed, with spaces, dashes, a line end or
 * digits of full width.
 */
export function typedCode(text: string): string {
  return text.normalize('NFKC').replace(unseen, '');
}

const unseen = /[\s\p{Pd}\p{Cf}]/gu;

/** The code in its canonical form, or undefined when the text cannot be a recovery code. A TOTP code never can. */
export function readRecoveryCode(text: string): string | undefined {
  const code = text.replace(unseen, '');
  // Before changing case, which turns some letters of other alphabets into these.
  // Imported codes of another controller have six characters.
  return /^[A-Za-z2-7]{6}(?:[A-Za-z2-7]{4})?$/.test(code) && /[A-Za-z]/.test(code)
    ? code.toUpperCase()
    : undefined;
}
