import { z } from 'zod';
import type { CertificateServices } from '../../login/services.ts';
import { authenticatorListFields } from '../../model/list-fields.ts';
import type { ListQuery } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';
import { shownFingerprint } from '../../platform/formats/fingerprint.ts';
import type { PathCertificate } from '../../platform/x509/path-certificate.ts';
import { isIssuedBy, parseCertificate } from '../../platform/x509/x509.ts';
import type { ListedAuthenticator } from '../../store/contracts/authenticators.ts';
import type { EdgeServices } from '../request/services.ts';
import { mapPage } from './lists.ts';
import { documentsBy, entityHead, entityMembers, entityRefSchema, timeSchema } from './wire.ts';

const authenticatorMembers = { ...entityMembers, identityId: z.string(), identity: entityRefSchema };
const passwordSchema = z.strictObject({
  ...authenticatorMembers,
  method: z.literal('updb'),
  username: z.string(),
  lockedUntil: timeSchema.nullable(),
});
const certificateSchema = z.strictObject({
  ...authenticatorMembers,
  method: z.literal('cert'),
  certPem: z.string(),
  fingerprint: z.string(),
  certExpiresAt: timeSchema.nullable(),
  isIssuedByNetwork: z.boolean(),
  isExtendRequested: z.boolean(),
  isKeyRollRequested: z.boolean(),
});
export const authenticatorSchema = z
  .discriminatedUnion('method', [passwordSchema, certificateSchema])
  .meta({ id: 'Authenticator' });
const shownPassword = documentsBy(passwordSchema);
const shownCertificate = documentsBy(certificateSchema);

/** An authenticator without secrets. */
export function authenticatorDocument(needs: CertificateServices): (of: ListedAuthenticator) => object {
  const now = needs.clock.now();
  const { authorities } = needs;
  const own = authorities.anchors().filter(({ thumbprint }) => authorities.isOwn(thumbprint));
  return (authenticator) => document(authenticator, now, own);
}

function document(authenticator: ListedAuthenticator, now: Millis, own: readonly PathCertificate[]): object {
  const { lockedUntil } = authenticator;
  const head = entityHead('authenticators', authenticator);
  if (authenticator.method === 'updb') {
    const isLocked = lockedUntil !== null && lockedUntil > now;
    return shownPassword({ ...authenticator, ...head, lockedUntil: isLocked ? lockedUntil : null });
  }
  const { certPem, thumbprint } = authenticator;
  const fingerprint = shownFingerprint(thumbprint);
  const isIssuedByNetwork = isOfNetwork(own, certPem);
  return shownCertificate({ ...authenticator, ...head, fingerprint, isIssuedByNetwork });
}

/** Authenticators, for every list of some. */
export function authenticatorList(needs: EdgeServices) {
  return {
    document: authenticatorSchema,
    listFields: authenticatorListFields,
    list: async (query: ListQuery) =>
      mapPage(await needs.store.authenticators.list(query), authenticatorDocument(needs)),
  };
}

/** Whether one of the overlay's own authorities issued a certificate. An imported one may be unreadable. */
function isOfNetwork(own: readonly PathCertificate[], certPem: string): boolean {
  try {
    const certificate = parseCertificate(certPem);
    return own.some(({ x509 }) => isIssuedBy(certificate, x509));
  } catch {
    return false;
  }
}
