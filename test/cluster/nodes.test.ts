// Nodes with addresses of their own, as real processes. What nodes share is tested in test/postgres/nodes.test.ts.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startCluster } from '../support/cluster.ts';
import {
  beginLogin,
  callWith,
  claimsOf,
  login,
  obtainCode,
  redeem,
  refresh,
  submitPassword,
} from '../support/flow.ts';
import type { HttpsClient } from '../support/https-client.ts';
import { loggedIn, password } from '../support/management.ts';

const cluster = await startCluster({ nodes: 2, hasOwnAddresses: true });
after(() => cluster.close());
const [a, b] = cluster.nodes.map(({ client }) => client) as [HttpsClient, HttpsClient];
await cluster.createUser('alice');

test('nodes list one another', async () => {
  for (const { client } of cluster.nodes) {
    const { json } = await (await loggedIn(client, 'alice')).get('/edge/client/v1/controllers?sort=name');
    const listed = json.data.map(({ name, isOnline }: Record<string, unknown>) => [name, isOnline]);
    assert.deepEqual(
      listed,
      cluster.nodes.map(({ name }) => [name, true]),
    );
  }
});

test('nodes accept the access tokens of one another, whoever was there first', async () => {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const tokens = await login(from, 'alice', password);
    assert.notEqual(
      claimsOf(tokens.access_token).iss,
      (await to.get('/oidc/.well-known/openid-configuration')).json.issuer,
    );
    assert.equal((await callWith(to, tokens.access_token)).status, 200);
    assert.equal((await callWith(from, tokens.access_token)).status, 200);
  }
});

test('nodes renew and redeem only what they have issued themselves', async () => {
  const tokens = await login(a, 'alice', password);
  assert.equal((await refresh(b, tokens.refresh_token)).status, 400);
  assert.equal((await refresh(a, tokens.refresh_token)).status, 200, 'nothing was used up');
  const code = await obtainCode(a, 'alice', password);
  assert.equal((await redeem(b, code)).status, 400);
  assert.equal((await submitPassword(b, await beginLogin(a), 'alice', password)).status, 400);
});

test("nodes accept only the issuer's own tokens", async () => {
  const { issuer } = (await b.get('/oidc/.well-known/openid-configuration')).json;
  const fields = {
    name: 'impostor',
    enabled: true,
    issuer,
    audience: 'x',
    jwksEndpoint: 'https://idp.example/jwks',
  };
  const refused = await cluster.admin.call('POST', 'external-jwt-signers', fields);
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /is an issuer of this service/);
});

test('nodes still accept the tokens of one that has stopped', async () => {
  const tokens = await login(b, 'alice', password);
  assert.equal((await cluster.nodes[1]?.stop())?.code, 0);
  assert.equal((await callWith(a, tokens.access_token)).status, 200);
});
