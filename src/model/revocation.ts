import type { Millis } from '../platform/clock.ts';
import type { Tags } from './identity.ts';
import type { RevocationId } from './ids.ts';

export const revocationTypes = ['JTI', 'IDENTITY', 'API_SESSION'] as const;
export type RevocationType = (typeof revocationTypes)[number];

/** That an administrator revoked one access token, the sessions of an identity, or one API session. */
export interface Revocation {
  readonly id: RevocationId;
  readonly type: RevocationType;
  /** IDENTITY only: sessions that were opened later go on; null: none did. */
  readonly issuedBefore: Millis | null;
  /** From then on every token that was meant has expired, and the entry goes. */
  readonly expiresAt: Millis;
  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}
