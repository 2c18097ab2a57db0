// A whole controller behind a load balancer that passes TCP through and sends PROXY headers: each client is its own
// source, although all connections come from the balancer.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { balancer } from '../support/balancer.ts';
import { certificateLogin, enrolled } from '../support/certificates.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, callWith, login, submitPassword } from '../support/flow.ts';
import { type HttpsClient, httpsClient } from '../support/https-client.ts';
import { asDialled } from '../support/nodes.ts';
import { proxyBlockFor, proxyLineFor, proxyLocal } from '../support/proxy-headers.ts';
import { startTestServer } from '../support/test-server.ts';

const password = 'seven quiet lanterns';
const clock = fixedClock(systemClock.now());
const ends: (() => Promise<void> | void)[] = [];
const server = await startTestServer({
  clock,
  configure: (yaml) =>
    yaml.replace(
      /( +)clientCertificates: request.*\n/,
      '$&$1proxyProtocol:\n$1  balancers: [192.0.2.5, 127.0.0.1]\n',
    ),
});
await server.createUser({ name: 'alice', password });
after(async () => {
  for (const end of ends) await end();
  await server.close();
});

/** A client whose connections come through the balancer with this header. */
async function clientBehind(
  header: Buffer,
  tls: { readonly cert?: string; readonly key?: string } = {},
): Promise<HttpsClient> {
  const { host, port } = new URL(server.url);
  const front = await balancer(() => [Number(port)], header);
  const client = httpsClient(`https://localhost:${front.port}`, server.caPem, tls);
  ends.push(() => {
    client.closeConnections();
    return front.close();
  });
  return asDialled(client, host);
}
const proxied = (address: string) => clientBehind(proxyBlockFor(address));

describe('behind a load balancer with the PROXY protocol', () => {
  test('a client that guesses is throttled, and other clients log in', async () => {
    const guesser = await proxied('203.0.113.7');
    const id = await beginLogin(guesser);
    for (let sent = 0; sent < 300; sent += 25) {
      const guesses = Array.from({ length: 25 }, (_, at) =>
        submitPassword(guesser, id, `ghost-${sent + at}`, 'x'),
      );
      for (const { status } of await Promise.all(guesses)) assert.equal(status, 401);
    }
    assert.equal((await submitPassword(guesser, id, 'alice', password)).status, 429);
    const again = await clientBehind(proxyLineFor('::ffff:203.0.113.7', 1));
    const refused = await submitPassword(again, await beginLogin(again), 'alice', password);
    assert.equal(refused.status, 429, 'also over another connection, in the other version, as IPv6');

    for (const address of ['203.0.113.8', '2001:db8::8']) {
      await login(await proxied(address), 'alice', password);
    }
  });

  test('session, decision record, audit trail and log have the address of the client', async () => {
    const client = await proxied('203.0.113.20');
    const tokens = await login(client, 'alice', password);
    assert.equal((await callWith(client, tokens.access_token)).json.data.ipAddress, '203.0.113.20');

    // The log has room again for lines that strangers cause.
    clock.advance(SECOND);
    const answer = await submitPassword(client, await beginLogin(client), 'alice', 'wrong');
    assert.equal(answer.status, 401);
    const requestId = String(answer.headers['x-request-id']);
    await server.controller.services.attempts.flush();
    const records = await server.store.loginAttempts.findByReference(requestId);
    assert.deepEqual(
      records.map(({ ipAddress }) => ipAddress),
      ['203.0.113.20'],
    );
    const logged = (message: string) =>
      server.log.entries.find((line) => line.message === message && line.fields.requestId === requestId)
        ?.fields;
    assert.equal(logged('audit')?.ipAddress, '203.0.113.20');
    assert.equal(logged('request refused')?.remoteAddress, '203.0.113.20');
  });

  test('a client certificate logs in, and its tokens stay bound to it', async () => {
    const id = await createIdentity(server, 'bob', { externalId: null });
    const { certPem, keyPem } = await enrolled(server, id);
    const client = await clientBehind(proxyBlockFor('203.0.113.30'), { cert: certPem, key: keyPem });
    const tokens = await certificateLogin(client);
    const session = (await callWith(client, tokens.access_token)).json.data;
    assert.equal(session.identityId, id);
    assert.equal(session.ipAddress, '203.0.113.30');
    assert.equal((await callWith(await proxied('203.0.113.30'), tokens.access_token)).status, 401);
  });

  test("the balancer's own health checks work", async () => {
    const checks = await clientBehind(proxyLocal);
    assert.equal((await checks.get('/health-checks/ready')).status, 200);
  });

  test('a balancer that sends no header gets nowhere', async () => {
    await assert.rejects(server.get('/health-checks/ready'));
  });
});
