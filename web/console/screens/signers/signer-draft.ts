import { optionsFor } from '../../forms/draft.ts';
import type { DiscoveredSigner, Signer } from '../../types.ts';

/** What of a signer its form changes; what follows from its certificate is not among it. */
export type SignerDraft = Omit<
  Signer,
  'id' | 'createdAt' | 'updatedAt' | '_links' | 'fingerprint' | 'commonName' | 'notBefore' | 'notAfter'
>;

export function draftOf(signer: Signer): SignerDraft {
  const { id: _id, createdAt: _made, updatedAt: _changed, _links, ...rest } = signer;
  const { fingerprint: _print, commonName: _name, notBefore: _from, notAfter: _until, ...draft } = rest;
  return draft;
}

const newSigner: SignerDraft = {
  name: '',
  enabled: true,
  issuer: '',
  audience: '',
  certPem: null,
  jwksEndpoint: null,
  kid: null,
  claimsProperty: 'sub',
  useExternalId: true,
  leewaySeconds: 30,
  maxLifetimeSeconds: null,
  requireVerifiedEmail: true,
  externalAuthUrl: null,
  clientId: null,
  scopes: [],
  targetToken: 'ACCESS',
  enrollToCertEnabled: false,
  enrollToTokenEnabled: false,
  enrollAuthPolicyId: null,
  enrollNameClaimsSelector: 'sub',
  enrollAttributeClaimsSelector: null,
  tags: {},
};

/** Where the form of a new one begins. @param found null: it is filled in by hand */
export function draftFrom(found: DiscoveredSigner | null): SignerDraft {
  if (found === null) return newSigner;
  const { issuer, jwksEndpoint, externalAuthUrl, scopes } = found;
  return {
    ...newSigner,
    name: URL.canParse(issuer) ? new URL(issuer).hostname : issuer,
    issuer,
    jwksEndpoint,
    externalAuthUrl,
    // Whoever signs in on the pages brings an ID token: it is made for this server, and says who it is.
    ...(externalAuthUrl !== null && { scopes, targetToken: 'ID' as const }),
  };
}

/** As `overlay-auth create|update ext-jwt-signer --help` lists them. A certificate is a file there. */
export const signerFlags = {
  name: '--name',
  enabled: '--enabled',
  issuer: '--issuer',
  audience: '--audience',
  jwksEndpoint: '--jwks-endpoint',
  kid: '--kid',
  claimsProperty: '--claims-property',
  useExternalId: '--use-external-id',
  leewaySeconds: '--leeway',
  maxLifetimeSeconds: '--max-lifetime',
  requireVerifiedEmail: '--require-verified-email',
  externalAuthUrl: '--external-auth-url',
  clientId: '--client-id',
  scopes: '--scopes',
  targetToken: '--send',
  enrollToCertEnabled: '--enroll-to-cert',
  enrollToTokenEnabled: '--enroll-to-token',
  enrollAuthPolicyId: '--enroll-auth-policy',
  enrollNameClaimsSelector: '--enroll-name-claim',
  enrollAttributeClaimsSelector: '--enroll-attribute-claim',
  tags: '--tag',
} as const;

/** The words that create it: what is as the server has it by default is left out. */
export function createCommand({ name, issuer, audience, ...draft }: SignerDraft): readonly string[] | null {
  const usual: Readonly<Record<string, unknown>> = { ...newSigner, useExternalId: false };
  const chosen = Object.entries(draft).filter(
    ([field, value]) => JSON.stringify(usual[field]) !== JSON.stringify(value),
  );
  const options = optionsFor<Partial<SignerDraft>>(Object.fromEntries(chosen), signerFlags);
  return options === null ? null : ['create', 'ext-jwt-signer', name, issuer, audience, ...options];
}
