import type { Millis } from '../../platform/clock.ts';
import type { Tags } from '../identity.ts';
import type { CaId } from '../ids.ts';

export const claimLocations = ['COMMON_NAME', 'SAN_URI', 'SAN_EMAIL'] as const;
export type ClaimLocation = (typeof claimLocations)[number];

/** `SCHEME` compares the scheme of a URI, so it requires `SAN_URI`. */
export const claimMatchers = ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'] as const;
export type ClaimMatcher = (typeof claimMatchers)[number];

export const claimParsers = ['NONE', 'SPLIT'] as const;
export type ClaimParser = (typeof claimParsers)[number];

/** Which name in a certificate is the external id of an identity. login/certificate/ca-claim.ts evaluates it. */
export interface ExternalIdClaim {
  readonly location: ClaimLocation;
  readonly matcher: ClaimMatcher;
  /** For the matcher; not used by `ALL`. */
  readonly matcherCriteria: string;
  readonly parser: ClaimParser;
  /** The separator; not used by `NONE`. */
  readonly parserCriteria: string;
  /** Which of the parts, from 0; `NONE` leaves one part. */
  readonly index: number;
  /** `PREFIX` and `SUFFIX` remove what they match, as in the controller that the rule was imported from. */
  readonly removeMatched?: boolean | undefined;
}

/** A third-party authority whose certificates may authenticate and enroll identities (spec 2.9). */
export interface Ca {
  readonly id: CaId;
  /** Unique. */
  readonly name: string;
  readonly certPem: string;
  /** SHA-256 of the DER form, base64url. Unique. Shown as the `fingerprint`. */
  readonly thumbprint: string;
  readonly isAuthEnabled: boolean;
  readonly isAutoCaEnrollmentEnabled: boolean;
  readonly isOttCaEnrollmentEnabled: boolean;
  /** Role attributes of identities that enroll through it. */
  readonly identityRoles: readonly string[];
  /** Template for the names of such identities. */
  readonly identityNameFormat: string;
  /** Null: certificates are matched to authenticators only. */
  readonly externalIdClaim: ExternalIdClaim | null;
  /** When somebody proved possession of its key. Until then its certificates are not accepted. */
  readonly verifiedAt: Millis | null;
  /** The common name of the certificate that proves possession. */
  readonly verificationToken: string;
  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Whether certificates it issued may log in now. */
export function isTrustedForLogin(ca: Pick<Ca, 'isAuthEnabled' | 'verifiedAt'>): boolean {
  return ca.isAuthEnabled && ca.verifiedAt !== null;
}
