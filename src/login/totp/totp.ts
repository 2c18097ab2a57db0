// TOTP codes and recovery codes at login: one counter, one rule, for both mechanisms.

import { AuthError } from '../../errors/auth-error.ts';
import type { IdentityId } from '../../model/ids.ts';
import type { AttemptRecorder } from '../../model/login-attempt.ts';
import { hmacSha256 } from '../../platform/digest.ts';
import type { KeyVault } from '../../platform/secrets/key-vault.ts';
import { matchingTimeStep } from '../../platform/secrets/totp-code.ts';
import type { TotpStore } from '../../store/contracts/totp.ts';
import { releaseGuess, reserveGuess, type ThrottleNeeds, totpLimit } from '../throttle.ts';

export interface TotpNeeds extends ThrottleNeeds {
  readonly store: ThrottleNeeds['store'] & { readonly totp: TotpStore };
  readonly vault: KeyVault;
  /** Server secret under which recovery codes are hashed. */
  readonly recoveryKey: Buffer;
}

/** The codes of so many time steps before and after the present one count too (RFC 6238 5.2, 6). */
export const acceptedDrift = 1;

/** Label under which the seed of an enrolled identity is sealed. */
export function seedLabel(identityId: IdentityId): string {
  return `totp/${identityId}`;
}

/**
 * Verifies a TOTP or recovery code and uses it up: the statement that accepts a step or a code decides. Wrong, used,
 * locked and not enrolled get the same answer outside.
 * @throws AuthError invalid_totp_code, rate_limited
 */
export async function verifyTotp(
  needs: TotpNeeds,
  {
    identityId,
    code,
    ipAddress,
  }: { readonly identityId: IdentityId; readonly code: string; readonly ipAddress: string },
  attempt: AttemptRecorder,
): Promise<void> {
  attempt.about({ identityId });
  const limit = totpLimit(identityId);
  if ((await reserveGuess(needs, limit, ipAddress)) === 'locked') {
    attempt.failed('factor unlocked', 'locked', 'too many wrong codes in a row');
    throw new AuthError('invalid_totp_code');
  }
  attempt.passed('factor unlocked');
  if (!(await accepts(needs, { identityId, code }, attempt))) throw new AuthError('invalid_totp_code');
  await releaseGuess(needs, limit, ipAddress);
}

async function accepts(
  needs: TotpNeeds,
  { identityId, code }: { readonly identityId: IdentityId; readonly code: string },
  attempt: AttemptRecorder,
): Promise<boolean> {
  const enrollment = await needs.store.totp.find(identityId);
  if (enrollment === null) {
    attempt.failed('enrolled', 'totp-not-enrolled');
    return false;
  }
  attempt.passed('enrolled');
  const recoveryCode = readRecoveryCode(code);
  if (recoveryCode !== undefined) {
    const hash = recoveryCodeHash(needs.recoveryKey, identityId, recoveryCode);
    const burned = await needs.store.totp.burnRecoveryCode(identityId, hash, needs.clock.now());
    if (burned) attempt.passed('recovery code', `${enrollment.recoveryCodesLeft - 1} are left`);
    else attempt.failed('recovery code', 'wrong-code', 'a recovery code that is unknown or was used before');
    return burned;
  }
  const seed = needs.vault.open(enrollment.sealedSeed, seedLabel(identityId));
  const step = matchingTimeStep(seed, code, { now: needs.clock.now(), drift: acceptedDrift });
  if (step === undefined) {
    attempt.failed('code', 'wrong-code', 'not the code of this half minute, nor of the one before or after');
    return false;
  }
  attempt.passed('code');
  const burned = await needs.store.totp.burnStep(identityId, step);
  if (burned) attempt.passed('first use');
  else attempt.failed('first use', 'replayed-code', 'this code, or a later one, was accepted before');
  return burned;
}

/** A keyed hash, because ten characters are too few for a plain one. */
export function recoveryCodeHash(key: Buffer, identityId: IdentityId, code: string): string {
  return hmacSha256(key, `${identityId}\0${code}`).toString('base64url');
}

/** The code in its canonical form, or undefined when the text cannot be a recovery code. A TOTP code never can. */
export function readRecoveryCode(text: string): string | undefined {
  const code = text.replaceAll('-', '');
  // Before changing case, which turns some letters of other alphabets into these.
  // Imported codes of another controller have six characters.
  return /^[A-Za-z2-7]{6}(?:[A-Za-z2-7]{4})?$/.test(code) && /[A-Za-z]/.test(code)
    ? code.toUpperCase()
    : undefined;
}
