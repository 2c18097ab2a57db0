import type { AuthPolicyRules } from '../../model/entities/auth-policy.ts';
import type { caEntity } from '../../model/entities/ca.ts';
import type { configTypeEntity } from '../../model/entities/config-type.ts';
import type { externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import type { asSent, Identity } from '../../model/entities/identity.ts';
import type { AuthPolicyId, IdentityId } from '../../model/ids.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewCertificateAuthenticator, NewPasswordAuthenticator } from './authenticators.ts';
import type { NewEnrollment } from './enrollments.ts';
import type { Unstored } from './entities.ts';

/** Kinds of imported entities. Each comes after those it refers to. */
export const importKinds = [
  'auth-policy',
  'ext-jwt-signer',
  'ca',
  'config-type',
  'identity',
  'authenticator',
  'totp',
  'enrollment',
] as const;
export type ImportKind = (typeof importKinds)[number];

/** One entity in the source. */
interface Imported {
  /** Hash of the entity in the source, which shows whether it has changed there since. */
  readonly digest: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Without `assignTo`, which the source does not have either. */
export type ImportedAuthPolicy = Imported & {
  readonly id: AuthPolicyId;
  readonly rules: Omit<AuthPolicyRules, 'assignTo'>;
};
export type ImportedSigner = Imported & { readonly signer: Unstored<typeof externalJwtSignerEntity> };
export type ImportedCa = Imported & { readonly ca: Unstored<typeof caEntity> };
export type ImportedConfigType = Imported & { readonly configType: Unstored<typeof configTypeEntity> };
/** Without an email address, which the source does not have: an address that was entered here stays. */
export type ImportedIdentity = Imported & {
  readonly identity: Omit<
    ReturnType<typeof asSent<Identity>>,
    'createdAt' | 'updatedAt' | 'email' | 'emailVerified' | 'lastLoginAt'
  >;
};

export type ImportedAuthenticator = Imported &
  (
    | { readonly method: 'updb'; readonly password: NewPasswordAuthenticator }
    | {
        readonly method: 'cert';
        readonly certificate: NewCertificateAuthenticator;
        readonly isExtendRequested: boolean;
        readonly isKeyRollRequested: boolean;
        readonly successor: { readonly certPem: string; readonly thumbprint: string } | null;
      }
  );

export type ImportedTotp = Imported & {
  readonly identityId: IdentityId;
  readonly sealedSeed: string;
  /** Keyed hashes of the unused codes. */
  readonly recoveryHashes: readonly string[];
};

export type ImportedEnrollment = Imported & { readonly enrollment: NewEnrollment };

/** The entities that one step imports, each kind in the order of the source. */
export interface ImportBatch {
  readonly authPolicies: readonly ImportedAuthPolicy[];
  readonly signers: readonly ImportedSigner[];
  readonly cas: readonly ImportedCa[];
  readonly configTypes: readonly ImportedConfigType[];
  readonly identities: readonly ImportedIdentity[];
  readonly authenticators: readonly ImportedAuthenticator[];
  readonly totp: readonly ImportedTotp[];
  readonly enrollments: readonly ImportedEnrollment[];
}

/**
 * - `created`: it did not exist here
 * - `changed`: the source has changed since it was imported, and the entity was not changed here
 * - `unchanged`: the source has not changed since it was imported; changes that were made here stay
 * - `conflict`: something different exists here, and stays
 */
export type ImportStatus = 'created' | 'changed' | 'unchanged' | 'conflict';

export interface ImportOutcome {
  readonly kind: ImportKind;
  readonly id: string;
  readonly status: ImportStatus;
  /** In a conflict: the other entity. */
  readonly reason: string | null;
  /** The identity for whose name that of the imported entity passes: it is kept as the source has it. */
  readonly passesFor: string | null;
}

export interface ImportStore {
  /**
   * Imports everything in one step, or nothing. Where the two disagree, what exists here stays.
   * @param dryRun only computes the result, and changes nothing
   * @returns one outcome for each entity, in the order of the kinds
   * @throws NoAdministratorLeft   the policies of the source would lock the last administrator out
   */
  take(batch: ImportBatch, now: Millis, dryRun: boolean): Promise<readonly ImportOutcome[]>;
}
