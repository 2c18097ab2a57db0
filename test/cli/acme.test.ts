// Certificates that a controller orders by itself, at Pebble, the authority that Let's Encrypt tests clients with.

import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { connect, type PeerCertificate } from 'node:tls';
import { certificateOrders } from '../../src/cli/host/run/acme-certificates.ts';
import type { RunningController } from '../../src/controller/controller.ts';
import { orderCertificate } from '../../src/platform/acme/acme-client.ts';
import { DAY, type Millis, systemClock } from '../../src/platform/clock.ts';
import type { Exchanger } from '../../src/platform/network/outbound-client.ts';
import { createRootCa, issueServerCertificate, newPrivateKey } from '../../src/platform/x509/pki.ts';
import { type Sandbox, type Started, sandbox, untilReady } from '../support/command.ts';
import { exits } from '../support/command-line.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { freePort } from '../support/free-port.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { noPebble, type Pebble, startPebble } from '../support/pebble.ts';
import { testPki } from '../support/test-pki.ts';
import { promised, until } from '../support/until.ts';

test('an order that failed is tried again once the key of its external account is another one', async () => {
  const box = sandbox();
  const hmacKeyFile = join(box.cwd, 'acme-hmac.key');
  const folder = join(box.cwd, 'acme');
  const externalAccount = { keyId: 'kid-1', hmacKeyFile };
  const acme = { folder, externalAccount, hosts: ['a.example'], directory: 'https://127.0.0.1:1/dir' };
  const log = memoryLogger();
  const orders = certificateOrders({
    controller: {
      config: { listeners: [{ name: 'default', identity: { acme } }] },
      services: { mount: { clockWatch: { isWrong: false } } },
    } as unknown as RunningController,
    clock: fixedClock('2026-01-01T00:00:00Z'),
    log,
    pause: async () => {},
    ending: new AbortController().signal,
    reload: async () => {},
  });
  const failures = async () => {
    await orders();
    return log.entries.length;
  };
  assert.equal(await failures(), 1, 'the file is missing');
  assert.equal(await failures(), 1);
  writeFileSync(hmacKeyFile, 'not a key!', { mode: 0o600 });
  assert.equal(await failures(), 2);
  assert.equal(await failures(), 2);
  writeFileSync(hmacKeyFile, 'nor this one!');
  assert.equal(await failures(), 3);
  assert.match(JSON.stringify(log.entries.at(-1)), /certificate could not be ordered/);
  await box.close();
});

