// The managed entities that administrators describe in full (model/entities/).

import type { AuthPolicy, authPolicyEntity } from '../../model/entities/auth-policy.ts';
import type { caEntity } from '../../model/entities/ca.ts';
import type { ConfigType, configTypeEntity } from '../../model/entities/config-type.ts';
import type { Change, Entity, Some, Stored } from '../../model/entities/entity.ts';
import type { eventSubscriptionEntity } from '../../model/entities/event-subscription.ts';
import type { externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import type { OidcClientSecret, oidcClientEntity } from '../../model/entities/oidc-client.ts';
import type { CaId, OidcClientId, OidcClientSecretId, StoredName } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

/** A stored value before it is stored. */
export type Unstored<E extends Entity> = Omit<Stored<E>, 'createdAt' | 'updatedAt'>;
/** A change of the fields that are present. */
export type PatchOf<E extends Entity> = Some<Omit<Unstored<E>, 'id' | keyof Change<E>>> & Change<E>;

/**
 * Methods for every managed entity. Every change but that of a configuration type adds a change-feed entry, so that it
 * applies everywhere at the next login, token or call.
 */
export interface EntityStore<E extends Entity> {
  find(id: Stored<E>['id']): Promise<Stored<E> | null>;
  list(query: ListQuery): Promise<Page<Stored<E>>>;
  /** The oldest first. */
  listAll(): Promise<readonly Stored<E>[]>;
  /** @throws AlreadyTaken names the field */
  create(value: Unstored<E>, now: Millis): Promise<void>;
  /**
   * @returns false when there is none
   * @throws AlreadyTaken names the field
   */
  update(id: Stored<E>['id'], patch: PatchOf<E>, now: Millis): Promise<boolean>;
  /**
   * @returns false when there is none
   * @throws NotAsSeen `referenced`: something refers to it
   */
  delete(id: Stored<E>['id'], now: Millis): Promise<boolean>;
}

/**
 * `update` changes single members, so that of two simultaneous changes neither undoes the other, and throws
 * NoAdministratorLeft, as `create` does. Both assign policies again if `assignTo` or the order by name may have changed.
 */
export interface AuthPolicyStore extends EntityStore<typeof authPolicyEntity> {
  /** The policies that are assigned to role attributes. */
  listAssigning(): Promise<readonly AuthPolicy[]>;
}

/**
 * If what a signer vouches with or for changes (issuer, audience, keys, claim), `update` ends the sessions that it opened
 * and the logins in progress that depend on it in the same step. Names are unique, and so are pairs of issuer and
 * audience: `AlreadyTaken` names the audience then. `update` and `delete` throw NoAdministratorLeft.
 */
export type ExternalJwtSignerStore = EntityStore<typeof externalJwtSignerEntity>;

/**
 * A new authority does not count until it is verified. If the rule by which certificates name identities changes,
 * `update` ends the sessions and logins in progress of identities found by it in the same step. The certificate must not
 * change: the proof of possession of its key would no longer apply.
 */
export interface CaStore extends EntityStore<typeof caEntity> {
  /**
   * Records a proof of possession of the key. @returns false when that was done before, or there is no such
   * authority
   */
  verify(id: CaId, now: Millis): Promise<boolean>;
}

/** Read at each login that asks for configuration types; not cached. */
export interface ConfigTypeStore extends EntityStore<typeof configTypeEntity> {
  /** The config types that have one of these names. */
  findByNames(names: readonly StoredName[]): Promise<readonly ConfigType[]>;
}

/** `delete` also deletes everything that was or is to be delivered to it. */
export type EventSubscriptionStore = EntityStore<typeof eventSubscriptionEntity>;

/** A change of a secret adds an entry to the change feed, too. `delete` ends the client's sessions and deletes its secrets. */
export interface OidcClientStore extends EntityStore<typeof oidcClientEntity> {
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
