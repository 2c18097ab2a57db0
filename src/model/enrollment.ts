import type { Millis } from '../platform/clock.ts';
import type { CaId, EnrollmentId, IdentityId } from './ids.ts';

/**
 * How an existing identity enrolls with a token: `ott` with a certificate that this service issues, `ottca` with one
 * that a third-party authority issued, `updb` with a password.
 */
export const tokenMethods = ['ott', 'ottca', 'updb'] as const;
export type TokenMethod = (typeof tokenMethods)[number];

/** `ca` and `token` also create the identity, from a third-party authority's certificate or an external JWT. */
export const enrollMethods = [...tokenMethods, 'ca', 'token'] as const;
export type EnrollMethod = (typeof enrollMethods)[number];

/** Everything that decision records and audit events call an enrollment, including choosing a password with a link. */
export type EnrollmentKind = EnrollMethod | 'invitation';

/** Permission to make one identity able to authenticate, once. An identity has at most one for each method. */
export interface Enrollment {
  readonly id: EnrollmentId;
  readonly identityId: IdentityId;
  readonly method: TokenMethod;
  /** The authority that must have issued the certificate; only with `ottca`. */
  readonly caId: CaId | null;
  /** The user name that the identity will have; only with `updb`. */
  readonly username: string | null;
  /** The token under the key-encryption key, so that administrators can see it again. */
  readonly sealedToken: string;
  readonly expiresAt: Millis;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}
