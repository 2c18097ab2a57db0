import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IdentityId } from '../../src/model/ids.ts';
import { DAY, HOUR } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, claimsOf, codeOf, redeem, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused } from '../support/management.ts';
import { serverOfFile, usualThreads } from '../support/test-server.ts';
import {
  authQueries,
  createTotpUser,
  type Enrolled,
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
const server = await serverOfFile({ clock });
const policy = await totpPolicy(server);

interface Person extends Enrolled {
  readonly name: string;
  readonly id: IdentityId;
}

let people = 0;
/** A new identity with an enrolled authenticator app. */
async function bob(): Promise<Person> {
  people += 1;
  const name = `bob${people}`;
  const id = await createTotpUser(server, policy, name);
  return { name, id, ...(await enroll(server, clock, name)) };
}

function assertWrong(answer: Answer): void {
  assertRefused(answer, 400, 'INVALID_TOTP_CODE');
  assert.equal(answer.headers.location, undefined);
}

async function partialLogins(name: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await partialLogin(server, name));
  return ids;
}

/** Refusals that must all look alike. */
function withoutReference(answer: Answer): unknown {
  return { ...answer.json, error: { ...answer.json.error, requestId: '' } };
}

describe('after the password', () => {
  test('the answer is 200 with the question, and the header that says TOTP is required', async () => {
    const { name } = await bob();
    const id = await beginLogin(server);
    const answer = await submitPassword(server, id, name, password);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['totp-required'], 'true');
    assert.equal(answer.headers.location, undefined);
    const query = {
      typeId: 'MFA',
      format: 'alphaNumeric',
      httpMethod: 'POST',
      httpUrl: '/oidc/login/totp',
      minLength: 6,
      maxLength: 6,
      provider: 'ziti',
      isTotpEnrolled: true,
    };
    assert.deepEqual(answer.json, { authQueries: [query] });
    const asked = await authQueries(server, id);
    assert.deepEqual(asked.json, answer.json);
    assert.equal(asked.headers['totp-required'], 'true');
  });

  test('the question says if nothing is enrolled yet', async () => {
    await createTotpUser(server, policy, 'dan');
    const answer = await authQueries(server, await partialLogin(server, 'dan'));
    assert.equal(answer.json.authQueries[0].isTotpEnrolled, false);
    assertWrong(await submitCode(server, await partialLogin(server, 'dan'), '123456'));
  });

  test('a person who has enrolled is asked, even if the policy no longer requires it', async () => {
    const { name, id, app } = await bob();
    const relaxed = await server.store.authPolicies.find(policy);
    assert.ok(relaxed);
    const own = await totpPolicy(server);
    const secondary = { requireTotp: false, requireExtJwt: null };
    await server.store.authPolicies.update(own, { ...relaxed, name: 'relaxed', secondary }, clock.now());
    await server.store.identities.update(id, { authPolicyId: own }, clock.now());
    assert.equal((await submitCode(server, await partialLogin(server, name), app.code())).status, 302);
  });

  test('nothing is revealed before: the questions of a request without a primary login are refused', async () => {
    const { name } = await bob();
    const fresh = await beginLogin(server);
    const failed = await beginLogin(server);
    await submitPassword(server, failed, name, 'wrong');
    for (const id of [fresh, failed, 'x', `${fresh}A`]) {
      assertRefused(await authQueries(server, id), 400, 'INVALID_AUTH_REQUEST');
    }
    assertRefused(await server.get('/oidc/login/auth-queries'), 400, 'COULD_NOT_VALIDATE', 'authRequestId');
  });
});