describe('a listener whose certificate an ACME authority issues', { skip: noPebble }, () => {
  let box: Sandbox;
  let pebble: Pebble;
  let port: number;
  const runs: Started[] = [];
  before(async () => {
    box = sandbox();
    port = await freePort();
    pebble = await startPebble(box.cwd, { tlsPort: port });
    writeFileSync(join(box.cwd, 'directory-ca.pem'), pebble.caPem);
  });
  after(async () => {
    await box.close();
    await pebble[Symbol.asyncDispose]();
  });

  /** @param more lines of `acme` */
  function identity(hosts: readonly string[], directory: string, more: readonly string[]): string {
    const lines = [
      `directory: ${directory}`,
      `hosts: [${hosts.join(', ')}]`,
      'trustedRoots: [../directory-ca.pem]',
      ...more,
    ];
    return `    identity:\n      acme:\n${lines.map((line) => `        ${line}\n`).join('')}`;
  }

  function editHome(name: string, change: (yaml: string) => string): void {
    const file = join(box.cwd, name, 'controller.yml');
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  }

  /** @param more lines of `acme`. @returns its name */
  async function home(
    name: string,
    hosts: readonly string[],
    directory = pebble.directory,
    more: readonly string[] = [],
  ): Promise<string> {
    await box.home(name, `auth.example.com:${port}`);
    editHome(name, (yaml) => yaml.replace(/^ +apis:/m, `${identity(hosts, directory, more)}$&`));
    return name;
  }

  const peer = (options: object = {}): Promise<{ readonly certificate: PeerCertificate }> =>
    new Promise((resolve, reject) => {
      const at = { port, host: '127.0.0.1', servername: 'auth.example.com', rejectUnauthorized: false };
      const socket = connect({ ...at, ...options }, () => {
        resolve({ certificate: socket.getPeerCertificate() });
        socket.destroy();
      });
      socket.on('error', reject);
    });
  const issuerNow = async () => String((await peer()).certificate.issuer.CN);

  async function started(name: string): Promise<Started> {
    const run = box.start(['run', 'controller', `${name}/controller.yml`, '--log-format', 'json']);
    runs.push(run);
    await untilReady(run);
    return run;
  }

  async function ordered(run: Started) {
    const line = await run.line(({ directory }) => directory !== undefined);
    assert.equal(line.error, undefined, JSON.stringify(line.error));
    return line;
  }

  async function stopped(run: Started): Promise<void> {
    run.child.kill('SIGTERM');
    await exits(0, run.finished);
  }

  afterEach(async () => {
    for (const { child, finished } of runs.splice(0)) {
      child.kill('SIGKILL');
      await finished;
    }
  });

  test('it is ordered at the first start, presented without a restart, and found at the second', async () => {
    const run = await started(await home('first', ['auth.example.com', 'login.example.com']));
    assert.match(await issuerNow(), /Overlay Auth/, 'until then it presents the certificate of the home');
    assert.deepEqual((await ordered(run)).hosts, ['auth.example.com', 'login.example.com']);
    await until(5_000, async () => /Pebble/.test(await issuerNow()));
    const { certificate } = await peer({ ca: await pebble.root(), rejectUnauthorized: true });
    assert.equal(certificate.subjectaltname, 'DNS:auth.example.com, DNS:login.example.com');
    await stopped(run);
    const again = await started('first');
    assert.equal((await peer()).certificate.fingerprint256, certificate.fingerprint256);
    await stopped(again);
    assert.doesNotMatch(again.output().stdout, /certificate\.ordered/);
  });

  test('its renewal has the same key, and other hosts get another certificate', async () => {
    await using shortLived = await startPebble(box.cwd, { tlsPort: port, seconds: 5 });
    const name = await home('second', ['auth.example.com'], shortLived.directory);
    const keys = new Set<string>();
    const serials = new Set<string>();
    for (const hosts of ['auth.example.com', 'auth.example.com', 'auth.example.com, other.example.com']) {
      editHome(name, (yaml) => yaml.replace(/^( +)hosts: .*/m, `$1hosts: [${hosts}]`));
      const run = await started(name);
      await ordered(run);
      await stopped(run);
      const leaf = new X509Certificate(readFileSync(join(box.cwd, name, 'acme', 'default.cert.pem')));
      keys.add(leaf.publicKey.export({ format: 'pem', type: 'spki' }).toString());
      serials.add(leaf.serialNumber);
      assert.equal(leaf.subjectAltName, hosts.replaceAll(/^|(?<=, )/g, 'DNS:'));
      // Two thirds of five seconds.
      await until(10_000, async () => Date.now() > leaf.validToDate.getTime() - 1_500);
    }
    assert.equal(keys.size, 1);
    assert.equal(serials.size, 3);
  });

  test('an authority that binds accounts to customers gives one to the holder of a key only', async () => {
    const hosts = ['auth.example.com'];
    const key = randomBytes(32).toString('base64url');
    await using forCustomers = await startPebble(box.cwd, { tlsPort: port, customers: { 'kid-1': key } });
    const { directory } = forCustomers;
    const accountOf = (name: string, hmacKey: string) => {
      writeFileSync(join(box.cwd, `${name}.key`), `${hmacKey}\n`);
      return ['externalAccount:', '  keyId: kid-1', `  hmacKeyFile: ../${name}.key`];
    };
    const forged = randomBytes(32).toString('base64url');
    const refused: readonly [name: string, account: readonly string[], words: RegExp][] = [
      ['stranger', [], /externalAccountBinding/],
      ['forger', accountOf('forger', forged), /external account/],
      ['mistyped', accountOf('mistyped', 'not a key!'), /no key in base64url/],
    ];
    // A listener for each, before that of the customer: they share the key of the account, which is made only then.
    const listeners = refused
      .map(
        ([name, account]) => `  - name: ${name}
    bindPoints: [{ interface: '127.0.0.1:0', address: '${name}.example.com:443' }]
${identity(hosts, directory, account)}    apis: [{ binding: health-checks }]
`,
      )
      .join('');
    await home('customer', hosts, directory, accountOf('customer', key));
    editHome('customer', (yaml) => yaml.replace(/^web:.*\n/m, `$&${listeners}`));
    const run = await started('customer');
    for (const [name, , words] of refused) {
      const { error } = await run.line(({ listener }) => listener === name);
      assert.match(JSON.stringify(error), words);
    }
    await run.line(({ event }) => event === 'certificate.ordered');
    await stopped(run);
    for (const secret of [key, forged, 'not a key!'])
      assert.ok(!run.output().stdout.includes(secret), 'no key is in the log');
    // The account is there: a second certificate does not make another one.
    rmSync(join(box.cwd, 'customer', 'acme', 'default.cert.pem'));
    editHome('customer', (yaml) => yaml.replace(listeners, ''));
    const again = await started('customer');
    await ordered(again);
    await stopped(again);
  });

  test('without a pending challenge a handshake of the ACME protocol is refused, as one without HTTP/1.1', async () => {
    const run = await started('first');
    for (const ALPNProtocols of [['acme-tls/1'], ['h2'], ['acme-tls/1', 'h2']])
      await assert.rejects(peer({ ALPNProtocols }), /no application protocol/i);
    for (const options of [
      {},
      { ALPNProtocols: ['h2', 'http/1.1'] },
      { ALPNProtocols: ['acme-tls/1', 'http/1.1'] },
    ])
      assert.match(String((await peer(options)).certificate.issuer.CN), /Pebble/);
    await stopped(run);
  });

  test('one that cannot be reached keeps no controller from starting or ending', async () => {
    const name = await home('third', ['auth.example.com'], 'https://127.0.0.1:1/dir');
    const run = await started(name);
    const { error } = await run.line(({ level }) => level === 'error');
    assert.match(JSON.stringify(error), /connection/);
    assert.match(await issuerNow(), /Overlay Auth/);
    await stopped(run);
  });

  test('a controller ends at once while an authority keeps it waiting', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port: at } = silent.address() as AddressInfo;
    const run = await started(await home('fourth', ['auth.example.com'], `https://127.0.0.1:${at}/dir`));
    const [socket]: Socket[] = await once(silent, 'connection');
    const from = performance.now();
    await stopped(run);
    const took = performance.now() - from;
    socket?.destroy();
    silent.close();
    assert.ok(took < promised(10_000), 'it does not wait for the end of the request');
    assert.doesNotMatch(run.output().stdout, /could not be ordered/);
  });
});

