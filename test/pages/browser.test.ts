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
    const server = await startTestServer();
    for (const scripts of [true, false]) {
      const { page, complaints, close } = await visitor({ scripts });
      const answer = await page.goto(`${server.url}/oidc/authorization?${authorizationQuery()}`);
      assert.equal(answer?.status(), 200);
      assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
      assert.deepEqual(complaints, []);
      await close();
    }
    await server.close();
  });

  test('presents a client certificate', async () => {
    const server = await startTestServer();
    const id = await server.createUser({ name: 'ana', password: 'seven quiet lanterns' });
    const clientCertificate = { origin: server.url, ...(await enrolled(server, id)) };
    const { page, close } = await visitor({ clientCertificate });
    await page.goto(`${server.url}/oidc/authorization?${authorizationQuery()}`);
    assert.equal(new URL(page.url()).pathname, '/oidc/login/cert');
    await close();
    await server.close();
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
