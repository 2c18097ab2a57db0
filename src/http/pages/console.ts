// The console: a shell that is the same for everybody, and the files of its script, which is an OIDC client.

import { consolePage } from '../../pages/app-shells.ts';
import { htmlType, page } from '../request/answer.ts';
import { fixedRoute } from '../request/fixed-route.ts';
import { contentAnswer, type Route } from '../request/route.ts';
import { consolePaths } from './app-paths.ts';
import { bundledFileRoute, bundledFilesPath } from './bundled-files.ts';
import type { Views } from './views.ts';

const common = { api: 'console', errors: 'html-or-edge' } as const;

/** Every screen has its own address. The script decides which screens there are. */
const screens = [
  consolePaths.page,
  `${consolePaths.page}/:screen`,
  `${consolePaths.page}/:screen/:id`,
  `${consolePaths.page}/:screen/:id/:part`,
];

const shells = (views: Views) =>
  [...screens, `${consolePaths.page}/`].map((path) =>
    fixedRoute(path, {
      ...common,
      views,
      // Routers in browsers turn the first screen's address into this one.
      ...(path.endsWith('/') && { aliasOf: consolePaths.page }),
      produces: [htmlType],
      summary: 'Show the console',
      answers: { 200: contentAnswer(htmlType, 'The same page for every visitor') },
      make: async (_place, view) =>
        page(consolePage(view, await bundledFilesPath('console')), { headers: { vary: 'accept-language' } }),
    }),
  );

export function consoleRoutes(views: Views): readonly Route[] {
  return [...shells(views), bundledFileRoute('console', 'Get a script or the styles of the console')];
}
