import { stylesheet } from '../pages/stylesheet.ts';
import { contentAnswer } from './declared-answers.ts';
import { type Route, route } from './routes.ts';
import { immutable } from './security-headers.ts';

/** The files that pages refer to. */
export const assetRoutes: readonly Route[] = [
  route({
    methods: ['GET', 'HEAD'],
    path: stylesheet.path,
    api: 'pages',
    guard: 'anonymous',
    errors: 'html-or-edge',
    produces: ['text/css'],
    summary: 'Get the stylesheet of the pages',
    answers: { 200: contentAnswer('text/css', 'The stylesheet') },
    handler: () => ({
      status: 200,
      headers: { 'content-type': 'text/css; charset=utf-8', ...immutable },
      body: stylesheet.text,
    }),
  }),
];
