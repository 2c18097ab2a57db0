import type { OidcClient, OidcClientSecret, oidcClientEntity } from '../../model/entities/oidc-client.ts';
import type { OidcClientId, OidcClientSecretId } from '../../model/ids.ts';
import type { Millis } from '../../platform/clock.ts';
import type { EntityStore, Unstored } from './entities.ts';

export type NewOidcClient = Unstored<typeof oidcClientEntity>;

/** Every change of a client or its secrets adds a change-feed entry, so that it applies at once on every node. */
export interface OidcClientStore extends EntityStore<typeof oidcClientEntity> {
  listAll(): Promise<readonly OidcClient[]>;
  /** Ends the client's sessions and deletes its secrets. @returns false when there is no such client */
  delete(id: OidcClientId, now: Millis): Promise<boolean>;
  /** Oldest first. */
  listSecrets(id: OidcClientId): Promise<readonly OidcClientSecret[]>;
  /**
   * If called concurrently, no more calls succeed than there is room for.
   * @returns `full` when the client has as many as it may have, `unknown` when there is no such client
   */
  addSecret(
    secret: Omit<OidcClientSecret, 'lastUsedAt' | 'createdAt'>,
    now: Millis,
  ): Promise<'added' | 'full' | 'unknown'>;
  /** @returns false when the client has no such secret */
  deleteSecret(id: OidcClientId, secretId: OidcClientSecretId, now: Millis): Promise<boolean>;
  /** Records that a secret was used. Adds no change-feed entry. */
  noteSecretUse(secretId: OidcClientSecretId, now: Millis): Promise<void>;
  /** Adds to the scopes that were asked for in vain. Changes nothing, and not the feed either, if it has them all. */
  noteDroppedScopes(id: OidcClientId, scopes: readonly string[], now: Millis): Promise<void>;
  /**
   * Uses up an assertion (RFC 7523 3): exactly one of several calls with the same key gets true.
   * @param key       hash of the client's id and the `jti`
   * @param expiresAt until when it has to be remembered
   */
  useAssertion(key: string, expiresAt: Millis): Promise<boolean>;
}
