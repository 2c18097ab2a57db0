// Several nodes as real processes: what was created or used on one is created or used on all.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster.ts';
import { clusterSize } from '../support/cluster-size.ts';
import {
  beginLogin,
  callWith,
  claimsOf,
  codeOf,
  login,
  obtainCode,
  redeem,
  refresh,
  submitPassword,
} from '../support/flow.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { createdId, loggedIn, password } from '../support/management.ts';
import { scan, startEnrollment, submitCode, verifyEnrollment } from '../support/totp.ts';

function twoOf({ nodes }: Cluster): readonly [HttpsClient, HttpsClient] {
  const [one, other] = nodes as readonly [ClusterNode, ClusterNode];
  return [one.client, other.client];
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

describe('several nodes behind one address', () => {
  let cluster: Cluster;
  let [a, b]: readonly [HttpsClient, HttpsClient] = [] as never;
  before(async () => {
    cluster = await startCluster({ nodes: clusterSize.nodes });
    [a, b] = twoOf(cluster);
    for (const name of ['alice', 'tom']) await cluster.createUser(name);
  });
  after(() => cluster?.close());

  test('list one another', async () => {
    for (const { client } of cluster.nodes) {
      const { json } = await (await loggedIn(client, 'alice')).get('/edge/client/v1/controllers?sort=name');
      const listed = json.data.map(({ name, isOnline }: { name: string; isOnline: boolean }) => [
        name,
        isOnline,
      ]);
      assert.deepEqual(
        listed,
        cluster.nodes.map(({ name }) => [name, true]),
      );
    }
  });

  test('share a login, its code and its tokens, each of which is used once', async () => {
    const id = await beginLogin(a);
    const code = codeOf(await submitPassword(b, id, 'alice', password));
    const redeemed = await redeem(a, code);
    assert.equal(redeemed.status, 200, redeemed.text);
    assert.equal((await callWith(b, redeemed.json.access_token)).status, 200);
    assert.equal((await refresh(b, redeemed.json.refresh_token)).status, 200);

    const raced = await obtainCode(b, 'alice', password);
    assert.deepEqual(
      statuses(await Promise.all([a, b, a, b].map((node) => redeem(node, raced)))),
      [200, 400, 400, 400],
    );
    const { refresh_token } = await login(b, 'alice', password);
    const rotations = await Promise.all([a, b, a, b].map((node) => refresh(node, refresh_token)));
    assert.deepEqual(statuses(rotations), [200, 400, 400, 400]);
    const keys = await Promise.all(cluster.nodes.map(({ client }) => client.get('/oidc/keys')));
    for (const { json } of keys) assert.deepEqual(json, keys[0]?.json);
  });

  test('share TOTP: its step and a recovery code count once', async () => {
    const policy = createdId(
      await cluster.admin.call('POST', 'auth-policies', { name: 'totp', secondary: { requireTotp: true } }),
    );
    const filter = encodeURIComponent('name = "tom"');
    const [{ id }] = (await cluster.admin.get(`identities?filter=${filter}`)).json.data;
    await cluster.admin.call('PATCH', `identities/${id}`, { authPolicyId: policy });

    const first = await beginLogin(a);
    await submitPassword(a, first, 'tom', password);
    const started = await startEnrollment(b, first);
    assert.equal(started.status, 201, started.text);
    const { provisioningUrl, recoveryCodes } = started.json;
    const app = scan(systemClock, provisioningUrl);
    assert.equal((await verifyEnrollment(a, first, app.code())).status, 302);
    // The code of the next step counts already now, and still when that step begins before the nodes see it.
    for (const code of [app.code(1), recoveryCodes[0]]) {
      const ids = [await beginLogin(a), await beginLogin(b)];
      for (const login of ids) assert.equal((await submitPassword(b, login, 'tom', password)).status, 200);
      const answers = await Promise.all([a, b].map((node, at) => submitCode(node, String(ids[at]), code)));
      assert.deepEqual(statuses(answers), [302, 400]);
    }
  });
});

describe('nodes with addresses of their own', () => {
  let cluster: Cluster;
  let [a, b]: readonly [HttpsClient, HttpsClient] = [] as never;
  before(async () => {
    cluster = await startCluster({ nodes: 2, hasOwnAddresses: true });
    [a, b] = twoOf(cluster);
    await cluster.createUser('alice');
  });
  after(() => cluster?.close());

  test('accept the access tokens of one another, whoever was there first', async () => {
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

  test('renew and redeem only what they have issued themselves', async () => {
    const tokens = await login(a, 'alice', password);
    assert.equal((await refresh(b, tokens.refresh_token)).status, 400);
    assert.equal((await refresh(a, tokens.refresh_token)).status, 200, 'nothing was used up');
    const code = await obtainCode(a, 'alice', password);
    assert.equal((await redeem(b, code)).status, 400);
    assert.equal((await submitPassword(b, await beginLogin(a), 'alice', password)).status, 400);
  });

  test("accept only the issuer's own tokens", async () => {
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

  test('still accept the tokens of one that has stopped', async () => {
    const tokens = await login(b, 'alice', password);
    assert.equal((await cluster.nodes[1]?.stop())?.code, 0);
    assert.equal((await callWith(a, tokens.access_token)).status, 200);
  });
});
