import type { IdentityId } from '../../model/ids.ts';
import type { Millis } from '../../platform/clock.ts';

/** A seed that was shown to the person and is not verified yet. It belongs to the flow that showed it. */
export interface PendingTotp {
  readonly identityId: IdentityId;
  /** The seed and the recovery codes, sealed under the key-encryption key with the flow's key as label. */
  readonly sealedSeed: string;
  readonly recoveryHashes: readonly string[];
  readonly expiresAt: Millis;
}

export interface TotpEnrollment {
  readonly identityId: IdentityId;
  readonly sealedSeed: string;
  readonly enrolledAt: Millis;
  readonly recoveryCodesLeft: number;
}

/** The proof by a code. A change that it permits is made only while this holds. */
export interface TotpProof {
  /** Of the app that the code was of. */
  readonly enrolledAt: Millis;
  /** Of the recovery code, which counts until the codes are replaced; null for a code of the app. */
  readonly recoveryHash: string | null;
}

export interface TotpStore {
  find(identityId: IdentityId): Promise<TotpEnrollment | null>;
  /** Which of the identities are enrolled. */
  enrolledAmong(identityIds: readonly IdentityId[]): Promise<ReadonlySet<IdentityId>>;
  /** The pending enrollment of a flow: the key of an authorization request or the id of a session. */
  findPending(flow: string, now: Millis): Promise<PendingTotp | null>;
  /**
   * Stores a pending enrollment. `exists` when this flow has one already, or the identity is enrolled and this does not
   * replace that, or what permits the replacement no longer holds.
   */
  start(
    flow: string,
    pending: PendingTotp & { readonly replaces?: TotpProof | undefined },
    now: Millis,
  ): Promise<'started' | 'exists'>;
  /**
   * Makes the flow's pending enrollment the identity's, with `step` as its first accepted step. Deletes other pending
   * enrollments of the identity. Adds a change-feed entry.
   * @param enrollment.replaces removes the enrollment that the identity has, with its recovery codes, in the same step
   * @returns false when the flow has none, or the identity was enrolled meanwhile by another flow
   */
  verify(
    flow: string,
    enrollment: { sealedSeed: string; step: number; now: Millis; replaces?: boolean },
  ): Promise<boolean>;
  /** Abandons the flow's pending enrollment. False when there was none. */
  abandon(flow: string): Promise<boolean>;
  /**
   * Accepts a time step (RFC 6238 5.2): true for exactly one caller, and never for a step at or before an accepted one,
   * nor for one of an app that was replaced.
   */
  burnStep(identityId: IdentityId, enrolledAt: Millis, step: number): Promise<boolean>;
  /** Whether the identity has or had this recovery code since the codes were last replaced. */
  knowsRecoveryCode(identityId: IdentityId, hash: string): Promise<boolean>;
  /** Uses up a recovery code: true for exactly one caller. */
  burnRecoveryCode(identityId: IdentityId, hash: string, now: Millis): Promise<boolean>;
  /**
   * Replaces every recovery code, and deletes the pending enrollments of the identity: one may have been begun with a
   * code that was found. False when the proof no longer holds.
   */
  replaceRecoveryCodes(identityId: IdentityId, hashes: readonly string[], proof: TotpProof): Promise<boolean>;
  /**
   * Deletes enrollment and recovery codes, and forgets wrong codes and their lock. False when there was none, or the proof
   * no longer holds. Adds a change-feed entry.
   * @param proof null for an administrator, who needs none
   */
  remove(identityId: IdentityId, now: Millis, proof: TotpProof | null): Promise<boolean>;
}
