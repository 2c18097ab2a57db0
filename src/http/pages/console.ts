// The console: a shell that is the same for everybody, and the files of its script, which is an OIDC client.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { consolePage } from '../../pages/console.ts';
import { consoleFiles } from '../../pages/console-files.ts';
import { htmlType, page } from '../request/answer.ts';
import { contentAnswer } from '../request/declared-answers.ts';
import { type Route, route } from '../request/route.ts';
import { immutable } from '../request/security-headers.ts';
import { consolePaths } from './console-paths.ts';
import type { Views } from './views.ts';

const common = { api: 'console', guard: 'anonymous', errors: 'html-or-edge' } as const;
const filesRoot = '/assets/console';

/** Every screen has an address of its own; which there are is the script's business. */
const screens = [
  consolePaths.page,
  `${consolePaths.page}/:screen`,
  `${consolePaths.page}/:screen/:id`,
  `${consolePaths.page}/:screen/:id/:part`,
];

const shells = (views: Views) =>
  [...screens, `${consolePaths.page}/`].map((path) =>
    route({
      ...common,
      methods: ['GET'],
      path,
      // What routers in browsers make of the first screen.
      ...(path.endsWith('/') && { aliasOf: consolePaths.page }),
      produces: [htmlType],
      summary: 'Show the console',
      answers: { 200: contentAnswer(htmlType, 'The same page for everybody') },
      async handler(context) {
        const { version } = await consoleFiles();
        return page(consolePage(views(context), `${filesRoot}/${version}`), {
          scripts: true,
          headers: { vary: 'origin, accept-language' },
        });
      },
    }),
  );

const file = route({
  ...common,
  methods: ['GET', 'HEAD'],
  path: `${filesRoot}/:version/:name`,
  produces: ['text/javascript', 'text/css'],
  summary: 'Get a script or the styles of the console',
  answers: {
    200: { description: 'The file', content: { 'text/javascript': z.string(), 'text/css': z.string() } },
  },
  async handler({ params, headers }) {
    const { version, byName } = await consoleFiles();
    const found = byName.get(params.name ?? '');
    if (found === undefined || params.version !== version) throw new AuthError('not_found');
    const isBrotli = /(?:^|,)\s*br\s*(?:,|$)/.test(String(headers['accept-encoding'] ?? ''));
    return {
      status: 200,
      headers: {
        'content-type': found.contentType,
        vary: 'origin, accept-encoding',
        ...(isBrotli && { 'content-encoding': 'br' }),
        ...immutable,
      },
      body: isBrotli ? found.brotli : found.plain,
    };
  },
});

export function consoleRoutes(views: Views): readonly Route[] {
  return [...shells(views), file];
}
