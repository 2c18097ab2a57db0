// The start page and the account page: a shell that is the same for everybody, and the files of its script, which is an
// OIDC client.

import { z } from 'zod';
import { accountPage } from '../../pages/app-shells.ts';
import { homePage } from '../../pages/home.ts';
import { htmlType, json, jsonType, page, redirect } from '../request/answer.ts';
import { fixedRoute, type Place } from '../request/fixed-route.ts';
import {
  contentAnswer,
  documentAnswer,
  type Route,
  redirectAnswer,
  route,
  schemaNamed,
} from '../request/route.ts';
import { accountPaths, consoleOf } from './app-paths.ts';
import { bundledFileRoute, bundledFilesPath } from './bundled-files.ts';
import type { Views } from './views.ts';

const common = { api: 'account', errors: 'html-or-edge' } as const;

const pathsOf = async (place: Place) => ({
  files: await bundledFilesPath('account'),
  console: consoleOf(place),
});

const shells = (views: Views) =>
  Object.values(accountPaths).map((path) =>
    fixedRoute(path, {
      ...common,
      views,
      produces: [htmlType],
      summary: 'Show the account page',
      answers: { 200: contentAnswer(htmlType, 'The same page for every visitor') },
      make: async (place, view) =>
        page(accountPage(view, await pathsOf(place)), { headers: { vary: 'accept-language' } }),
    }),
  );

/** The page at the root of the server. */
const home = (views: Views) =>
  fixedRoute('/', {
    ...common,
    views,
    produces: [htmlType],
    summary: 'Show the start page',
    answers: { 200: contentAnswer(htmlType, 'Where to sign in: the same page for every visitor') },
    async make(place, view) {
      const { files, console } = await pathsOf(place);
      const paths = { account: accountPaths.page, console, script: `${files}/home.js` };
      return page(homePage(view, paths), { headers: { vary: 'accept-language' } });
    },
  });

/** Where password managers learn on which page passkeys are added and removed (W3C passkey-endpoints). */
const passkeyEndpoints = route(['GET', 'HEAD'], '/.well-known/passkey-endpoints', {
  ...common,
  guard: 'anonymous',
  load: 'light',
  produces: [jsonType],
  summary: 'Say on which page people add and remove passkeys',
  answers: {
    200: documentAnswer(
      schemaNamed('PasskeyEndpoints', { enroll: z.string(), manage: z.string() }),
      'The account page',
    ),
  },
  handler({ issuer }) {
    const page = new URL(accountPaths.page, issuer).href;
    return json({ enroll: page, manage: page });
  },
});

/** Where password managers look for the page that changes a password (W3C change-password-url). */
const changePassword = route(['GET', 'HEAD'], '/.well-known/change-password', {
  ...common,
  guard: 'anonymous',
  load: 'light',
  summary: 'Find the page that changes a password',
  answers: { 302: redirectAnswer('The account page') },
  handler: () => redirect(accountPaths.page),
});

export function accountRoutes(views: Views): readonly Route[] {
  const file = bundledFileRoute('account', 'Get a script or the styles of the account page');
  return [home(views), ...shells(views), file, changePassword, passkeyEndpoints];
}
