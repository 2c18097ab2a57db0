import type { ExternalJwtSigner } from '../../model/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

export type NewExternalJwtSigner = Omit<ExternalJwtSigner, 'createdAt' | 'updatedAt'>;

/** Only the members that are present are changed. */
export type ExternalJwtSignerPatch = Partial<Omit<NewExternalJwtSigner, 'id'>>;

/** Every change leaves a change-feed entry, so that it applies at the next token everywhere. */
export interface ExternalJwtSignerStore {
  find(id: SignerId): Promise<ExternalJwtSigner | null>;
  list(query: ListQuery): Promise<Page<ExternalJwtSigner>>;
  /** All of them, the disabled ones too. */
  listAll(): Promise<readonly ExternalJwtSigner[]>;
  /** @throws AlreadyTaken `name`, or `audience` when another signer has the same issuer and audience */
  create(signer: NewExternalJwtSigner, now: Millis): Promise<void>;
  /**
   * Changes a signer. When what it vouches with changes, or for whom (issuer, audience, keys, claim), the sessions that
   * it has opened and the logins in progress that rest on it end in the same step.
   * @returns false when there is no such signer
   * @throws AlreadyTaken as when creating
   * @throws NoAdministratorLeft
   */
  update(id: SignerId, patch: ExternalJwtSignerPatch, now: Millis): Promise<boolean>;
  /**
   * `referenced` when an auth policy names the signer; nothing is deleted then.
   * @throws NoAdministratorLeft
   */
  delete(id: SignerId, now: Millis): Promise<'deleted' | 'referenced' | 'unknown'>;
}
