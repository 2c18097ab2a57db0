import { z } from 'zod';
import type { CertificateServices } from '../../login/services.ts';
import { isoTimeOrNull, type Millis } from '../../platform/clock.ts';
import { shownFingerprint } from '../../platform/formats/fingerprint.ts';
import type { TrustAnchor } from '../../platform/x509/path-validation.ts';
import { isIssuedBy, parseCertificate } from '../../platform/x509/x509.ts';
import type { ListedAuthenticator } from '../../store/contracts/authenticators.ts';
import { entityHead, entityMembers, entityRef, entityRefSchema, timeSchema } from './wire.ts';

const authenticatorMembers = { ...entityMembers, identityId: z.string(), identity: entityRefSchema };
export const authenticatorSchema = z
  .discriminatedUnion('method', [
    z.strictObject({
      ...authenticatorMembers,
      method: z.literal('updb'),
      username: z.string(),
      lockedUntil: timeSchema.nullable(),
    }),
    z.strictObject({
      ...authenticatorMembers,
      method: z.literal('cert'),
      certPem: z.string(),
      fingerprint: z.string(),
      certExpiresAt: timeSchema.nullable(),
      isIssuedByNetwork: z.boolean(),
      isExtendRequested: z.boolean(),
      isKeyRollRequested: z.boolean(),
    }),
  ])
  .meta({ id: 'Authenticator' });

/** An authenticator without anything with which somebody could log in. */
export function authenticatorDocument(
  needs: CertificateServices,
): (authenticator: ListedAuthenticator) => object {
  const now = needs.clock.now();
  const { authorities } = needs;
  const own = authorities.anchors().filter(({ thumbprint }) => authorities.isOwn(thumbprint));
  return (authenticator) => document(authenticator, now, own);
}

function document(authenticator: ListedAuthenticator, now: Millis, own: readonly TrustAnchor[]): object {
  const { identityId, method, lockedUntil } = authenticator;
  const isLocked = lockedUntil !== null && lockedUntil > now;
  return {
    ...entityHead('authenticators', authenticator),
    method,
    identityId,
    identity: entityRef('identities', identityId, authenticator.identityName),
    ...(authenticator.method === 'updb'
      ? { username: authenticator.username, lockedUntil: isoTimeOrNull(isLocked ? lockedUntil : null) }
      : {
          certPem: authenticator.certPem,
          fingerprint: shownFingerprint(authenticator.thumbprint),
          certExpiresAt: isoTimeOrNull(authenticator.certExpiresAt),
          isIssuedByNetwork: isOfNetwork(own, authenticator.certPem),
          isExtendRequested: authenticator.isExtendRequested,
          isKeyRollRequested: authenticator.isKeyRollRequested,
        }),
  };
}

/** Whether one of the overlay's own authorities issued a certificate. An import may have brought one that nobody reads. */
function isOfNetwork(own: readonly TrustAnchor[], certPem: string): boolean {
  try {
    const certificate = parseCertificate(certPem);
    return own.some(({ x509 }) => isIssuedBy(certificate, x509));
  } catch {
    return false;
  }
}
