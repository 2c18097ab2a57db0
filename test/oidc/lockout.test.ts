import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { asId, type IdentityId } from '../../src/model/ids.ts';
import type { UsernameKey } from '../../src/model/names.ts';
import { DAY, MINUTE } from '../../src/platform/clock.ts';
import type { HashPool } from '../../src/platform/secrets/hash-pool.ts';
import { preparePassword } from '../../src/platform/secrets/password-hash.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, callWith, login, submitPassword } from '../support/flow.ts';
import { heldHashes } from '../support/held-hashes.ts';
import type { Answer } from '../support/https-client.ts';
import { listOf } from '../support/list-budget.ts';
import { rootOf } from '../support/management.ts';
import { userNamed } from '../support/names.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';
import { enroll, partialLogin, password, submitCode } from '../support/totp.ts';

let clock = fixedClock('2026-01-01T00:00:00Z');
let server = await serverOfFile({ clock });
let aliceId: IdentityId = asId('nobody yet');

beforeEach(async () => {
  // What an earlier test counted, even what stays locked until an administrator helps.
  await server.store.expiry.deleteExpired(clock.now() + 100_000 * DAY, 10_000);
  await server.store.identities.delete(aliceId, clock.now());
  await begin();
});

async function begin(): Promise<void> {
  aliceId = await server.createUser({ name: 'alice', password });
  const secondary = { requireTotp: false };
  await server.store.authPolicies.update(asId('default'), { secondary }, clock.now());
  await setRules({ maxAttempts: 5, lockoutDurationMinutes: 15 });
}

/** Of one thread, for tests that break its store, hold its answers or restart it. */
async function onOwnServer(t: TestContext, hashPool?: HashPool): Promise<void> {
  const shared = { clock, server, aliceId };
  clock = fixedClock('2026-01-01T00:00:00Z');
  server = await startTestServer({ clock, threads: 1, ...(hashPool && { hashPool }) });
  t.after(async () => {
    await server.close();
    ({ clock, server, aliceId } = shared);
  });
  await begin();
}

async function setRules(updb: { maxAttempts: number; lockoutDurationMinutes: number }): Promise<void> {
  await server.store.authPolicies.update(asId('default'), { primary: { updb } }, clock.now());
}

async function requireTotp(): Promise<void> {
  await server.store.authPolicies.update(asId('default'), { secondary: { requireTotp: true } }, clock.now());
}

const attempt = async (username: string, secret: string, to = server): Promise<Answer> =>
  submitPassword(to, await beginLogin(to), username, secret);

async function fail(times: number, username = 'alice'): Promise<void> {
  for (let done = 0; done < times; done += 1) {
    assert.equal((await attempt(username, 'wrong')).status, 401);
  }
}

const loginOf = (name: string) => server.store.authenticators.findPasswordLogin(userNamed(name).usernameKey);

async function assertLocked(username = 'alice'): Promise<void> {
  assert.equal((await attempt(username, password)).status, 401);
}

async function assertOpen(username = 'alice'): Promise<void> {
  assert.equal((await attempt(username, password)).status, 302);
}

/** The rows of the table of counters. */
function counters(): { key: string; failures: number }[] {
  const database = new DatabaseSync(join(server.home, 'overlay.db'), { readOnly: true });
  const rows = database.prepare('SELECT key, failures FROM attempts ORDER BY key').all();
  database.close();
  return rows.map(({ key, failures }) => ({ key: String(key), failures: Number(failures) }));
}

async function reasons(identityId: string): Promise<string[]> {
  await server.controller.services.attempts.flush();
  const { items } = await server.store.loginAttempts.list(
    listOf({ op: '=', field: 'identityId', value: identityId }),
  );
  return items.map(({ reason }) => reason ?? 'passed');
}

