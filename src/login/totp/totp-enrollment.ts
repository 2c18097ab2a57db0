// Enrolling TOTP: start, verify, abandon. The seed belongs to the flow that showed it, so that a person who only has
// the password cannot swap it unnoticed.

import { AuthError, existing } from '../../errors/auth-error.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { IdentityId } from '../../model/ids.ts';
import type { AttemptRecorder } from '../../model/login-attempt.ts';
import type { Millis } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { encodeBase32, matchingTimeStep } from '../../platform/secrets/totp-code.ts';
import type { TotpProof } from '../../store/contracts/totp.ts';
import { recordedAttempt } from '../recorded-attempt.ts';
import type { TotpEnrollmentServices } from '../services.ts';
import {
  acceptedDrift,
  readRecoveryCode,
  recoveryCodeHash,
  type SentCode,
  seedLabel,
  settleCode,
  typedCode,
} from './totp.ts';

/** The seed for an authenticator app; shown once (spec 2.7). */
export interface TotpProvisioning {
  readonly provisioningUrl: string;
  readonly recoveryCodes: readonly string[];
}

const seedLength = 20;
const recoveryCodes = 20;

/**
 * Makes a seed and recovery codes for a flow and shows them, once only.
 * @param flow           key of the authorization request, or id of the session
 * @param begun.replaces permits to replace an enrollment, which stays until then
 * @throws AuthError mfa_exists   already enrolled, started in this flow, or what permits it no longer holds
 */
export async function startTotpEnrollment(
  needs: TotpEnrollmentServices,
  flow: string,
  begun: { identity: Pick<Identity, 'id' | 'name'>; expiresAt: Millis; replaces?: TotpProof | undefined },
): Promise<TotpProvisioning> {
  const { identity, expiresAt, replaces } = begun;
  const seed = needs.random.bytes(seedLength);
  const codes = Array.from({ length: recoveryCodes }, () => newRecoveryCode(needs.random));
  const started = await needs.store.totp.start(
    flow,
    {
      identityId: identity.id,
      sealedSeed: needs.vault.seal(pendingSecret(seed, codes), pendingLabel(flow)),
      recoveryHashes: codes.map((code) => recoveryCodeHash(needs.recoveryKey, identity.id, code)),
      expiresAt,
      replaces,
    },
    needs.clock.now(),
  );
  if (started === 'exists') throw new AuthError('mfa_exists');
  return {
    provisioningUrl: provisioningUrl(needs.totpIssuer, identity.name, seed),
    recoveryCodes: codes.map(printed),
  };
}

/** The seed that `startTotpEnrollment` has shown in this flow, or null when nothing is pending in it. */
export async function pendingTotpEnrollment(
  needs: TotpEnrollmentServices,
  flow: string,
  identity: Pick<Identity, 'id' | 'name'>,
): Promise<TotpProvisioning | null> {
  const pending = await needs.store.totp.findPending(flow, needs.clock.now());
  if (pending === null || pending.identityId !== identity.id) return null;
  const secret = needs.vault.open(pending.sealedSeed, pendingLabel(flow));
  const codes = secret.subarray(seedLength).toString('latin1').split(' ');
  return {
    provisioningUrl: provisioningUrl(needs.totpIssuer, identity.name, secret.subarray(0, seedLength)),
    recoveryCodes: codes.map(printed),
  };
}

/**
 * Replaces all remaining recovery codes. The new ones are shown once: only keyed hashes are kept.
 * @throws AuthError not_found   the proof no longer holds
 */
export async function renewRecoveryCodes(
  needs: TotpEnrollmentServices,
  identityId: IdentityId,
  proof: TotpProof,
): Promise<readonly string[]> {
  const codes = Array.from({ length: recoveryCodes }, () => newRecoveryCode(needs.random));
  const hashes = codes.map((code) => recoveryCodeHash(needs.recoveryKey, identityId, code));
  existing(await needs.store.totp.replaceRecoveryCodes(identityId, hashes, proof));
  return codes.map(printed);
}

interface FirstCode extends SentCode {
  readonly flow: string;
  readonly replaces?: boolean;
}

/**
 * Completes an enrollment with the first code, which is used up, and writes a decision record. Recovery codes are not
 * accepted here.
 * @throws AuthError not_found           nothing was started in this flow, or another flow was faster
 * @throws AuthError invalid_totp_code   wrong, or guessed too often
 */
export async function verifyTotpEnrollment(needs: TotpEnrollmentServices, sent: FirstCode): Promise<void> {
  await recordedAttempt(needs, { ...sent, step: 'totp' }, (attempt) => useFirstCode(needs, sent, attempt));
}

async function useFirstCode(
  needs: TotpEnrollmentServices,
  { flow, identityId, code, origin: { ipAddress }, replaces = false }: FirstCode,
  attempt: AttemptRecorder,
): Promise<void> {
  attempt.about({ identityId });
  const now = needs.clock.now();
  const pending = await needs.store.totp.findPending(flow, now);
  if (pending === null || pending.identityId !== identityId) {
    attempt.failed('enrollment started', 'totp-not-enrolled', 'no enrollment was started in this login');
    throw new AuthError('not_found');
  }
  const seed = needs.vault.open(pending.sealedSeed, pendingLabel(flow)).subarray(0, seedLength);
  const step = matchingTimeStep(seed, typedCode(code), { now, drift: acceptedDrift });
  await settleCode(needs, { identityId, code, ipAddress, isRight: step !== undefined }, attempt);
  if (step === undefined) {
    attempt.failed('code', 'wrong-code', 'the first code of a new enrollment');
    throw new AuthError('invalid_totp_code');
  }
  const sealedSeed = needs.vault.seal(seed, seedLabel(identityId));
  if (!(await needs.store.totp.verify(flow, { sealedSeed, step, now, replaces }))) {
    attempt.failed(
      'enrollment open',
      'changed-meanwhile',
      'another login enrolled first, or it was cancelled',
    );
    throw new AuthError('not_found');
  }
  attempt.passed('code', 'the first code of a new enrollment');
}

/** The recovery codes follow the seed until it is verified, so that the flow can show them again. */
function pendingSecret(seed: Buffer, codes: readonly string[]): Buffer {
  return Buffer.concat([seed, Buffer.from(codes.join(' '), 'latin1')]);
}

function printed(code: string): string {
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}

export function pendingLabel(flow: string): string {
  return `pending-totp/${flow}`;
}

/** Ten characters of base32, 50 bits. At least one is a letter, so it cannot be taken for a TOTP code. */
function newRecoveryCode(random: Random): string {
  for (;;) {
    const code = encodeBase32(random.bytes(7)).slice(0, 10);
    if (readRecoveryCode(code) !== undefined) return code;
  }
}

/** The Key URI of authenticator apps. Every part is encoded, so any name of the identity is safe. */
function provisioningUrl(issuer: string, name: string, seed: Buffer): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(name.toWellFormed())}`;
  return `otpauth://totp/${label}?issuer=${encodeURIComponent(issuer)}&secret=${encodeBase32(seed)}`;
}
