// Giving a login up on its page: the application learns that the person refused (RFC 6749 4.1.2.1).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieBrowser } from '../support/cookie-browser.ts';
import {
  authorizationQuery,
  authorize,
  authRequestIdOf,
  locationOf,
  submitPassword,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password, rootOf } from '../support/management.ts';
import { appRedirectUri, registerClient } from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
const root = await rootOf(server);
await server.createUser({ name: 'ada', password });

const withQuery = `${appRedirectUri}?dummy1=lorem&dummy2=ipsum`;
const app = await registerClient(root, { redirectUris: [appRedirectUri, withQuery] });
const asked = { client_id: app.id, redirect_uri: appRedirectUri, state: '~'.repeat(128) };

/** The address of the link that cancels, on a page of a login. */
const cancelOn = (page: Answer): string | undefined =>
  /id="cancel" href="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&');

/** The first page of a login in a browser of its own. */
async function begin(changes: Readonly<Record<string, string | null>> = asked) {
  const browser = cookieBrowser(server);
  const begun = await browser.get(`/oidc/authorization?${authorizationQuery(changes)}`);
  const page = await browser.get(locationOf(begun));
  return { browser, page };
}

test('the link on each first page goes back to the application with access_denied, state and iss', async () => {
  for (const [method, redirect_uri] of [
    ['password', appRedirectUri],
    ['password', withQuery],
    ['cert', appRedirectUri],
    ['ext-jwt', appRedirectUri],
  ]) {
    const { browser, page } = await begin({
      ...asked,
      method: method ?? '',
      redirect_uri: redirect_uri ?? '',
    });
    const answer = await browser.get(cancelOn(page) ?? assert.fail(page.text));
    assert.equal(answer.status, 302, answer.text);
    const back = new URL(locationOf(answer));
    assert.ok(back.href.startsWith(redirect_uri ?? ''));
    const { error, state, iss, code } = Object.fromEntries(back.searchParams);
    assert.deepEqual(
      [error, state, iss, code],
      ['access_denied', asked.state, server.issuer, undefined],
      back.href,
    );
  }
});

test('goes back by the response mode that was asked for, and the login can still be done', async () => {
  const { browser, page } = await begin({ ...asked, response_mode: 'form_post' });
  const answer = await browser.get(cancelOn(page) ?? assert.fail());
  assert.equal(answer.status, 200);
  assert.match(answer.text, /action="https:\/\/app\.example\/cb"[\s\S]*name="error" value="access_denied"/);
  const done = await browser.submit(page, { username: 'ada', password });
  assert.equal(done.status, 200, 'nothing was used up');
  assert.match(done.text, /name="code"/);
});

test('another browser, and an id that was not made here, get nowhere', async () => {
  const { page } = await begin();
  const path = cancelOn(page) ?? assert.fail();
  for (const wrong of [path, `${path}x`, '/oidc/login/cancel?authRequestID=x'])
    assert.equal((await cookieBrowser(server).get(wrong)).status, 400, wrong);
  assert.equal((await cookieBrowser(server).get('/oidc/login/cancel')).status, 400);
});

test('a program may give up too, and may go on', async () => {
  const id = authRequestIdOf(await authorize(server, asked));
  const { searchParams } = new URL(locationOf(await server.get(`/oidc/login/cancel?id=${id}`)));
  assert.equal(searchParams.get('error'), 'access_denied');
  assert.equal((await submitPassword(server, id, 'ada', password)).status, 302);
});

test('no link leads to where nothing waits: our own pages, and programs', async () => {
  for (const redirect_uri of [`${server.url}/console/callback`, 'http://localhost:8400/auth/callback']) {
    const { page } = await begin({ redirect_uri });
    assert.equal(page.status, 200);
    assert.equal(cancelOn(page), undefined, redirect_uri);
  }
});
