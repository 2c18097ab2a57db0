// The PROXY protocol at a listener: what a load balancer says about its connections, over real TCP and TLS.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import type { IpRange } from '../../src/config/addresses.ts';
import { waitingBytes, waitingSums } from '../../src/http/server/waiting-bytes.ts';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { issueClientCertificate } from '../../src/platform/x509/pki.ts';
import { balancer } from '../support/balancer.ts';
import { makeCertificate } from '../support/chains.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  proxyBlock,
  proxyBlockFor,
  proxyExtension,
  proxyLineFor,
  proxyLocal,
} from '../support/proxy-headers.ts';
import { eventually } from '../support/until.ts';
import { openSocket, type StartOptions, send, startTestListener, testCa } from './support.ts';

const loopback: IpRange = { address: '127.0.0.0', prefixLength: 8, family: 'ipv4' };
const elsewhere: IpRange = { address: '192.0.2.5', prefixLength: 32, family: 'ipv4' };
const complaint =
  'a connection without a valid PROXY header was closed: let the load balancer send one, or take its address out of proxyProtocol.balancers';

/** A listener that treats every connection of these tests as a balancer's, unless told otherwise. */
async function startBalanced(t: TestContext, options: StartOptions = {}, balancers = [loopback]) {
  const started = await startTestListener(t, {
    ...options,
    listener: { proxyProtocol: { balancers }, ...options.listener },
  });
  return {
    ...started,
    complaints: () => started.log.lines.filter(({ message }) => message === complaint),
  };
}

