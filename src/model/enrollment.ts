import type { Millis } from '../platform/clock.ts';
import type { CaId, EnrollmentId, IdentityId } from './ids.ts';

/**
 * How an identity that exists already is enrolled, with a token: `ott` with a certificate that is issued here,
 * `ottca` with one that a third-party authority issued, `updb` with a password.
 */
export const tokenMethods = ['ott', 'ottca', 'updb'] as const;
export type TokenMethod = (typeof tokenMethods)[number];

/** `ca` and `token` make the identity too: from a certificate of a third-party authority, and from an external JWT. */
export const enrollMethods = [...tokenMethods, 'ca', 'token'] as const;
export type EnrollMethod = (typeof enrollMethods)[number];

/** Everything that decision records and audit events call an enrollment: also choosing a password by a link. */
export type EnrollmentKind = EnrollMethod | 'invitation';

/** Leave to make one identity able to authenticate, once. An identity has at most one for each method. */
export interface Enrollment {
  readonly id: EnrollmentId;
  readonly identityId: IdentityId;
  readonly method: TokenMethod;
  /** The authority that must have issued the certificate; only with `ottca`. */
  readonly caId: CaId | null;
  /** The user name that the identity will have; only with `updb`. */
  readonly username: string | null;
  /** The token under the key-encryption key, so that administrators can be shown it again. */
  readonly sealedToken: string;
  readonly expiresAt: Millis;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}
