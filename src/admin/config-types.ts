// Configuration types: the names that clients ask for at login, and the ids that tokens carry for them (z_ct). Tokens
// and sessions that have the id of a deleted one keep it.

import { configTypeEntity } from '../model/entities/config-type.ts';
import { managed } from './entity-rules.ts';

export const configTypes = managed<typeof configTypeEntity>({
  entity: configTypeEntity,
  storeOf: ({ configTypes: stored }) => stored,
});
