// enrollment/ gives identities their credentials. This file: a caller's own TOTP, outside of a login. A pending
// enrollment belongs to the session of the caller.

import { AuthError, existing } from '../errors/auth-error.ts';
import { type OfferedProof, requireFreshProofForApp } from '../login/fresh-proof.ts';
import type { LoginServices, TotpEnrollmentServices } from '../login/services.ts';
import { readRecoveryCode, verifyTotp } from '../login/totp/totp.ts';
import {
  pendingTotpEnrollment,
  renewRecoveryCodes,
  startTotpEnrollment,
  type TotpProvisioning,
  verifyTotpEnrollment,
} from '../login/totp/totp-enrollment.ts';
import { type OwnCall, ownerOf, type Principal } from '../model/principal.ts';
import { MINUTE, type Millis } from '../platform/clock.ts';
import type { TotpProof } from '../store/contracts/totp.ts';

export type OwnTotp =
  | { readonly isVerified: true; readonly recoveryCodesLeft: number }
  | ({ readonly isVerified: false } & TotpProvisioning);

const pendingLifetime: Millis = 30 * MINUTE;

/** @throws AuthError mfa_exists   enrolled already, or started in this session @throws as requireFreshProofForApp */
export async function startOwnTotp(needs: LoginServices, call: OwnCall, proof: OfferedProof): Promise<void> {
  const { caller } = call;
  await requireFreshProofForApp(needs, call, proof);
  const expiresAt = needs.clock.now() + pendingLifetime;
  await startTotpEnrollment(actingFor(needs, caller), caller.apiSessionId, {
    identity: identityOf(caller),
    expiresAt,
  });
}

/** The enrollment in its current state; seed and codes only until it is verified. @throws AuthError not_found */
export async function readOwnTotp(needs: LoginServices, caller: Principal): Promise<OwnTotp> {
  const enrolled = await needs.store.totp.find(caller.identityId);
  if (enrolled !== null) return { isVerified: true, recoveryCodesLeft: enrolled.recoveryCodesLeft };
  const pending = existing(
    await pendingTotpEnrollment(actingFor(needs, caller), caller.apiSessionId, identityOf(caller)),
  );
  return { isVerified: false, ...pending };
}

/** Completes the enrollment with its first code. @throws AuthError not_found, invalid_totp_code, rate_limited */
export async function verifyOwnTotp(
  needs: LoginServices,
  { caller, origin }: OwnCall,
  code: string,
): Promise<void> {
  const { apiSessionId, identityId, mechanism } = caller;
  const first = { flow: apiSessionId, identityId, code, mechanism, origin };
  await verifyTotpEnrollment(actingFor(needs, caller), first);
  needs.audit.record({ event: 'totp.enrolled', identityId }, origin);
}

/**
 * Removes the enrollment. An unverified one is abandoned, with any code.
 * @param proof.code TOTP or recovery code
 * @throws AuthError not_found, invalid_totp_code, rate_limited; and as requireFreshProofForApp
 */
export async function removeOwnTotp(
  needs: LoginServices,
  call: OwnCall,
  proof: OfferedProof & { readonly code: string },
): Promise<void> {
  const { caller, origin } = call;
  const { identityId } = caller;
  if ((await needs.store.totp.find(identityId)) === null) {
    if (await actingFor(needs, caller).store.totp.abandon(caller.apiSessionId)) return;
    throw new AuthError('not_found');
  }
  await requireFreshProofForApp(needs, call, proof);
  const proven = await proveTotp(needs, call, proof.code);
  const { store, clock } = actingFor(needs, caller);
  existing(await store.totp.remove(identityId, clock.now(), proven));
  needs.audit.record({ event: 'totp.removed', identityId }, origin);
}

/**
 * How many recovery codes are left. The codes themselves are not stored.
 * @param code from the app: a recovery code is too valuable for a look
 * @throws AuthError not_found, invalid_totp_code, rate_limited
 */
export async function countOwnRecoveryCodes(
  needs: LoginServices,
  call: OwnCall,
  code: string,
): Promise<number> {
  await proveOwnApp(needs, call, code);
  return (await needs.store.totp.find(call.caller.identityId))?.recoveryCodesLeft ?? 0;
}

/** Checks a code of the authenticator app, and accepts no recovery code. @throws as countOwnRecoveryCodes */
export async function proveOwnApp(needs: LoginServices, call: OwnCall, code: string): Promise<void> {
  await requireEnrolled(needs, call.caller);
  await proveTotp(needs, call, readRecoveryCode(code) === undefined ? code : '');
}

/**
 * Replaces every recovery code. A thief of a session and one code must not keep the account.
 * @returns the new ones, shown only this once
 * @throws AuthError as removeOwnTotp
 */
export async function renewOwnRecoveryCodes(
  needs: LoginServices,
  call: OwnCall,
  proof: OfferedProof & { readonly code: string },
): Promise<readonly string[]> {
  const { caller, origin } = call;
  await requireEnrolled(needs, caller);
  await requireFreshProofForApp(needs, call, proof);
  const proven = await proveTotp(needs, call, proof.code);
  const codes = await renewRecoveryCodes(actingFor(needs, caller), caller.identityId, proven);
  needs.audit.record({ event: 'totp.recovery-codes-renewed', identityId: caller.identityId }, origin);
  return codes;
}

/** Checks before a change that the caller's session still counts. */
function actingFor(needs: LoginServices, caller: Principal): TotpEnrollmentServices {
  return { ...needs, store: needs.store.onBehalfOf(ownerOf(caller), needs.clock.now()) };
}

async function requireEnrolled(needs: LoginServices, { identityId }: Principal): Promise<void> {
  if ((await needs.store.totp.find(identityId)) === null) throw new AuthError('not_found');
}

function proveTotp(needs: LoginServices, { caller, origin }: OwnCall, code: string): Promise<TotpProof> {
  const { identityId, mechanism } = caller;
  return verifyTotp(actingFor(needs, caller), { identityId, code, mechanism, origin });
}

function identityOf({ account: { identity } }: Principal) {
  return { id: identity.id, name: identity.name };
}
