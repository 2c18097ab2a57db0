// What clients of such a controller request apart from authentication: services, sessions to them, routers, posture.
// This service has none of these and says so in the form that clients read, so that they start and then idle. Everybody
// who is logged in gets the same answers.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { isoTime } from '../../platform/clock.ts';
import { pagedList } from '../documents/lists.ts';
import { type Answer, envelope } from '../request/answer.ts';
import { listParameters } from '../request/fields.ts';
import {
  type DeclaredAnswers,
  dataAnswer,
  listAnswer,
  type Method,
  type Route,
  type RouteDefinition,
  route,
} from '../request/route.ts';

/** Lists without entries, below the root of the client API. */
const lists: readonly (readonly [path: string, what: string])[] = [
  ['services', 'services'],
  ['services/:id/terminators', 'terminators of a service'],
  ['sessions', 'sessions to services'],
  ['edge-routers', 'edge routers'],
  ['current-identity/edge-routers', 'edge routers of the caller'],
];
/** Single entries of those lists. */
const entries: readonly (readonly [method: Method, path: string, summary: string])[] = [
  ['GET', 'services/:id', 'Read a service; there is none'],
  ['GET', 'sessions/:id', 'Read a session to a service; there is none'],
  ['DELETE', 'sessions/:id', 'End a session to a service; there is none'],
];

/** These endpoints never succeed. */
const never: DeclaredAnswers = {};
const noEntries = z.array(z.never());
const postureSchema = z.strictObject({ services: noEntries });
const routersSchema = z.strictObject({ edgeRouters: noEntries });
const updatesSchema = z.strictObject({ lastChangeAt: z.iso.datetime() });

export function dataPlaneRoutes(root: string): readonly Route[] {
  return [
    ...lists.map(([path, what]) =>
      at(
        root,
        { method: 'GET', path },
        {
          summary: `List the ${what}; there are none`,
          answers: { 200: listAnswer(z.never(), 'No entries') },
          query: listParameters,
          handler: (_context, input) => emptyList(input),
        },
      ),
    ),
    ...entries.map(([method, path, summary]) =>
      at(root, { method, path }, { summary, answers: never, handler: notFound }),
    ),
    at(
      root,
      { method: 'POST', path: 'sessions' },
      {
        summary: 'Open a session to a service; there is none',
        answers: never,
        refusals: ['not_found'],
        body: { json: true, form: false, schema: z.object({ serviceId: z.string() }) },
        handler: notFound,
      },
    ),
    at(
      root,
      { method: 'GET', path: 'services/:id/edge-routers' },
      {
        summary: 'List the edge routers of a service; there are none',
        answers: { 200: dataAnswer(routersSchema, 'No edge routers') },
        handler: () => envelope({ edgeRouters: [] }),
      },
    ),
    at(
      root,
      { method: 'GET', path: 'current-api-session/service-updates' },
      {
        summary: 'Read when the services have changed: never',
        answers: { 200: dataAnswer(updatesSchema, 'Always the same time') },
        handler: () => envelope({ lastChangeAt: isoTime(0) }),
      },
    ),
    // What clients report is not read, because nothing here depends on it.
    posture(root, 'posture-response', { status: 201, summary: 'Report posture; it is not read' }),
    posture(root, 'posture-response-bulk', {
      status: 200,
      summary: 'Report posture many times; it is not read',
    }),
  ];
}

function posture(
  root: string,
  path: string,
  { status, summary }: { readonly status: 200 | 201; readonly summary: string },
): Route {
  const answers: DeclaredAnswers = { [status]: dataAnswer(postureSchema, 'No services depend on it') };
  const handler = () => envelope({ services: [] }, {}, { status });
  return at(root, { method: 'POST', path }, { summary, answers, handler });
}

function at<Body extends z.ZodType = z.ZodUndefined, Query extends z.ZodType = z.ZodUndefined>(
  root: string,
  { method, path }: { readonly method: Method; readonly path: string },
  rest: Pick<
    RouteDefinition<'full', Body, Query, z.ZodUndefined>,
    'summary' | 'answers' | 'refusals' | 'body' | 'query' | 'handler'
  >,
): Route {
  return route<'full', Body, Query>({
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    path: `${root}/${path}`,
    api: 'edge-client',
    guard: 'full',
    errors: 'edge',
    ...rest,
  });
}

/** No filter could find anything, so none is read. The answer repeats the requested page. */
export function emptyList(input: { readonly query: z.output<typeof listParameters> }): Promise<Answer> {
  const { limit, offset } = input.query;
  const asked = {
    parameters: { limit, offset },
    fields: new Map(),
    reader: { source: '', isAdmin: false },
  } as const;
  return pagedList(asked, async () => ({ items: [], totalCount: 0, totalCountIsEstimate: false }));
}

function notFound(): Answer {
  throw new AuthError('not_found');
}
