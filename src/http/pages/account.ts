// The start page and the account page: a shell that is the same for everybody, and the files of its script, which is an
// OIDC client.

import { accountPage } from '../../pages/app-shells.ts';
import { homePage } from '../../pages/home.ts';
import { htmlType, page, redirect } from '../request/answer.ts';
import { contentAnswer, redirectAnswer } from '../request/declared-answers.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type Route, route } from '../request/route.ts';
import { accountPaths } from './account-paths.ts';
import { bundledFileRoute, bundledFilesPath } from './bundled-files.ts';
import { consoleOf } from './console-paths.ts';
import type { Views } from './views.ts';

const common = { api: 'account', guard: 'anonymous', errors: 'html-or-edge' } as const;

const pathsOf = async (context: RequestContext) => ({
  files: await bundledFilesPath('account'),
  console: consoleOf(context),
});

const shells = (views: Views) =>
  Object.values(accountPaths).map((path) =>
    route({
      ...common,
      methods: ['GET'],
      path,
      produces: [htmlType],
      summary: 'Show the account page',
      answers: { 200: contentAnswer(htmlType, 'The same page for everybody') },
      handler: async (context) =>
        page(accountPage(views(context), await pathsOf(context)), {
          scripts: true,
          headers: { vary: 'origin, accept-language' },
        }),
    }),
  );

/** What somebody sees who opens the address of the server. */
const home = (views: Views) =>
  route({
    ...common,
    methods: ['GET'],
    path: '/',
    produces: [htmlType],
    summary: 'Show the start page',
    answers: { 200: contentAnswer(htmlType, 'Where to sign in: the same page for everybody') },
    handler(context) {
      const paths = { account: accountPaths.page, console: consoleOf(context) };
      return page(homePage(views(context), paths), { headers: { vary: 'origin, accept-language' } });
    },
  });

/** Where password managers look for the page that changes a password (W3C change-password-url). */
const changePassword = route({
  ...common,
  methods: ['GET'],
  path: '/.well-known/change-password',
  summary: 'Find the page that changes a password',
  answers: { 302: redirectAnswer('The account page') },
  handler: () => redirect(accountPaths.page),
});

export function accountRoutes(views: Views): readonly Route[] {
  const file = bundledFileRoute('account', 'Get a script or the styles of the account page');
  return [home(views), ...shells(views), file, changePassword];
}
