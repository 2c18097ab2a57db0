// Nodes with addresses of their own, as real processes. What nodes share is tested in test/postgres/nodes.test.ts.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { goCall, goExchange, goLoginWithPassword, goRefresh } from '../compatibility/go-client.ts';
import { goClient } from '../compatibility/support.ts';
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

const cluster = await startCluster({ nodes: 2, hasOwnAddresses: true, aliases: [goClient] });
after(() => cluster.close());
const [a, b] = cluster.nodes.map(({ client }) => client) as [HttpsClient, HttpsClient];
await cluster.createUser('alice');

const issuerOf = async (node: HttpsClient) =>
  (await node.get('/oidc/.well-known/openid-configuration')).json.issuer;

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

test('nodes accept the access tokens of one another, whichever started first', async () => {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const tokens = await login(from, 'alice', password);
    assert.notEqual(claimsOf(tokens.access_token).iss, await issuerOf(to));
    assert.equal((await callWith(to, tokens.access_token)).status, 200);
    assert.equal((await callWith(from, tokens.access_token)).status, 200);
  }
});

test('nodes renew and redeem for clients of the specification only what they have issued themselves', async () => {
  const tokens = await login(a, 'alice', password);
  assert.equal((await refresh(b, tokens.refresh_token)).status, 400);
  assert.equal((await refresh(a, tokens.refresh_token)).status, 200, 'nothing was used up');
  const code = await obtainCode(a, 'alice', password);
  assert.equal((await redeem(b, code)).status, 400);
  assert.equal((await submitPassword(b, await beginLogin(a), 'alice', password)).status, 400);
});

test('an existing SDK moves to another node: its tokens name that one, and what was used stays used', async () => {
  let tokens = await goLoginWithPassword(a, 'alice', password);
  for (const node of [b, a, b]) {
    const before = tokens;
    tokens = await goRefresh(node, before);
    for (const token of [tokens.access, tokens.id, tokens.refresh])
      assert.equal(claimsOf(token).iss, await issuerOf(node));
    for (const each of [a, b])
      assert.equal((await goCall(each, tokens, '/edge/client/v1/current-api-session')).status, 200);
    assert.equal(claimsOf(tokens.access).z_asid, claimsOf(before.access).z_asid);
  }
  // Both nodes at once: one successor.
  const answers = await Promise.all(
    [a, b, a, b].map((node) => goExchange(node, tokens.refresh, 'refresh_token', 'refresh_token')),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(new Set(answers.map(({ json }) => claimsOf(json.refresh_token).jti)).size, 1);
  const last = await goExchange(a, answers[1]?.json.refresh_token, 'refresh_token', 'refresh_token');
  assert.equal(last.status, 200, last.text);
  const reused = await goExchange(b, tokens.refresh, 'refresh_token', 'refresh_token');
  assert.deepEqual([reused.status, reused.json.error], [400, 'invalid_grant']);
  for (const node of [a, b]) {
    const answer = await goExchange(node, last.json.refresh_token, 'refresh_token', 'refresh_token');
    assert.equal(answer.status, 400, 'the family has ended');
  }
});

test("nodes accept only the issuer's own tokens", async () => {
  const issuer = await issuerOf(b);
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
  const ofProgram = await goLoginWithPassword(b, 'alice', password);
  assert.equal((await cluster.nodes[1]?.stop())?.code, 0);
  assert.equal((await callWith(a, tokens.access_token)).status, 200);
  assert.equal(claimsOf((await goRefresh(a, ofProgram)).access).iss, await issuerOf(a));
});
