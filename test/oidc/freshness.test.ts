// A node that does not hear from its database accepts no token that it cannot check, says so, and recovers by itself.

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/platform/clock.ts';
import type { FeedPosition } from '../../src/store/contracts/changes.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { forgetExpired } from '../../src/tasks/expire.ts';
import { authenticate, openSession } from '../legacy/support.ts';
import { clientOfHome, sandbox, stopped, untilReady } from '../support/command.ts';
import { type FixedClock, fixedClock } from '../support/fixed-clock.ts';
import {
  beginLogin,
  callWith,
  claimsOf,
  login,
  obtainCode,
  redeem,
  refresh,
  submitPassword,
} from '../support/flow.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import {
  createTotpUser,
  enroll,
  partialLogin,
  password,
  step,
  submitCode,
  totpPolicy,
} from '../support/totp.ts';

const longerLife = (yaml: string) =>
  yaml
    .replace(/accessTokenDuration: \w+/, 'accessTokenDuration: 12h')
    .replace(/sessionTimeout: \w+/, 'sessionTimeout: 12h');

let clock: FixedClock;
let server: TestServer;
beforeEach(async () => {
  clock = fixedClock('2026-01-01T00:00:00Z');
  // Breaks the store, or the feed, of the only thread that the test can reach.
  server = await startTestServer({ clock, configure: longerLife, threads: 1 });
  await server.createUser({ name: 'alice', password });
});
afterEach(() => server.close());

/** The database stops answering reads of the change feed. @returns lets it answer again */
function hang(): () => Promise<void> {
  const { changes, restores } = server.store;
  const originals = { readAfter: changes.readAfter, latest: restores.latest };
  const gate = Promise.withResolvers<void>();
  Object.assign(changes, {
    readAfter: (from: FeedPosition) => gate.promise.then(() => originals.readAfter(from)),
  });
  Object.assign(restores, { latest: () => gate.promise.then(originals.latest) });
  return async () => {
    Object.assign(changes, { readAfter: originals.readAfter });
    Object.assign(restores, { latest: originals.latest });
    gate.resolve();
    await server.controller.services.view.feed.listen();
  };
}

/** Time passes while the process runs: its pulse beats every two seconds. */
async function runFor(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 2) {
    clock.advance(2 * SECOND);
    while (!hasBeaten()) await delay(20);
  }
}

/** Two seconds without a beat are allowed: a moment later it must know whether there was one. */
function hasBeaten(): boolean {
  const now = clock.now();
  clock.set(now + 1);
  const hasStoodStill = server.controller.services.view.feed.hasStoodStill;
  clock.set(now);
  return !hasStoodStill;
}

async function health(): Promise<{ readonly status: number; readonly failing: readonly string[] }> {
  // A finding is kept for a second.
  clock.advance(SECOND);
  const { status, json } = await server.get('/health-checks/ready');
  const checks = json.data.checks as readonly { id: string; healthy: boolean }[];
  return { status, failing: checks.filter(({ healthy }) => !healthy).map(({ id }) => id) };
}

