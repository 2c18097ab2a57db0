// Endpoints of the Edge APIs for callers with a session.

import type { z } from 'zod';
import { envelope } from './answer.ts';
import {
  type DeclaredAnswer,
  doneAnswer,
  type Method,
  type Route,
  type RouteDefinition,
  route,
} from './route.ts';

export interface EdgeApi {
  readonly api: 'edge-client' | 'edge-management';
  readonly root: string;
}

export const clientApi: EdgeApi = { api: 'edge-client', root: '/edge/client/v1' };
export const managementApi: EdgeApi = { api: 'edge-management', root: '/edge/management/v1' };

type SessionGuard = 'partial' | 'full' | 'admin';

type Definition<Body extends z.ZodType, Query extends z.ZodType> = RouteDefinition<
  SessionGuard,
  Body,
  Query,
  z.ZodUndefined
>;

export interface EdgeRouteRules<Body extends z.ZodType, Query extends z.ZodType>
  extends Omit<
    Definition<Body, Query>,
    'methods' | 'path' | 'api' | 'errors' | 'guard' | 'answers' | 'body' | 'params' | 'load' | 'handler'
  > {
  /** Of a GET that uses something up: it answers no HEAD. */
  readonly methods?: readonly Method[];
  /** `full` unless given. */
  readonly guard?: SessionGuard;
  /** Of the success; 200 unless given. */
  readonly status?: number;
  /** Rules for a JSON body. */
  readonly body?: Body;
}

type Handler<Body extends z.ZodType, Query extends z.ZodType> = Definition<Body, Query>['handler'];

/**
 * How it answers: without `answer` it never succeeds. `data` makes what the envelope contains; `does` is for what has
 * nothing to say but that it is done.
 */
export type EdgeOutcome<Body extends z.ZodType, Query extends z.ZodType> = OneOf<{
  readonly handler: Handler<Body, Query>;
  data(...given: Parameters<Handler<Body, Query>>): unknown;
  does(...given: Parameters<Handler<Body, Query>>): Promise<unknown>;
}> & { readonly answer?: DeclaredAnswer };

type OneOf<All> = {
  [One in keyof All]: Pick<All, One> & { readonly [Other in Exclude<keyof All, One>]?: never };
}[keyof All];

/**
 * Declares endpoints of one of the Edge APIs.
 * @returns `path` is below the root of the API, without a leading slash
 */
export function edgeRoutes({ api, root }: EdgeApi) {
  return <Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
    method: Method,
    path: string,
    definition: EdgeRouteRules<Body, Query> & EdgeOutcome<Body, Query>,
  ): Route => {
    const { does, data, handler, answer = does && doneAnswer, status = 200, body, ...rules } = definition;
    return route<SessionGuard, Body, Query>({
      // Reading changes nothing, so HEAD is allowed (RFC 9110 section 9.3.2).
      methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
      path: `${root}/${path}`,
      api,
      guard: 'full',
      errors: 'edge',
      ...rules,
      handler: handler ?? answering(data ?? ((...given) => does?.(...given).then(() => ({}))), status),
      answers: answer === undefined ? {} : { [status]: answer },
      ...(body === undefined ? {} : { body: { json: true, form: false, schema: body } }),
    });
  };
}

/** Does not wait for what is there already, as most answers of the endpoints that are called most are. */
function answering<Given extends readonly unknown[]>(data: (...given: Given) => unknown, status: number) {
  const answer = (made: unknown) => envelope(made, {}, { status });
  return (...given: Given) => {
    const made = data(...given);
    return made instanceof Promise ? made.then(answer) : answer(made);
  };
}
