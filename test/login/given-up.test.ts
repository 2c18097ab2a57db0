// Clients that send a password and close their connection: what waits for a hash is dropped, so that the next ones do
// not wait for it, and no guess is compared that is not counted.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import { authenticate } from '../legacy/support.ts';
import { beginLogin, submitPassword } from '../support/flow.ts';
import { heldHashes } from '../support/held-hashes.ts';
import { type HttpsClient, httpsClient } from '../support/https-client.ts';
import { loggedIn, password } from '../support/management.ts';
import { userNamed } from '../support/names.ts';
import { serverOfFile } from '../support/test-server.ts';
import { patience, until } from '../support/until.ts';

const { hashPool, begun, hold, release } = heldHashes();
const server = await serverOfFile({ hashPool });
afterEach(release);
// One wrong guess that is counted locks a password.
await server.store.authPolicies.update(
  asId('default'),
  { primary: { updb: { maxAttempts: 1 } } },
  server.clock.now(),
);

let people = 0;
let name = '';
beforeEach(async () => {
  people += 1;
  name = `person ${people}`;
  await server.createUser({ name, password });
});

const depth = (waiting: number, running: number) =>
  until(patience, () => {
    const now = hashPool.depth();
    return now.waiting === waiting && now.running === running;
  });

/** Sends something on a connection of its own. @returns closes the connection */
function sendAs(send: (client: HttpsClient) => Promise<unknown>): () => void {
  const client = httpsClient(server.url, server.caPem);
  send(client).catch(() => undefined);
  return client.closeConnections;
}

const isOpen = async () => (await authenticate(server, name)).status === 200;

/** Each way to have a password compared. */
async function guesses(): Promise<
  readonly ((secret: string) => (client: HttpsClient) => Promise<unknown>)[]
> {
  const id = await beginLogin(server);
  const { accessToken } = await loggedIn(server, name);
  const authenticatorId = (await server.store.authenticators.findPasswordLogin(userNamed(name).usernameKey))
    ?.authenticator.id;
  return [
    (secret) => (client) => submitPassword(client, id, name, secret),
    (secret) => (client) => authenticate(client, name, secret),
    (currentPassword) => (client) =>
      client.request('PATCH', `/edge/client/v1/current-identity/authenticators/${authenticatorId}`, {
        headers: { authorization: `Bearer ${accessToken}` },
        json: { currentPassword, password: 'eleven loud umbrellas' },
      }),
  ];
}

test('waiting attempts are never compared or counted, and leave their places to the next ones', async () => {
  const ways = await guesses();
  hold();
  const first = authenticate(server, 'nobody', 'x');
  await depth(0, 1);
  const before = begun();
  for (const way of ways) {
    for (const secret of ['wrong', password]) {
      const giveUp = sendAs(way(secret));
      await depth(1, 1);
      giveUp();
      await depth(0, 1);
    }
  }
  release();
  assert.equal((await first).status, 401);
  assert.equal(begun(), before);
  assert.ok(await isOpen());
});

test('a guess whose comparison has begun is counted, as if its client had waited', async () => {
  for (const [at] of (await guesses()).entries()) {
    const way = (await guesses())[at];
    assert.ok(way && (await isOpen()));
    hold();
    const giveUp = sendAs(way('wrong'));
    await depth(0, 1);
    giveUp();
    release();
    await depth(0, 0);
    await until(patience, async () => !(await isOpen()));
    people += 1;
    name = `person ${people}`;
    await server.createUser({ name, password });
  }
});