describe('a database that does not answer', () => {
  test('is tolerated for thirty seconds; then calls get 503 and readiness fails, until it answers', async () => {
    const { access_token } = await login(server, 'alice', password);
    const session = await openSession(server, 'alice');
    const release = hang();
    await runFor(28);
    assert.equal((await callWith(server, access_token)).status, 200);
    await runFor(4);
    const refused = await callWith(server, access_token);
    assert.equal(refused.status, 503);
    assert.ok(refused.headers['retry-after']);
    assert.equal((await session.get('current-api-session')).status, 503);
    assert.deepEqual(await health(), { status: 503, failing: ['store.changes'] });
    assert.equal((await server.get('/health-checks/live')).status, 200);
    await release();
    assert.equal((await callWith(server, access_token)).status, 200);
    assert.equal((await session.get('current-api-session')).status, 200);
    assert.deepEqual(await health(), { status: 200, failing: [] });
  });

  test('does not pile up readers', async () => {
    const { access_token } = await login(server, 'alice', password);
    const { changes } = server.store;
    const original = changes.readAfter;
    const release = hang();
    clock.advance(MINUTE);
    const answers = await Promise.all(Array.from({ length: 50 }, () => callWith(server, access_token)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
    let reads = 0;
    await release();
    Object.assign(changes, {
      readAfter(from: FeedPosition) {
        reads += 1;
        return original(from);
      },
    });
    await server.controller.services.view.feed.listen();
    assert.ok(reads <= 2, `${reads} reads`);
  });
});

test('after a silence longer than the feed reaches back, everything is read again', async () => {
  await server.createUser({ name: 'dora', password });
  const revoked = await login(server, 'alice', password);
  const disabled = await login(server, 'dora', password);
  const session = await openSession(server, 'alice');
  for (const { access_token } of [revoked, disabled]) {
    assert.equal((await callWith(server, access_token)).status, 200);
  }
  const release = hang();
  const other = await openSqliteStore({ path: join(server.home, 'overlay.db') });
  await other.apiSessions.end(claimsOf(revoked.access_token).z_asid, 'administrator', clock.now());
  await other.apiSessions.end(session.id as never, 'administrator', clock.now());
  await other.identities.update(
    claimsOf(disabled.access_token).sub,
    { disabledAt: clock.now() } as never,
    clock.now(),
  );
  clock.advance(2 * HOUR);
  await other.expiry.deleteExpired(clock.now(), 10_000);
  assert.equal((await other.changes.readAfter(null)).changes.length, 1);
  await other.close();
  await release();
  assert.equal((await callWith(server, revoked.access_token)).status, 401);
  assert.equal((await callWith(server, disabled.access_token)).status, 401);
  assert.equal((await session.get('current-api-session')).status, 401);
});

test('a change of a kind that only a newer release knows makes a node read nothing again', async () => {
  const { externalJwtSigners } = server.store;
  const { listAll } = externalJwtSigners;
  let reads = 0;
  Object.assign(externalJwtSigners, {
    listAll() {
      reads += 1;
      return listAll();
    },
  });
  const database = new DatabaseSync(join(server.home, 'overlay.db'), { timeout: 5000 });
  database.exec(`INSERT INTO changes (kind, entity_id, at) VALUES ('newer', 'x', ${clock.now()})`);
  database.close();
  await server.controller.services.view.feed.catchUp();
  Object.assign(externalJwtSigners, { listAll });
  assert.equal(reads, 0);
});

test('a node whose database was restored under it accepts nothing any more and says so', async () => {
  const { access_token } = await login(server, 'alice', password);
  assert.equal((await callWith(server, access_token)).status, 200);
  const other = await openSqliteStore({ path: join(server.home, 'overlay.db') });
  await other.restores.withdrawEverythingIssued({ id: 'r1', totpStep: 0, now: clock.now() });
  await other.close();
  await assert.rejects(server.controller.services.view.feed.listen(), /restored from a backup.*restart/);
  assert.equal((await callWith(server, access_token)).status, 503);
  assert.deepEqual(await health(), { status: 503, failing: ['store.changes'] });
});

test('a node whose database came back without its signing keys is not ready until they are there again', async () => {
  const { access_token } = await login(server, 'alice', password);
  const database = new DatabaseSync(join(server.home, 'overlay.db'), { timeout: 5000 });
  database.exec(
    "CREATE TABLE aside AS SELECT * FROM signing_keys; DELETE FROM signing_keys WHERE alg = 'ES256'",
  );
  const { feed } = server.controller.services.view;
  await assert.rejects(feed.startOver(), /no ES256 signing key any more.*restart/);
  assert.equal((await callWith(server, access_token)).status, 503);
  assert.deepEqual(await health(), { status: 503, failing: ['store.changes'] });
  database.exec('INSERT OR IGNORE INTO signing_keys SELECT * FROM aside; DROP TABLE aside');
  database.close();
  await feed.startOver();
  assert.equal((await callWith(server, access_token)).status, 200);
  assert.deepEqual(await health(), { status: 200, failing: [] });
});

/** Stops a controller while it does not hold the database; otherwise commands on the host would wait for it in vain. */
async function stopBetweenWrites(controller: ChildProcess, path: string): Promise<void> {
  for (;;) {
    controller.kill('SIGSTOP');
    const database = new DatabaseSync(path);
    try {
      database.exec('BEGIN IMMEDIATE; ROLLBACK');
      return;
    } catch {
      controller.kill('SIGCONT');
      await delay(50);
    } finally {
      database.close();
    }
  }
}

test('a process that was suspended and continues refuses sessions that ended meanwhile', async (t) => {
  const box = sandbox();
  t.after(() => box.close());
  const env = { OVERLAY_AUTH_HOME: 'h' };
  await box.home('h', 'localhost:0');
  const secret = 'tall tree bakery 41';
  await box.run(['admin', 'create', 'ana', '--password-stdin'], { env, input: secret });
  const run = box.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
  const client = clientOfHome((await untilReady(run)).url, join(box.cwd, 'h'));
  t.after(() => client.closeConnections());
  for (const pause of [3 * SECOND, 31 * SECOND]) {
    const { access_token } = await login(client, 'ana', secret);
    assert.equal((await callWith(client, access_token)).status, 200);
    await stopBetweenWrites(run.child, join(box.cwd, 'h', 'overlay.db'));
    const asleep = delay(pause);
    const recovered = await box.run(['admin', 'recover', 'ana', '--password-stdin'], { env, input: secret });
    assert.equal(recovered.code, 0, recovered.stderr);
    await asleep;
    // They wait in its sockets, and are the first it finds when it wakes up.
    const waiting = Array.from({ length: 20 }, () => callWith(client, access_token));
    run.child.kill('SIGCONT');
    // It may close a connection that was idle for too long.
    const answers = await Promise.allSettled(waiting);
    const statuses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value.status] : [],
    );
    assert.deepEqual(
      statuses.filter((status) => status !== 401),
      [],
    );
    assert.equal((await callWith(client, access_token)).status, 401);
  }
  assert.equal((await stopped(run)).code, 0);
});

