// Third-party authorities: their certificates may log in, like those of the overlay's own PKI (spec 2.9).

import { AuthError, existing } from '../errors/auth-error.ts';
import type { TrustedAuthorities } from '../login/certificate/trusted-authorities.ts';
import type { AuditTrail } from '../model/audit-event.ts';
import type { Ca } from '../model/entities/ca.ts';
import { asId, type CaId } from '../model/ids.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { readTrustAnchor } from '../platform/x509/path-validation.ts';
import { parseCertificate } from '../platform/x509/x509.ts';
import type { CaPatch } from '../store/contracts/cas.ts';
import type { StoreForCallers } from '../store/contracts/store.ts';
import type { EnrollmentSigner } from '../tokens/enrollment-jwt.ts';
import {
  acceptableName,
  acceptableRoleAttributes,
  acceptableTags,
  refusedField,
  takenRefused,
} from './acceptable-values.ts';
import { type AdminCall, actingFor, namesOf, recordChange, type Some } from './admin-call.ts';
import { acceptableClaim, acceptableNameFormat } from './ca-values.ts';
import { acceptableAuthority, acceptableCertificate } from './client-certificates.ts';

export interface CaNeeds {
  readonly store: StoreForCallers<'cas'>;
  readonly authorities: TrustedAuthorities;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditTrail;
}

/** Everything that an administrator decides about an authority. */
export type CaFields = Pick<
  Ca,
  | 'name'
  | 'certPem'
  | 'isAuthEnabled'
  | 'isAutoCaEnrollmentEnabled'
  | 'isOttCaEnrollmentEnabled'
  | 'identityRoles'
  | 'identityNameFormat'
  | 'externalIdClaim'
  | 'tags'
>;

/**
 * Registers an authority. Its certificates are not accepted until somebody proves possession of its key (`verifyCa`).
 * @throws AuthError could_not_validate   names the field: not acceptable, or taken
 */
export async function createCa(needs: CaNeeds, by: AdminCall, fields: CaFields): Promise<CaId> {
  const { certificate, pem } = acceptableAuthority('certPem', fields.certPem, needs.clock.now());
  if (needs.authorities.isOwn(certificate.thumbprint))
    throw refusedField('certPem', "is an authority of the overlay's own PKI, which is trusted already");
  const id = asId<CaId>(needs.random.id());
  const ca = {
    ...fields,
    ...acceptable(fields),
    id,
    certPem: pem,
    thumbprint: certificate.thumbprint,
    verificationToken: needs.random.bytes(16).toString('hex'),
  };
  const { name } = fields;
  await takenRefused({ name }, actingFor(needs, by).cas.create(ca, needs.clock.now()));
  recordChange(needs, by, { action: 'create', entity: 'ca', entityId: id, fields: namesOf(fields) });
  return id;
}

/** @throws AuthError not_found */
export async function getCa(needs: Pick<CaNeeds, 'store'>, id: string): Promise<Ca> {
  return existing(await needs.store.cas.find(asId(id)));
}

/**
 * The JWT with which holders of this authority's certificates enroll. It contains no secret.
 * @throws AuthError not_found
 */
export async function authorityJwt(
  needs: Pick<CaNeeds, 'store'> & { readonly enrollmentSigner: EnrollmentSigner },
  id: string,
): Promise<string> {
  const ca = await getCa(needs, id);
  return needs.enrollmentSigner.signAuthority(ca.id, parseCertificate(ca.certPem).validToDate.getTime());
}

/**
 * Changes the given fields, from the next login on. The certificate may be sent again but not changed: the proof of
 * possession was for its key.
 * @throws AuthError not_found
 * @throws AuthError could_not_validate   as when creating
 */
