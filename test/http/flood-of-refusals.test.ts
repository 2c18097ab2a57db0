// What somebody who repeats refused requests can write into the log.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { beforeEach, test } from 'node:test';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import { samplingDefaults, samplingOfCallers } from '../../src/platform/log/sampled-lines.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, login, submitPassword } from '../support/flow.ts';
import { password } from '../support/management.ts';
import { serverOfFile, usualThreads } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
await server.createUser({ name: 'alice', password });
beforeEach(() => clock.advance(SECOND));

/** The lines that were written meanwhile. */
async function linesOf(run: () => Promise<unknown>) {
  const before = server.log.entries.length;
  await run();
  // Other threads are asked for what they count, and their lines arrive before their answer.
  await server.controller.services.readMetrics();
  return server.log.entries.slice(before);
}

const times =
  (count: number, send: () => Promise<unknown>, atOnce = 50) =>
  async () => {
    for (let done = 0; done < count; done += atOnce) await Promise.all(Array.from({ length: atOnce }, send));
  };

const skip = usualThreads > 1 && 'what a thread has left out comes with its own next line';
test('refused requests of strangers: ten lines a second of one kind, and the next one counts the rest', {
  skip,
}, async () => {
  const stranger = () => server.get('/edge/client/v1/current-identity');
  const first = await linesOf(times(500, stranger));
  assert.equal(first.length, samplingDefaults.ofKind);
  // It does not hide other kinds.
  const other = await linesOf(() => server.get('/nowhere'));
  assert.deepEqual(
    other.map(({ fields }) => [fields.errorCode, fields.unlogged]),
    [['not_found', undefined]],
  );
  clock.advance(SECOND);
  const [line, ...more] = await linesOf(stranger);
  assert.deepEqual([line?.fields.errorCode, line?.fields.unlogged, more], ['unauthorized', 490, []]);
  // The reference in each answer still identifies the call.
  assert.match(String(line?.fields.requestId), /^[0-9A-Z]{10}$/);
});

test('refused logins: their audit events too, while successes are always written', async () => {
  const guess = async () => submitPassword(server, await beginLogin(server), 'ghost', 'x');
  const lines = await linesOf(times(100, guess, 10));
  const events = lines.filter(({ message }) => message === 'audit');
  assert.equal(events.length, samplingDefaults.ofKind);
  assert.equal(lines.length, 2 * samplingDefaults.ofKind);
  const passed = await linesOf(() => login(server, 'alice', password));
  assert.ok(passed.some(({ fields }) => fields.event === 'login.passed'));
});

test('in all, for all attempts of strangers: thirty lines a second', async () => {
  const tries = [
    () => server.get('/nowhere'),
    () => server.get('/edge/client/v1/current-identity'),
    () => server.post('/edge/client/v1/authenticate?method=ext-jwt', { json: {} }),
    () => server.post('/edge/client/v1/authenticate?method=password', { body: '{' }),
    () => server.request('TRACE', '/version'),
    () => server.get('/oidc/authorization'),
    () => server.post('/oidc/token', { form: {} }),
    () => server.get('/version', { headers: { host: 'elsewhere.example' } }),
    () => server.post('/edge/client/v1/enroll/ott', { json: { token: 'x', clientCsr: 'x' } }),
  ];
  const lines = await linesOf(times(450, () => Promise.all(tries.map((send) => send()))));
  assert.equal(lines.length, samplingDefaults.inAll);
});

test('connections without TLS', async () => {
  const { port } = new URL(server.url);
  const noise = () =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.end('GET / HTTP/1.1\r\n\r\n'));
      // An unread answer keeps the connection open on this side.
      socket.resume();
      socket.on('close', () => resolve());
      socket.on('error', () => undefined);
    });
  const lines = await linesOf(times(100, noise));
  assert.ok(lines.length <= samplingDefaults.ofKind, `${lines.length} lines`);
});

const refusedCall = async () => {
  const tokens = await login(server, 'alice', password);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  return () => server.get('/edge/management/v1/identities', { headers });
};

test('refusals of a logged-in caller are all written', async () => {
  const lines = await linesOf(times(50, await refusedCall()));
  assert.equal(lines.filter(({ fields }) => fields.errorCode === 'forbidden').length, 50);
});

test('refusals of callers who repeat them: 600 a minute of one kind', { skip }, async () => {
  const refused = await refusedCall();
  clock.advance(MINUTE);
  const lines = await linesOf(times(700, refused));
  assert.equal(lines.length, samplingOfCallers.ofKind);
  clock.advance(MINUTE);
  const [line, ...more] = await linesOf(refused);
  assert.deepEqual([line?.fields.errorCode, line?.fields.unlogged, more], ['forbidden', 100, []]);
});
