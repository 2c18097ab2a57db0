import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { authenticate, clientRoot } from '../legacy/support.ts';
import { sendOneProof } from '../support/dpop.ts';
import { readNamedFile } from '../support/files.ts';
import { beginLogin, callWith, codeOf, login, redeem, refresh, submitPassword } from '../support/flow.ts';
import { listOf } from '../support/list-budget.ts';
import { type Node, startNode } from '../support/nodes.ts';
import { postgresServer } from '../support/postgres.ts';
import {
  createTotpUser,
  password,
  scan,
  startEnrollment,
  submitCode,
  totpPolicy,
  verifyEnrollment,
} from '../support/totp.ts';
import { until } from '../support/until.ts';

let [a, b]: [Node, Node] = [] as never;
before(async () => {
  const db = await (await postgresServer()).createDatabase();
  // Together: the second node waits for the migration of the first, and uses its keys.
  [a, b] = await Promise.all([startNode(db), startNode(db)]);
});
after(async () => {
  for (const node of [a, b]) {
    node.closeConnections();
    await node.server.close();
  }
});

/** Changes how long access tokens live in the file of one node, and reloads that node. */
async function reloadWith({ server }: Node, accessTokenDuration: string): Promise<void> {
  const file = join(server.home, 'controller.yml');
  const yaml = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    yaml.replace('accessTokenDuration: 30m', `accessTokenDuration: ${accessTokenDuration}`),
  );
  const { config } = loadConfig(file, { readFile: readNamedFile, env: {} });
  const { changed } = await server.controller.reload(config);
  assert.deepEqual(
    changed.map(({ path }) => path),
    ['edge.oidc.accessTokenDuration'],
  );
}

