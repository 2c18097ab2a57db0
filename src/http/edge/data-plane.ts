// What clients of such a controller ask for besides authentication: services, sessions to them, routers, posture.
// This service has none of it and says so in the shapes that clients read, so that they start and then have nothing
// to do. The answers are the same for everybody who is logged in.

import { z } from 'zod';
import { listQuery } from '../../admin/list-parameters.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { isoTime } from '../../platform/clock.ts';
import { type Answer, envelope } from '../answer.ts';
import { listParameters } from '../management/schemas.ts';
import { type Method, type Route, type RouteDefinition, route } from '../routes.ts';

/** Lists without entries, below the root of the client API. */
const lists = [
  'services',
  'services/:id/terminators',
  'sessions',
  'current-identity/edge-routers',
  'edge-routers',
];
/** Entries of those lists. */
const entries: readonly (readonly [Method, string])[] = [
  ['GET', 'services/:id'],
  ['GET', 'sessions/:id'],
  ['DELETE', 'sessions/:id'],
];

export function dataPlaneRoutes(root: string): readonly Route[] {
  const answering = (method: Method, path: string, handler: () => Answer) =>
    at(root, method, path, { handler });
  return [
    ...lists.map((path) => at(root, 'GET', path, { query: listParameters, handler: emptyList })),
    ...entries.map(([method, path]) => answering(method, path, notFound)),
    at(root, 'POST', 'sessions', {
      body: { json: true, form: false, schema: z.object({ serviceId: z.string() }) },
      handler: notFound,
    }),
    answering('GET', 'services/:id/edge-routers', () => envelope({ edgeRouters: [] })),
    // Always the same time: services have never changed.
    answering('GET', 'current-api-session/service-updates', () => envelope({ lastChangeAt: isoTime(0) })),
    // What clients report is not read: nothing here depends on it.
    answering('POST', 'posture-response', () => envelope({ services: [] }, {}, { status: 201 })),
    answering('POST', 'posture-response-bulk', () => envelope({ services: [] })),
  ];
}

function at<Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
  root: string,
  method: Method,
  path: string,
  rest: Pick<RouteDefinition<'full', Body, Query, z.ZodUndefined>, 'body' | 'query' | 'handler'>,
): Route {
  return route<'full', Body, Query>({
    methods: [method],
    path: `${root}/${path}`,
    api: 'edge-client',
    guard: 'full',
    errors: 'edge',
    ...rest,
  });
}

/** No filter finds anything, so none is read; the page that was asked for is said back. */
function emptyList(
  _context: unknown,
  { query }: { readonly query: z.output<typeof listParameters> },
): Answer {
  const { limit, offset } = listQuery({ limit: query.limit, offset: query.offset }, new Map());
  return envelope([], { filterableFields: [], pagination: { limit: limit ?? 0, offset, totalCount: 0 } });
}

function notFound(): Answer {
  throw new AuthError('not_found');
}
