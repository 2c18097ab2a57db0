// Answers that cost something count against the source that asks without proving anything.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthError } from '../../src/errors/auth-error.ts';
import { envelope, json } from '../../src/http/request/answer.ts';
import { type Load, route } from '../../src/http/request/route.ts';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { openSocket, readUntilClose, send, startTestListener } from './support.ts';

const common = { api: 'edge-client', errors: 'html-or-edge', summary: 'For a test', answers: {} } as const;
const open = (load: Load) =>
  route('GET', `/${load}`, { ...common, guard: 'anonymous', load, handler: () => json(1) });
const routes = [
  open('light'),
  open('counted'),
  route('POST', '/proof', {
    ...common,
    guard: 'anonymous',
    load: 'counted-unless-proven',
    handler({ queryText }) {
      if (queryText !== 'right') throw new AuthError('invalid_auth');
      return json(1);
    },
  }),
  route('GET', '/own', { ...common, guard: 'full', handler: () => envelope(1) }),
];

/** How many answers of each status many requests get, on one connection. */
async function statuses(port: number, line: string, count: number): Promise<Record<string, number>> {
  const socket = await openSocket(port);
  const head = `${line} HTTP/1.1\r\nHost: localhost:${port}\r\n`;
  const { text } = await readUntilClose(socket, 60_000, () => {
    socket.write(`${head}\r\n`.repeat(count - 1));
    socket.write(`${head}Connection: close\r\n\r\n`);
  });
  const found: Record<string, number> = {};
  for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3})/g))
    found[status] = (found[status] ?? 0) + 1;
  return found;
}

test('a source that causes much without a proof has to wait, and disturbs only itself', async (t) => {
  const clock = fixedClock(systemClock.now());
  const { port } = await startTestListener(t, { routes, clock });
  assert.deepEqual(await statuses(port, 'POST /proof?right', 3000), { 200: 3000 }, 'proofs do not count');
  // A refusal counts twice: for what was asked, and for saying so.
  assert.deepEqual(await statuses(port, 'POST /proof?wrong', 3000), { 401: 3000 });
  assert.deepEqual(await statuses(port, 'GET /nowhere', 1000), { 404: 1000 });
  assert.deepEqual(await statuses(port, 'GET /counted', 3200), { 200: 3000, 429: 200 });
  const waiting = await send(port, '/counted', { headers: { accept: 'text/html' } });
  assert.deepEqual([waiting.status, waiting.headers['retry-after']], [429, '1']);
  assert.match(String(waiting.headers['content-type']), /json/, 'no page is made for it');
  assert.equal((await send(port, '/light')).status, 200);
  assert.equal((await send(port, '/own', { headers: { authorization: 'Bearer full' } })).status, 200);
  const other = await send(port, '/counted', { tls: { localAddress: '127.0.0.2' } as object });
  assert.equal(other.status, 200);
  clock.advance(SECOND);
  assert.deepEqual(await statuses(port, 'GET /counted', 510), { 200: 500, 429: 10 });
});
