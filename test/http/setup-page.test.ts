// The page behind the one-time link for the first administrator. That a first start offers such a link:
// test/cli/setup.test.ts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSetupLink } from '../../src/admin/setup.ts';
import { createdId, rootOf } from '../support/management.ts';
import { submitSetup } from '../support/setup.ts';
import { startTestServer } from '../support/test-server.ts';

async function serverWithLink() {
  const server = await startTestServer();
  const { token } = await createSetupLink({ ...server, audit: server.controller.services.audit });
  return { server, token };
}

describe('the set-up page', () => {
  test('shows every rule that a password breaks and keeps the link usable', async (t) => {
    const { server, token } = await serverWithLink();
    t.after(() => server.close());
    const refusals: [Record<string, string>, number, RegExp][] = [
      [{ password: 'short', repeated: 'short' }, 400, /at least 12 are needed/],
      [{ password: 'password123', repeated: 'password123' }, 400, /too common/],
      [{ repeated: 'something else' }, 400, /two passwords differ/],
      [{ username: '' }, 400, /cannot be a user name/],
      [{ username: 'a\u200bb' }, 400, /cannot be a user name/],
    ];
    for (const [changes, status, text] of refusals) {
      const answer = await submitSetup(server, token, changes);
      assert.equal(answer.status, status, JSON.stringify(changes));
      assert.match(answer.text, text);
      assert.match(answer.text, /role="alert"/);
      assert.match(answer.text, /<title>Error: /);
      assert.doesNotMatch(answer.text, /value="(short|password123)"/);
    }
    const evil = await submitSetup(server, token, {
      username: '"><b>x',
      password: 'short',
      repeated: 'short',
    });
    assert.match(evil.text, /value="&quot;&gt;&lt;b&gt;x"/);
    assert.equal((await submitSetup(server, token)).status, 201);
  });

  test('names the cause when a user name is taken or the policy allows no passwords', async (t) => {
    const { server, token } = await serverWithLink();
    t.after(() => server.close());
    const root = await rootOf(server);
    createdId(await root.call('POST', 'identities', { name: 'ada', type: 'User', isAdmin: false }));
    const taken = await submitSetup(server, token, { username: 'ada' });
    const passwordless = { primary: { updb: { allowed: false } } };
    assert.equal((await root.call('PATCH', 'auth-policies/default?force=true', passwordless)).status, 200);
    const policy = await submitSetup(server, token, { username: 'eve' });
    const refused = [taken, policy].map(({ status, text }) => [status, /<li>(.*?)<\/li>/.exec(text)?.[1]]);
    assert.deepEqual(refused, [
      [409, 'This user name is already taken.'],
      [409, 'The default auth policy does not allow passwords.'],
    ]);
  });

  test('says why a link cannot be used, and how to get another', async (t) => {
    const { server, token } = await serverWithLink();
    t.after(() => server.close());
    await submitSetup(server, token);
    const dead: [string, number, RegExp][] = [
      [token, 410, /has been used/],
      ['', 404, /not a set-up link/],
      ['x', 404, /not a set-up link/],
      [Buffer.alloc(32, 7).toString('base64url'), 404, /not a set-up link/],
    ];
    for (const [link, status, text] of dead) {
      const shown = await server.get(`/setup?t=${link}`, { headers: { accept: 'text/html' } });
      const posted = await submitSetup(server, link, { username: 'eve' });
      for (const answer of [shown, posted]) {
        assert.equal(answer.status, status, link);
        assert.match(answer.text, text);
        assert.match(answer.text, /overlay-auth admin create NAME/);
      }
    }
  });

  test('of many who use a link at once, one becomes administrator', async (t) => {
    const { server, token } = await serverWithLink();
    t.after(() => server.close());
    const names = Array.from({ length: 6 }, (_, index) => `user${index}`);
    const answers = await Promise.all(names.map((username) => submitSetup(server, token, { username })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 410, 410, 410, 410, 410]);
  });
});
