import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { lookup } from 'node:dns';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { parseIpRange } from '../../src/config/addresses.ts';
import type { JwksFetchConfig } from '../../src/config/config.ts';
import { HOUR } from '../../src/platform/clock.ts';
import { type FetchRefusal, FetchRefused } from '../../src/platform/network/fetch-refused.ts';
import { type OutboundNeeds, outboundClient } from '../../src/platform/network/outbound-client.ts';
import { checkAddress } from '../../src/platform/network/outbound-targets.ts';
import { trustingContext } from '../../src/platform/network/outbound-trust.ts';
import { openDirectly } from '../../src/platform/network/proxy-tunnel.ts';
import { authority } from '../support/chains.ts';
import { noLimits } from '../support/outbound-limits.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { testPki } from '../support/test-pki.ts';
import { sessionTicket, startTls13Server, type Tls13Session } from '../support/tls13-server.ts';

const wanted = { accept: 'application/json', maxBytes: 100_000 };

const idp = await startTestIdp();
after(() => idp.close());
beforeEach(() => idp.misbehave(null));

function client(changed: Partial<JwksFetchConfig> = {}, needs: OutboundNeeds = {}) {
  return outboundClient({ ...noLimits, ...changed }, { trustedRoots: [idp.caPem], ...needs });
}

async function assertRefused(fetch: Promise<unknown>, reason: FetchRefusal, about: string): Promise<void> {
  await assert.rejects(
    fetch,
    (error) => {
      assert.ok(error instanceof FetchRefused, `${about}: ${String(error)}`);
      assert.equal(error.reason, reason, about);
      return true;
    },
    about,
  );
}

/** A resolver that gives one answer after the other, then the last one again. */
function resolvesTo(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve = async (hostname: string) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { asked, resolve };
}

