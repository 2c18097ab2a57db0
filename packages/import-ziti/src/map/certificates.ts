import { externalIdFrom } from '../../../../src/login/certificate/ca-claim.ts';
import { asId } from '../../../../src/model/ids.ts';
import { MalformedInput } from '../../../../src/platform/formats/strict-input.ts';
import { type PathCertificate, readPathCertificate } from '../../../../src/platform/x509/path-certificate.ts';
import { validateClientPath } from '../../../../src/platform/x509/path-validation.ts';
import { parseCertificates } from '../../../../src/platform/x509/x509.ts';
import type { ImportedAuthenticator } from '../../../../src/store/contracts/imports.ts';
import type { Entity } from '../read/entity.ts';
import type { MappedCa } from './cas.ts';
import { type MapNeeds, timesOf } from './common-fields.ts';
import type { Subject } from './findings.ts';

type CertificateAuthenticator = Extract<ImportedAuthenticator, { method: 'cert' }>;

/** A certificate of an identity, and what the source knows about its issuers. */
export interface MappedCertificate {
  readonly imported: CertificateAuthenticator;
  readonly subject: Subject;
  readonly leaf: PathCertificate;
  /** DER of the certificates after the leaf. */
  readonly intermediates: readonly Buffer[];
}

export interface CertificateMapNeeds extends MapNeeds {
  readonly cas: readonly MappedCa[];
  /** The identity with this external id. */
  identityOf(externalId: string): string | undefined;
  /** Thumbprints already in use. */
  readonly taken: Set<string>;
}

export function mapCertificate(
  needs: CertificateMapNeeds,
  entity: Entity,
  subject: Subject,
): MappedCertificate | null {
  const leaveOut = (reason: string) => {
    needs.findings.leftOut(subject, reason);
    return null;
  };
  const chain = chainOf(entity.text('certPem') ?? '');
  if ('refusal' in chain) return leaveOut(chain.refusal);
  const { leaf, intermediates } = chain;
  if (sha1(leaf) !== (entity.text('certFingerprint') ?? '').toLowerCase())
    return leaveOut('its fingerprint is that of another certificate, which is not used for logins');
  if (needs.taken.has(leaf.thumbprint)) return leaveOut('another identity has the same certificate');
  const identityId = entity.requiredText('identity');
  const claimed = claimedBy(needs, leaf, intermediates);
  if (claimed !== undefined && needs.identityOf(claimed.externalId) !== identityId)
    return leaveOut(
      `the rule of ${claimed.ca} finds another external id in it, by which alone such a certificate logs in`,
    );
  needs.taken.add(leaf.thumbprint);
  const certificate = {
    id: asId<CertificateAuthenticator['certificate']['id']>(entity.id),
    identityId: asId<CertificateAuthenticator['certificate']['identityId']>(identityId),
    certPem: leaf.x509.toString(),
    thumbprint: leaf.thumbprint,
    tags: {},
  };
  const wishes = {
    isExtendRequested: entity.flag('isExtendRequested'),
    isKeyRollRequested: entity.flag('isKeyRollRequested'),
    successor: successorOf(entity),
  };
  const digest = needs.digest({ ...certificate, ...wishes });
  return {
    imported: { method: 'cert', certificate, ...wishes, digest, ...timesOf(entity, needs.now) },
    subject,
    leaf,
    intermediates,
  };
}

function chainOf(
  pem: string,
):
  | { readonly leaf: PathCertificate; readonly intermediates: readonly Buffer[] }
  | { readonly refusal: string } {
  try {
    const [leaf, ...others] = parseCertificates(pem);
    if (leaf === undefined) return { refusal: 'it has no certificate' };
    return { leaf: readPathCertificate(leaf.raw), intermediates: others.map(({ raw }) => raw) };
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    return { refusal: `its certificate cannot be read (${error.reason})` };
  }
}

/** Requested and not confirmed: it cannot be used for a login until its owner confirms that it arrived. */
function successorOf(entity: Entity): CertificateAuthenticator['successor'] {
  const chain = chainOf(entity.text('unverifiedCertPem') ?? '');
  if ('refusal' in chain) return null;
  return { certPem: chain.leaf.x509.toString(), thumbprint: chain.leaf.thumbprint };
}

/** The source looks certificates up by this fingerprint only. */
function sha1({ x509 }: PathCertificate): string {
  return x509.fingerprint.replaceAll(':', '').toLowerCase();
}

/** The external id that the authority's rule finds. In the source it takes precedence over the certificate itself. */
function claimedBy(
  { cas, now }: CertificateMapNeeds,
  leaf: PathCertificate,
  intermediates: readonly Buffer[],
): { readonly ca: string; readonly externalId: string } | undefined {
  const withRule = cas.filter(({ ca }) => ca.externalIdClaim !== null);
  if (withRule.length === 0) return undefined;
  const anchors = withRule.map(({ anchor }) => anchor);
  // In the source, one that is switched off bars no path.
  const question = { intermediates, anchors, barred: [], now, allowExpired: true };
  const path = validateClientPath({ leaf: leaf.x509.raw, ...question });
  if (path.verdict === 'refused') return undefined;
  const found = withRule.find(({ anchor }) => anchor.thumbprint === path.anchor.thumbprint)?.ca;
  if (found === undefined || found.externalIdClaim === null) return undefined;
  const claim = externalIdFrom(path.leaf.names, found.externalIdClaim);
  return claim.verdict === 'found' ? { ca: found.name, externalId: claim.externalId } : undefined;
}
