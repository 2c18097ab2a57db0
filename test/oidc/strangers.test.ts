// What it costs and tells to serve a client that has proven nothing: no stored row, the same work and the same answer.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { HOUR } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { authorize, beginLogin, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { loggedIn, password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
await server.createUser({ name: 'alice', password });

/** How many rows each table has. */
function rowCounts(): Record<string, unknown> {
  using database = new DatabaseSync(join(server.home, 'overlay.db'), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return Object.fromEntries(
    tables.map(({ name }) => [name, database.prepare(`SELECT count(*) AS n FROM "${name}"`).get()?.n]),
  );
}

test('beginning two thousand logins stores nothing, and an earlier one can still be finished', async () => {
  await server.controller.services.attempts.flush();
  const first = await beginLogin(server);
  const stored = rowCounts();
  for (let round = 0; round < 40; round += 1) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => authorize(server)));
    for (const answer of answers) assert.equal(answer.status, 302);
  }
  assert.deepEqual(rowCounts(), stored);
  assert.equal(stored.auth_requests, 0);
  assert.equal((await submitPassword(server, first, 'alice', password)).status, 302);
});

describe('a login that is refused', () => {
  /** Runs it and counts the password hashes that it cost. */
  async function counted(username: string, secret: string): Promise<{ answer: Answer; hashes: number }> {
    const id = await beginLogin(server);
    const { hashPool } = server;
    const { verify } = hashPool;
    let hashes = 0;
    const counting = {
      verify: (...args: Parameters<typeof verify>) => {
        hashes += 1;
        return verify(...args);
      },
    };
    Object.assign(hashPool, counting);
    try {
      return { answer: await submitPassword(server, id, username, secret), hashes };
    } finally {
      Object.assign(hashPool, { verify });
    }
  }

  test('costs one hash and has the same bytes and headers, for every cause', async () => {
    const now = clock.now();
    await server.createUser({ name: 'locked', password });
    for (let guess = 0; guess < 10; guess += 1) await counted('locked', 'wrong');
    const disabled = await server.createUser({ name: 'disabled', password });
    await server.store.identities.update(disabled, { disabledAt: now }, now);
    const names = [
      ...['alice', ' ', 'ghost', 'locked', 'disabled', "' OR 1=1--", '"; DROP TABLE identities; --', ''],
      ...['a\r\nSet-Cookie: x=1', '\u001b[31malice', '\u202egnp', '%n%s', 'x'.repeat(10_000)],
    ];
    // What cannot be a password is compared with none.
    const impossible = ['x'.repeat(1025), '😀'.repeat(257), ''];
    const causes = [
      ...names.map((name) => [name, name === 'alice' ? 'wrong' : password, 1] as const),
      ...impossible.flatMap((secret) => [['alice', secret, 0] as const, ['ghost', secret, 0] as const]),
    ];
    const seen = new Set<string>();
    for (const [username, secret, costs] of causes) {
      const { answer, hashes } = await counted(username, secret);
      const what = JSON.stringify([username.slice(0, 30), secret.length]);
      assert.equal(answer.status, 401, `${what}: ${answer.text}`);
      assert.equal(hashes, costs, what);
      const { date: _date, 'x-request-id': reference = '', ...headers } = answer.headers;
      seen.add(JSON.stringify([headers, answer.text.replace(String(reference), 'REFERENCE')]));
    }
    assert.equal(seen.size, 1, [...seen].join('\n'));
    assert.equal((await counted('alice', password)).answer.status, 302);
    clock.advance(HOUR);
  });
});

test('a password may have 1,024 bytes of anything, none of which is ignored', async () => {
  const secrets = {
    long: 'x'.repeat(1024),
    emoji: '🦆 quiet lanterns '.repeat(40),
    seventythree: `${'y'.repeat(72)}1`,
    composed: 'crème brûlée für Ängström',
  };
  for (const [name, secret] of Object.entries(secrets)) {
    await server.createUser({ name, password: secret });
    const status = async (text: string) =>
      (await submitPassword(server, await beginLogin(server), name, text)).status;
    assert.equal(await status(secret), 302, name);
    assert.equal(await status(secret.normalize('NFD')), 302, `${name} decomposed`);
    const others = [secret.slice(0, -1), `${secret.slice(0, -1)}~`, secret.toUpperCase(), ` ${secret}`];
    for (const other of others) assert.equal(await status(other), 401, `${name}: ${other.slice(-5)}`);
  }
});

test('a session that has ended opens no endpoint, and nothing that leads to another one', async () => {
  await server.createUser({ name: 'root', password, isAdmin: true });
  const root = await loggedIn(server, 'root');
  assert.equal((await root.call('DELETE', '/edge/client/v1/current-api-session')).status, 200);
  let guarded = 0;
  for (const { methods, path, guard } of server.controller.services.routes) {
    if (guard === 'anonymous') continue;
    guarded += 1;
    for (const method of methods) {
      const answer = await root.call(method, path.replace(/:\w+/g, 'default'), {});
      assert.equal(answer.status, 401, `${method} ${path}`);
      assert.match(answer.lines('www-authenticate').join(), /realm="overlay-oidc", error="invalid"/);
    }
  }
  assert.ok(guarded > 20);
  const refreshed = await server.post('/oidc/token', {
    form: { grant_type: 'refresh_token', refresh_token: root.refreshToken, client_id: 'overlay' },
  });
  assert.equal(refreshed.json.error, 'invalid_grant');
});
