import type { Millis } from '../platform/clock.ts';
import type { Tags } from './entities/entity.ts';
import type { RevocationId } from './ids.ts';

export const revocationTypes = ['JTI', 'IDENTITY', 'API_SESSION', 'EXT_JWT_SIGNER', 'CA'] as const;
export type RevocationType = (typeof revocationTypes)[number];

/** Whether it covers several sessions, some of which may be spared. */
export function hasManySessions(type: RevocationType): boolean {
  return type !== 'JTI' && type !== 'API_SESSION';
}

/**
 * An administrator's revocation of one access token, of one API session, or of the sessions of an identity or of
 * everybody whom an external JWT signer or a third-party authority has let in.
 */
export interface Revocation {
  readonly id: RevocationId;
  readonly type: RevocationType;
  /** For several sessions: those opened later continue; null: none did. */
  readonly issuedBefore: Millis | null;
  /** By then every revoked token has expired, and the entry is deleted. */
  readonly expiresAt: Millis;
  readonly tags: Tags;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}