describe('a password', () => {
  test('is locked by as many wrong ones in a row as the policy says, and by no others', async () => {
    await fail(4);
    await assertOpen();
    for (let login = 0; login < 10; login += 1) await assertOpen();
    await fail(4);
    await assertOpen();
    await fail(5);
    await assertLocked();
  });

  test('is never locked where the policy says 0', async () => {
    await setRules({ maxAttempts: 0, lockoutDurationMinutes: 15 });
    await fail(30);
    await assertOpen();
  });

  test('is one counter under every spelling of the user name', async () => {
    for (const spelling of ['alice', 'Alice', 'ALICE', 'ａｌｉｃｅ', 'aLiCe']) await fail(1, spelling);
    for (const spelling of ['alice', 'Alice', 'ａｌｉｃｅ']) await assertLocked(spelling);
  });

  test('opens again when its time is over, counted from the last failure', async () => {
    await fail(5);
    clock.advance(15 * MINUTE - 1);
    await assertLocked();
    clock.advance(1);
    await assertOpen();
  });

  test('is locked twice as long each time, until the person has logged in', async () => {
    for (const minutes of [15, 30, 60]) {
      await fail(5);
      clock.advance(minutes * MINUTE - 1);
      await assertLocked();
      clock.advance(1);
    }
    await assertOpen();
    await fail(5);
    clock.advance(15 * MINUTE);
    await assertOpen();
  });

  test('forgets failures after a day', async () => {
    await fail(4);
    clock.advance(DAY);
    await fail(4);
    await assertOpen();
  });

  test('is locked permanently if the policy says so, and opens when an administrator unlocks it', async () => {
    await setRules({ maxAttempts: 2, lockoutDurationMinutes: 0 });
    await fail(2);
    clock.advance(365 * DAY);
    await assertLocked();
    await server.store.attempts.clear([`password:${(await loginOf('alice'))?.authenticator.id}`]);
    await assertOpen();
  });

  test('that an administrator sets is not locked by guesses at the one before', async () => {
    await fail(5);
    await assertLocked();
    const root = await rootOf(server);
    const { id } = (await loginOf('alice'))?.authenticator ?? {};
    const chosen = 'eleven loud umbrellas';
    assert.equal((await root.call('PATCH', `authenticators/${id}`, { tags: { a: 'b' } })).status, 200);
    await assertLocked();
    assert.equal((await root.call('PATCH', `authenticators/${id}`, { password: chosen })).status, 200);
    assert.equal((await attempt('alice', chosen)).status, 302);
  });

  test('that is locked answers exactly as a wrong one does', async () => {
    const plain = ({ status, headers, text, json }: Answer) => {
      const { date: _date, 'x-request-id': id, ...rest } = headers;
      assert.equal(json.error.requestId, id);
      return { status, rest, text: text.replaceAll(String(id), 'ID') };
    };
    const wrong = plain(await attempt('alice', 'wrong'));
    const unknown = plain(await attempt('ghost', 'wrong'));
    await fail(4);
    assert.deepEqual(plain(await attempt('alice', password)), wrong);
    assert.deepEqual(plain(await attempt('alice', 'wrong')), wrong);
    assert.deepEqual(unknown, wrong);
  });

  test('that is locked costs as many commits as an unknown name, so that time does not tell them apart', async (t) => {
    await onOwnServer(t);
    const { attempts } = server.store;
    const { count } = attempts;
    let commits = 0;
    Object.assign(attempts, {
      count: (...args: Parameters<typeof count>) => {
        commits += 1;
        return count(...args);
      },
    });
    await fail(5);
    const costs: number[] = [];
    for (const name of ['alice', 'ghost']) {
      commits = 0;
      await attempt(name, 'wrong');
      costs.push(commits);
    }
    assert.deepEqual(costs, [1, 1]);
  });

  test('that is locked changes nothing about the identity', async () => {
    const { access_token } = await login(server, 'alice', password);
    await fail(5);
    await assertLocked();
    assert.equal((await callWith(server, access_token)).status, 200);
    const identity = await server.store.identities.find(aliceId);
    assert.equal(identity?.disabledAt, null);
    // Only the password is locked: other authenticators of the identity have their own counter, or none.
    assert.deepEqual(
      counters().map(({ key }) => key.split(':')[0]),
      ['password', 'source'],
    );
  });

  test('is not locked by a right one whose login fails later', async (t) => {
    await onOwnServer(t);
    await setRules({ maxAttempts: 1, lockoutDurationMinutes: 15 });
    const { configTypes, authRequests } = server.store;
    const original = {
      findByNames: configTypes.findByNames,
      recordPrimaryLogin: authRequests.recordPrimaryLogin,
    };
    const breaks = [
      // Between the check of the password and the recording of the login.
      {
        status: 500,
        begin: () => Object.assign(configTypes, { findByNames: () => Promise.reject(new Error('x')) }),
      },
      // The password is changed just before the login is recorded.
      {
        status: 401,
        begin: () =>
          Object.assign(authRequests, {
            recordPrimaryLogin: (login: Parameters<typeof authRequests.recordPrimaryLogin>[0]) =>
              original.recordPrimaryLogin({ ...login, verifiedHash: 'another' }),
          }),
      },
    ];
    for (const { status, begin } of breaks) {
      const authRequestId = await beginLogin(server);
      begin();
      const credentials = { authRequestId, username: 'alice', password, configTypes: ['a'] };
      const answer = await server.post('/oidc/login/username', { json: credentials });
      Object.assign(configTypes, { findByNames: original.findByNames });
      Object.assign(authRequests, { recordPrimaryLogin: original.recordPrimaryLogin });
      assert.equal(answer.status, status, answer.text);
      await assertOpen();
    }
  });

  test('stays locked over a restart, and so do counted failures', async (t) => {
    await onOwnServer(t);
    await server.createUser({ name: 'bob', password });
    await fail(5);
    await fail(4, 'bob');
    await server.stop();
    server = await startTestServer({ clock, home: server.home });
    await assertLocked();
    await fail(1, 'bob');
    await assertLocked('bob');
  });
});

