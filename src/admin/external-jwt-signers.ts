// External JWT signers: the issuers whose tokens prove an identity.

import { isClaimsSelector } from '../login/external-jwt/claims-selector.ts';
import { openClientSecret, sealClientSecret } from '../login/external-jwt/client-secret.ts';
import { readSignerCertificate } from '../login/external-jwt/signer-keys.ts';
import { type Change, patched, type Some } from '../model/entities/entity.ts';
import { type ExternalJwtSigner, externalJwtSignerEntity } from '../model/entities/external-jwt-signer.ts';
import { usesSecret } from '../model/entities/oidc-client.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import type { Clock } from '../platform/clock.ts';
import { withoutFinalSlashes } from '../platform/formats/final-slashes.ts';
import { discoveryAddress } from '../platform/jwk/jwks-cache.ts';
import type { OutboundLimits } from '../platform/network/outbound-targets.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import { certificateFacts, parseCertificates } from '../platform/x509/x509.ts';
import {
  acceptablePage,
  acceptableRoleAttributes,
  askableAddress,
  refusedField,
  requireFew,
  requireTyped,
} from './acceptable-values.ts';
import { managed } from './entity-rules.ts';
import type { AdminServices } from './services.ts';

export const signers = managed<typeof externalJwtSignerEntity>({
  entity: externalJwtSignerEntity,
  storeOf: ({ externalJwtSigners: stored }) => stored,
  fields: {
    issuer: (issuer, { issuers }) => acceptableIssuer(issuer, issuers),
    audience: acceptableAudience,
    claimsProperty: (selector) => acceptableSelector('claimsProperty', selector),
    leewaySeconds: acceptableLeeway,
    maxLifetimeSeconds: acceptableLifetime,
    externalAuthUrl: (url) => acceptablePage('externalAuthUrl', url || null),
    clientId: acceptableClientId,
    scopes: acceptableScopes,
    createIdentities: acceptableCreation,
    enrollNameClaimsSelector: (selector) => acceptableSelector('enrollNameClaimsSelector', selector),
    enrollAttributeClaimsSelector: (selector) =>
      selector === null ? null : acceptableSelector('enrollAttributeClaimsSelector', selector),
  },
  follows: (fields, before, needs) => ({
    // A certificate replaces the address of the keys, and an address replaces the certificate.
    ...keySourceOf(needs, fields, before),
    ...clientProofOf(needs, fields, before),
  }),
  check: ({ createIdentities, useExternalId }) => {
    // No token could name the id of an identity that it creates.
    if (createIdentities && !useExternalId)
      throw refusedField('createIdentities', 'needs useExternalId: the claim becomes the external id');
  },
});

function acceptableCreation(
  creation: ExternalJwtSigner['createIdentities'],
): ExternalJwtSigner['createIdentities'] {
  if (creation === null) return null;
  const { name, email, roleAttributes, allowedRoleAttributes: allowed, authPolicyId } = creation;
  const selectors = { name, email, roleAttributes };
  for (const [member, selector] of Object.entries(selectors))
    if (selector !== null) acceptableSelector(`createIdentities.${member}`, selector);
  return {
    ...selectors,
    ...(allowed && {
      allowedRoleAttributes: acceptableRoleAttributes(allowed, 'createIdentities.allowedRoleAttributes'),
    }),
    authPolicyId,
  };
}

/** The signers that take part in logins, for anonymous callers who want to log in. */
export function listEnabledSigners(
  needs: { readonly store: Pick<AdminServices['store'], 'externalJwtSigners'> },
  query: ListQuery,
): Promise<Page<ExternalJwtSigner>> {
  const isEnabled = { op: '=', field: 'enabled', value: true } as const;
  const filter = { op: 'and', terms: [isEnabled, query.filter] } as const;
  return needs.store.externalJwtSigners.list({ ...query, filter });
}

// How a signer's client authenticates at its provider: the method and the secret fit together, and the secret stays with
// the provider for which it was set.

/** The members that follow; the secret itself is not stored. */
type ClientProof = Pick<ExternalJwtSigner, 'clientAuthMethod' | 'sealedClientSecret'> & {
  readonly clientSecret: undefined;
};

const longestSecret = 1024;

/**
 * @param before the signer as stored; null when it is created
 * @throws AuthError could_not_validate
 */
function clientProofOf(
  { vault, issuers }: { readonly vault: KeyVault; readonly issuers: ReadonlySet<string> },
  fields: Change<typeof externalJwtSignerEntity>,
  before: ExternalJwtSigner | null,
): ClientProof {
  const none = { issuer: '', externalAuthUrl: null, clientId: null, sealedClientSecret: null };
  const signer = patched(externalJwtSignerEntity.fields, { ...none, ...before }, fields);
  const sent = fields.clientSecret;
  const clientAuthMethod = fields.clientAuthMethod ?? methodAfter(sent, before);
  if (clientAuthMethod !== 'none' && signer.clientId === null)
    throw refusedField('clientId', `is needed for ${clientAuthMethod}`);
  // It is what our key signs as `iss` (RFC 7523 3), and must not look like a token of ours.
  if (clientAuthMethod === 'private_key_jwt' && issuers.has(signer.clientId ?? ''))
    throw refusedField('clientId', 'is an issuer of this service', signer.clientId);
  if (!usesSecret(clientAuthMethod)) {
    if (sent) throw refusedField('clientSecret', `is not used by ${clientAuthMethod}`);
    return { clientAuthMethod, sealedClientSecret: null, clientSecret: undefined };
  }
  const sealedClientSecret =
    sent === undefined
      ? signer.sealedClientSecret
      : sent && sealClientSecret(vault, acceptable(sent), signer);
  if (sealedClientSecret === null) throw refusedField('clientSecret', `is needed for ${clientAuthMethod}`);
  if (openClientSecret(vault, { ...signer, sealedClientSecret }) === null)
    throw refusedField(
      'clientSecret',
      'must be sent again where issuer, externalAuthUrl or clientId change: it was set for that provider',
    );
  return { clientAuthMethod, sealedClientSecret, clientSecret: undefined };
}