describe('when the clock of the machine is set', () => {
  test('forward, what has expired by then is refused and nothing else breaks', async () => {
    const tokens = await login(server, 'alice', password);
    const code = await obtainCode(server, 'alice', password);
    const id = await beginLogin(server);
    clock.set(clock.now() + 13 * HOUR);
    assert.equal((await callWith(server, tokens.access_token)).status, 401);
    assert.equal((await redeem(server, code)).status, 400);
    assert.equal((await submitPassword(server, id, 'alice', password)).status, 400);
    assert.equal((await refresh(server, tokens.refresh_token)).status, 200);
    assert.equal((await callWith(server, (await login(server, 'alice', password)).access_token)).status, 200);
  });

  test('back, nothing that was used or ended works again', async () => {
    await createTotpUser(server, await totpPolicy(server), 'bob');
    const { app } = await enroll(server, clock, 'bob');
    const code = await obtainCode(server, 'alice', password);
    assert.equal((await redeem(server, code)).status, 200);
    const old = await login(server, 'alice', password);
    const next = await refresh(server, old.refresh_token);
    assert.equal(next.status, 200);
    const ended = await login(server, 'alice', password);
    await server.post('/oidc/revoke', { form: { token: ended.refresh_token, client_id: 'overlay' } });
    const used = app.code();
    assert.equal((await submitCode(server, await partialLogin(server, 'bob'), used)).status, 302);

    clock.set(clock.now() - 10 * SECOND);
    assert.equal((await callWith(server, ended.access_token)).status, 401);
    assert.equal((await refresh(server, ended.refresh_token)).status, 400);
    assert.equal((await submitCode(server, await partialLogin(server, 'bob'), used)).status, 400);
    assert.equal((await redeem(server, code)).status, 400);
    assert.equal((await refresh(server, old.refresh_token)).status, 400);

    clock.set(clock.now() - DAY);
    assert.equal((await callWith(server, ended.access_token)).status, 401);
    assert.equal((await submitCode(server, await partialLogin(server, 'bob'), used)).status, 400);
    // Tokens from the future are refused until their time has come; the password works.
    assert.equal((await callWith(server, old.access_token)).status, 401);
    assert.equal((await callWith(server, (await login(server, 'alice', password)).access_token)).status, 200);
    assert.equal((await authenticate(server, 'alice')).status, 200);

    // A used step stays used until time has passed it.
    clock.set(clock.now() + DAY + 10 * SECOND);
    assert.equal((await submitCode(server, await partialLogin(server, 'bob'), used)).status, 400);
    clock.advance(step);
    assert.equal((await submitCode(server, await partialLogin(server, 'bob'), app.code())).status, 302);
  });

  test('forward and back again, an ended session is still remembered', async () => {
    const ended = await login(server, 'alice', password);
    await server.post('/oidc/revoke', { form: { token: ended.refresh_token, client_id: 'overlay' } });
    assert.equal((await callWith(server, ended.access_token)).status, 401);
    clock.set(clock.now() + 13 * HOUR);
    const { ended: known, revoked } = server.controller.services.view;
    forgetExpired({ clock, ended: known, revoked });
    await server.controller.services.view.feed.listen();
    clock.set(clock.now() - 13 * HOUR);
    await server.controller.services.view.feed.listen();
    assert.equal((await callWith(server, ended.access_token)).status, 401);
  });
});

test('a shorter lifetime also applies to tokens already issued, and what has ended is remembered for as long', async (t) => {
  const first = await startTestServer({ clock, configure: longerLife });
  await first.createUser({ name: 'alice', password });
  const ended = await login(first, 'alice', password);
  const alive = await login(first, 'alice', password);
  await first.post('/oidc/revoke', { form: { token: ended.refresh_token, client_id: 'overlay' } });
  await first.stop();
  const second = await startTestServer({ clock, home: first.home });
  t.after(() => second.close());
  // The system gave it another port; the tokens name the first one.
  second.controller.services.issuers.add(first.issuer);
  assert.equal((await callWith(second, ended.access_token)).status, 401);
  assert.equal((await callWith(second, alive.access_token)).status, 200);
  clock.advance(30 * MINUTE);
  assert.equal((await callWith(second, ended.access_token)).status, 401);
  assert.equal((await callWith(second, alive.access_token)).status, 401);
});