describe('the time of a refused password', () => {
  /** Holds answers back until released. */
  function holdAnswers(): { readonly until: number[]; release(): void } {
    const held = Promise.withResolvers<void>();
    const until: number[] = [];
    Object.assign(clock, {
      waitUntil: (at: number) => {
        until.push(at - clock.monotonic());
        return held.promise;
      },
    });
    return { until, release: held.resolve };
  }

  /** Makes the first lookup of the user, which every password needs, last as long as the test says. */
  function workTakes(): (ms: number) => void {
    let took = 0;
    const { authenticators } = server.store;
    const { findPasswordLogin } = authenticators;
    Object.assign(authenticators, {
      findPasswordLogin: (key: UsernameKey) => {
        clock.advance(took);
        took = 0;
        return findPasswordLogin(key);
      },
    });
    return (ms) => {
      took = ms;
    };
  }

  test('is a whole step after its request, for every reason and however long that took', async (t) => {
    await onOwnServer(t);
    await server.createUser({ name: 'bob', password });
    await fail(5, 'bob');
    const offId = await server.createUser({ name: 'off', password });
    await server.store.identities.update(offId, { disabledAt: clock.now() }, clock.now());
    const take = workTakes();
    const { until, release } = holdAnswers();
    release();
    for (const [username, secret] of [
      ['ghost', password],
      ['alice', 'wrong'],
      ['bob', password],
      ['off', password],
      ['off', 'wrong'],
      ['alice', 'x'.repeat(2000)],
    ] as const) {
      for (const [took, left] of [
        [0, 50],
        [0.02, 49.98],
        [49.75, 0.25],
        [50, 0],
        [50.25, 49.75],
        [120, 30],
      ] as const) {
        const root = '/edge/client/v1';
        for (const ask of [
          () => attempt(username, secret),
          () => server.post(`${root}/authenticate?method=password`, { json: { username, password: secret } }),
        ]) {
          take(took);
          until.length = 0;
          assert.equal((await ask()).status, 401);
          assert.deepEqual(
            until.map((ms) => Math.round(ms * 100) / 100),
            [left],
            `${username} after ${took} ms`,
          );
        }
        // None of these is about locks.
        await server.store.attempts.clear([`password:${(await loginOf('alice'))?.authenticator.id}`]);
      }
    }
  });

  test('blocks no other login: while forty refusals wait, a right password passes at once', async (t) => {
    await onOwnServer(t);
    const { until, release } = holdAnswers();
    const id = await beginLogin(server);
    let answered = 0;
    const guesses: Promise<number>[] = [];
    const guess = async (at: number) => {
      const { status } = await submitPassword(server, id, `ghost-${at}`, 'wrong');
      answered += 1;
      return status;
    };
    // Those that wait are not in the queue of hashes any more, where one source may not have forty.
    for (let sent = 0; sent < 40; sent += 20) {
      guesses.push(...Array.from({ length: 20 }, (_, at) => guess(sent + at)));
      while (until.length < guesses.length) await setImmediate();
    }
    await assertOpen();
    assert.deepEqual([until.length, answered], [40, 0]);
    release();
    assert.deepEqual([...new Set(await Promise.all(guesses))], [401]);
  });
});

/** A hundred at once. Those that the queue of hashes does not take are told when to come back. */
async function atOnce(ask: (at: number) => Promise<Answer>, passed: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => ask(at)));
  const refused = answers.filter(({ status }) => status !== passed);
  assert.ok(refused.length < 100);
  for (const { status, headers, text } of refused) {
    assert.equal(status, 503, text);
    assert.ok(headers['retry-after'], text);
  }
}

async function assertNothingFailed(): Promise<void> {
  assert.deepEqual(
    (await reasons(aliceId)).filter((reason) => reason !== 'passed'),
    [],
  );
  assert.deepEqual(
    counters().filter(({ failures }) => failures > 0),
    [],
  );
}

