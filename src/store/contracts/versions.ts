// Versions of managed entities, so that a change can require that there was no other change meanwhile.

import type { EntityKind } from '../../model/entities/entity.ts';

/** The entities that have versions, by the names of the management API's collections. */
export type VersionedEntity =
  | 'identities'
  | 'authenticators'
  | 'auth-policies'
  | 'external-jwt-signers'
  | 'cas'
  | 'config-types'
  | 'event-subscriptions'
  | 'oidc-clients';

export interface VersionStore {
  /**
   * @returns base64url, the same on every node, and different after every change of the entity's own fields; null when
   * there is no such entity
   */
  find(entity: VersionedEntity | EntityKind, id: string): Promise<string | null>;
}

/** An entity that must still be as the caller has read it. */
export interface Unchanged {
  readonly entity: VersionedEntity;
  readonly id: string;
  /** Its version has to be one of these. */
  readonly versions: readonly string[];
}
