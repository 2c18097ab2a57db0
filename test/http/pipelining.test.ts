// Clients that send requests without waiting for the answers, or do not read them.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { z } from 'zod';
import { envelope, json, listEnvelope } from '../../src/http/request/answer.ts';
import { type Route, route } from '../../src/http/request/route.ts';
import { type WaitingLimits, waitingBytes, waitingSums } from '../../src/http/server/waiting-bytes.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { eventually, patience } from '../support/until.ts';
import { openSocket, readUntilClose, send, sendRaw, startTestListener } from './support.ts';

const common = {
  api: 'edge-client',
  guard: 'anonymous',
  load: 'light',
  errors: 'edge',
  summary: 'For a test',
  answers: {},
} as const;

const anything = z.record(z.string(), z.unknown());

/** Answers with the number of the call, and with the sent body. */
function counting() {
  const calls: string[] = [];
  const counted = (length: number) =>
    route(['GET', 'HEAD'], `/answers/${length}`, {
      ...common,
      handler(context) {
        calls.push(context.queryText);
        return json({ call: context.queryText, text: 'x'.repeat(length) });
      },
    });
  const echo = route('POST', '/echo', {
    ...common,
    body: { json: true, form: false, schema: anything },
    handler: (_context, { body }) => envelope(body),
  });
  return { calls, routes: [counted(10), counted(15_000), counted(90_000), counted(400_000), echo] };
}

function get(port: number, path: string, ...further: string[]): string {
  return [`GET ${path} HTTP/1.1`, `Host: localhost:${port}`, ...further, '', ''].join('\r\n');
}

function post(port: number, body: string, ...further: string[]): string {
  const lines = [
    'POST /echo HTTP/1.1',
    `Host: localhost:${port}`,
    'Content-Type: application/json',
    ...further,
  ];
  return [...lines, '', body].join('\r\n');
}

const bodiesIn = (text: string) =>
  [...text.matchAll(/\r\n\r\n(\{.*?\})(?=HTTP|$)/gs)].map(([, body]) => body);

/** Sends everything at once and closes after the last answer. */
async function answersTo(port: number, requests: readonly string[]): Promise<string> {
  return (await sendRaw(port, requests.join('') + get(port, '/end', 'Connection: close'))).text;
}

