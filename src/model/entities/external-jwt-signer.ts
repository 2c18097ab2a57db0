import type { Millis, Seconds } from '../../platform/clock.ts';
import type { Tags } from '../identity.ts';
import type { AuthPolicyId, SignerId } from '../ids.ts';

export const targetTokens = ['ACCESS', 'ID'] as const;
export type TargetToken = (typeof targetTokens)[number];

/** An identity provider whose JWTs are accepted as a primary method or as a secondary factor (spec 2.9). */
export interface ExternalJwtSigner {
  readonly id: SignerId;
  /** Unique. */
  readonly name: string;
  readonly enabled: boolean;
  /** Must equal `iss` exactly. */
  readonly issuer: string;
  /** Must be among the audiences of a token. */
  readonly audience: string;

  /** Exactly one of `certPem` and `jwksEndpoint` is set. The certificate has the only key and limits its time. */
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

  /** Where the claim is that names the identity: a claim's name, or a JSON pointer, which begins with `/`. */
  readonly claimsProperty: string;
  /** Whether that claim contains the identity's `externalId`; otherwise its `id`. */
  readonly useExternalId: boolean;
  /** The allowed error of the provider's clock; 0 to 60. */
  readonly leewaySeconds: Seconds;
  /** Tokens with a longer lifetime are refused; null: no limit. */
  readonly maxLifetimeSeconds: Seconds | null;

  /** What clients need to get a token; not used by this service. */
  readonly externalAuthUrl: string | null;
  readonly clientId: string | null;
  readonly scopes: readonly string[];
  /** Which of the provider's tokens clients should send. An ID token must contain the time of its issue. */
  readonly targetToken: TargetToken;

  readonly enrollToCertEnabled: boolean;
  readonly enrollToTokenEnabled: boolean;
  /** The policy of identities that enroll with a token; null: the default one. */
  readonly enrollAuthPolicyId: AuthPolicyId | null;
  /** As `claimsProperty`. */
  readonly enrollNameClaimsSelector: string;
  readonly enrollAttributeClaimsSelector: string | null;

  /**
   * Whether an `email` counts only with `email_verified: true` beside it. Otherwise an `email` without that claim
   * counts too; one that the provider calls unverified never counts.
   */
  readonly requireVerifiedEmail: boolean;

  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Defaults of a new signer. */
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
