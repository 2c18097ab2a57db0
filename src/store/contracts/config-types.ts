import type { ConfigType, configTypeEntity } from '../../model/entities/config-type.ts';
import type { EntityStore, Unstored } from './entities.ts';

export type NewConfigType = Unstored<typeof configTypeEntity>;

/** Read at each login that asks for configuration types; not cached. */
export interface ConfigTypeStore extends EntityStore<typeof configTypeEntity> {
  /** The config types that have one of these names. */
  findByNames(names: readonly string[]): Promise<readonly ConfigType[]>;
}
