// A login in the browser of this computer, as seen by the program that waits for it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { loopbackLogin } from '../../packages/client/src/node/loopback-login.ts';
import { discover } from '../../packages/client/src/oidc/provider.ts';
import { authRequestIdOf, locationOf, submitPassword } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import { patience } from '../support/until.ts';
import { transportTo } from './support.ts';

const server = await serverOfFile();
await server.createUser({ name: 'ada', password });
const provider = await discover({ baseUrl: server.url, transport: transportTo(server) });

/** What a browser does; people who are signed in there already type nothing. @returns the last page */
async function browse(url: string, init: RequestInit = {}): Promise<string> {
  const { pathname, search } = new URL(url);
  const id = authRequestIdOf(await server.get(`${pathname}${search}`));
  const answer = await fetch(locationOf(await submitPassword(server, id, 'ada', password)), init);
  return answer.text();
}

test('a browser may be back before it is known to be open, or open as long as the login takes', async () => {
  let page = Promise.resolve('');
  const saved = await loopbackLogin(provider, {
    async open(url) {
      page = browse(url);
      await page;
    },
    complete: async ({ accessToken }) => accessToken,
  });
  assert.ok(saved.length > 0);
  assert.match(await page, /You are logged in\./);
});

test('a browser that has been closed meanwhile is not awaited', { timeout: patience }, async () => {
  const closing = new AbortController();
  let page = Promise.resolve('');
  const saved = await loopbackLogin(provider, {
    open(url) {
      page = browse(url, closing);
    },
    async complete({ accessToken }) {
      closing.abort();
      await assert.rejects(page);
      // The program notices it at its end of the connection.
      await setTimeout(200);
      return accessToken;
    },
  });
  assert.ok(saved.length > 0);
});

test('a browser that cannot be opened ends the login', async () => {
  const open = () => Promise.reject(new Error('there is no browser'));
  await assert.rejects(loopbackLogin(provider, { open, complete: async () => undefined }), /no browser/);
});

test('a login that is given up ends with the reason', async () => {
  const signal = AbortSignal.abort(new Error('no time'));
  const open = () => undefined;
  await assert.rejects(loopbackLogin(provider, { open, complete: async () => undefined, signal }), /no time/);
});
