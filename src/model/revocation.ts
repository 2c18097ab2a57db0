import type { Millis } from '../platform/clock.ts';
import type { Tags } from './identity.ts';
import type { RevocationId } from './ids.ts';

export const revocationTypes = ['JTI', 'IDENTITY', 'API_SESSION', 'EXT_JWT_SIGNER', 'CA'] as const;
export type RevocationType = (typeof revocationTypes)[number];

/** Whether it is about more sessions than one, some of which may be spared. */
export function hasManySessions(type: RevocationType): boolean {
  return type !== 'JTI' && type !== 'API_SESSION';
}

/**
 * That an administrator revoked one access token, one API session, or the sessions of an identity or of all whom an
 * external JWT signer or a third-party authority has let in.
 */
export interface Revocation {
  readonly id: RevocationId;
  readonly type: RevocationType;
  /** Of what has many sessions: those that were opened later continue; null: none did. */
  readonly issuedBefore: Millis | null;
  /** From then on every token that was meant has expired, and the entry goes. */
  readonly expiresAt: Millis;
  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}
