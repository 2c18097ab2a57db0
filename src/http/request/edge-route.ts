// Endpoints of the Edge APIs for callers with a session.

import type { z } from 'zod';
import { type DeclaredAnswer, type Method, type Route, type RouteDefinition, route } from './route.ts';

export interface EdgeApi {
  readonly api: 'edge-client' | 'edge-management';
  readonly root: string;
}

export const clientApi: EdgeApi = { api: 'edge-client', root: '/edge/client/v1' };
export const managementApi: EdgeApi = { api: 'edge-management', root: '/edge/management/v1' };

type SessionGuard = 'partial' | 'full' | 'admin';

export interface EdgeRouteDefinition<Body extends z.ZodType, Query extends z.ZodType>
  extends Omit<
    RouteDefinition<SessionGuard, Body, Query, z.ZodUndefined>,
    'methods' | 'path' | 'api' | 'errors' | 'guard' | 'answers' | 'body' | 'params' | 'load'
  > {
  /** Of a GET that uses something up: it answers no HEAD. */
  readonly methods?: readonly Method[];
  /** `full` unless given. */
  readonly guard?: SessionGuard;
  /** The success; undefined: there is none. Its status is 200 unless given. */
  readonly answer?: DeclaredAnswer;
  readonly status?: number;
  /** Rules for a JSON body. */
  readonly body?: Body;
}

/**
 * Declares endpoints of one of the Edge APIs.
 * @returns `path` is below the root of the API, without a leading slash
 */
export function edgeRoutes({ api, root }: EdgeApi) {
  return <Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
    method: Method,
    path: string,
    { answer, status = 200, body, ...rules }: EdgeRouteDefinition<Body, Query>,
  ): Route =>
    route<SessionGuard, Body, Query>({
      // Reading changes nothing, so HEAD is allowed (RFC 9110 section 9.3.2).
      methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
      path: `${root}/${path}`,
      api,
      guard: 'full',
      errors: 'edge',
      ...rules,
      answers: answer === undefined ? {} : { [status]: answer },
      ...(body === undefined ? {} : { body: { json: true, form: false, schema: body } }),
    });
}
