import type { Millis } from '../platform/clock.ts';
import type { IdentityId } from './ids.ts';

/** Permission for a person to choose the password of an identity, once, with a link. An identity has at most one. */
export interface Invitation {
  readonly identityId: IdentityId;
  /** Using it ends every session of the identity. */
  readonly endSessions: boolean;
  /**
   * Made by a helper without other rights: it stops working once the identity is an administrator or has a
   * permission, however long before that it was made.
   */
  readonly isByHelper: boolean;
  /** The address to which the link was mailed, which ends with it. Null: it was not mailed. */
  readonly mailedTo: string | null;
  /** Whether its maker saw the link. Otherwise using it verifies `mailedTo`. */
  readonly isShown: boolean;
  /** It is withdrawn when this person may no longer make it. Null: unknown, as it predates version 18 of the schema. */
  readonly madeBy: IdentityId | null;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}