describe('requests without waiting for the answers', () => {
  test('are answered one after the other, in order', async (t) => {
    const begun: string[] = [];
    const goOn: (() => void)[] = [];
    const slow = route('GET', '/slow', {
      ...common,
      async handler({ queryText }) {
        begun.push(queryText);
        await new Promise<void>((resolve) => goOn.push(resolve));
        return json(queryText);
      },
    });
    const { port } = await startTestListener(t, { routes: [slow] });
    const answers = answersTo(
      port,
      ['1', '2', '3'].map((n) => get(port, `/slow?${n}`)),
    );
    for (const expected of [['1'], ['1', '2'], ['1', '2', '3']]) {
      while (goOn.length === 0) await nextTurn();
      await wait(20);
      assert.deepEqual(begun, expected);
      goOn.shift()?.();
    }
    assert.match(await answers, /"1"HTTP.*"2"HTTP.*"3"HTTP\/1.1 404/s);
  });

  test('are all answered, however many and however they are cut', async (t) => {
    const { calls, routes } = counting();
    const { port } = await startTestListener(t, { routes });
    const bytes = Array.from({ length: 700 }, (_, at) => get(port, `/answers/10?${at}`)).join('');
    for (const size of [bytes.length, 1000, 97, 61]) {
      calls.length = 0;
      const socket = await openSocket(port);
      const answer = readUntilClose(socket, patience, () => {
        for (let at = 0; at < bytes.length; at += size) socket.write(bytes.slice(at, at + size));
        socket.write(get(port, '/end', 'Connection: close'));
      });
      const bodies = bodiesIn((await answer).text).slice(0, -1);
      assert.equal(bodies.length, 700, `in pieces of ${size}`);
      assert.deepEqual(
        calls,
        Array.from({ length: 700 }, (_, at) => String(at)),
      );
    }
  });

  test('may have bodies of every form, also such that look like requests', async (t) => {
    const { port } = await startTestListener(t, { routes: counting().routes });
    const inside = JSON.stringify({ a: get(port, '/answers/10?inside').repeat(40) });
    const looks = `{"a":1,\r\n\r\n${'\r\n\r\n'.repeat(2000)}"b":2}`;
    const chunked = ['5', '{"a":', '2', '1}', '0', '', ''].join('\r\n');
    const requests = [
      post(port, inside, `Content-Length: ${inside.length}`),
      post(port, looks, `Content-Length: ${looks.length}`),
      get(port, '/answers/10?between'),
      post(port, chunked, 'Transfer-Encoding: chunked'),
      post(port, '', 'Content-Length: 0'),
      // Shorter than any honest one: several are parsed together.
      ...Array.from({ length: 9 }, () => 'GET / HTTP/1.1\r\n\r\n'),
      get(port, '/answers/10?last'),
    ];
    const bodies = bodiesIn(await answersTo(port, requests)).map((body = '') => JSON.parse(body));
    assert.deepEqual(bodies.slice(0, 5), [
      { data: { a: get(port, '/answers/10?inside').repeat(40) }, meta: {} },
      { data: { a: 1, b: 2 }, meta: {} },
      { call: 'between', text: 'x'.repeat(10) },
      { data: { a: 1 }, meta: {} },
      { data: {}, meta: {} },
    ]);
    assert.equal(bodies.length, 5 + 9 + 2);
    assert.equal(bodies[14]?.call, 'last');
  });

  test('end at the first that is broken, after the answers to those before it', async (t) => {
    const { port } = await startTestListener(t, { routes: counting().routes });
    const { text, closed } = await sendRaw(
      port,
      `${get(port, '/answers/10?1')}${get(port, '/answers/10?2')}broken\r\n\r\n${get(port, '/answers/10?3')}`,
    );
    assert.match(text, /"call":"1".*"call":"2".*HTTP\/1.1 400/s);
    assert.doesNotMatch(text, /"call":"3"/);
    assert.ok(closed);
  });

  test('with an unknown expectation are answered like others, one after the other', async (t) => {
    const { calls, routes } = counting();
    const { port } = await startTestListener(t, { routes });
    const bytes = Array.from({ length: 3000 }, (_, at) => get(port, `/answers/10?${at}`, 'Expect: x')).join(
      '',
    );
    const socket = await openSocket(port);
    t.after(() => socket.destroy());
    socket.pause();
    socket.write(bytes);
    await wait(500);
    const text = readUntilClose(socket, patience, () => {
      socket.write(get(port, '/end', 'Connection: close'));
      socket.resume();
    });
    assert.equal(bodiesIn((await text).text).length, 3001);
    assert.equal(calls.length, 3000);
  });

  test('end with CONNECT', async (t) => {
    const { calls, routes } = counting();
    const { port } = await startTestListener(t, { routes });
    const connectMethod = `CONNECT localhost:${port} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`;
    const { text, closed } = await sendRaw(
      port,
      `${get(port, '/answers/10?1')}${connectMethod}${get(port, '/answers/10?2').repeat(50)}`,
    );
    assert.match(text, /"call":"1".*HTTP\/1.1 405/s);
    assert.deepEqual(calls, ['1']);
    assert.ok(closed);
    assert.equal((await send(port, '/answers/10')).status, 200);
  });
});

/** Sends requests and reads nothing, until the server stops answering. */
async function stuck(
  t: TestContext,
  { port, calls }: { readonly port: number; readonly calls: readonly string[] },
  bytes: string,
  tls: ConnectionOptions & { readonly localAddress?: string } = {},
): Promise<TLSSocket> {
  const socket = await openSocket(port, tls);
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.pause();
  socket.write(bytes);
  for (let before = 0, unchanged = 0; unchanged < 5; await wait(30)) {
    unchanged = before > 0 && before === calls.length ? unchanged + 1 : 0;
    before = calls.length;
  }
  return socket;
}

