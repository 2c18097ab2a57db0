// After a recovery code: the offer to set up the authenticator app anew, for people who have lost it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditedBy } from '../support/audit.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { codeOf, redeem } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { browse as browseAt, signIn } from '../support/login-pages.ts';
import { type Caller, callerWith } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import {
  createTotpUser,
  enroll,
  partialLogin,
  password,
  scan,
  step,
  submitCode,
  totpPolicy,
} from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
// One thread: the test waits between two steps of its store.
const server = await serverOfFile({ clock, threads: 1 });
const policy = await totpPolicy(server);

const ownMfa = '/edge/client/v1/current-identity/mfa';
const ownCodes = `${ownMfa}/recovery-codes`;
const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
const browse = () => browseAt(server);

let people = 0;
async function person(): Promise<string> {
  people += 1;
  await createTotpUser(server, policy, `person${people}`);
  return `person${people}`;
}

/** Makes a call when the next recovery code of a login has been used up, before the change that it permits. */
function afterNextRecoveryCode(call: () => Promise<Answer>): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const { totp } = server.store;
  const { burnRecoveryCode } = totp;
  Object.assign(totp, {
    async burnRecoveryCode(...args: Parameters<typeof burnRecoveryCode>) {
      Object.assign(totp, { burnRecoveryCode });
      const isFirst = await burnRecoveryCode(...args);
      resolve(await call());
      return isFirst;
    },
  });
  return promise;
}

