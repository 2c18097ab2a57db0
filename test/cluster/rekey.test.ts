// Replacing the key-encryption key of several nodes, each on its own host: no client notices, and a forgotten node is not
// locked out.

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { nextKeyFile, previousKeyFile } from '../../src/platform/secrets/key-files.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import { readKeyFile } from '../../src/platform/secrets/master-key.ts';
import { sealedColumns } from '../../src/store/sql/keys.ts';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster.ts';
import { login, refresh } from '../support/flow.ts';
import { createdId, loggedIn, password } from '../support/management.ts';
import { query } from '../support/postgres.ts';
import { type AuthenticatorApp, partialLogin, scan, submitCode } from '../support/totp.ts';
import { until } from '../support/until.ts';

const keyFileOf = ({ home }: ClusterNode) => join(home, 'secrets', 'master.key');

describe('keys rekey with several nodes', () => {
  let cluster: Cluster;
  let [one, other]: readonly [ClusterNode, ClusterNode] = [] as never;
  before(async () => {
    cluster = await startCluster({ nodes: 2 });
    [one, other] = cluster.nodes as readonly [ClusterNode, ClusterNode];
    for (const name of ['alice', 'tom']) await cluster.createUser(name);
  });
  after(() => cluster?.close());

  const urlOf = () => cluster.database.urlOf(cluster.databaseName);

  async function sealedTexts(): Promise<readonly string[]> {
    const all = Object.values(sealedColumns).map(({ table, sealed }) =>
      query(urlOf(), `SELECT ${sealed} AS sealed FROM ${table} WHERE ${sealed} IS NOT NULL`),
    );
    return (await Promise.all(all)).flat().map(({ sealed }) => String(sealed));
  }

  async function isAllSealedUnder(file: string): Promise<boolean> {
    const vault = keyVault(vaultKey(readKeyFile(file).bytes));
    return (await sealedTexts()).every((sealed) => vault.isCurrent(sealed));
  }

  async function enrolled(name: string): Promise<AuthenticatorApp> {
    const caller = await loggedIn(other.client, name);
    assert.equal((await caller.call('POST', mfa)).status, 201);
    const app = scan(systemClock, (await caller.get(mfa)).json.data.provisioningUrl);
    const verified = await caller.call('POST', `${mfa}/verify`, { code: app.code() });
    assert.equal(verified.status, 200, verified.text);
    return app;
  }

  /** Signing keys, the TOTP seed of a person, and an enrollment that is shown again, on every node. */
  async function assertAllOpens(app: AuthenticatorApp, enrollee: string): Promise<void> {
    for (const { client } of cluster.nodes) {
      const tokens = await login(client, 'alice', password);
      assert.equal((await refresh(client, tokens.refresh_token)).status, 200);
      const admin = await loggedIn(client, 'root');
      assert.ok((await admin.get(`identities/${enrollee}`)).json.data.enrollment.ott.jwt);
      const id = await partialLogin(client, 'tom');
      // The step may be used up; only opening the seed shows that the code is wrong.
      const answer = await submitCode(client, id, app.code());
      assert.ok([302, 400].includes(answer.status), answer.text);
    }
  }

  test('the first run only makes the key, and a node that lacks it stops the second', async () => {
    const made = await one.command(['keys', 'rekey']);
    assert.equal(made.code, 0, made.stderr);
    assert.match(
      made.stdout,
      /^Made the new key \S+ in \S+master\.key\.next; nothing is sealed under it yet\.\n/,
    );
    assert.match(made.stderr, /copy that file to the folder of the key file on every node/);

    const tooSoon = await one.command(['keys', 'rekey']);
    assert.equal(tooSoon.code, 1, tooSoon.stdout);
    assert.match(tooSoon.stderr, /n2 does not have the key \S+ yet, so nothing is sealed under it\.\n/);
    assert.match(
      tooSoon.stderr,
      /next: copy \S+master\.key\.next to the folder of the key file on n2, then run/,
    );
    assert.ok(await isAllSealedUnder(keyFileOf(one)), 'nothing was sealed anew');
    assert.ok(await login(other.client, 'alice', password));
  });

  test('an interrupted one continues; meanwhile, and with the new key alone, all nodes open everything', async () => {
    const app = await enrolled('tom');
    const invited = { name: 'device', type: 'Device', enrollment: { ott: true } };
    const device = createdId(await cluster.admin.call('POST', 'identities', invited));
    const next = nextKeyFile(keyFileOf(one));
    copyFileSync(next, nextKeyFile(keyFileOf(other)));

    const stopping = one.begin(['keys', 'rekey']);
    const isBegun = async () => {
      const vault = keyVault(vaultKey(readKeyFile(next).bytes));
      return (await sealedTexts()).some((sealed) => vault.isCurrent(sealed));
    };
    await until(30 * SECOND, isBegun);
    // It waits until all nodes have noticed.
    stopping.child.kill('SIGKILL');
    await stopping.finished;
    assert.equal(await isAllSealedUnder(next), false, 'it was stopped before it was done');
    await assertAllOpens(app, device);
    await other.stop();
    await other.start();
    await assertAllOpens(app, device);

    const done = await one.command(['keys', 'rekey']);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /^Resealed [1-9]\d* secrets under the key /);
    assert.match(done.stderr, /run this command on the hosts of the other nodes too/);
    assert.ok(await isAllSealedUnder(keyFileOf(one)));
    await assertAllOpens(app, device);
    const later = createdId(await cluster.admin.call('POST', 'identities', { ...invited, name: 'later' }));
    assert.ok(await isAllSealedUnder(keyFileOf(one)), 'what nodes seal now is sealed under the new key');

    const there = await other.command(['keys', 'rekey', '-j']);
    assert.equal(there.code, 0, there.stderr);
    assert.equal(JSON.parse(there.stdout).resealed, 0);
    for (const node of cluster.nodes) {
      assert.equal(existsSync(nextKeyFile(keyFileOf(node))), false);
      rmSync(previousKeyFile(keyFileOf(node)));
      await node.stop();
      await node.start();
    }
    await assertAllOpens(app, later);
  });
});

const mfa = '/edge/client/v1/current-identity/mfa';
