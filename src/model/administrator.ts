import { DAY, type Millis } from '../platform/clock.ts';
import { allowsMethod, allowsSigner, areIndependent, isDisabled, mayPasskeyOpen } from './account.ts';
import type { AuthPolicy } from './entities/auth-policy.ts';
import type { ExternalJwtSigner } from './entities/external-jwt-signer.ts';
import type { Identity } from './entities/identity.ts';

/** The facts that decide whether an administrator can log in. */
export interface AdministratorMeans {
  readonly identity: Pick<Identity, 'disabledAt' | 'disabledUntil' | 'externalId'>;
  readonly policy: Pick<AuthPolicy, 'primary' | 'secondary'>;
  readonly hasPassword: boolean;
  /** Of the password; null when it is not locked. */
  readonly lockedUntil: Millis | null;
  /** When the last of its certificates expires that can log in; null: it has none. */
  readonly certificateUntil: Millis | null;
  readonly hasPasskey: boolean;
  /** Enabled signers only. */
  readonly signers: readonly Pick<ExternalJwtSigner, 'id' | 'issuer' | 'useExternalId'>[];
}

/**
 * How sure it is that an administrator can log in. `perhaps`: a provider whose tokens name identities by their id would have to
 * know that of this one, which no administrator has entered anywhere.
 */
export const certainties = ['no', 'perhaps', 'yes'] as const;
export type Certainty = (typeof certainties)[number];

/** A lock that takes longer than this to end counts as permanent. */
const bearableLock: Millis = 365 * DAY;

/**
 * THE rule for administrators who count when one must remain who can undo a change: enabled, with the means for a
 * primary method that the policy allows, and able to present the external JWT if the policy requires one, besides an
 * independent one. A lock that ends by itself does not count against the password; TOTP can be enrolled at the next
 * login.
 */
export function canLogIn(means: AdministratorMeans, now: Millis): Certainty {
  const { policy } = means;
  if (isDisabled(means.identity, now)) return 'no';
  const vouching = signersFor(means);
  const { requireExtJwt } = policy.secondary;
  const second = vouching.find(({ id }) => id === requireExtJwt);
  if (requireExtJwt !== null && second === undefined) return 'no';
  const hasPassword = means.hasPassword && !isLockedForGood(means.lockedUntil, now);
  if (hasPassword && allowsMethod(policy, 'password')) return 'yes';
  if (hasCertificate(means, now) && allowsMethod(policy, 'cert')) return 'yes';
  if (means.hasPasskey && mayPasskeyOpen(policy)) return 'yes';
  const mayOpen = (signer: (typeof vouching)[number]) =>
    allowsSigner(policy, signer.id) && (second === undefined || areIndependent(signer, second));
  const opening = allowsMethod(policy, 'ext-jwt') ? vouching.filter(mayOpen) : [];
  const isMeant = ({ id, useExternalId }: (typeof vouching)[number]) =>
    useExternalId || policy.primary.extJwt.allowedSigners.includes(id);
  if (opening.some(isMeant)) return 'yes';
  return opening.length > 0 ? 'perhaps' : 'no';
}

function hasCertificate({ certificateUntil: until, policy }: AdministratorMeans, now: Millis): boolean {
  return until !== null && (until >= now || policy.primary.cert.allowExpiredCerts);
}

/** Whether an administrator has to end a lock. @param lockedUntil null: not locked */
export function isLockedForGood(lockedUntil: Millis | null, now: Millis): boolean {
  return lockedUntil !== null && lockedUntil > now + bearableLock;
}

/** The signers whose tokens can name the identity. */
function signersFor({ identity, signers }: AdministratorMeans): AdministratorMeans['signers'] {
  return signers.filter(({ useExternalId }) => !useExternalId || identity.externalId !== null);
}
