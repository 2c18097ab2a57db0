import { allowsMethod } from '../login/account.ts';
import type { TrustedAuthorities } from '../login/certificate/trusted-authorities.ts';
import { enabledSigner, type SignerDirectory } from '../login/external-jwt/signer-directory.ts';
import type { AuthPolicy } from '../model/auth-policy.ts';
import type { CaId, SignerId } from '../model/ids.ts';
import type { PassedMethod, PrimaryMethod } from '../model/login.ts';

/** What opened a session. */
export interface OpenedBy {
  /** The primary method first. */
  readonly passed: readonly PassedMethod[];
  /** Of the external JWT that was the primary proof. */
  readonly signerId: SignerId | null;
  /** The third-party authority of the certificate that was the primary proof. */
  readonly caId: CaId | null;
}

export type OpeningObjection =
  | 'method-not-allowed'
  | 'signer-disabled'
  | 'signer-not-allowed'
  | 'authority-disabled';

/**
 * Why the primary proof of a session would not open it today; null when it would. A session goes on for as long as it
 * is used, and whoever vouched for it has to be trusted for as long (calls, refreshes, introspection).
 */
export function openingObjection(
  needs: { readonly signers: SignerDirectory; readonly authorities: TrustedAuthorities },
  policy: Pick<AuthPolicy, 'primary'>,
  { passed, signerId, caId }: OpenedBy,
): OpeningObjection | null {
  if (!allowsMethod(policy, passed[0] as PrimaryMethod)) return 'method-not-allowed';
  if (signerId !== null) {
    const { allowedSigners } = policy.primary.extJwt;
    if (enabledSigner(needs.signers, signerId) === undefined) return 'signer-disabled';
    if (allowedSigners.length > 0 && !allowedSigners.includes(signerId)) return 'signer-not-allowed';
  }
  if (caId !== null && needs.authorities.find(caId) === undefined) return 'authority-disabled';
  return null;
}
