// The configuration of the operator guide, run as it is printed: only addresses are replaced.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callWith, login, refresh } from '../support/flow.ts';
import { httpsClient } from '../support/https-client.ts';
import { asDialled, freePort } from '../support/nodes.ts';
import { startPostgres } from '../support/postgres.ts';
import { startTestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { patience, until } from '../support/until.ts';

const guide = readFileSync(new URL('../../docs/operator-guide.md', import.meta.url), 'utf8');
const [, printed = ''] = /^```\n(defaults +# HAProxy[\s\S]*?)^```$/m.exec(guide) ?? [];
const isThere = spawnSync('haproxy', ['-v']).status === 0;
const skip = isThere ? false : 'there is no haproxy here; the Debian package haproxy has it';

test('HAProxy, as the guide configures it, passes on what works while the database is away', {
  skip,
}, async (t) => {
  const database = await startPostgres();
  const db = await database.createDatabase();
  const ports = [await freePort(), await freePort()];
  const nodes = await Promise.all(
    ports.map((port) =>
      startTestServer({
        db,
        configure: (yaml) =>
          yaml
            .replaceAll('localhost:0', 'localhost:1280')
            .replace('127.0.0.1:0', `127.0.0.1:${port}`)
            .replace(
              /( +)clientCertificates: request.*\n/,
              '$&$1proxyProtocol:\n$1  balancers: [127.0.0.1]\n',
            ),
      }),
    ),
  );
  const front = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const configuration = printed
    .replaceAll('192.0.2.11:1280', `127.0.0.1:${ports[0]}`)
    .replaceAll('192.0.2.12:1280', `127.0.0.1:${ports[1]}`)
    .replace('bind :443', `bind 127.0.0.1:${front}`);
  writeFileSync(file, configuration);
  const checked = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stderr);
  assert.doesNotMatch(checked.stderr, /WARNING|ALERT/);
  const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const client = httpsClient(`https://localhost:${front}`, nodes[0]?.caPem ?? '');
  t.after(async () => {
    client.closeConnections();
    if (haproxy.exitCode === null && haproxy.kill('SIGTERM')) await once(haproxy, 'exit');
    rmSync(folder, { recursive: true });
    for (const node of nodes) await node.close();
    await database.close();
  });
  const dialled = asDialled(client, 'localhost:1280');
  const statusOf = (path: string) =>
    dialled.get(path).then(
      ({ status }) => status,
      () => 0,
    );
  await until(patience, async () => (await statusOf('/health-checks/ready')) === 200);
  await nodes[0]?.createUser({ name: 'alice', password });
  const { access_token, refresh_token } = await login(dialled, 'alice', password);

  await database.stop();
  try {
    await until(patience, async () => (await statusOf('/health-checks/ready')) === 503);
    // Longer than the balancer needs to find both nodes unready.
    const end = Date.now() + 6000;
    while (Date.now() < end) {
      client.closeConnections();
      assert.equal(await statusOf('/oidc/keys'), 200);
      assert.equal(await statusOf('/oidc/.well-known/openid-configuration'), 200);
      const refused = await refresh(dialled, refresh_token);
      assert.equal(refused.status, 503);
      assert.match(String(refused.headers['retry-after']), /^\d+$/);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    await database.start();
  }
  await until(patience, async () => (await callWith(dialled, access_token)).status === 200);
  assert.equal((await refresh(dialled, refresh_token)).status, 200);
});
