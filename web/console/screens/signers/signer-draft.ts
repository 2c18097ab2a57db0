import { optionsFor } from '../../forms/draft.ts';
import type { DiscoveredSigner, Signer } from '../../types.ts';

/** What the form of a signer can change, without what follows from its certificate. */
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

/** The initial values for a new one. @param found null: to be filled in by hand */
export function draftFrom(found: DiscoveredSigner | null): SignerDraft {
  if (found === null) return newSigner;
  const { issuer, jwksEndpoint, externalAuthUrl, scopes } = found;
  return {
    ...newSigner,
    name: URL.canParse(issuer) ? new URL(issuer).hostname : issuer,
    issuer,
    jwksEndpoint,
    externalAuthUrl,
    // People who sign in on the pages bring an ID token, which is made for this server and says who they are.
    ...(externalAuthUrl !== null && { scopes, targetToken: 'ID' as const }),
  };
}

/** As `overlay-auth create|update ext-jwt-signer --help` lists them. There, a certificate is a file. */
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

/** The words of the command that creates it. Values at the server's default are omitted. */
export function createCommand({ name, issuer, audience, ...draft }: SignerDraft): readonly string[] | null {
  const usual: Readonly<Record<string, unknown>> = { ...newSigner, useExternalId: false };
  const chosen = Object.entries(draft).filter(
    ([field, value]) => JSON.stringify(usual[field]) !== JSON.stringify(value),
  );
  const options = optionsFor<Partial<SignerDraft>>(Object.fromEntries(chosen), signerFlags);
  return options === null ? null : ['create', 'ext-jwt-signer', name, issuer, audience, ...options];
}
