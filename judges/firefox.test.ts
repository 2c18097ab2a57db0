// The pages in a real Firefox with an authenticator that need not be touched:
//   npm run judges:firefox

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { usualPolicy } from '../src/model/usual-policy.ts';
import { type Application, startApplication } from '../test/support/application.ts';
import { createPolicy } from '../test/support/external-jwt.ts';
import { authorizationQuery, redeem } from '../test/support/flow.ts';
import { createdId, password, rootOf } from '../test/support/management.ts';
import { startTestServer, type TestServer } from '../test/support/test-server.ts';
import { type Firefox, startFirefox } from './marionette.ts';

let application: Application;
let server: TestServer;
let firefox: Firefox;
const begin = () =>
  firefox.goTo(
    `${server.url}/oidc/authorization?${authorizationQuery({ redirect_uri: application.redirectUri })}`,
  );
async function givePassword(name: string): Promise<void> {
  await firefox.fill('#username', name);
  await firefox.fill('#password', password);
  await firefox.click('#login');
}
async function assertSignedIn(name: string): Promise<void> {
  const url = await firefox.arrivesAt(/\/auth\/callback\?.*code=/);
  const code = url.searchParams.get('code') ?? '';
  const tokens = await redeem(server, code, { redirect_uri: application.redirectUri });
  assert.equal(tokens.status, 200, tokens.text);
  const headers = { authorization: `Bearer ${tokens.json.access_token}` };
  const { json } = await server.get('/edge/client/v1/current-identity', { headers });
  assert.equal(json.data.name, name);
}

/** Whether the private keys that this site keeps can be exported. */
const keptKeys = `return (async () => {
  const result = (asked) => new Promise((done) => { asked.onsuccess = () => done(asked.result); });
  const kept = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await result(indexedDB.open(name));
    for (const table of database.objectStoreNames) {
      const entries = await result(database.transaction(table).objectStore(table).getAll());
      const values = (value) => value && typeof value === 'object' && !('extractable' in value) ? Object.values(value).flatMap(values) : [value];
      kept.push(...entries.flatMap(values).filter((value) => value?.type === 'private').map((key) => key.extractable));
    }
    database.close();
  }
  return kept;
})();`;

const isMissing = spawnSync('firefox-esr', ['--version']).error !== undefined;

describe('Firefox', { skip: isMissing && 'firefox-esr is not installed' }, () => {
  before(async () => {
    application = await startApplication();
    server = await startTestServer();
    const admin = await rootOf(server);
    const authPolicyId = await createPolicy(server, 'a passkey too', {
      primary: { passkey: { ...usualPolicy.primary.passkey, allowed: true } },
      secondary: { requirePasskey: true },
    });
    for (const [name, more] of Object.entries({ ada: { isAdmin: true }, bob: { authPolicyId } })) {
      const identityId = createdId(await admin.call('POST', 'identities', { name, type: 'User', ...more }));
      await admin.call('POST', 'authenticators', { method: 'updb', identityId, username: name, password });
    }
    firefox = await startFirefox();
    await firefox.command('WebAuthn:AddVirtualAuthenticator', {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserConsenting: true,
      isUserVerified: true,
    });
  });
  after(async () => {
    await firefox.close();
    await server.close();
    await application.close();
  });

  test('the account page survives a reload and opens in a second tab without the password', async () => {
    await firefox.goTo(`${server.url}/account`);
    await firefox.click('#sign-in');
    await givePassword('ada');
    await firefox.find('#sign-out');
    assert.deepEqual(await firefox.run(keptKeys), [false], 'one key, which cannot be exported');
    await firefox.command('WebDriver:Refresh');
    await firefox.find('#sign-out');
    const { handle } = (await firefox.command('WebDriver:NewWindow', { type: 'tab' })) as { handle: string };
    await firefox.command('WebDriver:SwitchToWindow', { handle });
    await firefox.goTo(`${server.url}/account`);
    await firefox.find('#sign-out');
  });

  test('a passkey of the account page opens a login', async () => {
    await firefox.click('nav a[href="#passkeys"]');
    await firefox.fill('#passkey-name', 'Fox');
    await firefox.click('#add-passkey-submit');
    await firefox.find('#status:not(:empty)');
    await begin();
    await firefox.click('#use-passkey');
    await assertSignedIn('ada');
  });

  test('a passkey is set up where the policy asks for one, and is the second proof from then on', async () => {
    await begin();
    await givePassword('bob');
    await firefox.fill('#passkey-name', "Bob's");
    await firefox.click('#create-passkey');
    await assertSignedIn('bob');
    await begin();
    await givePassword('bob');
    await firefox.click('#use-passkey');
    await assertSignedIn('bob');
  });

  test('an answer as a form is sent once, also when its button is pressed meanwhile', async () => {
    let posts = 0;
    const isPressed = Promise.withResolvers<void>();
    const slow = createServer(async ({ method }, response) => {
      if (method === 'POST') posts += 1;
      await isPressed.promise;
      response.end('received');
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    const { port } = slow.address() as AddressInfo;
    const redirectUri = `http://127.0.0.1:${port}/auth/callback`;
    const query = authorizationQuery({ redirect_uri: redirectUri, response_mode: 'form_post' });
    await firefox.goTo(`${server.url}/oidc/authorization?${query}`);
    const isPosted = once(slow, 'request');
    await givePassword('ada');
    await isPosted;
    await firefox.run(`document.querySelector('form button').click()`);
    isPressed.resolve();
    await firefox.arrivesAt(/\/auth\/callback$/);
    slow.close();
    assert.equal(posts, 1);
  });

  test('the console opens, and no page has written an error', async () => {
    await firefox.goTo(`${server.url}/console`);
    await firefox.click('nav a[href="/console/people"]');
    await firefox.arrivesAt(/\/console\/people$/);
    await firefox.find('table');
    await firefox.command('Marionette:SetContext', { value: 'chrome' });
    const errors = await firefox.run<readonly string[]>(
      'return Services.console.getMessageArray().map(String).filter((line) => line.includes(arguments[0]))',
      server.url,
    );
    assert.deepEqual(errors, []);
  });
});
