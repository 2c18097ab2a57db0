import { DAY, type Millis } from '../platform/clock.ts';
import type { AuthPolicy } from './auth-policy.ts';
import type { ExternalJwtSigner } from './external-jwt-signer.ts';
import { type Identity, isDisabled } from './identity.ts';

/** What decides whether an administrator can log in. */
export interface AdministratorMeans {
  readonly identity: Pick<Identity, 'disabledAt' | 'disabledUntil' | 'externalId'>;
  readonly policy: Pick<AuthPolicy, 'primary'>;
  readonly hasPassword: boolean;
  /** Of the password; null when it is not locked. */
  readonly lockedUntil: Millis | null;
  readonly hasCertificate: boolean;
  /** The signers that are enabled. */
  readonly signers: readonly Pick<ExternalJwtSigner, 'id' | 'useExternalId'>[];
}

/** A lock that takes longer than this to end by itself is one that somebody else has to end. */
const bearableLock: Millis = 365 * DAY;

/**
 * THE rule of who counts when somebody must remain who can undo a change: enabled, and with the means for a
 * primary method that the policy allows. A lock that ends by itself does not count against the password.
 */
export function hasMeansToLogIn(means: AdministratorMeans, now: Millis): boolean {
  const { primary } = means.policy;
  if (isDisabled(means.identity, now)) return false;
  const isLockedForGood = means.lockedUntil !== null && means.lockedUntil > now + bearableLock;
  if (primary.updb.allowed && means.hasPassword && !isLockedForGood) return true;
  if (primary.cert.allowed && means.hasCertificate) return true;
  const { allowed, allowedSigners } = primary.extJwt;
  const hasExternalId = means.identity.externalId !== null;
  return (
    allowed &&
    means.signers.some(
      ({ id, useExternalId }) =>
        (allowedSigners.length === 0 || allowedSigners.includes(id)) && (!useExternalId || hasExternalId),
    )
  );
}
