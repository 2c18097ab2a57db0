import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as httpsRequest } from 'node:https';
import { connect as connectTcp, createServer as createTcpServer } from 'node:net';
import { describe, test } from 'node:test';
import type { ConnectionOptions } from 'node:tls';
import type { Listener } from '../../src/config/config.ts';
import { auditLog } from '../../src/explain/audit-trail.ts';
import { envelope } from '../../src/http/request/answer.ts';
import { type Route, route } from '../../src/http/request/route.ts';
import { ListenError } from '../../src/http/server/listen-error.ts';
import { startListener } from '../../src/http/server/listener.ts';
import type { ListenerServices } from '../../src/http/server/mount.ts';
import type { TlsMaterial } from '../../src/http/server/tls-material.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sampledLines } from '../../src/platform/log/sampled-lines.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { createIntermediateCa, createRootCa, issueClientCertificate } from '../../src/platform/x509/pki.ts';
import {
  awake,
  bindPoint,
  echoRoutes,
  newMaterial,
  openSocket,
  recordingLogger,
  send,
  sendRaw,
  startTestListener,
  testListener,
  testMaterial,
  views,
} from './support.ts';

const needs = { clock: systemClock };
const clientRoot = await createRootCa(needs, { commonName: 'Client root', days: 2 });
const clientSub = await createIntermediateCa(needs, { commonName: 'Client sub', days: 2, ca: clientRoot });
const direct = await issueClientCertificate(needs, { commonName: 'direct', days: 1, ca: clientRoot });
const indirect = await issueClientCertificate(needs, { commonName: 'indirect', days: 1, ca: clientSub });

const der = (pem: string) => new X509Certificate(pem).raw;
const thumbprint = (pem: string) => createHash('sha256').update(der(pem)).digest('base64url');

const whoami = route('GET', '/certificates', {
  api: 'edge-client',
  guard: 'anonymous',
  load: 'light',
  errors: 'edge',
  summary: 'For a test',
  answers: {},
  handler: ({ sender: { certificates: presented } }) =>
    envelope(
      presented === null
        ? null
        : {
            thumbprint: presented.leafThumbprint,
            chain: presented.chain.map((one) => one.toString('base64')),
          },
    ),
});
const plain = route('GET', '/plain', {
  api: 'edge-client',
  guard: 'anonymous',
  load: 'light',
  errors: 'edge',
  summary: 'For a test',
  answers: {},
  handler: () => envelope(null),
});

