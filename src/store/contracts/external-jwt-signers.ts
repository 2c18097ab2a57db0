import type { ExternalJwtSigner, externalJwtSignerEntity } from '../../model/entities/external-jwt-signer.ts';
import type { EntityStore, Unstored } from './entities.ts';

export type NewExternalJwtSigner = Unstored<typeof externalJwtSignerEntity>;

/**
 * Every change adds a change-feed entry, so that it applies everywhere at the next token. If what a signer vouches with
 * or for changes (issuer, audience, keys, claim), `update` ends the sessions that it opened and the logins in progress
 * that depend on it in the same step. Names are unique, and so are pairs of issuer and audience: `AlreadyTaken` names
 * the audience then. `update` and `delete` throw NoAdministratorLeft; nothing is deleted while an auth policy names the
 * signer.
 */
export interface ExternalJwtSignerStore
  extends EntityStore<typeof externalJwtSignerEntity, 'deleted' | 'referenced' | 'unknown'> {
  /** All of them, including disabled ones. */
  listAll(): Promise<readonly ExternalJwtSigner[]>;
}
