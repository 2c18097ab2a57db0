// How soon a node knows what was changed on another one. docs/scaling.md has the figures of a full run
// (OVERLAY_AUTH_TEST_SIZE=full).

import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { after, describe, type TestContext, test } from 'node:test';
import { SignJWT } from 'jose';
import { type Millis, SECOND } from '../../src/platform/clock.ts';
import { type ClusterNode, startCluster } from '../support/cluster.ts';
import { clusterSize } from '../support/cluster-size.ts';
import { callWith, login } from '../support/flow.ts';
import { createdId, password } from '../support/management.ts';
import { testPki } from '../support/test-pki.ts';
import { until } from '../support/until.ts';

const longest: Millis = 5 * SECOND;

/** Where changes are made, and where they are awaited. */
const cluster = await startCluster({ nodes: 2 });
const [here, there] = [cluster.nodes[0] as ClusterNode, (cluster.nodes[1] as ClusterNode).client];
after(() => cluster.close());

function report(t: TestContext, times: readonly Millis[]): void {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(0);
  t.diagnostic(`${times.length} changes: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`);
}

async function timed(t: TestContext, change: (round: number) => Promise<Millis>): Promise<void> {
  const times: Millis[] = [];
  for (let round = 0; round < clusterSize.changes; round += 1) times.push(await change(round));
  report(t, times);
}

async function manage(method: string, path: string, json: unknown): Promise<void> {
  const answer = await cluster.admin.call(method, path, json);
  assert.equal(answer.status, 200, answer.text);
}

describe('another node knows within five seconds', () => {
  test('that a session has ended', async (t) => {
    await cluster.createUser('sam');
    await timed(t, async () => {
      const { access_token, refresh_token } = await login(there, 'sam', password);
      assert.equal((await callWith(there, access_token)).status, 200);
      const form = { token: refresh_token, client_id: 'overlay' };
      assert.equal((await here.client.post('/oidc/revoke', { form })).status, 200);
      return until(longest, async () => (await callWith(there, access_token)).status === 401);
    });
  });

  test('that an identity was disabled', async (t) => {
    const id = await cluster.createUser('ida');
    await timed(t, async () => {
      const { access_token } = await login(there, 'ida', password);
      assert.equal((await callWith(there, access_token)).status, 200);
      await manage('POST', `identities/${id}/disable`, { durationMinutes: 0 });
      const took = await until(longest, async () => (await callWith(there, access_token)).status === 401);
      await manage('POST', `identities/${id}/enable`, {});
      return took;
    });
  });

  test('that a policy requires more, and then less again', async (t) => {
    const id = await cluster.createUser('pia');
    const { json } = await cluster.admin.get('auth-policies/default');
    const { primary, secondary } = json.data;
    const policy = { name: 'propagated', primary, secondary };
    const policyId = createdId(await cluster.admin.call('POST', 'auth-policies', policy));
    await manage('PATCH', `identities/${id}`, { authPolicyId: policyId });
    const { access_token } = await login(there, 'pia', password);
    await timed(t, async (round) => {
      const requireTotp = round % 2 === 0;
      const isAllowed = async () => (await callWith(there, access_token)).status === 200;
      assert.equal(await isAllowed(), requireTotp);
      await manage('PATCH', `auth-policies/${policyId}`, { secondary: { requireTotp } });
      return until(longest, async () => (await isAllowed()) !== requireTotp);
    });
  });

  test('that an external JWT signer was disabled, and enabled again', async (t) => {
    const pki = await testPki();
    const externalId = 'eve@idp';
    createdId(
      await cluster.admin.call('POST', 'identities', {
        name: 'eve',
        type: 'User',
        isAdmin: false,
        externalId,
      }),
    );
    const [issuer, audience] = ['https://idp.example', 'propagated'];
    const certificate = { certPem: pki.server.certPem, kid: 'k1' };
    const signer = {
      name: 'propagated',
      enabled: true,
      issuer,
      audience,
      useExternalId: true,
      ...certificate,
    };
    const id = createdId(await cluster.admin.call('POST', 'external-jwt-signers', signer));
    const jwt = await new SignJWT({ sub: externalId })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(createPrivateKey(pki.server.keyPem));
    const isAccepted = async () => {
      const headers = { authorization: `Bearer ${jwt}` };
      const path = '/edge/client/v1/authenticate?method=ext-jwt';
      return (await there.post(path, { headers, json: {} })).status === 200;
    };
    await until(longest, isAccepted);
    await timed(t, async (round) => {
      const enabled = round % 2 === 1;
      await manage('PATCH', `external-jwt-signers/${id}`, { enabled });
      return until(longest, async () => (await isAccepted()) === enabled);
    });
  });

  test('that there is a new signing key', async (t) => {
    const kids = async (): Promise<number> => (await there.get('/oidc/keys')).json.keys.length;
    const times: Millis[] = [];
    for (let round = 0; round < 3; round += 1) {
      const known = await kids();
      // By a command on the host; its own run time is not counted.
      const { code, stderr } = await here.command(['keys', 'rotate']);
      assert.equal(code, 0, stderr);
      times.push(await until(longest, async () => (await kids()) > known));
    }
    report(t, times);
  });
});
