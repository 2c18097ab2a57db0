import type { ConfigTypeId } from '../ids.ts';
import * as field from './entity.ts';
import { entity, type Stored } from './entity.ts';

export const configTypeEntity = entity<ConfigTypeId>()({
  kind: 'config-type',
  table: 'config_types',
  collection: 'config-types',
  document: 'ConfigType',
  noun: 'a configuration type',
  hasChosenId: true,
  fields: {
    /** Unique. */
    name: field.name({ isListed: true }),
    tags: field.tags(),
  },
  options: { id: 'the id that clients use for it' },
});

/** A kind of configuration that clients may ask for at login. Other parts of the overlay define its contents. */
export type ConfigType = Stored<typeof configTypeEntity>;
