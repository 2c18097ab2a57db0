// Browsers that fetch a link before the person clicks on it, with the person's cookies, and programs that look at every
// link of a mail: no GET ends, approves or uses up anything. The server provides the list of its endpoints.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { Route } from '../../src/http/request/route.ts';
import { sessionCookieName, signedInBrowser, withBrowserSession } from '../support/browser-session.ts';
import { type CookieBrowser, cookieBrowser } from '../support/cookie-browser.ts';
import { createSigner } from '../support/external-jwt.ts';
import { authorizationQuery, authRequestIdOf, codeOf, login } from '../support/flow.ts';
import { rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTotpUser, password, totpPolicy } from '../support/totp.ts';

const idp = await startTestIdp();
const server = await startTestServer({ configure: withBrowserSession, threads: 1 });
const admin = await rootOf(server);
const anaId = await server.createUser({ name: 'ana', password });
await createTotpUser(server, await totpPolicy(server), 'bob');
after(async () => {
  await server.close();
  await idp.close();
});

/** What was asked, and how often. */
const records: ReadonlySet<string> = new Set([
  'audit_events',
  'login_attempts',
  'attempts',
  'nodes',
  'changes',
]);

function contents(): unknown {
  using database = new DatabaseSync(join(server.home, 'overlay.db'), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return tables
    .map(({ name }) => String(name))
    .filter((name) => !records.has(name))
    .map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]);
}

const ahead = {
  'sec-purpose': 'prefetch;prerender',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};
const waysToLookAhead: readonly Readonly<Record<string, string>>[] = [
  // Previews, and browsers of before 2023.
  {},
  { ...ahead, 'sec-fetch-site': 'none' },
  { ...ahead, 'sec-fetch-site': 'cross-site' },
  { ...ahead, 'sec-fetch-site': 'same-origin' },
];

/** The same person's browser, whatever was fetched with it before. */
const copyOf = ({ cookies }: CookieBrowser): CookieBrowser => {
  const copy = cookieBrowser(server);
  for (const [name, value] of cookies) copy.cookies.set(name, value);
  return copy;
};

/** A login that waits for a second factor, and the device for which a person has signed in but not agreed yet. */
async function halfDone(browser: CookieBrowser) {
  const begun = await browser.get(`/oidc/authorization?${authorizationQuery({ prompt: 'login' })}`);
  const form = await browser.get(String(begun.headers.location));
  assert.equal((await browser.submit(form, { username: 'bob', password })).status, 200);
  const asked = { client_id: 'overlay', scope: 'openid' };
  const { user_code } = (await server.post('/oidc/device_authorization', { form: asked })).json;
  const decided = await browser.post('/oidc/device', { user_code, step: 'continue' });
  const signIn = await browser.get(String(decided.headers.location));
  const code = codeOf(await browser.submit(signIn, { username: 'ana', password }));
  return { authRequestID: authRequestIdOf(begun), user_code, code };
}

test('links that are fetched ahead of a click end, approve and use up nothing', async () => {
  const signer = String(
    await createSigner(admin, idp, 'Provider', { externalAuthUrl: idp.issuer, clientId: 'overlay' }),
  );
  const invitation = (await admin.call('POST', `identities/${anaId}/invitation`, {})).json.data;
  const { id_token: hint } = await login(server, 'ana', password);
  const browser = await signedInBrowser(server, 'ana');
  const t = new URL(invitation.url).searchParams.get('t') ?? '';
  const query = { ...(await halfDone(browser)), signer, step: 'primary', state: 'x', t };
  const before = contents();
  const lookAt = async ({ path: pattern, guard }: Route, parameters: object, headers: object) => {
    const path = pattern.replaceAll(/:\w+/g, pattern.includes('signer') ? signer : anaId);
    const used = copyOf(browser);
    const address = `${path}?${new URLSearchParams({ ...parameters })}`;
    const answer = await used.get(address, { ...headers });
    const about = `${pattern} ${JSON.stringify(headers)}: ${answer.status}`;
    // Cookies open no API.
    if (guard !== 'anonymous') assert.equal(answer.status, 401, about);
    assert.equal(used.cookies.get(sessionCookieName), browser.cookies.get(sessionCookieName), about);
    return answer.status;
  };
  const statuses = new Map<string, number>();
  for (const route of server.controller.services.routes.filter(({ methods }) => methods.includes('GET'))) {
    for (const headers of route.guard === 'anonymous' ? waysToLookAhead : [{}])
      statuses.set(route.path, await lookAt(route, query, headers));
    assert.deepEqual(contents(), before, route.path);
  }
  // They have reached what they could have used up.
  for (const path of ['/invite', '/oidc/device/finished', '/oidc/login/auth-queries'])
    assert.equal(statuses.get(path), 200, path);
  const endSession = server.controller.services.routes.find(
    ({ path }) => path === '/oidc/end_session',
  ) as Route;
  for (const headers of waysToLookAhead.slice(1))
    assert.equal(await lookAt(endSession, { id_token_hint: hint }, headers), 403);
  assert.deepEqual(contents(), before);
  assert.equal((await copyOf(browser).get(`/oidc/end_session?id_token_hint=${hint}`)).status, 200);
  assert.notDeepEqual(contents(), before);
});
