import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { z } from 'zod';
import { envelope } from '../../src/http/request/answer.ts';
import { bodyLimit } from '../../src/http/request/body.ts';
import { type Route, route } from '../../src/http/request/route.ts';
import { waitingBytes, waitingSums } from '../../src/http/server/waiting-bytes.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { collectGarbage } from '../support/remembered.ts';
import { patience, until } from '../support/until.ts';
import { echoRoutes, openSocket, readUntilClose, send, sendRaw, startTestListener } from './support.ts';

const requestStart = 'http.server.request.start';
const login = '/oidc/login/username';
const token = '/oidc/token';
const things = '/edge/client/v1/things';
const asJson = { 'content-type': 'application/json' };
const asForm = { 'content-type': 'application/x-www-form-urlencoded' };
const alice = '{"username":"alice","password":"x"}';

describe('media types of bodies', () => {
  test('login endpoints take JSON and forms and nothing else', async (t) => {
    const { port } = await startTestListener(t);
    const table: readonly [string | null, string, number][] = [
      ['application/json', alice, 200],
      ['Application/JSON; charset=UTF-8', alice, 200],
      ['application/json; charset="utf-8"', alice, 200],
      ['application/x-www-form-urlencoded', 'username=alice&password=x', 200],
      ['text/plain', alice, 415],
      [null, alice, 415],
      ['application/json; charset=utf-16', alice, 415],
      ['application/x-www-form-urlencoded; charset=iso-8859-1', 'username=alice&password=x', 415],
      ['multipart/form-data; boundary=x', '--x--', 415],
      ['application/jsonp', alice, 415],
      ['application/problem+json', alice, 415],
      ['application/json, text/plain', alice, 415],
      ['json', alice, 415],
      ['', alice, 415],
      ['application/json; charset=utf-8; charset=utf-16', alice, 415],
    ];
    for (const [type, body, status] of table) {
      const headers = type === null ? {} : { 'content-type': type };
      const answer = await send(port, login, { method: 'POST', headers, body });
      assert.equal(answer.status, status, `${type}: ${answer.text}`);
      if (status !== 415) continue;
      assert.equal(answer.json.error.code, 'UNSUPPORTED_MEDIA_TYPE');
      assert.match(answer.text, /: send application\/json or application\/x-www-form-urlencoded, /);
    }
  });

  test('the token endpoint takes forms only', async (t) => {
    const { port } = await startTestListener(t);
    const good = await send(port, token, { method: 'POST', headers: asForm, body: 'grant_type=x' });
    assert.deepEqual(good.json, { grant_type: 'x' });
    const bad = await send(port, token, { method: 'POST', headers: asJson, body: '{"grant_type":"x"}' });
    assert.equal(bad.status, 415);
    assert.equal(bad.json.error, 'invalid_request');
    const advice = /: send application\/x-www-form-urlencoded, in UTF-8 and not compressed$/;
    assert.match(bad.json.error_description, advice);
  });

  test('nothing is decompressed', async (t) => {
    const { port } = await startTestListener(t);
    for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'x-anything']) {
      const headers = { ...asJson, 'content-encoding': coding };
      assert.equal((await send(port, login, { method: 'POST', headers, body: alice })).status, 415, coding);
    }
  });

  test('an empty body needs no media type and is an empty record', async (t) => {
    const { port } = await startTestListener(t);
    const enroll = '/oidc/login/totp/enroll';
    for (const method of ['POST', 'DELETE']) {
      for (const headers of [
        {},
        asForm,
        asJson,
        { 'content-length': '0' },
        { ...asForm, 'content-length': '0' },
      ]) {
        const answer = await send(port, enroll, { method, headers });
        assert.equal(answer.status, 200, `${method} ${JSON.stringify(headers)} ${answer.text}`);
        assert.deepEqual(answer.json, { fields: [] });
      }
    }
  });
});