async function dial(t: TestContext, port: number): Promise<Socket> {
  const socket = connectTcp({ port, host: '127.0.0.1', noDelay: true });
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** TLS over a connection that begins with the header. */
async function secureBehind(
  t: TestContext,
  port: number,
  header: Buffer,
  tls: ConnectionOptions = {},
): Promise<TLSSocket> {
  const socket = await dial(t, port);
  socket.write(header);
  return openSocket(port, { socket, ...tls });
}

/** The caller's address as the endpoint saw it, asked twice on the same connection. */
async function addressSeen(secure: TLSSocket, port: number): Promise<string> {
  const seen = [await ask(secure, port), await ask(secure, port)];
  assert.equal(seen[0], seen[1]);
  return seen[0] ?? '';
}

async function ask(secure: TLSSocket, port: number): Promise<string> {
  secure.write(`GET /edge/client/v1/version HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
  let text = '';
  while (!/"remote":"[^"]*"/.test(text)) {
    const [chunk] = await once(secure, 'data');
    text += chunk;
  }
  return /"remote":"([^"]*)"/.exec(text)?.[1] ?? '';
}

/** Everything that a connection receives until it is closed. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  // A client that still writes to a connection that is gone is told so by a reset.
  socket.on('error', () => undefined);
  if (!socket.closed) await new Promise((closed) => socket.once('close', closed));
  return text;
}

/** Writes through another socket, with a header before the first bytes, all of it in pieces of a size. */
class Prefixed extends Duplex {
  readonly #socket: Socket;
  readonly #pieces: number;
  #header: Buffer | null;

  constructor(socket: Socket, header: Buffer, pieces: number) {
    super();
    this.#socket = socket;
    this.#pieces = pieces;
    this.#header = header;
    socket.on('data', (chunk) => this.push(chunk));
    socket.on('close', () => this.destroy());
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    const bytes = this.#header === null ? chunk : Buffer.concat([this.#header, chunk]);
    const pieces = this.#header === null ? bytes.length : this.#pieces;
    this.#header = null;
    const write = (at: number) => {
      if (at >= bytes.length) done();
      else this.#socket.write(bytes.subarray(at, at + pieces), () => setImmediate(write, at + pieces));
    };
    write(0);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

describe('a connection from a balancer', () => {
  test('has the address that its header says', async (t) => {
    const { port, complaints } = await startBalanced(t);
    const table: readonly [Buffer, string][] = [
      [proxyLineFor('203.0.113.7'), '203.0.113.7'],
      [proxyLineFor('2001:0DB8::7'), '2001:db8::7'],
      [proxyBlockFor('203.0.113.8'), '203.0.113.8'],
      [proxyLineFor('::ffff:203.0.113.7'), '203.0.113.7'],
      [proxyBlockFor('::ffff:203.0.113.8'), '203.0.113.8'],
      [proxyBlockFor('2001:db8::8'), '2001:db8::8'],
      [proxyBlockFor('203.0.113.9', 1, proxyExtension(4, Buffer.alloc(4000))), '203.0.113.9'],
    ];
    for (const [header, address] of table) {
      assert.equal(await addressSeen(await secureBehind(t, port, header), port), address);
    }
    assert.deepEqual(complaints(), []);
  });

  test('keeps its own where the balancer speaks for itself or does not know', async (t) => {
    const { port } = await startBalanced(t);
    for (const header of [
      proxyLocal,
      proxyBlock({ versionAndCommand: 0x20, family: 0x11, body: Buffer.alloc(12, 1) }),
      proxyBlock({ family: 0x00 }),
      proxyBlock({ family: 0x31, body: Buffer.alloc(216, 0x2f) }),
      Buffer.from('PROXY UNKNOWN\r\n'),
      Buffer.from('PROXY UNKNOWN 203.0.113.7 203.0.113.8 1 2\r\n'),
    ]) {
      assert.equal(await addressSeen(await secureBehind(t, port, header), port), '127.0.0.1');
    }
  });

  test('may send header and handshake in one piece, byte by byte or in any other way', async (t) => {
    const { port } = await startBalanced(t);
    for (const header of [proxyLineFor('203.0.113.7'), proxyBlockFor('203.0.113.7')]) {
      for (const pieces of [100_000, header.length, header.length + 1, header.length - 1, 7, 1]) {
        const socket = new Prefixed(await dial(t, port), header, pieces);
        const secure = await openSocket(port, { socket });
        assert.equal(await addressSeen(secure, port), '203.0.113.7', `pieces of ${pieces}`);
        secure.destroy();
      }
    }
  });

  test('ignores forwarding headers of its requests', async (t) => {
    const { port } = await startBalanced(t);
    const front = await balancer(() => [port], proxyBlockFor('203.0.113.7'));
    t.after(() => front.close());
    const headers = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1', 'x-real-ip': '::1' };
    const answer = await send(front.port, '/edge/client/v1/version', {
      headers: { host: `localhost:${port}`, ...headers },
    });
    assert.equal(answer.json.data.remote, '203.0.113.7');
  });

  test('carries client certificates and resumed sessions as any other', async (t) => {
    const { port } = await startBalanced(t);
    const issued = await issueClientCertificate(
      { clock: systemClock },
      { commonName: 'somebody', days: 1, ca: testCa },
    );
    const tls = { cert: issued.certPem, key: issued.keyPem, maxVersion: 'TLSv1.2' } as const;
    const first = await secureBehind(t, port, proxyBlockFor('203.0.113.7'), tls);
    assert.equal(await addressSeen(first, port), '203.0.113.7');
    const session = first.getSession();
    assert.ok(session !== undefined);
    const second = await secureBehind(t, port, proxyBlockFor('203.0.113.8'), { ...tls, session });
    assert.equal(second.isSessionReused(), true);
    assert.equal(await addressSeen(second, port), '203.0.113.8', 'the address is not that of the session');
  });

  test('is closed without an answer if it does not begin with a header, and the log says what to do', async (t) => {
    const { port, complaints } = await startBalanced(t, { clock: fixedClock('2026-01-01T00:00:00Z') });
    await assert.rejects(openSocket(port), 'TLS at once');
    const table: readonly [Buffer, string][] = [
      [Buffer.from('PROXY TCP4 203.0.113.07 203.0.113.8 1 2\r\n'), 'malformed line of version 1'],
      [Buffer.from(`PROXY UNKNOWN ${'x'.repeat(100)}`), 'too long'],
      [proxyBlock({ versionAndCommand: 0x31 }), 'unknown version'],
      [proxyBlock({ versionAndCommand: 0x22 }), 'unknown command'],
      [proxyBlock({ family: 0x41, body: Buffer.alloc(12) }), 'unknown family or protocol'],
      [proxyBlock({ family: 0x21, body: Buffer.alloc(12) }), 'too short for its addresses'],
      [proxyBlock({ family: 0x11, length: 0xffff }), 'too long'],
      [proxyBlockFor('203.0.113.7', 1, Buffer.from([1])), 'malformed extensions'],
      [proxyBlockFor('203.0.113.7', 1, proxyExtension(3, Buffer.alloc(4))), 'wrong checksum'],
      [Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'), 'begins with something else'],
    ];
    for (const [bytes] of table) {
      const socket = await dial(t, port);
      socket.write(bytes);
      assert.equal(await untilClosed(socket), '');
    }
    assert.deepEqual(
      complaints().map(({ fields }) => fields.problem),
      ['begins with something else', ...new Set(table.slice(0, -1).map(([, problem]) => problem))],
    );
    for (const { level, fields } of complaints()) {
      assert.equal(level, 'warn');
      assert.deepEqual(
        { ...fields, problem: '' },
        {
          listener: 'test',
          balancer: '127.0.0.1',
          problem: '',
          notLogged: 0,
        },
      );
    }
  });

  test('that goes wrong like others before it is logged again after a minute only', async (t) => {
    const clock = fixedClock('2026-01-01T00:00:00Z');
    const { port, complaints } = await startBalanced(t, { clock });
    const fail = async () => {
      const socket = await dial(t, port);
      socket.write('SSH-2.0-x\r\n');
      await untilClosed(socket);
    };
    for (let times = 0; times < 5; times += 1) await fail();
    assert.deepEqual(
      complaints().map(({ fields }) => fields.notLogged),
      [0],
    );
    clock.advance(MINUTE);
    await fail();
    assert.deepEqual(
      complaints().map(({ fields }) => fields.notLogged),
      [0, 4],
    );
  });

  test('that ends within its header is logged, and one that sent nothing is not', async (t) => {
    const { port, complaints } = await startBalanced(t);
    for (const bytes of ['', 'PROXY TCP4 203.0.113.7']) {
      const socket = await dial(t, port);
      socket.end(bytes);
      await untilClosed(socket);
    }
    while (complaints().length === 0) await new Promise(setImmediate);
    assert.deepEqual(
      complaints().map(({ fields }) => fields.problem),
      ['ended within the header'],
    );
  });

  test('has the read timeout for the whole header, however its bytes trickle', async (t) => {
    const timeouts = { idleTimeout: 5000, readTimeout: 200, writeTimeout: 10_000 };
    const { port, complaints } = await startBalanced(t, { listener: timeouts });
    const silent = await dial(t, port);
    const trickling = await dial(t, port);
    const header = proxyBlockFor('203.0.113.7', 1, proxyExtension(4, Buffer.alloc(4000)));
    let at = 0;
    const timer = setInterval(() => {
      trickling.write(header.subarray(at, at + 1));
      at += 1;
    }, 20);
    t.after(() => clearInterval(timer));
    assert.deepEqual(await Promise.all([untilClosed(silent), untilClosed(trickling)]), ['', '']);
    assert.deepEqual(
      complaints().map(({ fields }) => fields.problem),
      ['not there in time'],
    );
  });

  test('that sends nothing after its header is closed like any missing handshake', async (t) => {
    const timeouts = { idleTimeout: 5000, readTimeout: 200, writeTimeout: 10_000 };
    const { port, complaints } = await startBalanced(t, { listener: timeouts });
    const socket = await dial(t, port);
    socket.write(proxyBlockFor('203.0.113.7'));
    await untilClosed(socket);
    assert.deepEqual(complaints(), []);
  });

  test('has one header: a second one is not TLS', async (t) => {
    const { port, complaints } = await startBalanced(t);
    for (const header of [proxyLineFor('203.0.113.7'), proxyBlockFor('203.0.113.7')]) {
      for (const second of [proxyLineFor('198.51.100.1'), proxyBlockFor('198.51.100.1')]) {
        await assert.rejects(secureBehind(t, port, Buffer.concat([header, second])));
      }
    }
    assert.deepEqual(complaints(), []);
  });
});

describe('a connection from elsewhere', () => {
  test('speaks TLS at once, with its own address', async (t) => {
    const { port, complaints } = await startBalanced(t, {}, [elsewhere]);
    assert.equal(await addressSeen(await openSocket(port), port), '127.0.0.1');
    assert.deepEqual(complaints(), []);
  });

  test('cannot claim an address, with the protocol on for others or off', async (t) => {
    for (const balancers of [[elsewhere], []]) {
      const { port } = await startBalanced(t, {}, balancers);
      for (const header of [proxyLineFor('203.0.113.7'), proxyBlockFor('203.0.113.7'), proxyLocal]) {
        await assert.rejects(secureBehind(t, port, header));
      }
    }
  });
});

describe('the limit of connections for each source', () => {
  test('counts clients and not the balancer', async (t) => {
    const { port } = await startBalanced(t, { limits: { connectionsPerSource: 2 } });
    const open = (address: string) => secureBehind(t, port, proxyBlockFor(address));
    const [first] = [await open('203.0.113.7'), await open('203.0.113.7')];
    await assert.rejects(open('203.0.113.7'));
    await assert.rejects(secureBehind(t, port, proxyLineFor('203.0.113.7')), 'in either version');
    await assert.rejects(secureBehind(t, port, proxyLineFor('::ffff:203.0.113.7')), 'nor as IPv6');
    for (const address of ['203.0.113.8', '2001:db8:0:1::1', '2001:db8:0:1::2']) {
      assert.equal(await addressSeen(await open(address), port), address);
    }
    await assert.rejects(open('2001:db8:0:1::3'), 'an IPv6 network is one source');
    assert.equal(await addressSeen(await secureBehind(t, port, proxyLocal), port), '127.0.0.1');

    first?.destroy();
    let again: TLSSocket | undefined;
    for (let attempt = 0; attempt < 50 && again === undefined; attempt += 1) {
      again = await open('203.0.113.7').catch(() => undefined);
    }
    assert.ok(again !== undefined, 'who leaves makes room');
  });
});

describe('handshakes with a key that takes long to check', () => {
  test('take places of their source for a minute, even if they fail, and none of the balancer', async (t) => {
    const { port } = await startBalanced(t, { limits: { connectionsPerSource: 3 } });
    const [keys, others] = [costlyKeys(), costlyKeys()];
    const { d, dp, dq } = others.privateKey.export({ format: 'jwk' });
    const jwk = Object.assign(keys.privateKey.export({ format: 'jwk' }), { d, dp, dq });
    const wrongKey = createPrivateKey({ key: jwk, format: 'jwk' });
    const { certPem: cert } = makeCertificate({ subject: 'costly', keys });
    const from = proxyBlockFor('203.0.113.7');
    const shake = async (key: KeyObject) => {
      const pem = key.export({ format: 'pem', type: 'pkcs8' });
      const socket = await secureBehind(t, port, from, { cert, key: pem, maxVersion: 'TLSv1.2' });
      socket.destroy();
    };
    await assert.rejects(shake(wrongKey), { code: 'ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR' });
    // The server may not yet have seen that the connection before has ended.
    let passed = 0;
    for (let attempt = 0; attempt < 50 && passed < 2; attempt += 1)
      passed += await shake(keys.privateKey).then(
        () => 1,
        () => 0,
      );
    await assert.rejects(secureBehind(t, port, from));
    for (const header of [proxyLocal, proxyBlockFor('203.0.113.8')])
      assert.ok(await addressSeen(await secureBehind(t, port, header), port));
  });

  function costlyKeys() {
    const options = ['rsa_keygen_bits:2048', 'rsa_keygen_pubexp:4294967297'];
    const args = ['genpkey', '-algorithm', 'RSA', ...options.flatMap((option) => ['-pkeyopt', option])];
    const privateKey = createPrivateKey(
      execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    return { privateKey, publicKey: createPublicKey(privateKey) };
  }
});

describe('closing a listener', () => {
  test('ends connections that have not said whose they are, and finishes the others', async (t) => {
    const { running, port, complaints } = await startBalanced(t, { limits: { drain: 60_000 } });
    const silent = await dial(t, port);
    const half = await dial(t, port);
    half.write('PROXY TCP4 203.0.113.7');
    const idle = await secureBehind(t, port, proxyBlockFor('203.0.113.7'));
    assert.equal(await addressSeen(idle, port), '203.0.113.7');
    idle.resume();
    await Promise.all([running.close(), untilClosed(silent), untilClosed(half), once(idle, 'close')]);
    assert.deepEqual(complaints(), []);
  });
});

test('of two connections with one client address and port, only bytes of a handshake under way wait', async (t) => {
  const published: ReadonlyMap<string, number>[] = [];
  const sums = waitingSums();
  const publish: typeof sums.publish = (bySource) => {
    published.push(bySource);
    sums.publish(bySource);
  };
  const waiting = waitingBytes({ clock: systemClock }, { ...sums, publish });
  const { port } = await startBalanced(t, { limits: { waiting } });
  const [one, other] = [await dial(t, port), await dial(t, port)];
  // A balancer that does not know the port writes 0 for each client.
  for (const socket of [one, other]) socket.write(proxyBlockFor('192.0.2.7', 0));
  const secure = await openSocket(port, { socket: one });
  const body = JSON.stringify({ a: 'x'.repeat(20_000) });
  const head = ['Content-Type: application/json', `Content-Length: ${body.length}`, '', body].join('\r\n');
  secure.write(`POST /edge/client/v1/things HTTP/1.1\r\nHost: localhost:${port}\r\n${head}`);
  const [answer] = await once(secure, 'data');
  assert.match(String(answer), /^HTTP\/1.1 201 /);
  const looks = published.length;
  await eventually(
    () => published.length,
    (now) => now >= looks + 2,
  );
  assert.deepEqual([...(published.at(-1) ?? [])], []);
});