describe('the outbound client', () => {
  test('fetches a document over HTTPS', async () => {
    const body = await client().get(idp.jwksEndpoint, wanted);
    assert.deepEqual(JSON.parse(body.toString()), { keys: idp.publishedKeys() });
  });

  test('calls a bare loopback address without TLS only if allowed, and never through a redirect', async () => {
    let location: string | undefined;
    const plain = createHttpServer((_request, response) => {
      if (location === undefined) response.end('{}');
      else response.writeHead(302, { location }).end();
    });
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    const allowed = { ...wanted, allowPlainLoopback: true };
    const url = `http://127.0.0.1:${port}/keys`;
    try {
      assert.equal((await client({ blockPrivateAddresses: true }).get(url, allowed)).toString(), '{}');
      await assertRefused(client().get(url, wanted), 'scheme', 'not allowed');
      for (const other of [
        `http://localhost:${port}/keys`,
        `http://127.0.0.1.example:${port}/keys`,
        `http://user@127.0.0.1:${port}/keys`,
        'http://10.0.0.1/keys',
        'http://[::ffff:10.0.0.1]/keys',
        'http://169.254.169.254/latest',
        'ftp://127.0.0.1/keys',
      ]) {
        await assertRefused(client().get(other, allowed), 'scheme', other);
      }
      const denied = { deniedIPs: [parseIpRange('127.0.0.0/8')] };
      await assertRefused(client(denied).get(url, allowed), 'address', 'denied');
      location = url;
      await assertRefused(client().get(url, allowed), 'scheme', 'a redirect');
    } finally {
      plain.close();
    }
  });

  test('follows redirects up to the limit and no further', async () => {
    idp.misbehave({ kind: 'redirects', hops: 5 });
    await client().get(idp.jwksEndpoint, wanted);
    idp.misbehave({ kind: 'redirects', hops: 50 });
    const hopsBefore = [...idp.requests.keys()].length;
    await assertRefused(client().get(idp.jwksEndpoint, wanted), 'too-many-redirects', 'fifty redirects');
    assert.equal([...idp.requests.keys()].length - hopsBefore, 5);
    idp.misbehave({ kind: 'redirects', hops: 1 });
    await assertRefused(
      client({ maxRedirects: 0 }).get(idp.jwksEndpoint, wanted),
      'too-many-redirects',
      'one',
    );
  });

  test('refuses addresses that are not plain https URLs', async () => {
    const table: readonly (readonly [string, FetchRefusal])[] = [
      ['http://169.254.169.254/', 'scheme'],
      ['http://localhost:1280/', 'scheme'],
      ['http://0/', 'scheme'],
      ['file:///etc/passwd', 'scheme'],
      ['gopher://localhost/', 'scheme'],
      ['data:application/json,{}', 'scheme'],
      ['javascript:0', 'scheme'],
      ['', 'url'],
      ['jwks', 'url'],
      ['https://', 'url'],
      ['https://user:secret@localhost/', 'url'],
      ['https://user@localhost/', 'url'],
      ['https://[::1/', 'url'],
      ['https://localhost:99999/', 'url'],
      [`https://localhost/${'a'.repeat(3000)}`, 'url'],
    ];
    for (const [url, reason] of table) await assertRefused(client().get(url, wanted), reason, url);
  });

  test('refuses to keep an address that a person would read as another one', () => {
    for (const url of [
      'https://a.example\\@b.example/',
      'https://a\r\n.example/',
      'https://a.example/ ',
      'https:\\\\a.example',
    ])
      assert.throws(() => checkAddress(url, noLimits), { reason: 'url' }, JSON.stringify(url));
    checkAddress('https://a.example/b?c=%20', noLimits);
  });

  test('refuses bare addresses in every spelling without connecting', async () => {
    const hosts = [
      '169.254.169.254',
      '0xa9fea9fe',
      '2852039166',
      '169.254.43518',
      '0251.0376.0251.0376',
      '0',
      '[fd00:ec2::254]',
      '[fe80::1]',
      '[::]',
      '[::ffff:169.254.169.254]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:a9fe:a9fe::]',
      '\uff11\uff16\uff19\uff0e254.169.254',
    ];
    for (const host of hosts) await assertRefused(client().get(`https://${host}/`, wanted), 'address', host);
    const blocking = client({ blockPrivateAddresses: true });
    for (const host of ['127.0.0.1', '127.1', '2130706433', '[::1]', '10.0.0.1', '[::ffff:127.0.0.1]'])
      await assertRefused(blocking.get(`https://${host}:${idp.port}/jwks`, wanted), 'private-address', host);
    await assertRefused(blocking.get(idp.jwksEndpoint, wanted), 'private-address', 'localhost');
    for (const host of hosts) await assertRefused(blocking.get(`https://${host}/`, wanted), 'address', host);
  });

  test('calls private hosts on the allow-lists, and follows them nowhere else', async () => {
    const loopback = [parseIpRange('127.0.0.0/8'), parseIpRange('::1')];
    const elsewhere = { resolve: async () => [{ address: '10.0.0.1', family: 4 }] };
    for (const allowed of [{ allowedHostnames: ['localhost'] }, { allowedIPs: loopback }]) {
      const naming = (needs?: OutboundNeeds) => client({ blockPrivateAddresses: true, ...allowed }, needs);
      assert.match(String(await naming().get(idp.jwksEndpoint, wanted)), /"keys"/);
      for (const to of ['https://169.254.169.254/', 'https://10.0.0.1/', 'https://[fd00::1]/']) {
        idp.misbehave({ kind: 'redirect', to });
        await assert.rejects(naming().get(idp.jwksEndpoint, wanted), FetchRefused, to);
      }
      idp.misbehave(null);
      await assert.rejects(naming(elsewhere).get('https://other.example/', wanted), FetchRefused);
    }
    // A name of the list may be anywhere but where nothing may be.
    const metadata = { resolve: async () => [{ address: '169.254.169.254', family: 4 }] };
    const named = client({ blockPrivateAddresses: true, allowedHostnames: ['idp.internal'] }, metadata);
    await assertRefused(named.get('https://idp.internal/', wanted), 'address', 'metadata');
  });

  test('refuses a redirect to http, to a private address and to a metadata service', async () => {
    const table: readonly (readonly [string, FetchRefusal])[] = [
      [`http://localhost:${idp.port}/jwks`, 'scheme'],
      ['file:///etc/passwd', 'scheme'],
      ['https://169.254.169.254/latest/meta-data/', 'address'],
      ['//169.254.169.254/', 'address'],
      ['https://[::ffff:169.254.169.254]/', 'address'],
      ['https://user:secret@localhost/', 'url'],
      [`https://10.0.0.1/`, 'address'],
    ];
    const guarded = client({ deniedIPs: [parseIpRange('10.0.0.0/8')] });
    for (const [to, reason] of table) {
      idp.misbehave({ kind: 'redirect', to });
      await assertRefused(guarded.get(idp.jwksEndpoint, wanted), reason, to);
    }
  });

  test('connects to the address that it has checked: a name is resolved once for each connection', async () => {
    const rebinding = resolvesTo(['127.0.0.1'], ['169.254.169.254']);
    await client({}, rebinding).get(idp.jwksEndpoint, wanted);
    assert.deepEqual(rebinding.asked, ['localhost']);
  });

  test('checks a name again on each redirect', async () => {
    idp.misbehave({ kind: 'redirects', hops: 2 });
    const rebinding = resolvesTo(['127.0.0.1'], ['127.0.0.1'], ['169.254.169.254']);
    await assertRefused(client({}, rebinding).get(idp.jwksEndpoint, wanted), 'address', 'third connection');
    assert.equal(rebinding.asked.length, 3);
  });

  test('never connects to a refused address among others of a name', async () => {
    const mixed = resolvesTo(['169.254.169.254', '127.0.0.1', 'fd00:ec2::254']);
    await client({}, mixed).get(idp.jwksEndpoint, wanted);
    const onlyRefused = resolvesTo(['::ffff:169.254.169.254', 'fe80::1']);
    await assertRefused(client({}, onlyRefused).get(idp.jwksEndpoint, wanted), 'address', 'refused only');
    await assertRefused(client({}, resolvesTo([])).get(idp.jwksEndpoint, wanted), 'name', 'no address');
    const failing = { resolve: () => Promise.reject(new Error('ENOTFOUND')) };
    await assertRefused(client({}, failing).get(idp.jwksEndpoint, wanted), 'name', 'unknown name');
  });

  test('calls only allowed hosts and addresses, and never denied ones', async () => {
    await client({ allowedHostnames: ['localhost'] }).get(idp.jwksEndpoint, wanted);
    await client({ allowedIPs: [parseIpRange('127.0.0.0/8')] }, resolvesTo(['::1', '127.0.0.1'])).get(
      idp.jwksEndpoint,
      wanted,
    );
    const bare = `https://127.0.0.1:${idp.port}/jwks`;
    await client().get(bare, wanted);
    const table: readonly (readonly [Partial<JwksFetchConfig>, string, FetchRefusal])[] = [
      [{ allowedHostnames: ['example.com'] }, idp.jwksEndpoint, 'host'],
      [{ allowedHostnames: ['localhost'] }, bare, 'host'],
      [{ deniedHostnames: ['localhost'] }, idp.jwksEndpoint, 'host'],
      [{ deniedHostnames: ['localhost'] }, `https://LOCALHOST.:${idp.port}/jwks`, 'host'],
      [{ allowedHostnames: ['localhost'], deniedHostnames: ['localhost'] }, idp.jwksEndpoint, 'host'],
      [{ deniedIPs: [parseIpRange('127.0.0.1')] }, bare, 'address'],
      [{ allowedIPs: [parseIpRange('192.0.2.0/24')] }, bare, 'address'],
    ];
    for (const [changed, url, reason] of table)
      await assertRefused(client(changed).get(url, wanted), reason, JSON.stringify([changed, url]));
  });

  test('checks the hosts of redirects against the lists too', async () => {
    idp.misbehave({ kind: 'redirect', to: `https://other.localhost:${idp.port}/jwks` });
    const refusing = client({ allowedHostnames: ['localhost'] }, resolvesTo(['127.0.0.1']));
    await assertRefused(refusing.get(idp.jwksEndpoint, wanted), 'host', 'other.localhost');
  });

  test('gives up on a silent or slow server after the time for the whole fetch', async () => {
    for (const kind of ['silence', 'drip'] as const) {
      idp.misbehave({ kind });
      await assertRefused(client({ timeout: 150 }).get(idp.jwksEndpoint, wanted), 'timeout', kind);
    }
    const neverResolves = { resolve: () => new Promise<never>(() => undefined) };
    await assertRefused(
      client({ timeout: 50 }, neverResolves).get(idp.jwksEndpoint, wanted),
      'timeout',
      'DNS',
    );
  });

  test('takes one look-up for a name at a time, however long that goes on', async () => {
    const asked: PromiseWithResolvers<readonly { address: string; family: number }[]>[] = [];
    const resolve = () => {
      const look = Promise.withResolvers<readonly { address: string; family: number }[]>();
      asked.push(look);
      return look.promise;
    };
    const hurried = client({ timeout: 50 }, { resolve });
    for (const _ of [1, 2, 3]) await assertRefused(hurried.get(idp.jwksEndpoint, wanted), 'timeout', 'DNS');
    assert.equal(asked.length, 1);
    asked[0]?.resolve([{ address: '169.254.169.254', family: 4 }]);
    await asked[0]?.promise;
    await assertRefused(hurried.get(idp.jwksEndpoint, wanted), 'timeout', 'asked anew');
    assert.equal(asked.length, 2);
    asked[1]?.reject(new Error('ENOTFOUND'));
  });

  test('leaves a connection for another protocol alone once it is made', async () => {
    const { hostname, port } = new URL(idp.jwksEndpoint);
    const deadline = new AbortController();
    const connected = openDirectly(
      {
        host: hostname,
        port,
        protocols: [],
        context: trustingContext([idp.caPem]),
        deadline: deadline.signal,
        lookup: (name, options, callback) => lookup(name, options, callback),
      },
      () => null,
    );
    const socket = await connected;
    deadline.abort();
    assert.equal(socket.destroyed, false, 'its user limits its time');
    socket.destroy();
  });

  test('gives up on a server that does not speak TLS, or speaks it with an untrusted or foreign certificate', async () => {
    const plain = createServer((socket) => socket.resume().end('HTTP/1.1 200 OK\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(plain, 'listening');
    const { port } = plain.address() as { port: number };
    await assertRefused(client().get(`https://127.0.0.1:${port}/`, wanted), 'tls', 'no TLS');
    plain.close();
    await assertRefused(client().get(`https://127.0.0.1:${port}/`, wanted), 'connection', 'nobody listens');
    await assertRefused(
      client({}, { trustedRoots: [] }).get(idp.jwksEndpoint, wanted),
      'tls',
      'unknown root',
    );
    const elsewhere = client({}, resolvesTo(['127.0.0.1']));
    await assertRefused(
      elsewhere.get(`https://example.com:${idp.port}/jwks`, wanted),
      'tls-name',
      'other name',
    );
    for (const times of [{ until: -HOUR }, { from: HOUR }]) {
      const { certPem, keyPem } = authority(times);
      const server = createTlsServer({ cert: certPem, key: keyPem }).listen(0, '127.0.0.1');
      server.on('tlsClientError', () => {});
      await once(server, 'listening');
      const at = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const trusting = client({}, { trustedRoots: [certPem] });
      await assertRefused(trusting.get(at, wanted), 'tls-time', JSON.stringify(times));
      server.close();
    }
  });

  test('refuses a body beyond the limit, announced or not, and one that is cut off', async () => {
    for (const announced of [true, false]) {
      idp.misbehave({ kind: 'huge', bytes: 50_000_000, announced });
      await assertRefused(client().get(idp.jwksEndpoint, wanted), 'too-large', `announced: ${announced}`);
    }
    idp.misbehave({ kind: 'broken' });
    await assertRefused(client().get(idp.jwksEndpoint, wanted), 'connection', 'cut off');
  });

  test('takes a body in many parts of one byte, and refuses one in so many that they cost more than it', async (t) => {
    const some = Buffer.from('1\r\nx\r\n'.repeat(1000));
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', async (request) => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        for (let left = Number(/\d+/.exec(String(request))?.[0]); left > 0 && socket.writable; left -= 1000)
          if (!socket.write(some)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
        socket.end('0\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    t.after(() => server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const asked = { accept: '*/*', maxBytes: 512 * 1024, isSigned: true };
    const inParts = (parts: number) =>
      client({ timeout: 120_000 }).get(`http://127.0.0.1:${port}/${parts}`, asked);
    assert.equal(String(await inParts(16_000)), 'x'.repeat(16_000));
    await assertRefused(inParts(500_000), 'too-large', 'half a million');
  });

  test('leaves a server that sends without end what is no data: session tickets, key updates', async () => {
    const { ca, server: certificate } = await testPki();
    const floods: readonly ((session: Tls13Session) => Buffer)[] = [
      ({ record }) => record('handshake', Buffer.concat(Array.from({ length: 100 }, sessionTicket))),
      ({ keyUpdate }) => keyUpdate(),
    ];
    for (const flood of floods) {
      await using server = await startTls13Server(certificate, (session) => {
        const { socket } = session;
        const more = () => {
          while (socket.writable && socket.write(flood(session)));
        };
        socket.on('drain', more);
        more();
      });
      const patient = outboundClient({ ...noLimits, timeout: 120_000 }, { trustedRoots: [ca.certPem] });
      await assertRefused(patient.get(`https://localhost:${server.port}/`, wanted), 'too-large', `${flood}`);
    }
  });

  test('leaves a server that sends without end what is no answer, long before the time is up', async (t) => {
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
    const hint = 'HTTP/1.1 103 Early Hints\r\n';
    const patient = client({ timeout: 120_000 });
    for (const [begin, endless] of [
      ['', `${hint}\r\n`],
      ['', `${hint}${'link: </a>; rel=preload\r\n'.repeat(50)}\r\n`],
      ['', '\r\n'],
      [chunked, `1;${'x'.repeat(1000)}\r\n \r\n`],
    ] as const) {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        const some = endless.repeat(65_536 / endless.length);
        const more = () => {
          while (socket.writable && socket.write(some));
        };
        socket.on('drain', more);
        socket.once('data', () => socket.write(begin, more));
      }).listen(0, '127.0.0.1');
      t.after(() => server.close());
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const about = JSON.stringify(begin + endless.slice(0, 40));
      await assertRefused(patient.get(url, { ...wanted, isSigned: true }), 'too-large', about);
    }
  });

  test('refuses compressed bodies and answers other than 200, and reveals nothing of their content', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    idp.misbehave({ kind: 'body', body: bomb, headers: { 'content-encoding': 'gzip' } });
    await assertRefused(client().get(idp.jwksEndpoint, wanted), 'encoding', 'gzip');
    for (const status of [201, 204, 300, 302, 304, 401, 404, 500, 503]) {
      idp.misbehave({ kind: 'status', status });
      await assertRefused(client().get(idp.jwksEndpoint, wanted), 'status', String(status));
    }
  });

  test('takes roots from NODE_EXTRA_CA_CERTS, but neither a proxy nor less care from the environment', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'overlay-auth-outbound-'));
    const caFile = join(directory, 'ca.pem');
    writeFileSync(caFile, idp.caPem);
    const proxy = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    let proxied = 0;
    proxy.on('connection', () => {
      proxied += 1;
    });
    await once(proxy, 'listening');
    const { port } = proxy.address() as { port: number };
    const proxyUrl = `http://127.0.0.1:${port}`;
    const viaProxy = { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxyUrl, https_proxy: proxyUrl, NO_PROXY: '' };
    try {
      assert.equal(await fetchInChild({ ...viaProxy, NODE_EXTRA_CA_CERTS: caFile }), 'fetched');
      assert.equal(await fetchInChild({ NODE_EXTRA_CA_CERTS: '', NODE_TLS_REJECT_UNAUTHORIZED: '0' }), 'tls');
      assert.equal(proxied, 0);
    } finally {
      proxy.close();
      rmSync(directory, { recursive: true });
    }
  });
});

/** What a process of its own makes of the provider's keys: `fetched` or the reason of the refusal. */
async function fetchInChild(env: Record<string, string>): Promise<string> {
  const module = new URL('../../src/platform/network/outbound-client.ts', import.meta.url).href;
  const script = `
    import { outboundClient } from ${JSON.stringify(module)};
    outboundClient(${JSON.stringify(noLimits)}).get(${JSON.stringify(idp.jwksEndpoint)}, ${JSON.stringify(wanted)})
      .then(() => 'fetched', (error) => error.reason)
      .then((outcome) => process.stdout.write(outcome));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return output;
}
