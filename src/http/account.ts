// The account page: a shell that is the same for everybody, and the files of its script, which is an OIDC client.

import { accountLanguages, accountPage } from '../pages/account.ts';
import { accountFiles } from '../pages/account-files.ts';
import { accountPaths } from './account-paths.ts';
import { page, redirect } from './answer.ts';
import { htmlType } from './negotiate.ts';
import { type Route, route } from './routes.ts';
import { immutable } from './security-headers.ts';

const common = { api: 'account', guard: 'anonymous', errors: 'html-or-edge' } as const;

const shells = Object.values(accountPaths).map((path) =>
  route({
    ...common,
    methods: ['GET'],
    path,
    produces: [htmlType],
    handler: ({ headers }) =>
      page(accountPage(preferredLanguage(headers['accept-language'])), {
        scripts: true,
        headers: { vary: 'origin, accept-language' },
      }),
  }),
);

const files = accountFiles.map(({ path, contentType, text }) =>
  route({
    ...common,
    methods: ['GET', 'HEAD'],
    path,
    produces: [contentType.split(';')[0] ?? contentType],
    handler: () => ({ status: 200, headers: { 'content-type': contentType, ...immutable }, body: text }),
  }),
);

/** Where password managers look for the page that changes a password (W3C change-password-url). */
const changePassword = route({
  ...common,
  methods: ['GET'],
  path: '/.well-known/change-password',
  handler: () => redirect(accountPaths.page),
});

export const accountRoutes: readonly Route[] = [...shells, ...files, changePassword];

/** The first language of the header that the page speaks (RFC 9110 12.5.4, in the order in which browsers write it). */
function preferredLanguage(header: string | undefined): (typeof accountLanguages)[number] {
  const wanted = (header ?? '')
    .slice(0, 200)
    .split(',')
    .map((range) => range.trim().split(/[-;]/)[0]?.toLowerCase());
  const spoken = wanted.find((tag) => accountLanguages.some((language) => language === tag));
  return accountLanguages.find((language) => language === spoken) ?? 'en';
}