describe('the right code', () => {
  test('finishes the login, and the tokens say that both factors were passed', async () => {
    const { name, app } = await bob();
    const answer = await submitCode(server, await partialLogin(server, name), app.code());
    assert.equal(answer.status, 302);
    assert.equal(answer.headers['totp-required'], undefined);
    const tokens = await redeem(server, codeOf(answer));
    assert.deepEqual(claimsOf(tokens.json.access_token).amr, ['password', 'totp']);
    assert.deepEqual(claimsOf(tokens.json.id_token).amr, ['password', 'totp']);
  });

  test('is accepted as JSON or form, with the id under each of its names, in body or query', async () => {
    const { name, app } = await bob();
    const path = '/oidc/login/totp';
    for (const spelling of ['id', 'authRequestId', 'authRequestID']) {
      for (const kind of ['json', 'form'] as const) {
        for (const inQuery of [false, true]) {
          const id = await partialLogin(server, name);
          const [url, fields] = inQuery
            ? [`${path}?${spelling}=${id}`, { code: app.code() }]
            : [path, { [spelling]: id, code: app.code() }];
          const answer = await server.post(url, { [kind]: fields });
          assert.equal(answer.status, 302, `${spelling} ${kind} ${inQuery}: ${answer.text}`);
          clock.advance(step);
        }
      }
      const asked = await server.get(
        `/oidc/login/auth-queries?${spelling}=${await partialLogin(server, name)}`,
      );
      assert.equal(asked.status, 200);
    }
  });

  test('may be typed in groups, or pasted with what is around it', async () => {
    const groups = (code: string) => [
      code.replace(/(...)/, '$1 '),
      code.replace(/(...)/, '$1-'),
      code.replace(/(..)(..)/, '$1\u00a0$2\u2013'),
      `\t${code}\r\n`,
      code.replace(/./g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
    ];
    for (let at = 0; at < 5; at += 1) {
      const { name, app } = await bob();
      const code = groups(app.code())[at];
      const answer = await submitCode(server, await partialLogin(server, name), code);
      assert.equal(answer.status, 302, JSON.stringify(code));
    }
  });

  test('yields the code once: no step and no question returns it again', async () => {
    const { name, app } = await bob();
    const id = await partialLogin(server, name);
    const finished = await submitCode(server, id, app.code());
    clock.advance(step);
    for (const answer of [
      await submitCode(server, id, app.code()),
      await authQueries(server, id),
      await submitPassword(server, id, name, password),
    ]) {
      assertRefused(answer, 400, 'INVALID_AUTH_REQUEST');
      assert.equal(answer.headers.location, undefined);
    }
    assert.equal((await redeem(server, codeOf(finished))).status, 200);
  });

  test('for a person who was disabled or lost the password method meanwhile is refused', async () => {
    const disabled = await bob();
    const disabledLogin = await partialLogin(server, disabled.name);
    await server.store.identities.update(disabled.id, { disabledAt: clock.now() }, clock.now());
    const other = await bob();
    const otherLogin = await partialLogin(server, other.name);
    const without = await totpPolicy(server);
    const rules = await server.store.authPolicies.find(without);
    assert.ok(rules);
    const updb = { ...rules.primary.updb, allowed: false };
    await server.store.authPolicies.update(
      without,
      { ...rules, primary: { ...rules.primary, updb } },
      clock.now(),
    );
    await server.store.identities.update(other.id, { authPolicyId: without }, clock.now());
    for (const [login, { app }] of [
      [disabledLogin, disabled],
      [otherLogin, other],
    ] as const) {
      const answer = await submitCode(server, login, app.code());
      assert.ok(answer.status === 400 || answer.status === 401, answer.text);
      assert.equal(answer.headers.location, undefined);
    }
  });
});

describe('a code that was accepted', () => {
  test('is refused in the same flow, in another one, and while the next step lasts', async () => {
    const { name, app } = await bob();
    const [first, second] = [await partialLogin(server, name), await partialLogin(server, name)];
    const code = app.code();
    assert.equal((await submitCode(server, first, code)).status, 302);
    assert.equal((await submitCode(server, first, code)).status, 400);
    assertWrong(await submitCode(server, second, code));
    clock.advance(step);
    assertWrong(await submitCode(server, second, code));
    assert.equal((await submitCode(server, second, app.code())).status, 302);
  });

  test('is accepted once of 32 parallel tries, in one flow or in many', async () => {
    for (const isOneFlow of [true, false]) {
      const { name, app } = await bob();
      const one = await partialLogin(server, name);
      const flows = isOneFlow ? Array<string>(32).fill(one) : await partialLogins(name, 32);
      const code = app.code();
      const answers = await Promise.all(flows.map((id) => submitCode(server, id, code)));
      assert.equal(answers.filter(({ status }) => status === 302).length, 1);
      for (const answer of answers) assert.ok([302, 400].includes(answer.status), answer.text);
      clock.advance(HOUR);
    }
  });

  test('stays refused when the clock is set forward and back', async () => {
    const { name, app } = await bob();
    const start = clock.now();
    const code = app.code();
    assert.equal((await submitCode(server, await partialLogin(server, name), code)).status, 302);
    clock.set(start + HOUR);
    const later = app.code();
    assert.equal((await submitCode(server, await partialLogin(server, name), later)).status, 302);
    clock.set(start);
    assertWrong(await submitCode(server, await partialLogin(server, name), code));
    clock.set(start + HOUR);
    assertWrong(await submitCode(server, await partialLogin(server, name), later));
    clock.advance(step);
    assert.equal((await submitCode(server, await partialLogin(server, name), app.code())).status, 302);
  });
});

describe('another person on the same request', () => {
  test('does not inherit a factor: mallory with everything, then bob with a password', async () => {
    const [mallory, victim] = [await bob(), await bob()];
    const id = await partialLogin(server, mallory.name);
    assert.equal((await submitCode(server, id, mallory.app.code())).status, 302);
    const after = await submitPassword(server, id, victim.name, password);
    assertRefused(after, 400, 'INVALID_AUTH_REQUEST');
  });

  test("has to pass their own factor, in either order; the other person's code does not count", async () => {
    const [mallory, victim] = [await bob(), await bob()];
    for (const [first, second] of [
      [mallory, victim],
      [victim, mallory],
    ] as const) {
      const id = await partialLogin(server, first.name);
      const switched = await submitPassword(server, id, second.name, password);
      assert.equal(switched.status, 200);
      assertWrong(await submitCode(server, id, first.app.code()));
      const finished = await submitCode(server, id, second.app.code());
      const tokens = await redeem(server, codeOf(finished));
      assert.equal(claimsOf(tokens.json.access_token).sub, second.id);
      clock.advance(step);
    }
  });

  test('in parallel never gets a code for bob without the code of bob', async () => {
    const [mallory, victim] = [await bob(), await bob()];
    for (let round = 0; round < 10; round += 1) {
      const id = await partialLogin(server, mallory.name);
      const [code, switched] = await Promise.all([
        submitCode(server, id, mallory.app.code()),
        submitPassword(server, id, victim.name, password),
      ]);
      assert.equal(switched.headers.location, undefined);
      if (code.status === 302) {
        const tokens = await redeem(server, codeOf(code));
        assert.equal(claimsOf(tokens.json.access_token).sub, mallory.id);
      } else assert.equal(code.status, 400, code.text);
      clock.advance(step);
    }
  });
});

describe('a recovery code', () => {
  test('is accepted once of 32 parallel tries', async () => {
    const { name, recoveryCodes } = await bob();
    const flows = await partialLogins(name, 32);
    const answers = await Promise.all(flows.map((id) => submitCode(server, id, recoveryCodes[0])));
    assert.equal(answers.filter(({ status }) => status === 302).length, 1);
  });

  test('of another person, or in letters that only look like it, is refused', async () => {
    const [one, other] = [await bob(), await bob()];
    const id = await partialLogin(server, one.name);
    assertWrong(await submitCode(server, id, other.recoveryCodes[0]));
    const [own = ''] = one.recoveryCodes;
    const fullWidth = own.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
    assertWrong(await submitCode(server, id, fullWidth));
    if (own.includes('S')) assertWrong(await submitCode(server, id, own.replaceAll('S', 'ſ')));
    assert.equal((await submitCode(server, id, own)).status, 302);
  });

  test('that is the last one leaves the app as the way in', async () => {
    const { name, app, recoveryCodes } = await bob();
    for (const code of recoveryCodes) {
      assert.equal((await submitCode(server, await partialLogin(server, name), code)).status, 302);
    }
    assertWrong(await submitCode(server, await partialLogin(server, name), recoveryCodes[7]));
    assert.equal((await submitCode(server, await partialLogin(server, name), app.code())).status, 302);
  });
});

describe('a code of the wrong shape', () => {
  const long = 'x'.repeat(10_000);
  const shapes: readonly unknown[] = [
    ...[
      ...['', '12345', '1234567', '１２３４５６', ' 123456', '123456\n', '12 34 56', '+12345', '1e5'],
      long,
      '0x1234',
    ],
    ...[123456, 1.5, true, null, [], ['123456'], {}, { $ne: null }, { toString: '123456' }],
  ];

  /** Codes are random: a few people in a million would have these digits as the right one. */
  async function personWithout(digits: string): Promise<Person> {
    for (;;) {
      const person = await bob();
      if (![-1, 0, 1].some((steps) => person.app.code(steps) === digits)) return person;
    }
  }

  test('is answered like a wrong code: 400, invalid code, not the value', async () => {
    for (const code of shapes) {
      const { name } = await personWithout('123456');
      const answer = await submitCode(server, await partialLogin(server, name), code);
      assert.equal(answer.status, 400, JSON.stringify(code)?.slice(0, 20));
      assertWrong(answer);
      if (typeof code === 'string' && code.length > 4) assert.ok(!answer.text.includes(code));
      await server.controller.services.attempts.flush();
      const [attempt] = await server.store.loginAttempts.findByReference(answer.json.error.requestId);
      assert.equal(attempt?.reason, 'wrong-code', JSON.stringify(code)?.slice(0, 20));
    }
  });

  test('that is missing is reported as a missing field', async () => {
    const id = await partialLogin(server, (await bob()).name);
    assertRefused(await submitCode(server, id, undefined), 400, 'COULD_NOT_VALIDATE', 'code');
  });

  test('twice in a form, or with more than gaps around the right code, is refused', async () => {
    const { name, app } = await bob();
    const id = await partialLogin(server, name);
    const code = app.code();
    const twice = await server.post('/oidc/login/totp', {
      form: [
        ['id', id],
        ['code', code],
        ['code', code],
      ],
    });
    assert.equal(twice.status, 400);
    for (const around of [`+${code}`, `${code}.`, `'${code}'`])
      assertWrong(await submitCode(server, id, around));
  });

  test('is no guess: it locks nothing, and the right code is accepted after it', async () => {
    const { name, app } = await bob();
    const id = await partialLogin(server, name);
    for (let guess = 0; guess < 4; guess += 1) assertWrong(await submitCode(server, id, app.wrongCode()));
    for (const code of ['', '12345', '1234567', '12345x', 'abcde', ['123456']])
      assertWrong(await submitCode(server, id, code));
    assert.equal((await submitCode(server, id, app.code())).status, 302);
  });

  test('gives no further guesses: digits and letters in any writing are counted', async () => {
    const { name, app } = await bob();
    const id = await partialLogin(server, name);
    const wide = [...app.wrongCode()].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join('');
    for (const code of [` ${app.wrongCode()}`, wide, 'abcdef', 'abcde-fghij', `${app.wrongCode()}\n`])
      assertWrong(await submitCode(server, id, code));
    assertWrong(await submitCode(server, id, app.code()));
  });
});

describe('guessing', () => {
  test('locks the factor after five: the right code is refused with the same answer, and accepted when the lock ends', async () => {
    const { name, app } = await bob();
    const id = await partialLogin(server, name);
    const wrong: Answer[] = [];
    for (let guess = 0; guess < 5; guess += 1) wrong.push(await submitCode(server, id, app.wrongCode()));
    const locked = await submitCode(server, id, app.code());
    for (const answer of [...wrong, locked]) {
      assertWrong(answer);
      assert.deepEqual(withoutReference(answer), withoutReference(locked));
      assert.deepEqual(Object.keys(answer.headers).sort(), Object.keys(locked.headers).sort());
    }
    clock.advance(2 * step);
    assert.equal((await submitCode(server, id, app.code())).status, 302);
  });

  test('counts across flows: neither a new login nor the right password resets the counter', async () => {
    const { name, app } = await bob();
    for (let guess = 0; guess < 5; guess += 1) {
      assertWrong(await submitCode(server, await partialLogin(server, name), app.wrongCode()));
    }
    const id = await partialLogin(server, name);
    assertWrong(await submitCode(server, id, app.code()));
    assert.equal((await submitPassword(server, id, name, password)).status, 200);
    assertWrong(await submitCode(server, id, app.code()));
  });

  test('is over after a hundred failures in a row, however long the guesser waits', async () => {
    const { name, id: identityId, app } = await bob();
    for (let lock = 0; lock < 20; lock += 1) {
      const id = await partialLogin(server, name);
      for (let guess = 0; guess < 6; guess += 1) assertWrong(await submitCode(server, id, app.wrongCode()));
      clock.advance(HOUR);
    }
    clock.advance(30 * DAY);
    assertWrong(await submitCode(server, await partialLogin(server, name), app.code()));
    await server.store.attempts.clear([`totp:${identityId}`]);
    assert.equal((await submitCode(server, await partialLogin(server, name), app.code())).status, 302);
  });

  test('at an app that was removed since locks no new one', async () => {
    const { name, id: identityId, app } = await bob();
    const id = await partialLogin(server, name);
    for (let guess = 0; guess < 6; guess += 1) assertWrong(await submitCode(server, id, app.wrongCode()));
    await server.store.totp.remove(identityId, clock.now(), null);
    const next = await partialLogin(server, name);
    const begun = scan(clock, (await startEnrollment(server, next)).json.provisioningUrl);
    assert.equal((await verifyEnrollment(server, next, begun.code())).status, 302);
  });

  test('does not block the next login of a person who got it right in the end', async () => {
    const { name, app } = await bob();
    for (let round = 0; round < 3; round += 1) {
      const id = await partialLogin(server, name);
      for (let guess = 0; guess < 4; guess += 1) assertWrong(await submitCode(server, id, app.wrongCode()));
      assert.equal((await submitCode(server, id, app.code())).status, 302);
      clock.advance(step);
    }
  });
});

describe('while the login is partial', () => {
  const skip = usualThreads > 1 && 'it breaks the store of the only thread that it can reach';
  test('a failing read of the policy refuses: nothing is skipped', { skip }, async () => {
    const { name, app } = await bob();
    const id = await partialLogin(server, name);
    const { identities } = server.store;
    const { findAccount } = identities;
    try {
      Object.assign(identities, { findAccount: () => Promise.reject(new Error('disk on fire')) });
      const answer = await submitCode(server, id, app.code());
      assert.equal(answer.status, 500);
      assert.ok(!answer.text.includes('fire'));
    } finally {
      Object.assign(identities, { findAccount });
    }
    assert.equal((await authQueries(server, id)).status, 200);
  });
});