describe('a hundred right passwords at once', () => {
  beforeEach(() => setRules({ maxAttempts: 1, lockoutDurationMinutes: 0 }));

  test('are no failures', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => beginLogin(server)));
    await atOnce((at) => submitPassword(server, ids[at] as string, 'alice', password), 302);
    await assertNothingFailed();
    await assertOpen();
  });

  test('are none at the legacy mechanism, nor for the person who changes a password', async () => {
    const json = { username: 'alice', password };
    await atOnce(() => server.post('/edge/client/v1/authenticate?method=password', { json }), 200);
    await assertNothingFailed();
    const { access_token } = await login(server, 'alice', password);
    const own = '/edge/client/v1/current-identity/authenticators';
    const headers = { authorization: `Bearer ${access_token}` };
    const [{ id }] = (await server.get(own, { headers })).json.data;
    // The new one is not acceptable, so that the present one stays.
    const change = { currentPassword: password, password: 'short', username: 'alice' };
    await atOnce(() => server.request('PATCH', `${own}/${id}`, { json: change, headers }), 400);
    await assertNothingFailed();
    await assertOpen();
  });

  test('are none among wrong ones that stay within the limit', async () => {
    await setRules({ maxAttempts: 5, lockoutDurationMinutes: 0 });
    const secrets = Array.from({ length: 20 }, (_, at) => (at % 5 === 1 ? `wrong ${at}` : password));
    const answers = await Promise.all(secrets.map((secret) => attempt('alice', secret)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      secrets.map((secret) => (secret === password ? 302 : 401)),
    );
  });
});

describe('guesses in parallel', () => {
  test('get the same answer beyond the limit, even a right one among them', async () => {
    const { access_token } = await login(server, 'alice', password);
    await fail(5);
    // As many as one source may have in the queue of hashes.
    const guesses = Array.from({ length: 25 }, (_, at) =>
      attempt('alice', at % 2 === 0 ? password : 'wrong'),
    );
    assert.deepEqual([...new Set((await Promise.all(guesses)).map(({ status }) => status))], [401]);
    assert.equal((await callWith(server, access_token)).status, 200);
  });

  test('that began before the lock are refused too, even a right one', async (t) => {
    const { hashPool, hold, release } = heldHashes();
    await onOwnServer(t, hashPool);
    hold();
    const guesses: Promise<Answer>[] = [];
    for (const secret of ['1', '2', '3', '4', '5', password]) {
      guesses.push(attempt('alice', secret));
      while (hashPool.depth().running + hashPool.depth().waiting < guesses.length) await setImmediate();
    }
    release();
    for (const { status } of await Promise.all(guesses)) assert.equal(status, 401);
  });

  test('are not evaluated beyond the limit', async () => {
    const id = await beginLogin(server);
    for (let sent = 0; sent < 200; sent += 25) {
      const guesses = Array.from({ length: 25 }, (_, at) =>
        submitPassword(server, id, 'alice', `guess ${sent + at}`),
      );
      for (const { status } of await Promise.all(guesses)) assert.equal(status, 401);
    }
    const counted = await reasons(aliceId);
    assert.equal(counted.length, 200);
    assert.equal(counted.filter((reason) => reason === 'wrong-password').length, 5);
    assert.equal(counted.filter((reason) => reason === 'locked').length, 195);
    await assertLocked();
  });

  test('do not block the right password within the limit', async () => {
    const answers = await Promise.all(
      ['wrong', 'wrong', password, 'wrong', 'wrong'].map((secret) => attempt('alice', secret)),
    );
    assert.equal(answers[2]?.status, 302);
  });
});

