// Pages that say "try again in N seconds" lead back into the login that was interrupted.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { sourceLimits } from '../../src/login/throttle.ts';
import { DAY, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { createHashPool, HashPoolFull } from '../../src/platform/secrets/hash-pool.ts';
import { startApplication } from '../support/application.ts';
import { accessibilityProblems } from '../support/axe.ts';
import { visitor } from '../support/browser.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { authorizationQuery } from '../support/flow.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTotpUser, enroll, password, scan, totpPolicy } from '../support/totp.ts';
import { assertLoggedIn, beginAt, givePassword, submit, withoutDatabase } from './support.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let isFull = false;
const application = await startApplication();
const pool = createHashPool({ clock: systemClock }, { cost: { memoryKiB: 1024, passes: 1, lanes: 1 } });
const verify: typeof pool.verify = (phc, secret, source) =>
  isFull ? Promise.reject(new HashPoolFull(7)) : pool.verify(phc, secret, source);
// Its store is broken, which reaches the thread of the test only.
const server = await startTestServer({ clock, hashPool: { ...pool, verify }, threads: 1 });
await server.createUser({ name: 'alice', password });
const policy = await totpPolicy(server);
after(async () => {
  await server.close();
  await application.close();
});

/** Too many wrong guesses from the address of the browser: a minute has to pass. */
async function tooManyTries(): Promise<void> {
  const tries = Array.from({ length: 300 }, () =>
    server.store.attempts.count(sourceLimits('source', '127.0.0.1'), 1, clock.now()),
  );
  await Promise.all(tries);
}

const authRequestId = (page: Page) => page.locator('input[name=authRequestId]').first().inputValue();

async function assertToldToWait(page: Page, scripts: boolean): Promise<void> {
  assert.match(await page.locator('main').innerText(), /Try again in \d+ seconds?\./);
  // It is a script itself.
  if (scripts) assert.deepEqual(await accessibilityProblems(page), []);
}

for (const scripts of [true, false]) {
  describe(scripts ? 'with scripts' : 'without scripts', () => {
    test('after too many tries, the same login asks for the password again', async () => {
      const { page, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      const id = await authRequestId(page);
      await tooManyTries();
      await givePassword(page, 'alice', password);
      await assertToldToWait(page, scripts);
      clock.advance(MINUTE);
      assert.equal(await submit(page, '#go-on'), 200);
      assert.equal(await authRequestId(page), id);
      await givePassword(page, 'alice', password);
      await assertLoggedIn(server, application, page);
      clock.advance(DAY);
      await close();
    });

    test('while the server is busy too', async () => {
      const { page, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      isFull = true;
      await page.fill('#username', 'alice');
      await page.fill('#password', password);
      assert.equal(await submit(page, '#login'), 503);
      isFull = false;
      await assertToldToWait(page, scripts);
      await submit(page, '#go-on');
      await givePassword(page, 'alice', password);
      await assertLoggedIn(server, application, page);
      await close();
    });

    test('while the database is away too', async () => {
      const { page, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      const id = await authRequestId(page);
      await withoutDatabase(server, async () => {
        await page.fill('#username', 'alice');
        await page.fill('#password', password);
        assert.equal(await submit(page, '#login'), 503);
      });
      await assertToldToWait(page, scripts);
      assert.equal(await submit(page, '#go-on'), 200);
      assert.equal(await authRequestId(page), id);
      await givePassword(page, 'alice', password);
      await assertLoggedIn(server, application, page);
      await close();
    });

    test('the page asks for a code again, and not for the password', async () => {
      const name = `carol ${scripts}`;
      await createTotpUser(server, policy, name);
      const { app } = await enroll(server, clock, name);
      const { page, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      await givePassword(page, name, password);
      await tooManyTries();
      await page.fill('#code', app.code());
      assert.equal(await submit(page, '#submit-code'), 429);
      await assertToldToWait(page, scripts);
      clock.advance(MINUTE);
      await submit(page, '#go-on');
      await page.fill('#code', app.code());
      await submit(page, '#submit-code');
      await assertLoggedIn(server, application, page);
      clock.advance(DAY);
      await close();
    });
  });
}

test('an enrollment that had to wait continues, or starts over', async () => {
  await createTotpUser(server, policy, 'dora');
  const { page, close } = await visitor({ scripts: false });
  await beginAt(server, application, page);
  await givePassword(page, 'dora', password);
  await submit(page, '#start-enrollment');
  const app = scan(clock, (await page.getAttribute('#open-app', 'href')) ?? '');
  await tooManyTries();
  await page.check('#saved');
  await page.fill('#code', app.code());
  assert.equal(await submit(page, '#verify'), 429);
  clock.advance(MINUTE);
  await submit(page, '#go-on');
  await submit(page, '#start-enrollment');
  await page.fill('#code', app.code());
  await submit(page, '#verify');
  await assertLoggedIn(server, application, page);
  clock.advance(DAY);
  await close();
});

test("a login that expired while the person waited starts again with the application's request", async () => {
  const { page, close } = await visitor({ scripts: false });
  await beginAt(server, application, page);
  await tooManyTries();
  await givePassword(page, 'alice', password);
  clock.advance(10 * MINUTE);
  assert.equal(await submit(page, '#go-on'), 400);
  await submit(page, '#start-again');
  await givePassword(page, 'alice', password);
  await assertLoggedIn(server, application, page);
  clock.advance(DAY);
  await close();
});

test('a final refusal leads nowhere, and neither does one without a valid login', async () => {
  const headers = { accept: 'text/html' };
  const begun = await server.get(`/oidc/authorization?${authorizationQuery()}`, { headers });
  const location = begun.headers.location ?? '';
  const form = { authRequestId: 'forged', username: 'alice', password };
  for (const answer of [
    await server.post('/oidc/login/username', { form, headers }),
    await server.get(location.replace('/oidc/login/username', '/oidc/login/totp'), { headers }),
  ]) {
    assert.ok(answer.status >= 400);
    assert.doesNotMatch(answer.text, /id="go-on"/);
  }
});
