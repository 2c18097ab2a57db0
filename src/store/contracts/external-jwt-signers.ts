import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

export type NewExternalJwtSigner = Omit<ExternalJwtSigner, 'createdAt' | 'updatedAt'>;

/** Only the members that are present are changed. */
export type ExternalJwtSignerPatch = Partial<Omit<NewExternalJwtSigner, 'id'>>;

/** Every change adds a change-feed entry, so that it applies everywhere at the next token. */
export interface ExternalJwtSignerStore {
  find(id: SignerId): Promise<ExternalJwtSigner | null>;
  list(query: ListQuery): Promise<Page<ExternalJwtSigner>>;
  /** All of them, including disabled ones. */
  listAll(): Promise<readonly ExternalJwtSigner[]>;
  /** @throws AlreadyTaken `name`, or `audience` when another signer has the same issuer and audience */
  create(signer: NewExternalJwtSigner, now: Millis): Promise<void>;
  /**
   * Changes a signer. If what it vouches with or for changes (issuer, audience, keys, claim), the sessions that it
   * opened and the logins in progress that depend on it end in the same step.
   * @returns false when there is no such signer
   * @throws AlreadyTaken as when creating
   * @throws NoAdministratorLeft
   */
  update(id: SignerId, patch: ExternalJwtSignerPatch, now: Millis): Promise<boolean>;
  /**
   * `referenced` when an auth policy names the signer. Nothing is deleted then.
   * @throws NoAdministratorLeft
   */
  delete(id: SignerId, now: Millis): Promise<'deleted' | 'referenced' | 'unknown'>;
}