describe('with TOTP', () => {
  const enrolled = async () => {
    await requireTotp();
    return enroll(server, clock, 'alice');
  };

  /** The status of the answer to one code, by default in a login of its own. */
  const submit = async (code: string, login?: string): Promise<number> =>
    (await submitCode(server, login ?? (await partialLogin(server, 'alice')), code)).status;

  test('failures of the password count until the whole login is done', async () => {
    const { app } = await enrolled();
    await fail(4);
    assert.equal((await attempt('alice', password)).status, 200);
    await fail(1);
    await assertLocked();
    clock.advance(15 * MINUTE);
    await fail(4);
    assert.equal(await submit(app.code()), 302);
    await fail(4);
    assert.equal((await attempt('alice', password)).status, 200);
  });

  test('twenty recovery codes and one code of the app at once: none is a failure, and each works once', async () => {
    const { app, recoveryCodes } = await enrolled();
    const codes = [...recoveryCodes, app.code()];
    const logins: string[] = [];
    for (const _ of [...codes, ...codes]) logins.push(await partialLogin(server, 'alice'));
    const statuses = await Promise.all(
      logins.map((login, at) => submit(String(codes[at % codes.length]), login)),
    );
    assert.equal(statuses.filter((status) => status === 302).length, codes.length);
    assert.deepEqual(
      [...new Set((await reasons(aliceId)).filter((reason) => reason !== 'passed'))],
      ['replayed-code'],
    );
    clock.advance(MINUTE);
    assert.equal(await submit(app.code()), 302);
  });

  test('a hundred codes in parallel: five are evaluated', async () => {
    const { app } = await enrolled();
    const before = (await reasons(aliceId)).filter((reason) => reason === 'wrong-code').length;
    const id = await partialLogin(server, 'alice');
    const wrong = app.wrongCode();
    const codes = Array.from({ length: 100 }, () => submitCode(server, id, wrong));
    assert.deepEqual([...new Set((await Promise.all(codes)).map(({ status }) => status))], [400]);
    const evaluated = (await reasons(aliceId)).filter((reason) => reason === 'wrong-code').length - before;
    assert.equal(evaluated, 5);
  });
});

/** See `unlockableLimit`: names that strangers invent have 256 rows at most. */
const isShared = ({ key }: { readonly key: string }) => /^password:nobody-[0-9a-f]{2}$/.test(key);

describe('the source of guesses', () => {
  test('is all that is kept of guesses at unknown users, except for counters that all of them share', async () => {
    for (let guess = 0; guess < 20; guess += 1) await fail(1, `ghost-${guess}`);
    const [shared, others] = [counters().filter(isShared), counters().filter((one) => !isShared(one))];
    assert.deepEqual(others, [{ key: 'source:127.0.0.1', failures: 20 }]);
    assert.equal(
      shared.reduce((sum, { failures }) => sum + failures, 0),
      20,
    );
  });

  test('counts a guess in as many counters whether the user exists or not', async () => {
    await fail(1, 'alice');
    const known = counters().length;
    await fail(1, 'ghost');
    assert.equal(counters().length, known + 1, 'the one of the source is there already');
  });

  test('has to wait with 429 and Retry-After, for every target; then it may try again', async () => {
    const id = await beginLogin(server);
    // No more at once than one source may have in the queue of hashes.
    for (let sent = 0; sent < 300; sent += 25) {
      const guesses = Array.from({ length: 25 }, (_, at) =>
        submitPassword(server, id, `ghost-${sent + at}`, 'x'),
      );
      for (const { status } of await Promise.all(guesses)) assert.equal(status, 401);
    }
    for (const [username, secret] of [
      ['alice', password],
      ['alice', 'wrong'],
      ['ghost', 'x'],
    ] as const) {
      const answer = await submitPassword(server, id, username, secret);
      assert.equal(answer.status, 429, answer.text);
      assert.equal(answer.json.error.code, 'RATE_LIMITED');
      assert.equal(answer.headers['retry-after'], '60');
    }
    clock.advance(MINUTE);
    await assertOpen();
  });

  test('is counted at a locked password too', async () => {
    await fail(5);
    await fail(10);
    assert.equal(counters().find(({ key }) => key.startsWith('source:'))?.failures, 15);
  });

  test('is not counted for successful logins', async () => {
    for (let login = 0; login < 5; login += 1) await assertOpen();
    assert.deepEqual(
      counters().filter(({ failures }) => failures > 0),
      [],
    );
  });
});

test('when too many logins wait, the answer is 503 with Retry-After, and nothing is counted', async (t) => {
  const { hashPool, hold, release } = heldHashes(0);
  const busy = await startTestServer({ clock, hashPool });
  t.after(() => busy.close());
  await busy.createUser({ name: 'alice', password });
  const rules = { primary: { updb: { maxAttempts: 1 } } };
  await busy.store.authPolicies.update(asId('default'), rules, clock.now());
  const id = await beginLogin(busy);
  hold();
  const work = hashPool.verify(null, preparePassword('x'), 'test');
  for (const [username, secret] of [
    ['alice', 'wrong'],
    ['alice', password],
    ['ghost', 'x'],
  ] as const) {
    const answer = await submitPassword(busy, id, username, secret);
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.json.error.code, 'SERVER_BUSY');
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
  }
  release();
  await work;
  assert.equal((await attempt('alice', password, busy)).status, 302);
});