export async function updateCa(
  needs: CaNeeds,
  by: AdminCall,
  { id, fields }: { readonly id: string; readonly fields: Some<CaFields> },
): Promise<void> {
  const before = await getCa(needs, id);
  const { certPem, ...others } = fields;
  if (certPem !== undefined) {
    const { certificate } = acceptableAuthority('certPem', certPem, needs.clock.now());
    if (certificate.thumbprint !== before.thumbprint)
      throw refusedField('certPem', 'cannot be changed; register the other certificate as a separate CA');
  }
  const patch = { ...others, ...acceptable(others) } as CaPatch;
  const step = actingFor(needs, by).cas.update(before.id, patch, needs.clock.now());
  if (!(await takenRefused({ name: fields.name }, step))) throw new AuthError('not_found');
  recordChange(needs, by, { action: 'update', entity: 'ca', entityId: id, fields: namesOf(fields) });
}

/**
 * Takes the proof that whoever registers the authority has its key: a certificate that the authority issued, with the
 * verification token as its common name.
 * @throws AuthError not_found
 * @throws AuthError conflict             verified already
 * @throws AuthError could_not_validate   not that proof
 */
export async function verifyCa(
  needs: CaNeeds,
  by: AdminCall,
  { id, pem }: { readonly id: string; readonly pem: string },
): Promise<void> {
  const ca = await getCa(needs, id);
  if (ca.verifiedAt !== null) throw new AuthError('conflict', { description: 'The CA is verified already' });
  const problem = proofProblem(ca, pem, needs.clock.now());
  if (problem !== undefined) throw refusedField('certPem', problem);
  if (!(await actingFor(needs, by).cas.verify(ca.id, needs.clock.now()))) {
    throw new AuthError('conflict', { description: 'The CA was verified or deleted meanwhile' });
  }
  recordChange(needs, by, { action: 'update', entity: 'ca', entityId: id, fields: ['isVerified'] });
}

/** From then on its certificates log nobody in. @throws AuthError not_found */
export async function deleteCa(needs: CaNeeds, by: AdminCall, id: string): Promise<void> {
  if (!(await actingFor(needs, by).cas.delete(asId(id), needs.clock.now()))) throw new AuthError('not_found');
  recordChange(needs, by, { action: 'delete', entity: 'ca', entityId: id, fields: [] });
}

/** The given fields that are stored in another form, or may be refused. */
function acceptable(fields: Some<CaFields>): CaPatch {
  const { name, identityRoles, identityNameFormat, externalIdClaim, tags } = fields;
  return {
    ...(name === undefined ? {} : { name: acceptableName('name', name) }),
    ...(identityRoles === undefined ? {} : { identityRoles: acceptableRoleAttributes(identityRoles) }),
    ...(identityNameFormat === undefined
      ? {}
      : { identityNameFormat: acceptableNameFormat(identityNameFormat) }),
    ...(externalIdClaim === undefined ? {} : { externalIdClaim: acceptableClaim(externalIdClaim) }),
    ...(tags === undefined ? {} : { tags: acceptableTags(tags) }),
  };
}

/**
 * Why a certificate does not prove possession of the authority's key; undefined when it does. It need not be usable
 * for anything else: its purposes do not matter.
 * @throws AuthError could_not_validate   not exactly one certificate
 */
function proofProblem(
  ca: Pick<Ca, 'certPem' | 'verificationToken'>,
  pem: string,
  now: Millis,
): string | undefined {
  const proof = acceptableCertificate('certPem', pem).certificate;
  const authority = readTrustAnchor(parseCertificate(ca.certPem).raw);
  const [commonName, ...others] = proof.subject.commonNames;
  if (commonName !== ca.verificationToken || others.length > 0)
    return 'must have the verification token as its only common name';
  if (proof.issuer.key !== authority.subject.key) return 'names another issuer than this CA';
  if (!proof.signatureAlgorithm.accepted)
    return `is signed with an algorithm that is not accepted: ${proof.signatureAlgorithm.name}`;
  if (!isSignedBy(proof, authority)) return 'is not signed with the key of this CA';
  if (now < proof.notBefore || now > proof.notAfter) return 'is not valid now';
  return undefined;
}

function isSignedBy(
  proof: ReturnType<typeof readTrustAnchor>,
  authority: ReturnType<typeof readTrustAnchor>,
): boolean {
  try {
    return proof.x509.verify(authority.publicKey);
  } catch {
    return false;
  }
}
