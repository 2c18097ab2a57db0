// The decision of a primary method, and whether the account of the proof may log in by it.

import type { Challenge } from '../errors/challenge.ts';
import { type Account, allowsMethod, isDisabled } from '../model/account.ts';
import type { Ca } from '../model/entities/ca.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import type { AuthenticatorId, CaId, SignerId } from '../model/ids.ts';
import type { LoginProgress, PrimaryMethod, Verified, Vouched, Voucher } from '../model/login.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import type { Millis } from '../platform/clock.ts';
import type { LoginServices } from './services.ts';

export interface PasswordProof {
  readonly method: 'password';
  readonly authenticatorId: AuthenticatorId;
  /** The stored hash that the password matched. Recording the login checks it again. */
  readonly verifiedHash: string;
  /**
   * The account, if it was read at the very end of the check and the step that records the login checks again what
   * opened it; null when time may have passed since.
   */
  readonly current: Account | null;
}

export interface CertificateProof {
  readonly method: 'cert';
  /** Null when a claim found the identity. */
  readonly authenticatorId: AuthenticatorId | null;
  /** SHA-256 of the DER leaf, base64url. */
  readonly certThumbprint: string;
  /** DER of those that were sent and lead to the authority, the leaf first. */
  readonly certificates: readonly Buffer[];
  /** See `LoginProgress.caId`. */
  readonly caId: CaId | null;
  /** By a third-party authority; null: by the overlay's own. Recording the login checks it again. */
  readonly vouched: Vouched | null;
}

export interface ExternalJwtProof {
  readonly method: 'ext-jwt';
  readonly signerId: SignerId;
  /** By the signer, as in `CertificateProof`. */
  readonly vouched: Vouched;
  /** When the signer has authenticated the person, if it says so (OIDC Core 2, RFC 9068 2.2.1); null: it does not. */
  readonly authTime: Millis | null;
}

export interface PasskeyProof {
  readonly method: 'passkey';
  readonly authenticatorId: AuthenticatorId;
  /** Further proofs of the same answer; see `PassedMethod`. */
  readonly marks: readonly ('uv' | 'user')[];
}

export type PrimaryProof = PasswordProof | CertificateProof | ExternalJwtProof | PasskeyProof;

/** The record of a signer or an authority, as it was asked. */
export function voucherOf(
  kind: Voucher['kind'],
  { id, updatedAt }: Pick<ExternalJwtSigner | Ca, 'id' | 'updatedAt'>,
): Voucher {
  return { kind, id, updatedAt };
}

/**
 * Values that were read for the proof and may have changed since. The step that records the login compares them.
 * @param second the claim of the external JWT that came with it; null: none
 */
export function checkedAgain(proof: PrimaryProof, second: Vouched | null): Verified {
  const first = 'vouched' in proof ? proof.vouched : null;
  return {
    verifiedHash: proof.method === 'password' ? proof.verifiedHash : null,
    vouched: [first, second].filter((vouched) => vouched !== null),
  };
}

/** The decision of a primary method. The reason of a refusal is in the attempt's record, never here. */
export type PrimaryVerdict<Proof extends PrimaryProof = PrimaryProof> =
  | { readonly verdict: 'passed'; readonly account: LoginAccount; readonly proof: Proof }
  | {
      readonly verdict: 'refused';
      /** For methods whose refusal tells the client how to do better (spec 7.2 rule 3). */
      readonly challenges?: readonly Challenge[];
    };

/** The identity that logs in, and the policy that decides whether the proof is enough. */
export type LoginAccount = Pick<Account, 'identity' | 'policy'>;

/**
 * Whether an identity may log in with this method now. Every primary method asks this, and it is asked again before a
 * code is issued. Records what refuses.
 */
export function mayLogIn(
  account: LoginAccount,
  { method, now }: { method: PrimaryMethod; now: Millis },
  attempt: AttemptRecorder,
): boolean {
  if (!isEnabled(account, attempt, now)) return false;
  const { policy } = account;
  const named = `policy ${policy.name}${whyAssigned(account)}`;
  if (!allowsMethod(policy, method)) {
    attempt.failed('method allowed', 'method-not-allowed', `${named} does not allow ${method}`);
    return false;
  }
  attempt.passed('method allowed', `${named} allows ${method}`);
  return true;
}

function whyAssigned({ identity, policy }: LoginAccount): string {
  if (identity.authPolicyFrom !== 'roleAttributes') return '';
  const shared = policy.assignTo.filter((attribute) => identity.roleAttributes.includes(attribute));
  return shared.length === 0 ? '' : ` (by role attribute ${shared.join(', ')})`;
}

/** Whether an identity may be used at all now. Recorded, together with the identity. */
export function isEnabled(
  { identity }: Pick<Account, 'identity'>,
  attempt: AttemptRecorder,
  now: Millis,
): boolean {
  attempt.about({ identityId: identity.id });
  if (isDisabled(identity, now)) {
    const until =
      identity.disabledUntil === null ? '' : ` until ${new Date(identity.disabledUntil).toISOString()}`;
    attempt.failed('identity enabled', 'identity-disabled', `${identity.name} is disabled${until}`);
    return false;
  }
  attempt.passed('identity enabled', identity.name);
  return true;
}

/** Whether the authenticator that opened a login still exists. A login by claim has none. */
export async function stillHasAuthenticator(
  needs: LoginServices,
  { identityId, authenticatorId: id }: Pick<LoginProgress, 'identityId' | 'authenticatorId'>,
): Promise<boolean> {
  if (id === null || (await needs.store.authenticators.find(id)) !== null) return true;
  const theirs = await needs.store.passkeys.listOf([identityId]);
  return theirs.some((passkey) => passkey.id === id);
}