describe('a recovery code, with the wish to set up the app anew', () => {
  const [codePath, enrollPath, verifyPath, cancelPath] = [
    '/oidc/login/totp',
    '/oidc/login/totp/enroll',
    '/oidc/login/totp/enroll/verify',
    '/oidc/login/totp/enroll/cancel',
  ];

  /** The page that offers it, to a person who has just used the first recovery code. */
  async function offered() {
    const name = await person();
    const { app, recoveryCodes } = await enroll(server, clock, name);
    const browser = await browse();
    const [first = '', second = '', third = ''] = recoveryCodes;
    const codePage = await signIn(browser, name);
    const offer = await browser.submit(codePage, codePath, { code: first, setUpApp: 'yes' });
    return { name, app, browser, codePage, offer, recoveryCodes, first, second, third };
  }

  const appOn = (page: Answer) => {
    const [, url = ''] = /href="(otpauth:[^"]+)"/.exec(page.text) ?? [];
    return scan(clock, url.replaceAll('&amp;', '&'));
  };

  /** Which of the codes opens a login now. */
  async function opens(name: string, code: string): Promise<boolean> {
    const browser = await browse();
    const page = await signIn(browser, name);
    return (await browser.submit(page, codePath, { code })).status === 302;
  }

  test('leads through another code and the new app to the application; the old app and codes are gone', async () => {
    const { name, app, browser, offer, second, third } = await offered();
    assert.equal(offer.status, 200);
    const page = await browser.submit(offer, enrollPath, { code: second });
    assert.equal(page.status, 201);
    const replacement = appOn(page);
    assert.notEqual(replacement.secret, app.secret);
    assert.equal(page.text.match(/<li><code>[A-Z2-7]{5}-[A-Z2-7]{5}<\/code><\/li>/g)?.length, 20);
    assert.ok(await opens(name, app.code()), 'until the new app is confirmed, the old one counts');
    const wrong = await browser.submit(page, verifyPath, { saved: 'yes', code: replacement.wrongCode() });
    assert.equal(wrong.status, 400);
    assert.equal(appOn(wrong).secret, replacement.secret, 'the page can be used again');
    const done = await browser.submit(wrong, verifyPath, { saved: 'yes', code: replacement.code() });
    assert.equal((await redeem(server, codeOf(done))).status, 200);
    clock.advance(step);
    assert.ok(!(await opens(name, app.code())));
    assert.ok(!(await opens(name, third)));
    assert.ok(await opens(name, replacement.code()));
  });

  test('is told in the audit trail as a removed and an added app', async () => {
    const { browser, offer, second } = await offered();
    const page = await browser.submit(offer, enrollPath, { code: second });
    const done = await browser.submit(page, verifyPath, { saved: 'yes', code: appOn(page).code() });
    const events = auditedBy(server, done).map(({ event }) => event);
    assert.deepEqual(events.slice(0, 2), ['totp.removed', 'totp.enrolled']);
  });

  test('can be put off on each page, and then changes nothing', async () => {
    const one = await offered();
    const left = await one.browser.submit(one.offer, cancelPath);
    assert.equal((await redeem(server, codeOf(left))).status, 200);
    const two = await offered();
    const page = await two.browser.submit(two.offer, enrollPath, { code: two.second });
    const leftLater = await two.browser.submit(page, cancelPath);
    assert.equal((await redeem(server, codeOf(leftLater))).status, 200);
    const late = await two.browser.submit(page, verifyPath, { saved: 'yes', code: appOn(page).code() });
    assert.equal(late.status, 400);
    for (const { name, app } of [one, two]) assert.ok(await opens(name, app.code()));
  });

  test('survives a reload, a way back, and a start in a second tab', async () => {
    const { browser, codePage, offer, second, third } = await offered();
    const read = await browser.get(`/oidc/login/auth-queries?id=${browser.id}`);
    assert.equal(read.text, offer.text);
    const page = await browser.submit(offer, enrollPath, { code: second });
    for (const code of [second, third]) {
      const again = await browser.submit(offer, enrollPath, { code });
      assert.equal(again.status, 200);
      assert.equal(appOn(again).secret, appOn(page).secret);
    }
    const plain = await browser.submit(codePage, codePath, { code: third });
    assert.equal(plain.status, 302, 'without the wish, a code leads to the application');
  });

  test('takes more than the code that opened the login: it is used, and a wrong one counts as a guess', async () => {
    const { app, browser, offer, first, second } = await offered();
    const noGuesses = [first, '', 'x'.repeat(1000), '1'];
    const guesses = ['AAAAA-AAAAA', app.wrongCode(), 'BBBBBB', app.wrongCode(), 'CCCCC-CCCCC'];
    for (const code of [...noGuesses, ...guesses]) {
      const refused = await browser.submit(offer, enrollPath, { code });
      assert.equal(refused.status, 400, code);
      assert.match(refused.text, /role="alert"/);
      assert.ok(!refused.text.includes('otpauth:'));
    }
    const verified = await browser.submit(offer, enrollPath, { code: second });
    assert.equal(verified.status, 400, 'five guesses in a row lock');
  });

  test('is of the same browser only, and of its login only', async () => {
    const { browser, offer, second } = await offered();
    const other = await browse();
    for (const path of [enrollPath, verifyPath, cancelPath]) {
      const form = { authRequestId: browser.id, code: second };
      for (const headers of [{}, { accept, 'sec-fetch-site': 'same-origin' }]) {
        const answer = await server.post(path, { form, headers });
        assert.equal(answer.status, 400, path);
      }
    }
    assert.equal((await other.get(`/oidc/login/auth-queries?id=${browser.id}`)).status, 400);
    const page = await browser.submit(offer, enrollPath, { code: second });
    // Another person signs in on the same page: nothing of the first one may be left.
    const mallory = await person();
    await enroll(server, clock, mallory);
    const asked = await browser.submit(browser.loginPage, '/oidc/login/username', {
      username: mallory,
      password,
    });
    assert.match(asked.text, /one-time-code/);
    const late = await browser.submit(page, verifyPath, { saved: 'yes', code: appOn(page).code() });
    assert.equal(late.status, 404);
    assert.equal((await browser.submit(page, cancelPath)).status, 404);
  });

  for (const [change, make] of [
    ['recovery codes are renewed', (owner: Caller, code: string) => owner.call('POST', ownCodes, { code })],
    ['app is removed', (owner: Caller, code: string) => owner.call('DELETE', ownMfa, { code })],
  ] as const) {
    test(`sets up no app once the ${change} on the account page: who found the old codes gets nothing`, async () => {
      const { name, app, browser, offer, second, third } = await offered();
      const id = await partialLogin(server, name);
      const opened = await redeem(server, codeOf(await submitCode(server, id, app.code())));
      const page = await browser.submit(offer, enrollPath, { code: second });
      assert.equal(page.status, 201);
      clock.advance(step);
      assert.equal((await make(callerWith(server, opened.json.access_token), app.code())).status, 200);
      const late = await browser.submit(page, verifyPath, { saved: 'yes', code: appOn(page).code() });
      assert.equal(late.status, 404);
      assert.notEqual((await browser.submit(offer, enrollPath, { code: third })).status, 201);
    });
  }

  test('shows no new app if the owner renews the codes between the second code and the change', async () => {
    const { name, app, browser, offer, second } = await offered();
    const id = await partialLogin(server, name);
    const opened = await redeem(server, codeOf(await submitCode(server, id, app.code())));
    const owner = callerWith(server, opened.json.access_token);
    clock.advance(step);
    const renewed = afterNextRecoveryCode(() => owner.call('POST', ownCodes, { code: app.code() }));
    const late = await browser.submit(offer, enrollPath, { code: second });
    const [kept = ''] = (await renewed).json.data.recoveryCodes;
    assert.ok(!late.text.includes('otpauth:'));
    clock.advance(step);
    for (const code of [app.code(), kept]) assert.ok(await opens(name, code));
  });

  test('says after the last code that it takes an administrator', async () => {
    const name = await person();
    const { recoveryCodes } = await enroll(server, clock, name);
    for (const code of recoveryCodes.slice(1)) assert.ok(await opens(name, code));
    const browser = await browse();
    const offer = await browser.submit(await signIn(browser, name), codePath, {
      code: recoveryCodes[0] ?? '',
      setUpApp: 'yes',
    });
    assert.match(offer.text, /last recovery code/);
    assert.ok(!offer.text.includes(`action="${enrollPath}"`));
    assert.equal((await browser.submit(offer, cancelPath)).status, 302);
  });

  test('does nothing for programs, for a code of the app, or unasked', async () => {
    const name = await person();
    const { app, recoveryCodes } = await enroll(server, clock, name);
    const [one = '', two = ''] = recoveryCodes;
    const id = await partialLogin(server, name);
    const program = await server.post(codePath, { json: { id, code: one, setUpApp: 'yes' } });
    assert.equal(program.status, 302);
    for (const filled of [{ code: app.code(), setUpApp: 'yes' }, { code: two }]) {
      const browser = await browse();
      const done = await browser.submit(await signIn(browser, name), codePath, filled);
      assert.equal(done.status, 302);
    }
  });
});
