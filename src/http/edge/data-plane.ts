// Endpoints that clients of such a controller request besides authentication: services, sessions to them, routers,
// posture. This service has none of these and says so in the form that clients read, so that they start and then idle.
// The answers are the same for all callers.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { isoTime } from '../../platform/clock.ts';
import { pagedList } from '../documents/lists.ts';
import type { Answer } from '../request/answer.ts';
import { listParameters } from '../request/fields.ts';
import { clientApi, dataAnswer, edgeRoutes, listAnswer, type Method, type Route } from '../request/route.ts';

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

const noEntries = z.array(z.never());
const postureSchema = z.strictObject({ services: noEntries });
const routersSchema = z.strictObject({ edgeRouters: noEntries });
const updatesSchema = z.strictObject({ lastChangeAt: z.iso.datetime() });

const at = edgeRoutes(clientApi);

export function dataPlaneRoutes(): readonly Route[] {
  return [
    ...lists.map(([path, what]) =>
      at('GET', path, {
        summary: `List the ${what}; there are none`,
        answer: listAnswer(z.never(), 'No entries'),
        query: listParameters,
        handler: (_context, input) => emptyList(input),
      }),
    ),
    ...entries.map(([method, path, summary]) => at(method, path, { summary, handler: notFound })),
    at('POST', 'sessions', {
      summary: 'Open a session to a service; there is none',
      refusals: ['not_found'],
      body: z.object({ serviceId: z.string() }),
      handler: notFound,
    }),
    at('GET', 'services/:id/edge-routers', {
      summary: 'List the edge routers of a service; there are none',
      answer: dataAnswer(routersSchema, 'No edge routers'),
      data: () => ({ edgeRouters: [] }),
    }),
    at('GET', 'current-api-session/service-updates', {
      summary: 'Read when the services have changed: never',
      answer: dataAnswer(updatesSchema, 'Always the same time'),
      data: () => ({ lastChangeAt: isoTime(0) }),
    }),
    // The reports of clients are not read, because nothing here depends on them.
    posture('posture-response', 201, 'Report posture; it is not read'),
    posture('posture-response-bulk', 200, 'Report posture many times; it is not read'),
  ];
}

function posture(path: string, status: 200 | 201, summary: string): Route {
  const answer = dataAnswer(postureSchema, 'No services depend on it');
  return at('POST', path, { summary, answer, status, data: () => ({ services: [] }) });
}

/** No filter could find anything, so none is read. The answer repeats the requested page. */
export function emptyList(input: { query: z.output<typeof listParameters> }): Promise<Answer> {
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
