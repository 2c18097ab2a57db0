// Versions of what administrators change, so that a change can ask that nobody else has made one meanwhile.

/** What has versions, as the management API calls its collections. */
export type VersionedEntity =
  | 'identities'
  | 'authenticators'
  | 'auth-policies'
  | 'external-jwt-signers'
  | 'cas'
  | 'config-types'
  | 'oidc-clients';

export interface VersionStore {
  /**
   * @returns base64url, another one after every change of the entity's own fields, and the same on every node; null when
   *   there is no such entity
   */
  find(entity: VersionedEntity, id: string): Promise<string | null>;
}

/** An entity that must still be as somebody has read it. */
export interface Unchanged {
  readonly entity: VersionedEntity;
  readonly id: string;
  /** One of these is the version that it has. */
  readonly versions: readonly string[];
}
