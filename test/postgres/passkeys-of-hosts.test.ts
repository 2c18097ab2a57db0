// Two nodes with hosts of their own below one domain: passkeys belong to the domain, and what a removed one opened ends on
// both, whichever thread answers.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { beginLogin, callWith } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { type HttpsClient, httpsClient } from '../support/https-client.ts';
import { assertRefused, createdId, loggedIn } from '../support/management.ts';
import { asDialled } from '../support/nodes.ts';
import {
  addOwn,
  afterPassword,
  ownPath,
  passkeyPolicy,
  person,
  question,
  submit,
  tokensOf,
} from '../support/passkeys.ts';
import { postgresServer } from '../support/postgres.ts';
import { startTestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { until } from '../support/until.ts';

const db = await (await postgresServer()).createDatabase();

/** A node whose host is below the domain. */
async function nodeAt(host: string) {
  const port = await freePort();
  const server = await startTestServer({
    db,
    threads: 2,
    configure: (yaml) =>
      yaml
        .replaceAll('localhost:0', `${host}:1280`)
        .replace('127.0.0.1:0', `127.0.0.1:${port}`)
        .replace(/^ {2}# passkeys:\n/m, '  passkeys:\n    rpId: corp.example\n'),
  });
  const client: HttpsClient = asDialled(
    httpsClient(`https://localhost:${port}`, server.caPem),
    `${host}:1280`,
  );
  return { server, client, origin: `https://${host}:1280` };
}

const one = await nodeAt('one.corp.example');
const two = await nodeAt('two.corp.example');
after(() => Promise.all([one.server.close(), two.server.close()]));

/** The same device, whose browser shows a page of another host. */
function at({ origin }: { readonly origin: string }, device: SoftAuthenticator): SoftAuthenticator {
  const there = new SoftAuthenticator(origin, { counter: device.counter + 10 });
  there.credentials.push(...device.credentials);
  return there;
}

test('a passkey of one host opens logins at the other, and an answer counts at the host of its page only', async () => {
  const pat = await person(one.server);
  const device = new SoftAuthenticator(one.origin);
  const added = await addOwn(await loggedIn(one.client, pat.name), device);
  assert.equal(added.rpId, 'corp.example');
  const login = await beginLogin(two.client);
  const asked = await question(two.client, login);
  assert.equal(asked.rpId, 'corp.example');
  assertRefused(await submit(two.client, login, at(one, device).get(asked)), 401, 'INVALID_AUTH');
  await tokensOf(two.client, await submit(two.client, login, at(two, device).get(asked)));
});

test('a person invited by link who never had a password signs in on two nodes', async () => {
  await one.server.createUser({ name: 'root', password, isAdmin: true });
  const root = await loggedIn(one.client, 'root');
  const policy = await passkeyPolicy(one.server);
  const id = createdId(
    await root.call('POST', 'identities', { name: 'invited', type: 'User', authPolicyId: policy }),
  );
  const { url } = (await root.call('POST', `identities/${id}/invitation`, {})).json.data;
  const t = new URL(url).searchParams.get('t');
  const asked = await two.client.post('/invite/passkey/options', { json: { t } });
  assert.equal(asked.status, 200, asked.text);
  const device = new SoftAuthenticator(two.origin);
  const response = device.create(asked.json);
  assert.equal((await two.client.post('/invite/passkey', { json: { t, response } })).status, 200);
  for (const node of [one, two, one]) {
    const login = await beginLogin(node.client);
    const used = at(node, device);
    const answer = await submit(node.client, login, used.get(await question(node.client, login)));
    await tokensOf(node.client, answer);
    device.counter = used.counter;
  }
});

test('removing a passkey ends on both nodes what it opened and what it completed, in all threads', async () => {
  const pat = await person(one.server);
  const device = new SoftAuthenticator(one.origin, { counter: 0 });
  const caller = await loggedIn(one.client, pat.name);
  const { id: passkeyId } = await addOwn(caller, device);
  const login = await beginLogin(one.client);
  const opened = await tokensOf(
    one.client,
    await submit(one.client, login, device.get(await question(one.client, login))),
  );
  const authPolicyId = await passkeyPolicy(one.server, { requirePasskey: true });
  await one.server.store.identities.update(pat.id, { authPolicyId }, one.server.clock.now());
  const second = await afterPassword(one.client, pat);
  const completed = await tokensOf(
    one.client,
    await submit(one.client, second, device.get(await question(one.client, second))),
  );
  await one.server.store.identities.update(
    pat.id,
    { authPolicyId: 'default' as never },
    one.server.clock.now(),
  );
  /** At once, so on several connections: every thread is asked. */
  const statuses = (token: string) =>
    Promise.all(
      [one, two]
        .flatMap((node) => Array.from({ length: 6 }, () => node))
        .map(async ({ client }) => (await callWith(client, token)).status),
    );
  await until(10 * SECOND, async () =>
    (await statuses(opened.access_token)).every((status) => status === 200),
  );
  assert.ok((await statuses(completed.access_token)).every((status) => status === 200));
  const removed = await caller.call('DELETE', `${ownPath}/${passkeyId}`, {});
  assert.equal(removed.status, 200, removed.text);
  for (const { access_token: token } of [opened, completed]) {
    await until(10 * SECOND, async () => (await statuses(token)).every((status) => status === 401));
  }
  const still = await caller.get(ownPath);
  assert.equal(still.status, 200, still.text);
});
