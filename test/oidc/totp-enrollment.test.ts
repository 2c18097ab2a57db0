import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Secret } from 'otpauth';
import { MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, claimsOf, codeOf, redeem, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import {
  abandonEnrollment,
  authQueries,
  createTotpUser,
  enroll,
  partialLogin,
  password,
  scan,
  startEnrollment,
  step,
  submitCode,
  totpPolicy,
  verifyEnrollment,
} from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let server: TestServer;
server = await startTestServer({ clock });
const policy = await totpPolicy(server);
after(() => server.close());

let people = 0;
/** A new identity that has to enroll. */
async function carol(): Promise<string> {
  people += 1;
  const name = `carol${people}`;
  await createTotpUser(server, policy, name);
  return name;
}

async function isEnrolled(username: string): Promise<boolean> {
  const answer = await submitPassword(server, await beginLogin(server), username, password);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.authQueries[0].isTotpEnrolled;
}

describe('starting an enrollment', () => {
  test('answers 201 with the record of the specification and nothing else', async () => {
    const started = await startEnrollment(server, await partialLogin(server, await carol()));
    assert.equal(started.status, 201);
    assert.equal(started.headers['cache-control'], 'no-store');
    assert.deepEqual(Object.keys(started.json), ['isVerified', 'provisioningUrl', 'recoveryCodes']);
    assert.equal(started.json.isVerified, false);
    assert.match(
      started.json.provisioningUrl,
      /^otpauth:\/\/totp\/localhost:carol\d+\?issuer=localhost&secret=[A-Z2-7]{32}$/,
    );
    const { recoveryCodes } = started.json;
    assert.equal(recoveryCodes.length, 20);
    assert.equal(new Set(recoveryCodes).size, 20);
    for (const code of recoveryCodes) assert.match(code, /^(?=.*[A-Z])[A-Z2-7]{5}-[A-Z2-7]{5}$/);
  });

  test('gives an authenticator app what it needs: 160 bits, SHA-1, six digits, half a minute', async () => {
    const id = await partialLogin(server, await carol());
    const app = scan(clock, (await startEnrollment(server, id)).json.provisioningUrl);
    assert.equal(app.secret.length, 32);
    assert.equal(app.issuer, 'localhost');
    assert.equal((await verifyEnrollment(server, id, app.code())).status, 302);
  });

  test('gives a secret for which oathtool shows the same code', { skip: !hasOathtool() }, async () => {
    const id = await partialLogin(server, await carol());
    const { secret } = scan(clock, (await startEnrollment(server, id)).json.provisioningUrl);
    const now = `@${Math.floor(clock.now() / 1000)}`;
    const shown = spawnSync('oathtool', ['--totp', '-b', '-N', now, secret], { encoding: 'utf8' });
    assert.equal((await verifyEnrollment(server, id, shown.stdout.trim())).status, 302);
  });

  test('in parallel starts one', async () => {
    const id = await partialLogin(server, await carol());
    const answers = await Promise.all(Array.from({ length: 8 }, () => startEnrollment(server, id)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(7).fill(409)]);
  });

  test('leaves seed and recovery codes in no file and no log line', async () => {
    const id = await partialLogin(server, await carol());
    const { provisioningUrl, recoveryCodes } = (await startEnrollment(server, id)).json;
    const app = scan(clock, provisioningUrl);
    assert.equal((await verifyEnrollment(server, id, app.code())).status, 302);
    const kept = ['overlay.db', 'overlay.db-wal'].map((name) => readFileSync(join(server.home, name)));
    const secrets = [
      app.secret,
      Buffer.from(Secret.fromBase32(app.secret).bytes),
      ...recoveryCodes,
      recoveryCodes[0].replace('-', ''),
    ];
    for (const secret of secrets) {
      for (const file of kept) assert.equal(file.includes(secret), false);
      assert.ok(!JSON.stringify(server.log.entries).includes(String(secret)));
    }
  });

  test('of names made to break the address keeps one secret and the whole name', async () => {
    const names = [
      ...['a:b', 'a?secret=AAAA&x=', 'a&secret=BBBB', '100%25', 'a#b', 'a/b', '🦊 fox'],
      'ü'.repeat(2500),
      '%00',
    ];
    for (const [at, name] of names.entries()) {
      await createTotpUser(server, policy, name, `hostile${at}`);
      const { provisioningUrl } = (await startEnrollment(server, await partialLogin(server, `hostile${at}`)))
        .json;
      const url = new URL(provisioningUrl);
      assert.equal(url.searchParams.getAll('secret').length, 1, name);
      assert.equal(provisioningUrl.indexOf('secret='), provisioningUrl.lastIndexOf('secret='));
      assert.equal(url.hash, '');
      const label = provisioningUrl.slice('otpauth://totp/'.length, provisioningUrl.indexOf('?'));
      assert.equal(decodeURIComponent(label), `localhost:${name}`);
      assert.match(provisioningUrl, /^[\x21-\x7e]+$/);
    }
  });
});

describe('verifying an enrollment', () => {
  test('finishes the login: the first code counts as its TOTP, and every later login asks for one', async () => {
    const name = await carol();
    const id = await partialLogin(server, name);
    const app = scan(clock, (await startEnrollment(server, id)).json.provisioningUrl);
    const verified = await verifyEnrollment(server, id, app.code());
    const tokens = await redeem(server, codeOf(verified));
    assert.equal(tokens.status, 200);
    assert.deepEqual(claimsOf(tokens.json.access_token).amr, ['password', 'totp']);
    assert.equal(await isEnrolled(name), true);
  });

  test('uses its code up: the next login needs the next one', async () => {
    const name = await carol();
    const id = await partialLogin(server, name);
    const app = scan(clock, (await startEnrollment(server, id)).json.provisioningUrl);
    const code = app.code();
    assert.equal((await verifyEnrollment(server, id, code)).status, 302);
    const next = await partialLogin(server, name);
    assertRefused(await submitCode(server, next, code), 400, 'INVALID_TOTP_CODE');
    clock.advance(step);
    assert.equal((await submitCode(server, next, app.code())).status, 302);
  });

  test('accepts no recovery code', async () => {
    const id = await partialLogin(server, await carol());
    const { recoveryCodes } = (await startEnrollment(server, id)).json;
    assertRefused(await verifyEnrollment(server, id, recoveryCodes[0]), 400, 'INVALID_TOTP_CODE');
  });

  test('accepts no recovery code instead of a login code before it is complete', async () => {
    const id = await partialLogin(server, await carol());
    const { recoveryCodes } = (await startEnrollment(server, id)).json;
    assertRefused(await submitCode(server, id, recoveryCodes[0]), 400, 'INVALID_TOTP_CODE');
  });

  test('is bound to the seed that its own flow showed, even with a parallel flow of the same person', async () => {
    const name = await carol();
    const [mine, theirs] = [await partialLogin(server, name), await partialLogin(server, name)];
    const app = scan(clock, (await startEnrollment(server, mine)).json.provisioningUrl);
    assertRefused(await abandonEnrollment(server, theirs), 404, 'NOT_FOUND');
    const other = scan(clock, (await startEnrollment(server, theirs)).json.provisioningUrl);
    assertRefused(await verifyEnrollment(server, mine, other.code()), 400, 'INVALID_TOTP_CODE');
    assertRefused(await verifyEnrollment(server, theirs, app.code()), 400, 'INVALID_TOTP_CODE');
    assert.equal((await verifyEnrollment(server, mine, app.code())).status, 302);
    assertRefused(await verifyEnrollment(server, theirs, other.code()), 404, 'NOT_FOUND');
    clock.advance(step);
    assertRefused(await submitCode(server, theirs, other.code()), 400, 'INVALID_TOTP_CODE');
    assert.equal((await submitCode(server, theirs, app.code())).status, 302);
  });

  test('in parallel with another flow enrolls exactly one', async () => {
    const name = await carol();
    const flows = await Promise.all([1, 2, 3, 4].map(() => partialLogin(server, name)));
    const apps = await Promise.all(
      flows.map(async (id) => scan(clock, (await startEnrollment(server, id)).json.provisioningUrl)),
    );
    const answers = await Promise.all(flows.map((id, at) => verifyEnrollment(server, id, apps[at]?.code())));
    assert.equal(answers.filter(({ status }) => status === 302).length, 1);
    for (const answer of answers) assert.ok([302, 404].includes(answer.status), answer.text);
  });

  test('leaves an audit event, and a refusal a decision record with the reason', async () => {
    const id = await partialLogin(server, await carol());
    const early = await verifyEnrollment(server, id, '123456');
    const app = scan(clock, (await startEnrollment(server, id)).json.provisioningUrl);
    const wrong = await verifyEnrollment(server, id, app.wrongCode());
    assert.equal(await reasonOf(early), 'totp-not-enrolled');
    assert.equal(await reasonOf(wrong), 'wrong-code');
    await verifyEnrollment(server, id, app.code());
    assert.ok(JSON.stringify(server.log.entries).includes('totp.enrolled'));
  });

  test('is kept over a restart once it was acknowledged, recovery codes too', async () => {
    const name = await carol();
    const { app, recoveryCodes } = await enroll(server, clock, name);
    const { home } = server;
    await server.stop();
    server = await startTestServer({ clock, home });
    assert.equal(await isEnrolled(name), true);
    assert.equal((await submitCode(server, await partialLogin(server, name), app.code())).status, 302);
    assert.equal((await submitCode(server, await partialLogin(server, name), recoveryCodes[3])).status, 302);
  });
});

describe('cancelling an enrollment', () => {
  test('accepts the id in the query too, for clients that send no body with DELETE', async () => {
    const id = await partialLogin(server, await carol());
    await startEnrollment(server, id);
    const cancelled = await server.request('DELETE', `/oidc/login/totp/enroll?authRequestId=${id}`);
    assert.equal(cancelled.status, 200);
  });
});

describe('an unverified seed', () => {
  test('is forgotten after another login on the same request', async () => {
    const [first, second] = [await carol(), await carol()];
    for (const next of [first, second]) {
      const id = await partialLogin(server, first);
      const before = scan(clock, (await startEnrollment(server, id)).json.provisioningUrl);
      assert.equal((await submitPassword(server, id, next, password)).status, 200);
      assertRefused(await verifyEnrollment(server, id, before.code()), 404, 'NOT_FOUND');
      const started = await startEnrollment(server, id);
      assert.equal(started.status, 201, next);
      assert.equal(scan(clock, started.json.provisioningUrl).label, next);
    }
    assert.equal(await isEnrolled(first), false);
  });
});

describe('the time that an enrollment may take', () => {
  test('lasts until thirty minutes after the login began', async () => {
    const id = await beginLogin(server);
    const name = await carol();
    clock.advance(9 * MINUTE);
    assert.equal((await submitPassword(server, id, name, password)).status, 200);
    const app = scan(clock, (await startEnrollment(server, id)).json.provisioningUrl);
    clock.advance(20 * MINUTE);
    assert.equal((await authQueries(server, id)).status, 200);
    assertRefused(await verifyEnrollment(server, id, app.wrongCode()), 400, 'INVALID_TOTP_CODE');
    clock.advance(MINUTE - 1);
    assert.equal((await verifyEnrollment(server, id, app.code())).status, 302);
  });
});

async function reasonOf(answer: Answer): Promise<string | null | undefined> {
  await server.controller.services.attempts.flush();
  const [attempt] = await server.store.loginAttempts.findByReference(answer.json.error.requestId);
  return attempt?.reason;
}

function hasOathtool(): boolean {
  return spawnSync('oathtool', ['--version']).status === 0;
}
