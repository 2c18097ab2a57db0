// The browser of the tests itself: what the others rely on.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessibilityProblems } from '../support/axe.ts';
import { visitor } from '../support/browser.ts';
import { enrolled } from '../support/certificates.ts';
import { authorizationQuery } from '../support/flow.ts';
import { startTestServer } from '../support/test-server.ts';

describe('the browser of the tests', () => {
  test('opens a page of a test server over TLS that it trusts, with scripts and without', async () => {
    await using server = await startTestServer();
    for (const scripts of [true, false]) {
      const { page, complaints, close } = await visitor({ scripts });
      const answer = await page.goto(`${server.url}/oidc/authorization?${authorizationQuery()}`);
      assert.equal(answer?.status(), 200);
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
      assert.deepEqual(complaints, []);
      await close();
    }
  });

  test('keeps nothing of one visitor for the next', async () => {
    await using server = await startTestServer();
    const login = `${server.url}/oidc/authorization?${authorizationQuery()}`;
    const first = await visitor();
    await first.page.goto(login);
    await first.page.evaluate(leaveSomething);
    await first.context.grantPermissions(['geolocation']);
    const left = { stored: ['local', 'session', 'database', 'cache'], location: 'granted' };
    assert.deepEqual(await first.page.evaluate(whatIsThere), left);
    await first.context.newPage();
    await first.context.setOffline(true);
    await first.close();

    await using next = await visitor();
    assert.equal(next.context, first.context, 'only the process is the same');
    assert.deepEqual(next.context.pages(), [next.page]);
    assert.deepEqual(await next.context.cookies(), []);
    await next.page.goto(login);
    assert.deepEqual(await next.page.evaluate(whatIsThere), { stored: [], location: 'prompt' });
    assert.equal(await next.page.evaluate(isAllTransferred), true, 'nothing is cached');
  });

  test('presents a client certificate', async () => {
    await using server = await startTestServer();
    const id = await server.createUser({ name: 'ana', password: 'seven quiet lanterns' });
    const clientCertificate = { origin: server.url, ...(await enrolled(server, id)) };
    const { page, close } = await visitor({ clientCertificate });
    await page.goto(`${server.url}/oidc/authorization?${authorizationQuery()}`);
    assert.equal(new URL(page.url()).pathname, '/oidc/login/cert');
    await close();
  });

  test('finds what is wrong with a page', async () => {
    const { page, close } = await visitor();
    await page.setContent('<img src="data:,"><input>');
    const problems = await accessibilityProblems(page);
    assert.ok(
      problems.some((problem) => problem.startsWith('image-alt')),
      problems.join('\n'),
    );
    await close();
  });
});

const leaveSomething = `(async () => {
  localStorage.setItem('local', '');
  sessionStorage.setItem('session', '');
  await caches.open('cache');
  const opening = indexedDB.open('database');
  await new Promise((resolve) => { opening.onsuccess = resolve; });
})()`;

const whatIsThere = `(async () => {
  const databases = await indexedDB.databases();
  const { state } = await navigator.permissions.query({ name: 'geolocation' });
  return {
    stored: [
      ...Object.keys(localStorage),
      ...Object.keys(sessionStorage),
      ...databases.map(({ name }) => name),
      ...(await caches.keys()),
    ],
    location: state,
  };
})()`;

/** A file that came from a cache has a size of 0. */
const isAllTransferred = `(() => {
  const files = performance.getEntriesByType('resource');
  return files.length > 0 && files.every(({ transferSize }) => transferSize > 0);
})()`;