describe('hostile bodies', () => {
  test('ambiguous or malformed JSON is refused and has no effect', async (t) => {
    const { port } = await startTestListener(t);
    // Every other one: src/platform/formats/strict-input.test.ts.
    const hostile: readonly string[] = [
      '{"username":"alice","username":"root","password":"x"}',
      '{"__proto__":{"isAdmin":true},"username":"alice","password":"x"}',
      '[]',
      '[{"username":"alice"}]',
      '"alice"',
      'null',
      'true',
      '1',
      `{"username":${'['.repeat(65)}${']'.repeat(65)},"password":"x"}`,
      '\ufeff{"username":"alice","password":"x"}',
      '{"username":"alice","password":"x"',
      'username=alice',
      ' ',
    ];
    for (const body of hostile) {
      const answer = await send(port, login, { method: 'POST', headers: asJson, body });
      assert.equal(answer.status, 400, body.slice(0, 60));
      assert.equal(answer.json.error.code, 'COULD_NOT_PARSE_BODY', body.slice(0, 60));
      assert.ok(answer.text.length < 500);
    }
    for (const bytes of [[0xff], [0x22, 0xc0, 0x80, 0x22], [0xed, 0xa0, 0x80]]) {
      const answer = await send(port, login, { method: 'POST', headers: asJson, body: Buffer.from(bytes) });
      assert.equal(answer.status, 400);
    }
  });

  test('values of the wrong type are named, and passwords never repeated', async (t) => {
    const { port } = await startTestListener(t);
    for (const value of ['1', 'true', 'null', '[]', '{}', '{"$ne":null}', '{"toString":1}', '[["alice"]]']) {
      const body = `{"username":${value},"password":"secret-word"}`;
      const answer = await send(port, login, { method: 'POST', headers: asJson, body });
      assert.equal(answer.status, 400, value);
      assert.equal(answer.json.error.code, 'COULD_NOT_VALIDATE');
      assert.equal(answer.json.error.cause.field, 'username', value);
      assert.ok(!answer.text.includes('secret-word'));
      const swapped = await send(port, login, {
        method: 'POST',
        headers: asJson,
        body: `{"username":"alice","password":{"hidden":"secret-word"}}`,
      });
      assert.equal(swapped.json.error.cause.field, 'password');
      assert.ok(!swapped.text.includes('secret-word'));
    }
  });

  test('a form field sent twice is refused where one value is meant, and a list where several are', async (t) => {
    const { port } = await startTestListener(t);
    const post = (body: string) => send(port, login, { method: 'POST', headers: asForm, body });
    for (const body of [
      'username=alice&username=root&password=x',
      'username=alice&username=alice&password=x',
      'username[]=alice&password=x',
      'username[x]=alice&password=x',
      'password=x',
      '&&&',
    ]) {
      const answer = await post(body);
      assert.equal(answer.status, 400, body);
      assert.equal(answer.json.error.cause.field, 'username', body);
    }
    for (const body of ['username=%', 'username=%ff', 'username=%00', 'username=%zz', 'a=1&'.repeat(4000)]) {
      const answer = await post(body);
      assert.equal(answer.json.error.code, 'COULD_NOT_PARSE_BODY', body.slice(0, 40));
    }
    const several = await post('username=alice&password=x&configTypes=a&configTypes=b');
    assert.deepEqual(several.json.configTypes, ['a', 'b']);
  });

  test('a query parameter sent twice is refused', async (t) => {
    const { port } = await startTestListener(t);
    const table: readonly [string, number][] = [
      ['?client_id=overlay', 200],
      ['?client_id=overlay&unknown=1&unknown=2', 200],
      ['?client_id=overlay&client_id=other', 400],
      ['?client_id=overlay&client%5Fid=overlay', 400],
      ['', 400],
      ['?', 400],
      ['?client_id=%00', 400],
      ['?client_id=%ff', 400],
      ['?client_id=%', 400],
      [`?client_id=x${'&a=b'.repeat(200)}`, 400],
      ['?__proto__=x&client_id=overlay', 200],
    ];
    for (const [query, status] of table) {
      const answer = await send(port, `/oidc/authorization${query}`);
      assert.equal(answer.status, status, `${query.slice(0, 50)} ${answer.text}`);
      if (status === 400) assert.equal(answer.json.error, 'invalid_request');
    }
    const twice = await send(port, '/oidc/authorization?client_id=%2561');
    assert.equal(twice.json.client_id, '%61', 'decoded once');
  });

  test('a method override changes nothing', async (t) => {
    const { port } = await startTestListener(t);
    const answer = await send(port, '/oidc/login/totp/enroll?_method=DELETE', {
      method: 'POST',
      headers: { ...asForm, 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' },
      body: '_method=DELETE',
    });
    assert.deepEqual(answer.json.fields, ['_method']);
  });
});

describe('large bodies', () => {
  test('the limit applies to the bytes that arrive, announced or not', async (t) => {
    const { port } = await startTestListener(t);
    const fits = (size: number) => `{"a":"${'x'.repeat(size - 8)}"}`;
    const table: readonly [string, number, number][] = [
      [things, 64 * 1024, 201],
      [things, 64 * 1024 + 1, 413],
      ['/oidc/login/totp/enroll', 16 * 1024, 200],
      ['/oidc/login/totp/enroll', 16 * 1024 + 1, 413],
    ];
    for (const [path, size, status] of table) {
      const body = fits(size);
      const announced = await send(port, path, {
        method: 'POST',
        headers: { ...asJson, 'content-length': String(size) },
        body,
      });
      assert.equal(announced.status, status, `${path} ${size}`);
      const chunked = await send(port, path, {
        method: 'POST',
        headers: { ...asJson, 'transfer-encoding': 'chunked' },
        body,
      });
      assert.equal(chunked.status, status, `${path} ${size} chunked`);
      if (status === 413) {
        assert.equal(chunked.json.error.code, 'REQUEST_ENTITY_TOO_LARGE');
        assert.equal(chunked.headers.connection, 'close');
      }
    }
  });

  test('the refusal reaches a client whose body arrives after its headers', async (t) => {
    const { port } = await startTestListener(t);
    for (const size of [16 * 1024 + 1, 20_000, 40_000, 64 * 1024, 64 * 1024 + 1, 100_000]) {
      for (const framing of ['announced', 'chunked'] as const) {
        const path = size > 64 * 1024 ? things : login;
        const answer = await sentApart(port, path, 'x'.repeat(size), framing);
        assert.equal(answer.status, 413, `${size} ${framing}: ${answer.text.slice(0, 40)}`);
        assert.match(answer.text, /\r\n\r\n.*REQUEST_ENTITY_TOO_LARGE/s);
        assert.equal(answer.closed, true);
      }
    }
  });

  test('a client that never sends its announced body is not awaited for ever', async (t) => {
    const timeouts = { idleTimeout: 5000, readTimeout: 400, writeTimeout: 10_000 };
    const { port } = await startTestListener(t, { listener: timeouts });
    const head = `POST ${login} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 20000\r\n\r\nxx`;
    const answer = await sendRaw(port, head);
    assert.ok(answer.closed);
    assert.equal(answer.status, 408);
  });

  test('a body in the smallest chunks whose last one never comes takes little memory', async (t) => {
    const { port } = await startTestListener(t);
    const [count, bytes] = [60_000, 1024 * 1024];
    const chunks = '1\r\nx\r\n'.repeat(count);
    const { promise: begun, resolve } = Promise.withResolvers<IncomingMessage>();
    const note = (message: unknown) => resolve((message as { request: IncomingMessage }).request);
    subscribe(requestStart, note);
    t.after(() => unsubscribe(requestStart, note));
    const socket = await openSocket(port);
    t.after(() => socket.destroy());
    socket.write(
      `POST ${things} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const request = await begun;
    let received = 0;
    request.on('data', ({ length }: Buffer) => {
      received += length;
    });
    const used = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = used();
    socket.write(chunks);
    await until(patience, () => received === count);
    assert.ok(used() - before < bytes, `${used() - before} bytes`);
  });

  test('bodies whose end does not come have a limit for each source: those that have waited longest end', async (t) => {
    const limits = { perSource: 2.5 * bodyLimit, all: 100 * bodyLimit };
    const waiting = waitingBytes({ clock: systemClock }, waitingSums(), limits);
    const { port } = await startTestListener(t, { limits: { waiting } });
    const body = JSON.stringify({ a: 'x'.repeat(bodyLimit - 8) });
    const open: TLSSocket[] = [];
    for (let count = 0; count < 6; count += 1) {
      const socket = await openSocket(port);
      t.after(() => socket.destroy());
      socket.on('error', () => {}).resume();
      socket.write(
        `POST ${things} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${bodyLimit}\r\n\r\n`,
      );
      socket.write(body.slice(0, -1));
      open.push(socket);
    }
    await until(patience, () => open.filter(({ closed }) => closed).length >= 4);
    const last = open.at(-1) as TLSSocket;
    const [answer] = await Promise.all([once(last, 'data'), last.write(body.slice(-1))]);
    assert.match(String(answer), /^HTTP\/1.1 201 /);
  });

  test('a body without end gets its refusal and is not read', async (t) => {
    const { port } = await startTestListener(t);
    const bytesRead: number[] = [];
    for (const path of [things, login, token, '/unknown', '/edge/client/v1/version']) {
      const socket = await openSocket(port);
      let sent = 0;
      const chunk = `4000\r\n${'x'.repeat(16 * 1024)}\r\n`;
      const pump = () => {
        while (sent < 100 * 1024 * 1024 && !socket.destroyed) {
          sent += chunk.length;
          if (!socket.write(chunk)) {
            socket.once('drain', pump);
            return;
          }
        }
      };
      const answer = await readUntilClose(socket, patience, () => {
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
        );
        pump();
      });
      assert.ok([413, 405].includes(answer.status), `${path}: ${answer.status}`);
      assert.ok(answer.closed, path);
      bytesRead.push(sent);
    }
    for (const sent of bytesRead) assert.ok(sent < 20 * 1024 * 1024, `stopped after ${sent} bytes`);
  });

  test('a client that waits to be told is told to send just what the endpoint reads', async (t) => {
    const larger: Route = route('POST', '/edge/client/v1/larger', {
      api: 'edge-client',
      guard: 'full',
      errors: 'edge',
      summary: 'For a test',
      answers: {},
      bodyLimit: 200_000,
      body: { json: true, form: false, schema: z.record(z.string(), z.unknown()) },
      handler: () => envelope({}, {}, { status: 201 }),
    });
    const { port } = await startTestListener(t, { routes: [...echoRoutes, larger] });
    const answerTo = async (path: string, size: number, more: string) => {
      const socket = await openSocket(port);
      const body = `{"a":"${'x'.repeat(size - 8)}"}`;
      return readUntilClose(socket, patience, () => {
        socket.once('data', (first: Buffer) => {
          if (first.toString('latin1').startsWith('HTTP/1.1 100 ')) socket.write(body);
        });
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\nExpect: 100-continue\r\n${more}\r\n`,
        );
      });
    };
    const authorization = 'Authorization: Bearer full\r\n';
    for (const [path, size, more, status] of [
      [things, 64 * 1024, '', 201],
      [login, 16 * 1024, '', 400],
      ['/edge/client/v1/nothing', 64 * 1024, '', 404],
      [larger.path, 200_000, authorization, 201],
    ] as const) {
      const { text } = await answerTo(path, size, more);
      const start = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 ${status} `;
      assert.equal(text.slice(0, start.length), start, `${path} ${size}`);
    }
    for (const [path, size, more, status] of [
      [things, 64 * 1024 + 1, '', 413],
      [things, 10_000_000, '', 413],
      [login, 16 * 1024 + 1, '', 413],
      [larger.path, 200_001, authorization, 413],
      [larger.path, 9, '', 401],
      ['/edge/client/v1/nothing', 64 * 1024 + 1, '', 413],
    ] as const) {
      const answer = await answerTo(path, size, more);
      assert.deepEqual([answer.status, answer.closed], [status, true], `${path} ${size}`);
    }
  });
});

/** Headers first, then the body in pieces; the answer is read only when all is sent, as many clients do it. */
async function sentApart(port: number, path: string, body: string, framing: 'announced' | 'chunked') {
  const socket = await openSocket(port);
  const isChunked = framing === 'chunked';
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
  const pieces = body.match(/.{1,4096}/g) ?? [];
  const framed = isChunked
    ? [...pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`), '0\r\n\r\n']
    : pieces;
  return readUntilClose(socket, patience, () => {
    socket.pause();
    const sendNext = (error?: Error | null) => {
      const piece = error ? undefined : framed.shift();
      if (piece === undefined) socket.resume();
      else socket.write(piece, (failed) => setTimeout(sendNext, 2, failed));
    };
    socket.write(head, () => setTimeout(sendNext, 20));
  });
}
