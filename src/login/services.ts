// The services that the rules of a login use. They are composed once, in controller/; a rule that others use with less
// says so by `Pick`.

import type { Account } from '../model/account.ts';
import type { AuditTrail, RequestOrigin } from '../model/audit-event.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { AttemptLog, AttemptRecorder } from '../model/login-attempt.ts';
import type { Mailing } from '../model/mail.ts';
import type { PasskeyRules } from '../model/passkey.ts';
import type { Clock } from '../platform/clock.ts';
import type { JwksCache } from '../platform/jwk/jwks-cache.ts';
import type { Random } from '../platform/random.ts';
import type { HashAsker } from '../platform/secrets/hash-pool.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import type { DailySealer } from '../platform/secrets/sealed-box.ts';
import type { PathCertificate } from '../platform/x509/path-certificate.ts';
import type { AttemptLimit } from '../store/contracts/attempts.ts';
import type { Store, StoreForCallers } from '../store/contracts/store.ts';
import type { RevocationStatuses } from './certificate/revocation.ts';
import type { TrustedAuthorities } from './certificate/trusted-authorities.ts';
import type { ValidExternalJwt } from './external-jwt/external-jwt-verdict.ts';
import type { SignerDirectory } from './external-jwt/signer-directory.ts';

export interface LoginServices {
  /** Without the methods that grant or remove power. */
  readonly store: StoreForCallers;
  readonly clock: Clock;
  readonly random: Random;
  readonly audit: AuditTrail;
  readonly attempts: AttemptLog;
  readonly hasher: PasswordHasher;
  readonly signers: SignerDirectory;
  readonly newcomers: Newcomers;
  readonly authorities: TrustedAuthorities;
  /** Revocations by third-party authorities. */
  readonly revocations: RevocationStatuses;
  readonly jwks: JwksCache;
  readonly vault: KeyVault;
  /** See `unknownNameMark`. */
  readonly unknownNameKey: Buffer;
  /** Server secret under which recovery codes are hashed. */
  readonly recoveryKey: Buffer;
  /** Server secret under which opaque tokens are made. */
  readonly tagKey: Buffer;
  /** Client ids of existing programs, whose sessions need no fresh proof for the authenticator app. */
  readonly clientsWithoutFreshProof: ReadonlySet<string>;
  /** Seals the questions that are asked of passkeys. */
  readonly passkeyQuestions: DailySealer;
  /** The passkeys that all auth policies together allow, from memory. */
  readonly passkeyRules: () => PasskeyRules;
  /** Server secret from which passkeys are made up for names that have none. */
  readonly decoyKey: Buffer;
  /** The domain to which passkeys belong; null: the host of each bind point. */
  readonly passkeyRpId: string | null;
  /** Of the makers whose word for the model of an authenticator counts. */
  readonly authenticatorRoots: readonly PathCertificate[];
  /** The name that authenticator apps and passkeys show. */
  readonly totpIssuer: string;
  /** Seals the links for forgotten passwords, and what people typed to get one. */
  readonly resets: DailySealer;
  /** Null: no mail server is configured. */
  readonly mailing: Mailing | null;
  /** How many live sessions one identity may have, of each kind. */
  readonly maxSessionsPerIdentity: number;
}

/** An identity that a first login would create. */
export type PlannedIdentity = Pick<
  Identity,
  'name' | 'externalId' | 'email' | 'emailVerified' | 'roleAttributes' | 'authPolicyId' | 'authPolicyFrom'
>;

/** People whom a valid token of a signer names for the first time (enrollment/new-identity.ts). */
export interface Newcomers {
  /** Null, which is recorded: none would be created. Creates nothing. */
  plan(jwt: ValidExternalJwt, attempt: AttemptRecorder): Promise<PlannedIdentity | null>;
  /** How many identities a signer creates, also of people who enroll. Those who cannot be admitted do not count. */
  limitOf(signer: ExternalJwtSigner): AttemptLimit;
  /**
   * Creates the identity, or returns the one that another login has just created for the same claim. Null, which is
   * recorded: there is none.
   */
  admit(jwt: ValidExternalJwt, attempt: AttemptRecorder, origin: RequestOrigin): Promise<Account | null>;
}

/** Services to enroll TOTP, in a login or in the name of a caller. */
export type TotpEnrollmentServices = LoginServices & { readonly store: Pick<Store, 'totp'> };
/** Services to validate a certificate. */
export type CertificateServices = Pick<LoginServices, 'authorities' | 'revocations' | 'clock'>;
/** Services to verify an external JWT. */
export type SignerKeyServices = Pick<LoginServices, 'jwks' | 'clock'>;

export type ExternalJwtServices = SignerKeyServices & Pick<LoginServices, 'signers'>;

/**
 * Hashes passwords in a bounded pool. Its promises reject when the queue is full, at least for the source: an address, or
 * the id of the identity where that is known; and when the client has gone before its turn.
 */
export interface PasswordHasher {
  /**
   * Whether the password matches the hash. Null stands for an unknown user: the same work, and false. Also false for
   * text that can never be a password.
   */
  matches(phc: string | null, password: string, asker: HashAsker): Promise<boolean>;
  /** A PHC string with the current parameters. @throws MalformedInput for text that cannot be a password */
  hash(password: string, source: string): Promise<string>;
  /** Whether a stored hash has other parameters than `hash` would use now. */
  isOutdated(phc: string): boolean;
}