describe('client certificates', () => {
  test('the leaf and what leads up from it are seen, validated or not', async (t) => {
    const { port } = await startTestListener(t, { routes: [whoami] });
    const chain = (...pems: string[]) => pems.map((pem) => der(pem).toString('base64'));
    const table: readonly [string, ConnectionOptions, { thumbprint: string; chain: string[] } | null][] = [
      ['none', {}, null],
      [
        'leaf alone',
        { cert: direct.certPem, key: direct.keyPem },
        { thumbprint: thumbprint(direct.certPem), chain: chain(direct.certPem) },
      ],
      [
        'leaf and intermediate',
        { cert: indirect.certPem + clientSub.certPem, key: indirect.keyPem },
        { thumbprint: thumbprint(indirect.certPem), chain: chain(indirect.certPem, clientSub.certPem) },
      ],
      [
        'leaf to root',
        { cert: indirect.certPem + clientSub.certPem + clientRoot.certPem, key: indirect.keyPem },
        {
          thumbprint: thumbprint(indirect.certPem),
          chain: chain(indirect.certPem, clientSub.certPem, clientRoot.certPem),
        },
      ],
      [
        'padded with the certificate of somebody else',
        { cert: direct.certPem + indirect.certPem, key: direct.keyPem },
        { thumbprint: thumbprint(direct.certPem), chain: chain(direct.certPem) },
      ],
    ];
    for (const [what, tls, expected] of table) {
      const answer = await send(port, '/certificates', { tls });
      assert.equal(answer.status, 200, what);
      assert.deepEqual(answer.json.data, expected, what);
    }
  });

  test('a resumed connection still has the whole chain, and another listener refuses the ticket', async (t) => {
    const { port } = await startTestListener(t, { routes: [whoami, plain] });
    const other = await startTestListener(t, { routes: [whoami], listener: { name: 'other' } });
    for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
      const tls = { cert: indirect.certPem + clientSub.certPem, key: indirect.keyPem, maxVersion };
      const first = await openSocket(port, tls);
      const session = await new Promise<Buffer | undefined>((resolve) => {
        // TLS 1.2 hands out its ticket within the handshake, TLS 1.3 after it.
        if (maxVersion === 'TLSv1.2') resolve(first.getSession());
        first.once('session', resolve);
        first.resume();
        first.write(`GET /plain HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
      });
      first.destroy();
      const ask = async (at: number) => {
        const socket = await openSocket(at, { ...tls, ...(session && { session }) });
        const reused = socket.isSessionReused();
        const text = await new Promise<string>((resolve) => {
          socket.once('data', (data) => resolve(data.toString()));
          socket.write(`GET /certificates HTTP/1.1\r\nHost: localhost:${at}\r\n\r\n`);
        });
        socket.destroy();
        return { reused, text };
      };
      const resumed = await ask(port);
      assert.equal(resumed.reused, true, maxVersion);
      assert.ok(resumed.text.includes(thumbprint(indirect.certPem)));
      assert.ok(
        resumed.text.includes(der(clientSub.certPem).toString('base64')),
        'the intermediate is there',
      );
      const elsewhere = await ask(other.port);
      assert.equal(elsewhere.reused, false, maxVersion);
      assert.ok(elsewhere.text.includes(thumbprint(indirect.certPem)));
    }
  });

  test('a listener without client certificates does not ask', async (t) => {
    const { port } = await startTestListener(t, {
      routes: [whoami],
      listener: { clientCertificates: 'none' },
    });
    const answer = await send(port, '/certificates', { tls: { cert: direct.certPem, key: direct.keyPem } });
    assert.equal(answer.json.data, null);
  });

  test('headers that claim a certificate are ignored', async (t) => {
    const { port } = await startTestListener(t, { routes: [whoami] });
    const claim = encodeURIComponent(direct.certPem);
    const headers = {
      'x-client-cert': claim,
      'x-client-certpem': claim,
      'x-forwarded-client-cert': claim,
      'x-ssl-cert': claim,
      x_ssl_client_cert: claim,
      'ssl-client-cert': claim,
    };
    assert.equal((await send(port, '/certificates', { headers })).json.data, null);
  });
});

/** What a connection without TLS reads until its end, for these bytes. */
function plainly(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

describe('TLS', () => {
  test('old versions and weak ciphers get nowhere', async (t) => {
    const { port } = await startTestListener(t);
    const refused: readonly ConnectionOptions[] = [
      { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' },
      { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256' },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' },
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-SHA' },
      { ALPNProtocols: ['h2'] },
    ];
    for (const tls of refused) await assert.rejects(openSocket(port, tls), JSON.stringify(tls));
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await openSocket(port, { minVersion: version, maxVersion: version });
      assert.equal(socket.getProtocol(), version);
      assert.ok(socket.getCipher().name.includes('GCM'));
      socket.destroy();
    }
  });

  test('plain HTTP is told to use HTTPS, and nothing else', async (t) => {
    const { port, log } = await startTestListener(t);
    for (const request of ['GET /secret?token=abc HTTP/1.1\r\nHost: x\r\n\r\n', 'POST / HTTP/1.1\r\n']) {
      const answer = await plainly(port, request);
      assert.match(answer, /^HTTP\/1\.1 400 /);
      assert.match(answer, /\r\n\r\nThis port speaks HTTPS\. Use an address that begins with https:\/\/\n$/);
    }
    assert.equal(await plainly(port, 'SSH-2.0-client\r\n'), '');
    assert.ok(!JSON.stringify(log).includes('secret'));
  });

  test('a configured minimum version is enforced', async (t) => {
    const tls = { minTLSVersion: 'TLS1.3', maxTLSVersion: 'TLS1.3' } as const;
    const { port } = await startTestListener(t, { listener: tls });
    await assert.rejects(openSocket(port, { maxVersion: 'TLSv1.2' }));
    (await openSocket(port)).destroy();
  });

  test('renegotiation is refused', async (t) => {
    const { port } = await startTestListener(t);
    const socket = await openSocket(port, { maxVersion: 'TLSv1.2' });
    const error = await new Promise((resolve) => {
      socket.once('error', resolve);
      socket.once('close', () => resolve('closed'));
      socket.renegotiate({ rejectUnauthorized: false }, (failure) => resolve(failure ?? 'renegotiated'));
    });
    assert.notEqual(error, 'renegotiated');
    socket.destroy();
  });

  test('certificates are replaced without dropping connections, and invalid ones are not used', async (t) => {
    const { running, port } = await startTestListener(t);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const serial = (tls: ConnectionOptions = {}) =>
      openSocket(port, tls).then((socket) => {
        const { serialNumber } = socket.getPeerCertificate();
        socket.destroy();
        return serialNumber;
      });
    const open = await openSocket(port);
    const before = await serial();

    const fresh = await newMaterial();
    const endpoints = { listener: running.listener, routes: echoRoutes, views };
    const use = await running.prepare({ ...endpoints, material: fresh });
    assert.equal(await serial(), before, 'not before it is put in use');
    use();
    const after = await serial();
    assert.notEqual(after, before);
    assert.equal(after, new X509Certificate(fresh.certificateChain).serialNumber);
    await assert.rejects(
      running.prepare({ ...endpoints, material: { ...fresh, privateKey: testMaterial.privateKey } }),
      ListenError,
    );
    assert.equal(await serial(), after);

    const answer = await new Promise<string>((resolve) => {
      open.once('data', (data) => resolve(data.toString()));
      open.write(`GET /edge/client/v1/version HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    });
    assert.match(answer, /^HTTP\/1\.1 200 /);
    open.destroy();
    await assert.rejects(openSocket(port, { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' }), 'limits stay');
  });
});

describe('a TLS handshake', () => {
  test('that is not completed in time ends the connection', async (t) => {
    const timeouts = { idleTimeout: 5000, readTimeout: 200, writeTimeout: 10_000 };
    const { port, log } = await startTestListener(t, { listener: timeouts });
    // Nothing at all, and a ClientHello of which the rest never comes.
    for (const bytes of [Buffer.alloc(0), Buffer.from('16030100c8010000c40303', 'hex')]) {
      const socket = connectTcp(port, '127.0.0.1');
      t.after(() => socket.destroy());
      socket.on('error', () => {});
      socket.resume();
      socket.write(bytes);
      await new Promise((resolve) => socket.once('close', resolve));
    }
    assert.deepEqual(
      log.lines.map(({ level, fields }) => [level, fields.detail]),
      [
        ['info', 'ERR_TLS_HANDSHAKE_TIMEOUT'],
        ['info', 'ERR_TLS_HANDSHAKE_TIMEOUT'],
      ],
    );
  });
});

describe('opening a listener', () => {
  const start = (listener: Listener, material: TlsMaterial, routes: readonly Route[]) => {
    const log = recordingLogger();
    const lines = sampledLines({
      clock: systemClock,
      write: ({ level, message, fields }) => log[level](message, fields),
    });
    const mount: ListenerServices = {
      clock: systemClock,
      random: systemRandom,
      log,
      audit: { ...auditLog(log), kept: async () => true },
      attempts: { refused: () => {} },
      strangersLog: lines,
      callersLog: lines,
      ...awake,
      nonces: { current: () => '' },
      authenticate: () => {
        throw new Error('not asked');
      },
    };
    return startListener(mount, { listener, material, routes, views });
  };

  test('an address in use is reported in one clear sentence, and nothing stays open', async (t) => {
    const taken = createTcpServer().listen(0, '127.0.0.1');
    t.after(() => taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const listener = testListener({
      bindPoints: [bindPoint(), bindPoint(`localhost:${port}`, port)],
    });
    await assert.rejects(start(listener, testMaterial, echoRoutes), (error: unknown) => {
      assert.ok(error instanceof ListenError);
      assert.match(
        error.message,
        new RegExp(`^The listener "test" cannot listen on 127\\.0\\.0\\.1:${port}: another program`),
      );
      return true;
    });
    const away = testListener({
      bindPoints: [{ ...bindPoint(), interface: { host: '192.0.2.1', port: 0 } }],
    });
    await assert.rejects(start(away, testMaterial, echoRoutes), /this machine has no such address/);
  });

  test('an identity that cannot be used names the file', async () => {
    const other = await newMaterial();
    const table: readonly [TlsMaterial, RegExp][] = [
      [{ ...testMaterial, certificateChain: '' }, /server\.pem does not begin with a certificate/],
      [{ ...testMaterial, privateKey: 'x' }, /key\.pem does not hold an unencrypted private key/],
      [
        { ...testMaterial, privateKey: other.privateKey },
        /key\.pem does not belong to the certificate in server\.pem/,
      ],
    ];
    for (const [material, message] of table) {
      await assert.rejects(start(testListener(), material, echoRoutes), (error: unknown) => {
        assert.ok(error instanceof ListenError);
        assert.match(error.message, message);
        assert.ok(!error.message.includes('PRIVATE KEY'));
        return true;
      });
    }
  });

  test('one source has a limited number of connections, and closing one makes room', async (t) => {
    const { port } = await startTestListener(t, { limits: { connectionsPerSource: 3 } });
    const open = [await openSocket(port), await openSocket(port), await openSocket(port)];
    await assert.rejects(openSocket(port));
    open[0]?.destroy();
    let again: Awaited<ReturnType<typeof openSocket>> | undefined;
    for (let attempt = 0; attempt < 50 && again === undefined; attempt += 1) {
      again = await openSocket(port).catch(() => undefined);
    }
    assert.ok(again !== undefined);
    for (const socket of [...open, again]) socket.destroy();
  });
});

describe('closing a listener', () => {
  test('requests under way are finished, idle connections end, new ones are refused', async (t) => {
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun: () => void = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = route('GET', '/slow', {
      api: 'edge-client',
      guard: 'anonymous',
      load: 'light',
      errors: 'edge',
      summary: 'For a test',
      answers: {},
      async handler() {
        begun();
        await released;
        return envelope('done');
      },
    });
    const { running, port } = await startTestListener(t, { routes: [slow], limits: { drain: 10_000 } });
    const idle = await openSocket(port);
    const idleClosed = new Promise((resolve) => idle.once('close', resolve));
    idle.resume();
    const answer = sendRaw(port, `GET /slow HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    await hasBegun;
    const closed = running.close();
    await idleClosed;
    await assert.rejects(openSocket(port), /ECONNREFUSED/);
    release();
    const { text, closed: connectionClosed } = await answer;
    assert.match(text, /^HTTP\/1\.1 200 [\s\S]*"data":"done"/);
    assert.ok(connectionClosed);
    await closed;
  });

  test('a request that does not finish in time is ended', async (t) => {
    const begun = Promise.withResolvers<void>();
    const stuck = route('GET', '/stuck', {
      api: 'edge-client',
      guard: 'anonymous',
      load: 'light',
      errors: 'edge',
      summary: 'For a test',
      answers: {},
      handler() {
        begun.resolve();
        return new Promise<never>(() => {});
      },
    });
    const { running, port } = await startTestListener(t, { routes: [stuck], limits: { drain: 200 } });
    const answer = sendRaw(port, `GET /stuck HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    const halfOpen = connectTcp(port, '127.0.0.1');
    halfOpen.on('error', () => {});
    await Promise.all([begun.promise, once(halfOpen, 'connect')]);
    await running.close();
    assert.equal((await answer).text, '');
  });

  test('a client that disconnects midway does the server no harm', async (t) => {
    const { port, log } = await startTestListener(t);
    for (let round = 0; round < 20; round += 1) {
      const request = httpsRequest({
        host: '127.0.0.1',
        port,
        path: '/edge/client/v1/things',
        method: 'POST',
        rejectUnauthorized: false,
        headers: { host: `localhost:${port}`, 'content-type': 'application/json', 'content-length': '1000' },
      });
      request.on('error', () => {});
      request.write('{"a":');
      await new Promise((resolve) => setTimeout(resolve, 5));
      request.destroy();
    }
    assert.equal((await send(port, '/edge/client/v1/version')).status, 200);
    assert.deepEqual(
      log.lines.filter((line) => line.level === 'error'),
      [],
    );
  });
});
