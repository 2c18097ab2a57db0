// Where a signer's keys come from: a certificate, the address of a key set, or the issuer's discovery document.

import { readSignerCertificate } from '../login/external-jwt/signer-keys.ts';
import type { Some } from '../model/entities/entity.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import type { Clock } from '../platform/clock.ts';
import { discoveryAddress } from '../platform/jwk/jwks-cache.ts';
import type { OutboundLimits } from '../platform/network/outbound-targets.ts';
import { certificateFacts, parseCertificates } from '../platform/x509/x509.ts';
import { askableAddress, refusedField } from './acceptable-values.ts';

/** The members that change together. */
export type KeySource = Pick<
  ExternalJwtSigner,
  'certPem' | 'jwksEndpoint' | 'discovery' | 'kid' | 'fingerprint' | 'commonName' | 'notBefore' | 'notAfter'
>;

type KeyFields = Some<Pick<ExternalJwtSigner, 'issuer' | 'certPem' | 'jwksEndpoint' | 'discovery' | 'kid'>>;

const longestKid = 256;
const longestPem = 16_384;

/**
 * The key source in the given fields; empty when none of them is given.
 * @param before the signer as stored; null when it is created
 * @throws AuthError could_not_validate
 */
export function keySourceOf(
  { clock, limits }: { readonly clock: Clock; readonly limits: OutboundLimits },
  fields: KeyFields,
  before: ExternalJwtSigner | null,
): Partial<KeySource> {
  const { certPem, jwksEndpoint, discovery, kid } = fields;
  if ([certPem, jwksEndpoint, discovery, kid].every((field) => field === undefined)) return {};
  const hasCert = given(certPem);
  const hasEndpoint = given(jwksEndpoint);
  if (hasCert && hasEndpoint) throw refusedField('jwksEndpoint', 'cannot be set together with certPem');
  if (hasCert && discovery === true) throw refusedField('discovery', 'cannot be set together with certPem');
  const isReplaced = hasEndpoint || certPem !== undefined || discovery === true;
  // Whichever is given replaces the others.
  const cert = hasCert ? certPem : isReplaced ? null : (before?.certPem ?? null);
  const endpoint = hasEndpoint
    ? jwksEndpoint
    : hasCert || jwksEndpoint !== undefined
      ? null
      : (before?.jwksEndpoint ?? null);
  if (cert !== null) {
    const facts = fromCertificate(cert, kid === undefined ? (before?.kid ?? null) : kid);
    if (cert !== before?.certPem && (facts.notAfter ?? 0) < clock.now())
      throw refusedField('certPem', 'has expired');
    return facts;
  }
  // An address that is set by hand wins, unless the same change asks for both.
  const wasFollowed = before?.discovery === true && jwksEndpoint === undefined && certPem === undefined;
  const isFollowed = discovery ?? (!hasEndpoint && (wasFollowed || endpoint === null));
  const issuer = fields.issuer ?? before?.issuer ?? '';
  if (endpoint === null && !isFollowed)
    throw refusedField('jwksEndpoint', 'is required unless certPem is set or discovery is on');
  if (isFollowed && !/^https:/i.test(issuer))
    throw refusedField('jwksEndpoint', 'is required: the issuer is no https address that could be asked');
  if (isFollowed) askableAddress('jwksEndpoint', discoveryAddress(issuer), { limits });
  if (given(kid))
    throw refusedField('kid', 'can only be set together with certPem: key sets name their keys', kid);
  return {
    certPem: null,
    jwksEndpoint:
      endpoint === null || endpoint === before?.jwksEndpoint
        ? endpoint
        : askableAddress('jwksEndpoint', endpoint, { limits }),
    discovery: isFollowed,
    kid: null,
    fingerprint: null,
    commonName: null,
    notBefore: null,
    notAfter: null,
  };
}

/** Forms send empty text for none. */
function given(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== '';
}

function fromCertificate(pem: string, kid: string | null): KeySource {
  const facts = readCertificate(pem);
  if (kid !== null && (kid.length > longestKid || !/^[\x20-\x7e]*$/.test(kid)))
    throw refusedField('kid', `must be at most ${longestKid} printable ASCII characters`, kid);
  return {
    certPem: pem,
    jwksEndpoint: null,
    discovery: false,
    kid: given(kid) ? kid : null,
    fingerprint: facts.thumbprint,
    commonName: facts.commonName ?? null,
    notBefore: facts.notBefore,
    notAfter: facts.notAfter,
  };
}

function readCertificate(pem: string): ReturnType<typeof certificateFacts> {
  if (pem.length > longestPem) throw refusedField('certPem', `must have at most ${longestPem} characters`);
  const certificates = allCertificates(pem);
  const [certificate] = certificates;
  if (certificate === undefined || certificates.length > 1)
    throw refusedField('certPem', 'must be exactly one certificate in PEM form');
  if (readSignerCertificate(pem) === undefined)
    throw refusedField('certPem', 'has a key of a kind or size that is not accepted');
  return certificateFacts(certificate);
}

function allCertificates(pem: string): ReturnType<typeof parseCertificates> {
  try {
    return parseCertificates(pem);
  } catch {
    return [];
  }
}