describe('a client that does not read', () => {
  test('is answered no further than its connection takes, and then goes on', async (t) => {
    const { calls, routes } = counting();
    const { port } = await startTestListener(t, { routes });
    const requests = Array.from({ length: 280 }, (_, at) => get(port, `/answers/400000?${at}`));
    const socket = await stuck(t, { port, calls }, requests.join(''));
    assert.ok(calls.length < 60, `${calls.length} answers were made`);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    while (received < 280 * 400_000) await once(socket, 'data');
    assert.equal(calls.length, 280);
  });

  test('loses its connection after the write timeout, also within a long answer', async (t) => {
    const { calls, routes } = counting();
    const timeouts = { idleTimeout: 5000, readTimeout: 10_000, writeTimeout: 300 };
    const { port } = await startTestListener(t, { routes, listener: timeouts });
    const requests = get(port, '/answers/400000').repeat(60);
    const socket = await stuck(t, { port, calls }, requests);
    // Without reading, only a write notices that the connection has ended.
    while (socket.writable) {
      socket.write('GET ');
      await wait(50);
    }
    assert.ok(calls.length < 60, `${calls.length} answers were made`);
  });

  /** A clock of waiting bytes that stands still. `looked` resolves when these have been looked at by what it says. */
  function lookingClock() {
    const clock = { ...fixedClock(0), looks: 0 };
    const { monotonic } = clock;
    clock.monotonic = () => {
      clock.looks += 1;
      return monotonic();
    };
    const looked = async () => {
      const { looks } = clock;
      await eventually(
        () => clock.looks,
        (now) => now >= looks + 2,
      );
    };
    return { clock, looked, waiting: waitingBytes({ clock }, waitingSums()) };
  }

  test('keeps it while the server itself stands still', async (t) => {
    const { calls, routes } = counting();
    const { clock, looked, waiting } = lookingClock();
    const timeouts = { idleTimeout: 60_000, readTimeout: 60_000, writeTimeout: 500 };
    const { port } = await startTestListener(t, { routes, listener: timeouts, limits: { waiting } });
    const socket = await stuck(t, { port, calls }, get(port, '/answers/400000').repeat(60));
    await looked();
    clock.advance(60_000);
    // Without reading, only writes notice that the connection has ended.
    for (let tries = 0; tries < 10; tries += 1) {
      await looked();
      socket.write('GET ');
    }
    assert.ok(socket.writable);
    // Whereas the time in which it looks counts.
    while (socket.writable) {
      clock.advance(100);
      await looked();
      socket.write('GET ');
    }
  });

  test('keeps it as long as it takes something now and then', async (t) => {
    const { calls, routes } = counting();
    const { clock, looked, waiting } = lookingClock();
    const timeouts = { idleTimeout: 60_000, readTimeout: 60_000, writeTimeout: 500 };
    const { port } = await startTestListener(t, { routes, listener: timeouts, limits: { waiting } });
    const socket = await stuck(t, { port, calls }, get(port, '/answers/400000').repeat(60));
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    const closed = once(socket, 'close').then(() => assert.fail(`closed after ${received} bytes`));
    for (let pauses = 0; pauses < 3; pauses += 1) {
      await looked();
      for (let passed = 100; passed < 500; passed += 100) {
        clock.advance(100);
        await looked();
      }
      // Another answer is made when the one before has been taken.
      const made = calls.length;
      socket.resume();
      while (calls.length === made) await Promise.race([closed, once(socket, 'data')]);
      socket.pause();
    }
    socket.resume();
    while (received < 60 * 400_000) await Promise.race([closed, once(socket, 'data')]);
    assert.equal(calls.length, 60);
    closed.catch(() => {});
  });
});

describe('bytes that wait for clients that do not read', () => {
  const [crowd, one, other] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
  const from = [one, crowd, crowd, crowd, crowd, crowd, crowd, other];

  /** Opens connections one after the other, for each of which some 20 to 60 KB wait: those that have waited longest end. */
  async function openAfter(t: TestContext, limits: WaitingLimits): Promise<void> {
    const { calls, routes } = counting();
    const waiting = waitingBytes({ clock: systemClock }, waitingSums(), limits);
    const { port } = await startTestListener(t, { routes, limits: { waiting } });
    const requests = get(port, '/answers/15000').repeat(700);
    const sockets: TLSSocket[] = [];
    for (const localAddress of from) {
      sockets.push(await stuck(t, { port, calls }, requests, { localAddress }));
    }
    // Too much together with what waits, and not by itself: however slowly it is read, its own connection stays.
    assert.equal((await send(port, '/answers/90000')).status, 200);
    await eventually(
      () => {
        // Without reading, only a write notices that the connection has ended.
        for (const socket of sockets) socket.write('GET ');
        return sockets.map(({ writable }) => (writable ? 'open ' : 'closed ')).join('');
      },
      (open) => /^open (?:closed ){1,6}(?:open )+$/.test(open),
    );
  }

  test('has a limit for each source: the connections that have waited longest end', async (t) => {
    await openAfter(t, { perSource: 120_000, all: 100_000_000 });
  });

  test('has a limit for all together, which the source with most feels', async (t) => {
    await openAfter(t, { perSource: 100_000_000, all: 220_000 });
  });
});

describe('a long answer', () => {
  const items = Array.from({ length: 3000 }, (_, at) => ({ name: `ä€😀 ${at}` }));
  const listed = route('GET', '/list', {
    ...common,
    handler: () => listEnvelope(items, {}),
  });
  const text = JSON.stringify(items);
  const written = route(['GET', 'HEAD'], '/text', { ...common, handler: () => json(items) });

  test('arrives whole', async (t) => {
    const routes: readonly Route[] = [listed, written];
    const { port } = await startTestListener(t, { routes });
    assert.deepEqual((await send(port, '/list')).json.data, items);
    const whole = await send(port, '/text');
    assert.equal(whole.text, text);
    assert.equal(whole.headers['content-length'], String(Buffer.byteLength(text)));
    const head = await send(port, '/text', { method: 'HEAD' });
    assert.deepEqual([head.text, head.headers['content-length']], ['', whole.headers['content-length']]);
  });
});
