// The start page, and the account page: a shell that is the same for everybody, and the files of its script, which is an OIDC client.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { accountPage } from '../../pages/account.ts';
import { accountFiles } from '../../pages/account-files.ts';
import { homePage } from '../../pages/home.ts';
import { htmlType, page, redirect } from '../request/answer.ts';
import { contentAnswer, redirectAnswer } from '../request/declared-answers.ts';
import { type Route, route, servesApi } from '../request/route.ts';
import { immutable } from '../request/security-headers.ts';
import { accountPaths } from './account-paths.ts';
import { consolePaths } from './console-paths.ts';
import type { Views } from './views.ts';

const common = { api: 'account', guard: 'anonymous', errors: 'html-or-edge' } as const;

const shells = (views: Views) =>
  Object.values(accountPaths).map((path) =>
    route({
      ...common,
      methods: ['GET'],
      path,
      produces: [htmlType],
      summary: 'Show the account page',
      answers: { 200: contentAnswer(htmlType, 'The same page for everybody') },
      handler: (context) =>
        page(accountPage(views(context)), {
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
      const bound = new Set(context.listener.apis.map(({ binding }) => binding));
      const paths = {
        account: accountPaths.page,
        console: servesApi(bound, 'console') ? consolePaths.page : null,
      };
      return page(homePage(views(context), paths), { headers: { vary: 'origin, accept-language' } });
    },
  });

const file = route({
  ...common,
  methods: ['GET', 'HEAD'],
  path: `${accountFiles.base}/:name`,
  produces: ['text/javascript', 'text/css'],
  summary: 'Get a script or the styles of the account page',
  answers: {
    200: { description: 'The file', content: { 'text/javascript': z.string(), 'text/css': z.string() } },
  },
  handler({ params }) {
    const found = accountFiles.byName.get(params.name ?? '');
    if (found === undefined) throw new AuthError('not_found');
    return { status: 200, headers: { 'content-type': found.contentType, ...immutable }, body: found.text };
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
  return [home(views), ...shells(views), file, changePassword];
}
