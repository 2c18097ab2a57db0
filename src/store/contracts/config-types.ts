import type { ConfigType } from '../../model/config-type.ts';
import type { ConfigTypeId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { Millis } from '../../platform/clock.ts';

export type NewConfigType = Omit<ConfigType, 'createdAt' | 'updatedAt'>;
export type ConfigTypePatch = Partial<Omit<NewConfigType, 'id'>>;

/** Read at each login that asks for configuration types; not cached. */
export interface ConfigTypeStore {
  find(id: ConfigTypeId): Promise<ConfigType | null>;
  /** Those that have one of these names. */
  findByNames(names: readonly string[]): Promise<readonly ConfigType[]>;
  list(query: ListQuery): Promise<Page<ConfigType>>;
  /** @throws AlreadyTaken `id` or `name` */
  create(configType: NewConfigType, now: Millis): Promise<void>;
  /**
   * @returns false when there is no such type
   * @throws AlreadyTaken `name`
   */
  update(id: ConfigTypeId, patch: ConfigTypePatch, now: Millis): Promise<boolean>;
  /** @returns false when there is none */
  delete(id: ConfigTypeId): Promise<boolean>;
}
