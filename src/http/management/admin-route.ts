import type { z } from 'zod';
import type { Permission } from '../../model/permission.ts';
import { type EdgeOutcome, type EdgeRouteRules, edgeRoutes, managementApi } from '../request/edge-route.ts';
import type { Method, Route } from '../request/route.ts';

export const { root: managementRoot } = managementApi;
const at = edgeRoutes(managementApi);

type AdminRouteDefinition<Body extends z.ZodType, Query extends z.ZodType> = Omit<
  EdgeRouteRules<Body, Query>,
  'permission' | 'guard'
> &
  EdgeOutcome<Body, Query> & {
    /** Who may call apart from administrators; null: nobody. By default `read` for GET and nobody for the others. */
    readonly permission?: Permission | null;
  };

/**
 * An endpoint of the management API, for administrators and those who have the permission.
 * @param path below the root of the API, without a leading slash
 */
export function adminRoute<Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
  method: Method,
  path: string,
  { permission = method === 'GET' ? 'read' : null, ...rules }: AdminRouteDefinition<Body, Query>,
): Route {
  const asked = permission === null ? {} : { permission };
  return at<Body, Query>(method, path, { refusals: [], ...rules, ...asked, guard: 'admin' });
}
