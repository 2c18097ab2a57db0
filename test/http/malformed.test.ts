import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { ConnectionOptions } from 'node:tls';
import { waitingBytes, waitingSums } from '../../src/http/server/waiting-bytes.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { makeCertificate } from '../support/chains.ts';
import { patience, until } from '../support/until.ts';
import { openSocket, send, sendRaw, startTestListener } from './support.ts';

const requestStart = 'http.server.request.start';
const things = '/edge/client/v1/things';

function assertRefused(answer: { text: string; status: number; closed: boolean }, what: string): void {
  assert.ok([400, 405, 408, 413, 431].includes(answer.status), `${what}: ${answer.text.slice(0, 60)}`);
  assert.ok(answer.closed, `${what}: the connection is closed`);
  assert.match(answer.text, /^x-content-type-options: nosniff/im, what);
  assert.match(answer.text, /^cache-control: no-store/im, what);
  assert.match(answer.text, /^x-request-id: [0-9A-Z]{10}\r$/im, what);
  assert.equal(answer.text.match(/^HTTP\/1\.1 /gm)?.length, 1, `${what}: one answer`);
}

describe('messages that are not well-formed HTTP', () => {
  test('ambiguous framing is refused and the connection closed', async (t) => {
    const { port } = await startTestListener(t);
    const host = `Host: localhost:${port}\r\n`;
    const post = `POST ${things} HTTP/1.1\r\n${host}Content-Type: application/json\r\n`;
    const second = `GET /edge/client/v1/version HTTP/1.1\r\n${host}\r\n`;
    const table: readonly [string, string][] = [
      [
        'length and chunked',
        `${post}Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${second}`,
      ],
      [
        'chunked and length',
        `${post}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${second}`,
      ],
      ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x${second}`],
      ['two equal lengths', `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${second}`],
      ['length list', `${post}Content-Length: 2, 2\r\n\r\n{}${second}`],
      ['signed length', `${post}Content-Length: +2\r\n\r\n{}${second}`],
      ['hex length', `${post}Content-Length: 0x2\r\n\r\n{}${second}`],
      ['huge length', `${post}Content-Length: 99999999999999999999999\r\n\r\n{}`],
      ['negative length', `${post}Content-Length: -1\r\n\r\n{}${second}`],
      [
        'chunked not last',
        `${post}Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n${second}`,
      ],
      ['obscured chunked', `${post}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${second}`],
      [
        'chunked twice',
        `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${second}`,
      ],
      ['bare LF in headers', `POST ${things} HTTP/1.1\n${host}Content-Length: 2\r\n\r\n{}${second}`],
      ['bare LF after a header', `GET ${things} HTTP/1.1\r\nHost: localhost:${port}\nX: y\r\n\r\n`],
      ['bare LF at the end', `GET ${things} HTTP/1.1\r\n${host}\n${second}`],
      ['bare CR', `GET ${things} HTTP/1.1\r\n${host}X: a\rY: b\r\n\r\n`],
      ['folded line', `GET ${things} HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`],
      ['folded framing', `${post}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${second}`],
      ['space before colon', `${post}Content-Length : 2\r\n\r\n{}${second}`],
      ['tab before colon', `${post}Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n${second}`],
      ['space before name', `GET ${things} HTTP/1.1\r\n Host: localhost:${port}\r\n\r\n`],
      ['NUL in value', `GET ${things} HTTP/1.1\r\n${host}X: a\u0000b\r\n\r\n`],
      ['chunk size overflow', `${post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}`],
      ['chunk size sign', `${post}Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n`],
      ['chunk bare LF', `${post}Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n`],
      ['no version', `GET ${things}\r\n${host}\r\n`],
      ['version 9', `GET ${things} HTTP/9.9\r\n${host}\r\n`],
      ['other protocol', 'SSH-2.0-x\r\n\r\n'],
      ['LF in target', `GET ${things}\nX HTTP/1.1\r\n${host}\r\n`],
    ];
    for (const [what, bytes] of table) assertRefused(await sendRaw(port, bytes), what);
    assert.equal((await send(port, '/edge/client/v1/version')).status, 200, 'the server still serves');
  });

  test('too many or too long headers are refused', async (t) => {
    const { port } = await startTestListener(t);
    const start = `GET /edge/client/v1/version HTTP/1.1\r\nHost: localhost:${port}\r\n`;
    const table: readonly [string, string, number][] = [
      ['long value', `${start}X: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
      ['long target', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`, 431],
      ['many lines', `${start}Connection: close\r\n${'x: y\r\n'.repeat(1500)}\r\n`, 431],
      ['100 lines', `${start}Connection: close\r\n${'x: y\r\n'.repeat(98)}\r\n`, 200],
      ['101 lines', `${start}Connection: close\r\n${'x: y\r\n'.repeat(99)}\r\n`, 431],
      ['four tokens', `${start}Connection: close\r\n${'Authorization: Bearer a\r\n'.repeat(4)}\r\n`, 400],
      ['three tokens', `${start}Connection: close\r\n${'Authorization: Bearer a\r\n'.repeat(3)}\r\n`, 200],
    ];
    for (const [what, bytes, status] of table) {
      assert.equal((await sendRaw(port, bytes)).status, status, what);
    }
  });

  test('too many cookies are refused with a sentence that says what to do', async (t) => {
    const { port } = await startTestListener(t);
    const cookies = `Cookie: ${'a=b; '.repeat(4000)}c=d`;
    const { status, text } = await sendRaw(
      port,
      `GET / HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: text/html\r\n${cookies}\r\n\r\n`,
    );
    assert.equal(status, 431);
    assert.match(text, /delete the cookies of this site/);
  });

  test('of thousands of header lines only as many are kept as show that they are too many', async (t) => {
    const { port } = await startTestListener(t);
    const kept: number[] = [];
    const note = (message: unknown) =>
      kept.push((message as { request: IncomingMessage }).request.rawHeaders.length / 2);
    subscribe(requestStart, note);
    t.after(() => unsubscribe(requestStart, note));
    const lines = `Host: localhost:${port}\r\nConnection: close\r\n${'x:\r\n'.repeat(3500)}`;
    const { status } = await sendRaw(port, `GET /edge/client/v1/version HTTP/1.1\r\n${lines}\r\n`);
    assert.equal(status, 431);
    // A parser that refuses them itself makes no request of them.
    assert.ok(Math.max(0, ...kept) < 200, String(kept));
  });

  test('a request whose headers or body arrive too slowly is ended', async (t) => {
    const { port } = await startTestListener(t, {
      listener: { idleTimeout: 1000, readTimeout: 1500, writeTimeout: 1500 },
    });
    const host = `Host: localhost:${port}\r\n`;
    const table: readonly [string, string][] = [
      ['headers', `GET ${things} HTTP/1.1\r\n${host}X-`],
      [
        'body',
        `POST ${things} HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{`,
      ],
      ['chunks', `POST ${things} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
    ];
    await Promise.all(
      table.map(async ([what, bytes]) => {
        const answer = await sendRaw(port, bytes);
        assert.equal(answer.status, 408, what);
        assert.ok(answer.closed, what);
      }),
    );
    const silent = await sendRaw(port, '');
    assert.ok(silent.closed, 'a connection on which nothing comes is closed');
    const idle = await sendRaw(port, `GET /edge/client/v1/version HTTP/1.1\r\n${host}\r\n`);
    assert.equal(idle.status, 200);
    assert.ok(idle.closed, 'an idle connection is closed');
  });

  test('an answer that is not read is dropped', async (t) => {
    const { json } = await import('../../src/http/request/answer.ts');
    const { route } = await import('../../src/http/request/route.ts');
    const large = route('GET', '/large', {
      api: 'pages',
      guard: 'anonymous',
      load: 'light',
      errors: 'edge',
      summary: 'For a test',
      answers: {},
      handler: () => json('x'.repeat(32 * 1024 * 1024)),
    });
    const { port } = await startTestListener(t, {
      routes: [large],
      listener: { idleTimeout: 200, readTimeout: 5000, writeTimeout: 300 },
    });
    const socket = await openSocket(port);
    socket.pause();
    socket.write(`GET /large HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    socket.on('error', () => {});
    // Without reading, only a write notices that the connection has ended.
    await until(patience, () => {
      socket.write('GET ');
      return !socket.writable;
    });
    assert.ok(socket.bytesRead < 32 * 1024 * 1024, 'the answer was cut off');
  });
});

test('handshakes whose end does not come have a limit for each source: those that have waited longest end', async (t) => {
  const waiting = waitingBytes({ clock: systemClock }, waitingSums(), { perSource: 100_000, all: 1_000_000 });
  const { port } = await startTestListener(t, { limits: { waiting } });
  const honest = await openSocket(port);
  t.after(() => honest.destroy());
  // What it has sent before is not in memory.
  for (let count = 0; count < 20; count += 1) {
    honest.write(
      `GET /edge/client/v1/version HTTP/1.1\r\nHost: localhost:${port}\r\nX: ${'x'.repeat(9000)}\r\n\r\n`,
    );
    await once(honest, 'data');
  }
  // Of a first message of 128 KB, as TLS allows it.
  const record = Buffer.alloc(5 + 16_384);
  record.set([22, 3, 1, 64, 0]);
  const begun = Buffer.concat([record, record, record]);
  begun.set([1, 1, 255, 255, 3, 3], 5);
  const begin = async (bytes: Buffer, count: number) => {
    const open: Socket[] = [];
    for (let at = 0; at < count; at += 1) {
      const socket = connect({ port, host: '127.0.0.1' });
      t.after(() => socket.destroy());
      await once(socket.on('error', () => {}).resume(), 'connect');
      socket.write(bytes);
      open.push(socket);
    }
    return open;
  };
  // Shorter ones do not count, though they have waited longest: after a restart, everybody comes at once.
  const ordinary = await begin(begun.subarray(0, 8000), 15);
  const open = await begin(begun, 6);
  await until(patience, () => open.filter(({ closed }) => closed).length >= 4);
  assert.equal(open.at(-1)?.closed, false);
  assert.ok(ordinary.every(({ closed }) => !closed));
  honest.write(`GET /edge/client/v1/version HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
  assert.match(String((await once(honest, 'data'))[0]), /^HTTP\/1.1 200 /);
});

describe('a connection whose client has sent many certificates', () => {
  const { keyPem: key, certPem } = makeCertificate({ subject: 'a leaf' });
  // About 16 KiB.
  const cert = certPem + makeCertificate({ subject: 'x'.repeat(4000) }).certPem.repeat(2);

  test('takes more places of its source while it is open, and ends when there are none', async (t) => {
    const { port } = await startTestListener(t, { limits: { connectionsPerSource: 3 } });
    const open = async (tls: ConnectionOptions = {}) => {
      const socket = await openSocket(port, tls);
      t.after(() => socket.destroy());
      return socket;
    };
    const large = await open({ key, cert });
    large.write(`GET /edge/client/v1/version HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    await once(large, 'data');
    await assert.rejects(open());
    large.destroy();
    await until(patience, () =>
      open().then(
        () => true,
        () => false,
      ),
    );
    const another = await open({ key, cert });
    await new Promise((resolve) => another.once('close', resolve).resume());
  });

  test('takes places for a minute if it has more issuers than a chain needs: TLS checks all of their signatures', async (t) => {
    const { port } = await startTestListener(t, { limits: { connectionsPerSource: 3 } });
    const open = async (tls: ConnectionOptions = {}) => {
      const socket = await openSocket(port, tls);
      t.after(() => socket.destroy());
      return socket;
    };
    let issuer = makeCertificate({ subject: 'issuer 0' });
    let sent = issuer.certPem;
    for (let count = 1; count < 10; count += 1) {
      issuer = makeCertificate({ subject: `issuer ${count}`, issuer });
      sent = issuer.certPem + sent;
    }
    const leaf = makeCertificate({ subject: 'a leaf', issuer });
    const long = await open({ key: leaf.keyPem, cert: leaf.certPem + sent });
    long.write(`GET /edge/client/v1/version HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    await once(long, 'data');
    await assert.rejects(open());
    long.destroy();
    await until(patience, () =>
      open().then(
        () => true,
        () => false,
      ),
    );
    await assert.rejects(open());
  });
});