function methodAfter(
  sent: string | null | undefined,
  before: ExternalJwtSigner | null,
): ExternalJwtSigner['clientAuthMethod'] {
  const method = before?.clientAuthMethod ?? 'none';
  if (sent) return usesSecret(method) ? method : 'client_secret_basic';
  return sent === null && usesSecret(method) ? 'none' : method;
}

/** RFC 6749 appendix A.2. */
function acceptable(secret: string): string {
  if (secret.length <= longestSecret && /^[\x20-\x7e]+$/.test(secret)) return secret;
  throw refusedField('clientSecret', `must be at most ${longestSecret} printable ASCII characters`);
}

// Where a signer's keys come from: a certificate, the address of a key set, or the issuer's discovery document.

/** The members that change together. */
type KeySource = Pick<
  ExternalJwtSigner,
  'certPem' | 'jwksEndpoint' | 'discovery' | 'kid' | 'fingerprint' | 'commonName' | 'notBefore' | 'notAfter'
>;

type KeyFields = Some<Pick<ExternalJwtSigner, 'issuer' | 'certPem' | 'jwksEndpoint' | 'discovery' | 'kid'>>;

const longestKid = 256;
const longestPem = 16_384;

/**
 * The key source in the given fields; empty when none of them changes it.
 * @param before the signer as stored; null when it is created
 * @throws AuthError could_not_validate
 */
function keySourceOf(
  { clock, limits }: { readonly clock: Clock; readonly limits: OutboundLimits },
  fields: KeyFields,
  before: ExternalJwtSigner | null,
): Partial<KeySource> {
  const { certPem, jwksEndpoint, discovery, kid } = fields;
  const isLedElsewhere = before?.discovery === true && (fields.issuer ?? before.issuer) !== before.issuer;
  if (!isLedElsewhere && [certPem, jwksEndpoint, discovery, kid].every((field) => field === undefined))
    return {};
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

// Rules of single values of an external JWT signer.

/** Bytes in UTF-8. Issuer and audience together form one index entry, which PostgreSQL limits to 2,704 bytes. */
const longestText = 1024;
const longestIssuer = 1024;
const mostScopes = 50;
const longestLeeway = 60;
const longestLifetime = 10 * 366 * 24 * 60 * 60;

/**
 * An issuer, compared exactly with the one in tokens. Headers list several of them, joined by `|`.
 * @param own our own issuers: no other party can vouch for tokens that we issue
 */
export function acceptableIssuer(issuer: string, own: ReadonlySet<string>): string {
  if (issuer === '') throw refusedField('issuer', 'must not be empty', issuer);
  if (issuer.length > longestIssuer || !/^[\x21-\x7b\x7d\x7e]+$/.test(issuer)) {
    const reason = `must be at most ${longestIssuer} printable ASCII characters without spaces and "|"`;
    throw refusedField('issuer', reason, issuer);
  }
  const comparable = comparableUrl(issuer);
  for (const ours of own)
    if (comparableUrl(ours) === comparable)
      throw refusedField('issuer', 'is an issuer of this service', issuer);
  return issuer;
}

/** Without the differences that people overlook: case of the host, default port, trailing slash. */
export function comparableUrl(text: string): string {
  return withoutFinalSlashes(URL.parse(text)?.href ?? text);
}

export function acceptableAudience(audience: string): string {
  return acceptableText('audience', audience);
}

export function acceptableClientId(clientId: string | null): string | null {
  return clientId === null || clientId === '' ? null : acceptableText('clientId', clientId);
}

function acceptableText(field: string, text: string): string {
  if (text === '') throw refusedField(field, 'must not be empty', text);
  if (Buffer.byteLength(text) > longestText)
    throw refusedField(field, `must be at most ${longestText} bytes of text`, text);
  requireTyped(field, text);
  return text;
}

export function acceptableSelector(field: string, selector: string): string {
  if (!isClaimsSelector(selector))
    throw refusedField(
      field,
      'must be the name of a claim, or a JSON pointer that begins with a slash',
      selector,
    );
  requireTyped(field, selector);
  return selector;
}

/** @see RFC 6749 section 3.3 */
export function acceptableScopes(scopes: readonly string[]): readonly string[] {
  requireFew('scopes', scopes, mostScopes);
  for (const scope of scopes)
    if (!/^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/.test(scope))
      throw refusedField('scopes', 'must be scope names, one in each entry', scope);
  return [...new Set(scopes)];
}

export function acceptableLeeway(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= longestLeeway) return seconds;
  throw refusedField('leewaySeconds', `must be a whole number from 0 to ${longestLeeway}`, seconds);
}

export function acceptableLifetime(seconds: number | null): number | null {
  if (seconds === null || (Number.isInteger(seconds) && seconds >= 1 && seconds <= longestLifetime))
    return seconds;
  throw refusedField(
    'maxLifetimeSeconds',
    `must be a whole number from 1 to ${longestLifetime}, or null`,
    seconds,
  );
}
