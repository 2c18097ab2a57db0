// T-28: years by the clock. Time passes eleven hours at a time, and the work that repeats runs after each. Logins,
// refreshes and refusals go on as before, and what passes leaves nothing behind: no rows, keys or memory.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DAY, HOUR, type Millis, SECOND } from '../src/platform/clock.ts';
import { fixedClock } from '../test/support/fixed-clock.ts';
import { beginLogin, callWith, login, refresh, submitPassword } from '../test/support/flow.ts';
import { loggedIn, password, rootOf } from '../test/support/management.ts';
import { memoryLogger } from '../test/support/memory-logger.ts';
import { startTestServer } from '../test/support/test-server.ts';
import { eventually } from '../test/support/until.ts';

const years = Number(process.env.OVERLAY_AUTH_YEARS ?? 2);
/** A session can be refreshed for a day after the last time, and for thirty days in all. */
const step: Millis = 11 * HOUR;
const month: Millis = 30 * DAY;
/** As many times as fast does work that repeats every second or more seldom. */
const pace = 300;
/** Rows that passed away at the end of the first two months and at the end of everything may differ by this. */
const slack = 1.2;
const megabyte = 1024 * 1024;

function repeatFaster(t: TestContext): void {
  const { setInterval } = globalThis;
  const faster = (work: () => void, pause = 0) =>
    setInterval(work, pause >= SECOND ? Math.max(25, pause / pace) : pause);
  globalThis.setInterval = faster as typeof setInterval;
  t.after(() => {
    globalThis.setInterval = setInterval;
  });
}

/** Kept until somebody deletes them, or for longer than two months. */
const kept = new Set(['identities', 'authenticators', 'names', 'audit_events']);

function rowsThatPass(home: string): number {
  using database = new DatabaseSync(join(home, 'overlay.db'), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  return tables
    .map(({ name }) => String(name))
    .filter((name) => !kept.has(name))
    .reduce((sum, name) => sum + Number(database.prepare(`SELECT count(*) AS n FROM "${name}"`).get()?.n), 0);
}

function heap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / megabyte;
}

test(`${years} years by the clock`, async (t) => {
  repeatFaster(t);
  const clock = fixedClock(Date.now());
  const warnings: string[] = [];
  const { entries, ...log } = memoryLogger();
  await using server = await startTestServer({ clock, log, comparesAnswers: false });
  const root = await rootOf(server);
  await server.createUser({ name: 'ann', password });
  // An application that never takes what is sent to it.
  const url = 'https://127.0.0.1:9/events';
  assert.equal((await root.call('POST', 'event-subscriptions', { type: 'webhook', url })).status, 201);
  const begun = clock.now();
  let session = { token: '', since: begun - month };
  let atFirst = { rows: 0, heap: 0 };

  for (let steps = 1; clock.now() < begun + years * 365 * DAY; steps += 1) {
    clock.advance(step);
    await wait(50);
    await eventually(
      async () => (await server.get('/health-checks')).status,
      (status) => status === 200,
    );
    if (clock.now() - session.since > month - DAY)
      session = { token: (await login(server, 'ann', password)).refresh_token, since: clock.now() };
    const refreshed = await refresh(server, session.token);
    assert.equal(refreshed.status, 200, refreshed.text);
    session.token = refreshed.json.refresh_token;
    assert.equal((await callWith(server, refreshed.json.access_token)).status, 200);
    const wrong = await submitPassword(server, await beginLogin(server), 'ann', 'wrong');
    assert.equal(wrong.status, 401, wrong.text);
    const zt = { json: { username: 'ann', password } };
    assert.equal((await server.post('/edge/client/v1/authenticate?method=password', zt)).status, 200);
    const form = { client_id: 'overlay', scope: 'openid' };
    assert.equal((await server.post('/oidc/device_authorization', { form })).status, 200);
    const admin = await loggedIn(server, 'root');
    const invited = await admin.call('POST', 'identities', {
      name: `guest ${steps}`,
      enrollment: { updb: `guest ${steps}` },
    });
    assert.equal(invited.status, 201, invited.text);
    warnings.push(...entries.filter(({ level }) => level === 'error').map(({ message }) => message));
    (entries as unknown[]).length = 0;
    if (steps % Math.round(month / step) !== 0) continue;
    const now = { rows: rowsThatPass(server.home), heap: heap() };
    const keys = (await server.get('/oidc/keys')).json.keys.length;
    if (clock.now() - begun < 2.5 * month) atFirst = now;
    t.diagnostic(
      `${Math.round((clock.now() - begun) / DAY)} days: ${now.rows} rows, ${keys} keys, ${now.heap.toFixed()} MB`,
    );
    assert.ok(keys <= 4, `${keys} keys are published`);
  }
  assert.deepEqual(warnings, []);
  assert.ok(rowsThatPass(server.home) <= slack * atFirst.rows);
  assert.ok(heap() <= slack * atFirst.heap);
});
