import type { TokenMethod } from '../../model/enrollment.ts';
import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import type { Enrollment } from '../../model/entities/enrollment.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { EnrollmentId, IdentityId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Voucher } from '../../model/login.ts';
import type { Millis } from '../../platform/clock.ts';
import type { AttemptLimit } from './attempts.ts';
import type { NewCertificateAuthenticator, NewPasswordAuthenticator } from './authenticators.ts';
import type { NewIdentity } from './identities.ts';

export type NewEnrollment = Omit<Enrollment, 'createdAt' | 'updatedAt'> & {
  /** SHA-256 of the token, base64url. */
  readonly tokenHash: string;
};

/** An enrollment as administrators see it. */
export type ListedEnrollment = Enrollment & { readonly identityName: string };

/** Everything needed to decide about a token, in one read. */
export interface OpenEnrollment {
  readonly enrollment: Enrollment;
  readonly identity: Identity;
  readonly policy: AuthPolicy;
}

export type NewAuthenticator =
  | ({ readonly method: 'cert' } & NewCertificateAuthenticator)
  | ({ readonly method: 'updb' } & NewPasswordAuthenticator);

export interface Redemption {
  readonly tokenHash: string;
  readonly method: TokenMethod;
  /** Of the identity that the token is for. */
  readonly authenticator: NewAuthenticator;
  readonly now: Millis;
}

/** `unknown`: there is no such token, or no longer, with that method for that identity. */
export type RedemptionOutcome = 'enrolled' | 'unknown' | 'expired' | 'disabled';

export interface EnrollmentStore {
  /** Replaces an expired one of the same method. @throws AlreadyTaken `method` if one is still valid */
  create(enrollment: NewEnrollment, now: Millis): Promise<void>;
  /** Creates an identity with its enrollments in one step. @throws AlreadyTaken `name`, `externalId` or `method` */
  createIdentity(identity: NewIdentity, enrollments: readonly NewEnrollment[], now: Millis): Promise<void>;
  find(id: EnrollmentId): Promise<Enrollment | null>;
  /** Even an expired one. */
  findByTokenHash(tokenHash: string): Promise<OpenEnrollment | null>;
  /** All of the named identities. */
  listOf(identityIds: readonly IdentityId[]): Promise<readonly Enrollment[]>;
  /** One as a list shows it. */
  findListed(id: string): Promise<ListedEnrollment | null>;
  list(query: ListQuery): Promise<Page<ListedEnrollment>>;
  /** Replaces the current token, which no longer works. @returns false when there is none */
  renew(
    id: EnrollmentId,
    renewal: Pick<NewEnrollment, 'tokenHash' | 'sealedToken' | 'expiresAt'>,
    now: Millis,
  ): Promise<boolean>;
  /**
   * Uses a token up and gives its identity the authenticator in the same step. Exactly one of any number of concurrent
   * calls does. A disabled identity gets none.
   * @throws AlreadyTaken `certPem`, `username` or `method`; the token can still be used
   */
  redeem(redemption: Redemption): Promise<RedemptionOutcome>;
  /**
   * Creates an identity, with its certificate if there is one, in one step.
   * @param more.voucher the signer or authority by whose rules
   * @param more.limit   counts it; one that is not created does not count
   * @returns `full` when the limit was reached before, `changed` when the voucher was changed meanwhile
   * @throws AlreadyTaken `name`, `externalId` or `certPem`
   */
  enroll(
    identity: NewIdentity,
    more: {
      readonly voucher: Voucher;
      readonly certificate?: NewCertificateAuthenticator | null;
      readonly limit?: AttemptLimit;
    },
    now: Millis,
  ): Promise<'enrolled' | 'full' | 'changed'>;
  /** @returns false when there is none */
  delete(id: EnrollmentId): Promise<boolean>;
}
