// Third-party authorities: their certificates may log in, like those of the overlay's own PKI (spec 2.9). Certificates
// are not accepted until possession of the key is proven (`verifyCa`), and a change applies from the next login.

import { AuthError } from '../errors/auth-error.ts';
import { newestOfEach } from '../login/certificate/revocation.ts';
import { type Ca, caEntity, type ExternalIdClaim } from '../model/entities/ca.ts';
import type { Some } from '../model/entities/entity.ts';
import { isOlderList } from '../model/list-state.ts';
import type { Millis } from '../platform/clock.ts';
import type { OutboundLimits } from '../platform/network/outbound-targets.ts';
import { readPathCertificate } from '../platform/x509/path-certificate.ts';
import { describeRefusal } from '../platform/x509/path-refusal.ts';
import { anchorProblem, issuanceProblem } from '../platform/x509/path-validation.ts';
import { ListRefused, listsInPem, type UnverifiedList } from '../platform/x509/revocation-list.ts';
import { parseCertificate } from '../platform/x509/x509.ts';
import type { PatchOf } from '../store/contracts/entities.ts';
import { askableAddress, refusedField, requirePlainText } from './acceptable-values.ts';
import { type AdminCall, actingFor, recordChange } from './admin-call.ts';
import { acceptableCertificate, acceptableCertificates } from './client-certificates.ts';
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
  // Lists that are put in at the same moment are compared with one another.
  isMadeOfRead: ({ revocation }) => revocation?.crlPem != null,
});

/**
 * The certificate may be sent again, also after it has expired, but not changed: the proof of possession was for its key.
 */
function certificateOf(sent: string, before: Ca | null, needs: AdminServices): PatchOf<typeof caEntity> {
  const { certificate, pem } = acceptableCertificate('certPem', sent);
  const { thumbprint } = certificate;
  if (before !== null) {
    if (thumbprint === before.thumbprint) return { certPem: undefined };
    throw refusedField('certPem', 'cannot be changed; register the other certificate as a separate CA');
  }
  const problem = anchorProblem(certificate, needs.clock.now());
  if (problem !== undefined)
    throw refusedField('certPem', `cannot be an authority: ${describeRefusal(problem)}`);
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

// Rules of the single fields of a third-party authority.

const longestCriteria = 255;
const highestIndex = 100;
const longestFormat = 255;

/** A rule that can match something. @throws AuthError could_not_validate */
export function acceptableClaim(claim: ExternalIdClaim | null): ExternalIdClaim | null {
  if (claim === null) return null;
  const { location, matcher, matcherCriteria, parser, parserCriteria, index } = claim;
  requirePlainText('externalIdClaim.matcherCriteria', matcherCriteria, longestCriteria);
  requirePlainText('externalIdClaim.parserCriteria', parserCriteria, longestCriteria);
  if (matcher !== 'ALL' && matcherCriteria === '')
    throw refusedField('externalIdClaim.matcherCriteria', `is required for the matcher ${matcher}`);
  if (matcher === 'SCHEME' && location !== 'SAN_URI')
    throw refusedField('externalIdClaim.matcher', 'can only be SCHEME for the location SAN_URI', matcher);
  if (parser === 'SPLIT' && parserCriteria === '')
    throw refusedField('externalIdClaim.parserCriteria', 'is required for the parser SPLIT');
  if (!Number.isInteger(index) || index < 0 || index > highestIndex)
    throw refusedField('externalIdClaim.index', `must be a whole number from 0 to ${highestIndex}`, index);
  if (parser === 'NONE' && index !== 0)
    throw refusedField(
      'externalIdClaim.index',
      'must be 0 for the parser NONE, which leaves one part',
      index,
    );
  return claim;
}

/** @throws AuthError could_not_validate */
export function acceptableNameFormat(format: string): string {
  requirePlainText('identityNameFormat', format, longestFormat);
  return format;
}

type Revocation = Some<Ca['revocation']>;

/**
 * Addresses that may be asked, and lists that can be read. Whether an authority has signed them shows when they are used.
 * @throws AuthError could_not_validate
 */
export function acceptableRevocation(sent: Revocation, limits: OutboundLimits): Revocation {
  const { crlUrls, crlPem, ocsp } = sent;
  // Answers are signed, so they may come without TLS.
  const asked = { limits, isSigned: true };
  for (const url of crlUrls ?? []) askableAddress('revocation.crlUrls', url, asked);
  if (ocsp != null) askableAddress('revocation.ocsp', ocsp, asked);
  const pem = crlPem?.trim() === '' ? null : crlPem;
  if (pem != null) acceptableLists(pem);
  return { ...sent, crlPem: pem };
}

function acceptableLists(pem: string): readonly UnverifiedList[] {
  try {
    return listsInPem(pem);
  } catch (error) {
    if (!(error instanceof ListRefused)) throw error;
    throw refusedField('revocation.crlPem', error.message);
  }
}

/** A list never takes the place of a newer one of the same series. @throws AuthError could_not_validate */
export function refuseOlderLists(before: string | null | undefined, sent: string | null | undefined): void {
  if (before == null || sent == null || before === sent) return;
  const known = newestOfEach(listsInPem(before));
  for (const [series, list] of newestOfEach(acceptableLists(sent))) {
    const former = known.get(series);
    if (former === undefined || !isOlderList(list, former)) continue;
    const { listNumber, thisUpdate } = former;
    const words = `${listNumber === null ? '' : `number ${listNumber}, `}${new Date(thisUpdate).toISOString()}`;
    throw refusedField(
      'revocation.crlPem',
      `has a list that is older than the one that it replaces (${words})`,
    );
  }
}
