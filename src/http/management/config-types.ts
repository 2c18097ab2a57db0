import { configTypes } from '../../admin/config-types.ts';
import type { Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { entityRoutes } from './entity-routes.ts';

/** `/config-types`: names and ids, for what clients ask for at login. */
export function configTypeRoutes(needs: EdgeServices): readonly Route[] {
  return entityRoutes(configTypes, needs, {
    list: (query) => needs.store.configTypes.list(query),
    ignoredMembers: ['schema'],
  });
}
