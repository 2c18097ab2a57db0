import type { Millis, Seconds } from '../platform/clock.ts';
import type { Tags } from './identity.ts';
import type { AuthPolicyId, SignerId } from './ids.ts';

export const targetTokens = ['ACCESS', 'ID'] as const;
export type TargetToken = (typeof targetTokens)[number];

/** An identity provider whose JWTs are accepted as a primary method or as a secondary factor (spec 2.9). */
export interface ExternalJwtSigner {
  readonly id: SignerId;
  /** Unique. */
  readonly name: string;
  readonly enabled: boolean;
  /** Compared with `iss` exactly. */
  readonly issuer: string;
  /** Must be among the audiences of a token. */
  readonly audience: string;

  /** Exactly one of `certPem` and `jwksEndpoint` is set. The certificate holds the only key and limits its time. */
  readonly certPem: string | null;
  /** An https URL. */
  readonly jwksEndpoint: string | null;
  /** With `certPem`: the only `kid` that a token may name; null: any. With `jwksEndpoint`: null. */
  readonly kid: string | null;
  /** Of the certificate, for display; null without one. SHA-256 of the DER form, base64url. */
  readonly fingerprint: string | null;
  readonly commonName: string | null;
  readonly notBefore: Millis | null;
  readonly notAfter: Millis | null;

  /** Where the claim stands that names the identity: a claim's name, or a JSON pointer, which begins with `/`. */
  readonly claimsProperty: string;
  /** Whether that claim is the identity's `externalId`; otherwise it is its `id`. */
  readonly useExternalId: boolean;
  /** How far the provider's clock may be off; 0 to 60. */
  readonly leewaySeconds: Seconds;
  /** Tokens that were issued for longer are refused; null: no limit. */
  readonly maxLifetimeSeconds: Seconds | null;

  /** What clients need to get a token; not used by this service. */
  readonly externalAuthUrl: string | null;
  readonly clientId: string | null;
  readonly scopes: readonly string[];
  /** Which of the provider's tokens clients should send. One that is an ID token must say when it was issued. */
  readonly targetToken: TargetToken;

  readonly enrollToCertEnabled: boolean;
  readonly enrollToTokenEnabled: boolean;
  /** The policy of identities that enroll with a token; null: the default one. */
  readonly enrollAuthPolicyId: AuthPolicyId | null;
  /** As `claimsProperty`. */
  readonly enrollNameClaimsSelector: string;
  readonly enrollAttributeClaimsSelector: string | null;

  /**
   * Whether an `email` decides something only with `email_verified: true` beside it; otherwise one of which the
   * provider says nothing is enough, and one that it calls unverified still is not.
   */
  readonly requireVerifiedEmail: boolean;

  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** What a new signer has unless it says otherwise. */
export const externalJwtSignerDefaults = {
  claimsProperty: 'sub',
  useExternalId: false,
  leewaySeconds: 30,
  maxLifetimeSeconds: null,
  scopes: [],
  targetToken: 'ACCESS',
  enrollToCertEnabled: false,
  enrollToTokenEnabled: false,
  enrollNameClaimsSelector: 'sub',
  requireVerifiedEmail: true,
} as const satisfies Partial<ExternalJwtSigner>;
