// Third-party authorities: their certificates may log in, like those of the overlay's own PKI (spec 2.9). Certificates
// are not accepted until possession of the key is proven (`verifyCa`), and a change applies from the next login.

import { AuthError } from '../errors/auth-error.ts';
import { type Ca, caEntity } from '../model/entities/ca.ts';
import type { Millis } from '../platform/clock.ts';
import { readPathCertificate } from '../platform/x509/path-certificate.ts';
import { describeRefusal } from '../platform/x509/path-refusal.ts';
import { issuanceProblem } from '../platform/x509/path-validation.ts';
import { parseCertificate } from '../platform/x509/x509.ts';
import type { PatchOf } from '../store/contracts/entities.ts';
import { refusedField } from './acceptable-values.ts';
import { type AdminCall, actingFor, recordChange } from './admin-call.ts';
import {
  acceptableClaim,
  acceptableNameFormat,
  acceptableRevocation,
  refuseOlderLists,
} from './ca-values.ts';
import { acceptableAuthority, acceptableCertificates } from './client-certificates.ts';
import { managed } from './entity-rules.ts';
import type { AdminServices } from './services.ts';

export const cas = managed<typeof caEntity>({
  entity: caEntity,
  storeOf: ({ cas: stored }) => stored,
  fields: {
    identityNameFormat: acceptableNameFormat,
    externalIdClaim: acceptableClaim,
    revocation: (sent, { limits }) => acceptableRevocation(sent, limits),
  },
  follows({ certPem, revocation }, before, needs) {
    refuseOlderLists(before?.revocation.crlPem, revocation?.crlPem);
    return certPem === undefined ? {} : certificateOf(certPem, before, needs);
  },
});

/** The certificate may be sent again but not changed: the proof of possession was for its key. */
function certificateOf(sent: string, before: Ca | null, needs: AdminServices): PatchOf<typeof caEntity> {
  const { certificate, pem } = acceptableAuthority('certPem', sent, needs.clock.now());
  const { thumbprint } = certificate;
  if (before !== null) {
    if (thumbprint === before.thumbprint) return { certPem: undefined };
    throw refusedField('certPem', 'cannot be changed; register the other certificate as a separate CA');
  }
  if (needs.authorities.isOwn(thumbprint))
    throw refusedField('certPem', "is an authority of the overlay's own PKI, which is trusted already");
  const verificationToken = needs.random.bytes(16).toString('hex');
  return { certPem: pem, thumbprint, verificationToken, verifiedAt: null };
}

/**
 * The JWT with which holders of this authority's certificates enroll. It contains no secret.
 * @throws AuthError not_found
 */
export async function authorityJwt(needs: AdminServices, id: string): Promise<string> {
  const ca = await cas.get(needs, id);
  return needs.enrollmentSigner.signAuthority(ca.id, parseCertificate(ca.certPem).validToDate.getTime());
}

/**
 * Takes the proof that the registrant of the authority has its key: a certificate that the authority issued, with the
 * verification token as its common name.
 * @throws AuthError not_found
 * @throws AuthError conflict             verified already
 * @throws AuthError could_not_validate   not that proof
 */
export async function verifyCa(
  needs: AdminServices,
  by: AdminCall,
  { id, pem }: { readonly id: string; readonly pem: string },
): Promise<void> {
  const ca = await cas.get(needs, id);
  if (ca.verifiedAt !== null) throw new AuthError('conflict', { description: 'The CA is verified already' });
  const problem = proofProblem(ca, pem, needs.clock.now());
  if (problem !== undefined) throw refusedField('certPem', problem);
  if (!(await actingFor(needs, by).cas.verify(ca.id, needs.clock.now())))
    throw new AuthError('conflict', { description: 'The CA was verified or deleted meanwhile' });
  recordChange(needs, by, {
    action: 'update',
    of: ['ca', id],
    fields: ['isVerified'],
    changes: [{ field: 'isVerified', from: false, to: true }],
  });
}

/**
 * Why certificates do not prove possession of the authority's key; undefined when they do: one has the token, and
 * the authority has issued it, or an authority below it whose certificate is among them. Their purposes do not matter.
 * @throws AuthError could_not_validate   not certificates in PEM form
 */
function proofProblem(
  ca: Pick<Ca, 'certPem' | 'verificationToken'>,
  pem: string,
  now: Millis,
): string | undefined {
  const sent = acceptableCertificates('certPem', pem);
  const proof = sent.find(({ subject }) => subject.commonNames.join('\n') === ca.verificationToken);
  if (proof === undefined) return 'must have the verification token as its only common name';
  const intermediates = sent.filter((certificate) => certificate !== proof);
  const authority = readPathCertificate(ca.certPem);
  const problem = issuanceProblem(proof, { intermediates, authority, now });
  return problem === undefined ? undefined : `does not lead to this CA: ${describeRefusal(problem)}`;
}
