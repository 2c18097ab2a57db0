// Each call of the store fails once, in turn, during a login, a code exchange and an API call: no check is
// skipped because its data could not be read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '../../src/store/contracts/store.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  beginLogin,
  callWith,
  codeOf,
  login,
  obtainCode,
  redeem,
  refresh,
  submitPassword,
} from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { serverOfFile } from '../support/test-server.ts';
import {
  createTotpUser,
  enroll,
  partialLogin,
  password,
  step,
  submitCode,
  totpPolicy,
} from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
// Breaks the store, or the feed, of the only thread that the test can reach. Few sessions, so that logins end older ones.
const configure = (yaml: string) =>
  yaml.replace('  loginAttempts:', '  sessions: { maxPerIdentity: 3 }\n  loginAttempts:');
const server = await serverOfFile({ clock, threads: 1, configure });
await server.createUser({ name: 'alice', password });

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** These run after the answer, at their own times. For a feed that cannot be read see change-feed.test.ts. */
const behind = new Set([
  'changes.readAfter',
  'expiry.deleteExpired',
  'loginAttempts.append',
  'auditEvents.append',
  'nodes.announce',
  'nodes.listAll',
  'restores.latest',
  'deliveries.listDue',
  'deliveries.deleteOld',
  'revocationLists.keepOnly',
  'loginAttempts.deleteBefore',
  'auditEvents.deleteBefore',
]);

/** Runs something while the call with that number rejects. @returns the name of that call, or null */
async function whileFailing(
  target: number,
  failure: () => Error,
  run: () => Promise<void>,
): Promise<string | null> {
  let calls = 0;
  let failed: string | null = null;
  const restored: (() => void)[] = [];
  for (const [concern, methods] of Object.entries(server.store)) {
    if (typeof methods !== 'object') continue;
    for (const [name, method] of Object.entries(methods as Record<string, Method>)) {
      const full = `${concern}.${name}`;
      if (name === 'onChange' || behind.has(full)) continue;
      const failing: Method = (...args) => {
        calls += 1;
        if (calls !== target) return method(...args);
        failed = full;
        return Promise.reject(failure());
      };
      Object.assign(methods, { [name]: failing });
      restored.push(() => void Object.assign(methods, { [name]: method }));
    }
  }
  try {
    await run();
  } finally {
    for (const restore of restored) restore();
  }
  return failed;
}

/** Runs after everything that counts: the answer is right although the database is away again. */
const doneAlready: ReadonlySet<string> = new Set(['apiSessions.endOldestOf']);

const failures = [
  { failure: () => new Error('canary: disk image is malformed'), status: 500 },
  { failure: () => new StoreUnavailable('canary: locked'), status: 503 },
];

/** Makes each store call of a request fail in turn. @returns which calls there were */
async function eachFailure(
  attempt: () => Promise<Answer>,
  refusal?: number,
  prepare: () => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const { failure, status } of failures) {
    for (let target = 1; ; target += 1) {
      assert.ok(target < 50, 'there is an end to the calls');
      await prepare();
      let answer: Answer | undefined;
      const failed = await whileFailing(target, failure, async () => {
        answer = await attempt();
      });
      assert.ok(answer);
      if (failed === null) break;
      seen.push(failed);
      // The change feed updates memory; a commit counts even if no node could be told yet.
      if (failed.startsWith('changes.')) continue;
      const what = `${failed}: ${answer.status} ${answer.text}`;
      const isDone = doneAlready.has(failed) && status === 503;
      assert.ok(isDone ? answer.status === 200 : [status, refusal, 503].includes(answer.status), what);
      assert.equal(answer.headers.location, undefined, what);
      assert.ok(!/canary|Error/.test(answer.text), what);
      if (answer.status === 503) assert.ok(answer.headers['retry-after'], what);
    }
  }
  return seen;
}

test('a right password gives no code', async () => {
  const ids = await Promise.all(Array.from({ length: 60 }, () => beginLogin(server)));
  const seen = await eachFailure(() => submitPassword(server, ids.pop() as string, 'alice', password));
  for (const name of [
    'authenticators.findPasswordLogin',
    'attempts.count',
    'authRequests.recordPrimaryLogin',
  ]) {
    assert.ok(seen.includes(name), name);
  }
  assert.equal((await submitPassword(server, await beginLogin(server), 'alice', password)).status, 302);
});

test('a wrong password gives no code either', async () => {
  await server.createUser({ name: 'walter', password });
  const ids = await Promise.all(Array.from({ length: 20 }, () => beginLogin(server)));
  await eachFailure(() => submitPassword(server, ids.pop() as string, 'walter', 'wrong'), 401);
});

test('a right TOTP code gives none, whichever read of policy, identity or enrollment fails', async () => {
  await createTotpUser(server, await totpPolicy(server), 'bob');
  const { app } = await enroll(server, clock, 'bob');
  let id = '';
  const seen = await eachFailure(
    () => submitCode(server, id, app.code()),
    undefined,
    async () => {
      clock.advance(step);
      id = await partialLogin(server, 'bob');
    },
  );
  for (const name of ['totp.find', 'totp.burnStep', 'identities.findAccount', 'authRequests.recordFactor']) {
    assert.ok(seen.includes(name), name);
  }
});

test('a code and a refresh token give no tokens', async () => {
  const codes: string[] = [];
  for (let count = 0; count < 8; count += 1) codes.push(await obtainCode(server, 'alice', password));
  for (let count = 0; count < 3; count += 1) await login(server, 'alice', password);
  assert.deepEqual(
    new Set(await eachFailure(() => redeem(server, codes.pop() as string))),
    new Set(['authRequests.redeemCode', ...doneAlready]),
  );
  const { refresh_token } = await login(server, 'alice', password);
  const spare = [await login(server, 'alice', password), await login(server, 'alice', password)];
  const seen = await eachFailure(() => refresh(server, spare.pop()?.refresh_token ?? refresh_token));
  assert.ok(seen.includes('apiSessions.rotateRefreshToken'));
});

test('a token whose identity cannot be read is refused', async () => {
  const { access_token } = await login(server, 'alice', password);
  server.controller.services.view.accounts.allChanged();
  const seen = await eachFailure(async () => {
    server.controller.services.view.accounts.allChanged();
    return callWith(server, access_token);
  });
  assert.ok(seen.includes('identities.findAccount'));
  assert.equal((await callWith(server, access_token)).status, 200);
});

test('a revocation that could not be stored is not a success', async () => {
  const { refresh_token, access_token } = await login(server, 'alice', password);
  const tokens = [refresh_token, access_token];
  for (const token of tokens) {
    await whileFailing(
      2,
      () => new StoreUnavailable('full'),
      async () => {
        const answer = await server.post('/oidc/revoke', { form: { token, client_id: 'overlay' } });
        assert.equal(answer.status, 503);
      },
    );
  }
  assert.equal((await callWith(server, access_token)).status, 200);
  assert.equal(codeOf(await submitPassword(server, await beginLogin(server), 'alice', password)).length, 91);
});