/** An authority that believes everything, over HTTPS. @param chain what it issues for the key, PEM */
async function gullibleAuthority(chain: (keyPem: string) => Promise<string>, keyFile: string) {
  const { server: identity } = await testPki();
  const requests: string[] = [];
  const server = createHttpsServer(
    { cert: identity.certPem, key: identity.keyPem },
    async (request, response) => {
      const { url = '' } = request;
      requests.push(url);
      const at = (path: string) => `https://localhost:${(server.address() as AddressInfo).port}${path}`;
      const order = { authorizations: [], finalize: at('/finalize'), certificate: at('/certificate') };
      const answers: Readonly<Record<string, object>> = {
        '/dir': { newNonce: at('/nonce'), newAccount: at('/account'), newOrder: at('/order') },
        '/order': { ...order, status: 'valid' },
      };
      response.setHeader('replay-nonce', `${requests.length}`).setHeader('location', at('/order'));
      const isWanted = url === '/certificate';
      response.end(
        isWanted ? await chain(readFileSync(keyFile, 'utf8')) : JSON.stringify(answers[url] ?? {}),
      );
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { directory: `https://localhost:${port}/dir`, requests, server };
}

test('an issued certificate that cannot be presented now is not kept, and waits an hour', async (t) => {
  const box = sandbox();
  t.after(() => box.close());
  const folder = join(box.cwd, 'acme');
  const { ca } = await testPki();
  const trusted = join(box.cwd, 'ca.pem');
  writeFileSync(trusted, ca.certPem);
  const now = systemClock.now();
  const issue = async (keyPem: string, at: Millis, dnsNames = ['a.example']) => {
    const issuer = await createRootCa({ clock: fixedClock(at) }, { commonName: 'Other', days: 90 });
    const wanted = { days: 9, dnsNames, ips: [], ca: issuer, keyPem };
    return (await issueServerCertificate({ clock: fixedClock(at) }, wanted)).certPem;
  };
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const chains: readonly [words: RegExp, chain: (keyPem: string) => Promise<string>][] = [
    [/for another time/, (key) => issue(key, now - 10 * DAY)],
    [/for another time/, (key) => issue(key, now - 8 * DAY)],
    [/for another time/, (key) => issue(key, now + DAY)],
    [/cannot be used/, async (key) => `${await issue(key, now)}${broken}`],
    [/another key or other names/, (key) => issue(key, now, ['b.example'])],
    [/another key or other names/, () => issue(newPrivateKey(), now)],
    [/PEM/, async () => 'no certificate'],
  ];
  for (const [words, chain] of chains) {
    const authority = await gullibleAuthority(chain, join(folder, 'default.key.pem'));
    t.after(() => authority.server.close().closeAllConnections());
    const acme = {
      folder,
      externalAccount: null,
      hosts: ['a.example'],
      email: null,
      trustedRoots: [trusted],
    };
    const identity = { acme: { ...acme, directory: authority.directory } };
    const log = memoryLogger();
    let reloads = 0;
    const orders = certificateOrders({
      controller: {
        config: {
          listeners: [{ name: 'default', identity, minTLSVersion: 'TLS1.2', maxTLSVersion: 'TLS1.3' }],
          edge: { externalJwtSigners: { jwksFetch: { proxy: null, noProxy: [] } } },
        },
        services: { mount: { clockWatch: { isWrong: false } } },
      } as unknown as RunningController,
      clock: fixedClock(now),
      log,
      pause: async () => {},
      ending: new AbortController().signal,
      reload: async () => {
        reloads += 1;
      },
    });
    await orders();
    const asked = authority.requests.length;
    assert.equal(authority.requests.at(-1), '/certificate');
    await orders();
    assert.match(JSON.stringify(log.entries), words);
    assert.deepEqual([authority.requests.length, reloads], [asked, 0], String(words));
    assert.equal(existsSync(join(folder, 'default.cert.pem')), false, 'the next start does not find it');
  }
});

describe('an ACME authority that lies', () => {
  const directory = {
    newNonce: 'https://ca.example/nonce',
    newAccount: 'https://ca.example/account',
    newOrder: 'https://ca.example/order',
  };
  const order = {
    status: 'pending',
    authorizations: ['https://ca.example/authz'],
    finalize: 'https://ca.example/finalize',
  };
  const challenge = { type: 'tls-alpn-01', url: 'https://ca.example/challenge', token: 'abc' };
  const authorization = { status: 'pending', identifier: { value: 'a.example' }, challenges: [challenge] };
  const honest: Readonly<Record<string, unknown>> = {
    dir: directory,
    nonce: '',
    account: {},
    order,
    authz: authorization,
    challenge: {},
    finalize: {},
  };

  /** Orders at an authority with these answers instead. @returns the error, and how many requests it got */
  async function refusal(answers: Readonly<Record<string, unknown>>, status = 200) {
    let [requests, time, presented] = [0, 0, 0];
    const client: Exchanger = {
      async exchange(url) {
        requests += 1;
        const step = url.split('/').at(-1) ?? '';
        const body = Buffer.from(JSON.stringify(answers[step] ?? honest[step]));
        const headers = { 'replay-nonce': 'n', location: 'https://ca.example/order' };
        return { status: step in answers ? status : 200, headers, body };
      },
    };
    const error = await orderCertificate(
      {
        client,
        clock: { monotonic: () => time },
        pause: async (pause) => {
          time += pause;
        },
        present: async () => {
          presented += 1;
          return () => {
            presented -= 1;
          };
        },
      },
      {
        directory: 'https://ca.example/dir',
        email: null,
        externalAccount: null,
        accountKey: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
        hosts: ['a.example'],
        request: Buffer.alloc(0),
      },
    ).then(
      () => assert.fail('it was believed'),
      (failure: Error) => failure,
    );
    assert.equal(error.name, 'AcmeError', error.message);
    assert.equal(presented, 0, 'no challenge stays answered');
    return { message: error.message, requests };
  }

  test('is refused in words, in bounded time, and leaves no answer to a challenge', async () => {
    const badNonce = { type: 'urn:ietf:params:acme:error:badNonce', detail: 'again' };
    for (const [answers, status, words] of [
      [{ dir: 'hello' }, 200, /not the directory/],
      [{ dir: { ...directory, newOrder: 'http://ca.example/order' } }, 200, /not the directory/],
      [{ account: badNonce }, 400, /badNonce/],
      [{ account: null }, 500, /refused a request \(500\)/],
      [{ order: { ...order, authorizations: ['file:///etc/passwd'] } }, 200, /does not follow RFC 8555/],
      [{ order: { ...order, authorizations: Array(2).fill(order.authorizations[0]) } }, 200, /more proofs/],
      [
        { authz: { ...authorization, identifier: { value: 'b.example' } } },
        200,
        /"b\.example", which was not/,
      ],
      [{ authz: { ...authorization, challenges: [{ ...challenge, type: 'dns-01' }] } }, 200, /only: dns-01/],
      [{ authz: { ...authorization, challenges: [{ ...challenge, token: '../x' }] } }, 200, /RFC 8555/],
      [{ authz: { ...authorization, status: 'invalid' } }, 200, /refused a\.example/],
      [{}, 200, /not finished within two minutes/],
      [{ authz: { ...authorization, status: 'valid' } }, 200, /not finished within two minutes/],
      [
        { authz: { ...authorization, status: 'valid' }, order: { ...order, status: 'invalid' } },
        200,
        /the order/,
      ],
      [
        { authz: { ...authorization, status: 'valid' }, order: { ...order, status: 'valid' } },
        200,
        /no address/,
      ],
    ] as const) {
      const { message, requests } = await refusal(answers, status);
      assert.match(message, words);
      assert.ok(requests < 300, `${requests} requests`);
    }
  });
});