describe('two controllers on one database', () => {
  test('publish the same keys', async () => {
    const [one, other] = [await a.get('/oidc/keys'), await b.get('/oidc/keys')];
    assert.deepEqual(one.json.keys.map(({ alg }: { alg: string }) => alg).sort(), ['ES256', 'RS256']);
    assert.deepEqual(one.json, other.json);
  });

  test('a login that began on one continues and ends on the other', async () => {
    await a.server.createUser({ name: 'alice', password });
    const code = codeOf(await submitPassword(b, await beginLogin(a), 'alice', password));
    const redeemed = await redeem(a, code);
    assert.equal(redeemed.status, 200, redeemed.text);
    const tokens = redeemed.json;
    assert.equal((await callWith(b, tokens.access_token)).status, 200);
    const refreshed = await refresh(b, tokens.refresh_token);
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.equal((await refresh(a, refreshed.json.refresh_token)).status, 200);
  });

  test('a code and a refresh token work once, wherever they are presented', async () => {
    await a.server.createUser({ name: 'bea', password });
    const code = codeOf(await submitPassword(a, await beginLogin(a), 'bea', password));
    const answers = await Promise.all([a, b, a, b].map((node) => redeem(node, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400]);
    const { refresh_token } = await login(b, 'bea', password);
    const rotations = await Promise.all([a, b, a, b].map((node) => refresh(node, refresh_token)));
    assert.equal(rotations.filter(({ status }) => status === 200).length, 1);
  });

  test('a DPoP proof works once, wherever it is presented', async () => {
    await a.server.createUser({ name: 'thea', password });
    for (const nodes of [[a, b, a, b] as const, [b, a, b, a] as const]) {
      const answers = await sendOneProof(a.server.url, [...nodes], { username: 'thea', password });
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
      const later = await sendOneProof(a.server.url, [nodes[0]], { username: 'thea', password });
      assert.deepEqual(
        later.map(({ status }) => status),
        [200],
      );
    }
  });

  test('a DPoP proof may say its time finer than a millisecond (RFC 7519, NumericDate)', async () => {
    await a.server.createUser({ name: 'fine', password });
    const caller = { username: 'fine', password, fraction: 0.0625125 };
    const answers = await sendOneProof(a.server.url, [a, b, a, b], caller);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401]);
  });

  test('TOTP enrolled on one is required on the other, and a code works once', async () => {
    const policy = await totpPolicy(a.server);
    await createTotpUser(a.server, policy, 'tom');
    const first = await beginLogin(a);
    await submitPassword(b, first, 'tom', password);
    const started = await startEnrollment(a, first);
    const app = scan(systemClock, started.json.provisioningUrl);
    assert.equal((await verifyEnrollment(b, first, app.code())).status, 302);
    const ids = [await beginLogin(a), await beginLogin(b)];
    for (const id of ids) assert.equal((await submitPassword(a, id, 'tom', password)).status, 200);
    // Of the next step, which counts already now: the step of the first code cannot end in between.
    const code = app.code(1);
    const answers = await Promise.all([submitCode(a, ids[0] ?? '', code), submitCode(b, ids[1] ?? '', code)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [302, 400]);
  });

  test('a legacy session of one is known to the other, and ends on both', async () => {
    await a.server.createUser({ name: 'leo', password });
    const opened = await authenticate(a, 'leo', password, clientRoot);
    assert.equal(opened.status, 200, opened.text);
    const headers = { 'zt-session': opened.json.data.token };
    const current = `${clientRoot}/current-api-session`;
    assert.equal((await b.get(current, { headers })).status, 200);
    assert.equal((await b.request('DELETE', current, { headers })).status, 200);
    await until(SECOND, async () => (await a.get(current, { headers })).status === 401);
  });

  test('are reloaded one after the other: each follows its own file, and accepts what the other issued', async () => {
    await a.server.createUser({ name: 'rhea', password });
    const earlier = await login(b, 'rhea', password);
    const underWay = await beginLogin(a);
    await reloadWith(a, '10m');

    const code = codeOf(await submitPassword(b, underWay, 'rhea', password));
    const byB = await redeem(b, code);
    assert.equal(byB.status, 200, byB.text);
    assert.equal(byB.json.expires_in, 1800, 'the other node keeps to what it has read');
    const byA = await login(a, 'rhea', password);
    assert.equal(byA.expires_in, 600);
    for (const { access_token } of [earlier, byB.json, byA]) {
      for (const node of [a, b]) assert.equal((await callWith(node, access_token)).status, 200);
    }
    const refreshed = await refresh(b, byA.refresh_token);
    assert.deepEqual([refreshed.status, refreshed.json.expires_in], [200, 1800]);

    await reloadWith(b, '10m');
    const again = await refresh(b, refreshed.json.refresh_token);
    assert.deepEqual([again.status, again.json.expires_in], [200, 600]);
    for (const node of [a, b]) assert.equal((await callWith(node, again.json.access_token)).status, 200);
  });

  test('on both at once right passwords are no failures, and no more wrong ones than the limit are answered', async () => {
    const id = await a.server.createUser({ name: 'gil', password });
    const nodeOf = (at: number) => (at % 2 === 0 ? a : b);
    async function atOnce(secretOf: (at: number) => string): Promise<readonly string[]> {
      const requests = await Promise.all(Array.from({ length: 40 }, (_, at) => beginLogin(nodeOf(at))));
      const sent = requests.map((request, at) => submitPassword(nodeOf(at), request, 'gil', secretOf(at)));
      await Promise.all(sent);
      for (const { server } of [a, b]) await server.controller.services.attempts.flush();
      const filter = { op: '=', field: 'identityId', value: id } as const;
      const { items } = await a.server.store.loginAttempts.list(listOf(filter));
      return items.map(({ reason }) => reason ?? 'passed');
    }
    assert.deepEqual([...new Set(await atOnce(() => password))], ['passed']);
    const reasons = await atOnce((at) => `wrong ${at}`);
    assert.equal(reasons.filter((reason) => reason === 'wrong-password').length, 10);
    assert.ok(reasons.includes('locked'));
    for (const node of [a, b]) {
      assert.equal((await submitPassword(node, await beginLogin(node), 'gil', password)).status, 401);
    }
  });
});
