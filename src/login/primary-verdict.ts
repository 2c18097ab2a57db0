import type { Challenge } from '../errors/challenge.ts';
import type { Account } from '../model/account.ts';
import type { AuthenticatorId, CaId, SignerId } from '../model/ids.ts';
import type { Verified } from '../model/login.ts';
import type { LoginAccount } from './account.ts';

export interface PasswordProof {
  readonly method: 'password';
  readonly authenticatorId: AuthenticatorId;
  /** The stored hash that the password matched. Recording the login checks it again. */
  readonly verifiedHash: string;
  /**
   * The account, if it was read at the very end of the check and the step that records the login checks again what
   * opened it; null when time may have passed since.
   */
  readonly current: Account | null;
}

export interface CertificateProof {
  readonly method: 'cert';
  /** Null when a claim found the identity. */
  readonly authenticatorId: AuthenticatorId | null;
  /** SHA-256 of the DER leaf, base64url. */
  readonly certThumbprint: string;
  /** DER of those that were sent and lead to the authority, the leaf first. */
  readonly certificates: readonly Buffer[];
  /** See `LoginProgress.caId`. */
  readonly caId: CaId | null;
  /** The external id by which a claim found the identity; null: found otherwise. Recording the login checks it again. */
  readonly externalId: string | null;
}

export interface ExternalJwtProof {
  readonly method: 'ext-jwt';
  readonly signerId: SignerId;
  /** As in `CertificateProof`. */
  readonly externalId: string | null;
}

export type PrimaryProof = PasswordProof | CertificateProof | ExternalJwtProof;

/** What was read for the proof and may have changed since: the step that records the login checks it again. */
export function checkedAgain(proof: PrimaryProof): Verified {
  return proof.method === 'password'
    ? { verifiedHash: proof.verifiedHash, externalId: null }
    : { verifiedHash: null, externalId: proof.externalId };
}

/** What a primary method decided. The reason of a refusal is in the attempt's record, never here. */
export type PrimaryVerdict<Proof extends PrimaryProof = PrimaryProof> =
  | { readonly verdict: 'passed'; readonly account: LoginAccount; readonly proof: Proof }
  | {
      readonly verdict: 'refused';
      /** For methods whose refusal tells the client how to do better (spec 7.2 rule 3). */
      readonly challenges?: readonly Challenge[];
    };
