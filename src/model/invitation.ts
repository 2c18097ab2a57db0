import type { Millis } from '../platform/clock.ts';
import type { IdentityId } from './ids.ts';

/** Leave for a person to choose the password of an identity, once, by a link. An identity has at most one. */
export interface Invitation {
  readonly identityId: IdentityId;
  /** Using it ends every session of the identity. */
  readonly endSessions: boolean;
  /**
   * Made by somebody who may help people and no more: worthless once the identity administers or has a permission,
   * however long before that it was made.
   */
  readonly isByHelper: boolean;
  /** It is withdrawn when they may not make it any more. Null: nobody knows who made it, as it is from before version 18 of the schema. */
  readonly madeBy: IdentityId | null;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}
