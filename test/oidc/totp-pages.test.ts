import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultAuthPolicyId } from '../../src/model/ids.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  authRequestIdOf,
  codeOf,
  locationOf,
  redeem,
  redirectUri,
} from '../support/flow.ts';
import { assertPage, browse as browseAt, formTo, signIn } from '../support/login-pages.ts';
import { serverOfFile } from '../support/test-server.ts';
import { createTotpUser, enroll, password, scan, step, totpPolicy } from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const policy = await totpPolicy(server);

const browse = () => browseAt(server);

let people = 0;
async function person(): Promise<string> {
  people += 1;
  await createTotpUser(server, policy, `person${people}`);
  return `person${people}`;
}

describe('the page that asks for a code', () => {
  test('comes after the password and leads back to the application', async () => {
    const name = await person();
    const { app } = await enroll(server, clock, name);
    const browser = await browse();
    const page = await signIn(browser, name);
    assert.equal(page.status, 200);
    assert.equal(page.headers['totp-required'], 'true');
    const form = formTo(page, '/oidc/login/totp');
    for (const part of [
      'inputmode="numeric"',
      'autocomplete="one-time-code"',
      'for="code"',
      `value="${browser.id}"`,
    ]) {
      assert.ok(form.includes(part), part);
    }
    assert.ok(!/maxlength/.test(form), 'a pasted code with spaces must not be cut');
    const done = await browser.submit(page, '/oidc/login/totp', { code: app.code() });
    assert.equal(done.status, 302);
    assert.ok(locationOf(done).startsWith(`${redirectUri}?code=`));
    assert.equal((await redeem(server, codeOf(done))).status, 200);
  });

  test('accepts a code as people type and paste it', async () => {
    const name = await person();
    const { app, recoveryCodes } = await enroll(server, clock, name);
    const [one = '', two = ''] = recoveryCodes;
    const typed = [
      (code: string) => ` ${code.slice(0, 3)} ${code.slice(3)} `,
      (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`,
      (code: string) => code.replace(/./g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
      () => one.toLowerCase(),
      () => ` ${two.replace('-', ' ')}\t`,
    ];
    for (const type of typed) {
      const browser = await browse();
      const page = await signIn(browser, name);
      const done = await browser.submit(page, '/oidc/login/totp', { code: type(app.code()) });
      assert.equal(done.status, 302, type(app.code()));
      clock.advance(step);
    }
  });

  test('has a second form for a recovery code, with letters on the keyboard of a phone', async () => {
    const name = await person();
    await enroll(server, clock, name);
    const browser = await browse();
    const page = await signIn(browser, name);
    const [, recovery = ''] = page.text.match(/<form [\s\S]*?<\/form>/g) ?? [];
    assert.match(recovery, /action="\/oidc\/login\/totp"/);
    assert.match(recovery, /name="code"/);
    assert.ok(!recovery.includes('numeric'));
  });

  test('is shown again after a wrong code, with the status that JSON gets and the reference id', async () => {
    const name = await person();
    const { app } = await enroll(server, clock, name);
    const browser = await browse();
    const page = await signIn(browser, name);
    const wrong = await browser.submit(page, '/oidc/login/totp', { code: app.wrongCode() });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /<title>Error: /);
    assert.match(wrong.text, /role="alert"/);
    assert.match(wrong.text, /aria-invalid="true"/);
    assert.ok(wrong.text.includes(String(wrong.headers['x-request-id'])));
    assert.ok(!wrong.text.includes(app.wrongCode()));
    const done = await browser.submit(wrong, '/oidc/login/totp', { code: app.code() });
    assert.equal(done.status, 302);
  });

  test('leads on from any code once an administrator has removed the app', async () => {
    for (const authPolicyId of [policy, defaultAuthPolicyId]) {
      people += 1;
      const id = await createTotpUser(server, policy, `person${people}`);
      await enroll(server, clock, `person${people}`);
      const browser = await browse();
      const page = await signIn(browser, `person${people}`);
      await server.store.identities.update(id, { authPolicyId }, clock.now());
      await server.store.totp.remove(id, clock.now(), null);
      const next = await browser.submit(page, '/oidc/login/totp', { code: '123456' });
      if (authPolicyId === policy) formTo(next, '/oidc/login/totp/enroll');
      else assert.equal((await redeem(server, codeOf(next))).status, 200, next.text);
    }
  });

  test('can be read again with GET, and offers to sign in as someone else', async () => {
    const name = await person();
    await enroll(server, clock, name);
    const browser = await browse();
    const page = await signIn(browser, name);
    const again = await browser.get(`/oidc/login/auth-queries?id=${browser.id}`);
    assert.equal(again.text, page.text);
    const [, link = ''] = /<a href="([^"]+)">Sign in as someone else/.exec(page.text) ?? [];
    assert.equal((await browser.get(link)).status, 200);
  });

  test('is refused to another browser', async () => {
    const name = await person();
    await enroll(server, clock, name);
    const [one, other] = [await browse(), await browse()];
    await signIn(one, name);
    const answer = await other.get(`/oidc/login/auth-queries?id=${one.id}`);
    assert.equal(answer.status, 400);
    assert.ok(!answer.text.includes('one-time-code'));
  });
});

describe('the pages of an enrollment', () => {
  const [enrollPath, verifyPath, cancelPath] = [
    '/oidc/login/totp/enroll',
    '/oidc/login/totp/enroll/verify',
    '/oidc/login/totp/enroll/cancel',
  ];

  async function begun(name: string) {
    const browser = await browse();
    const intro = await signIn(browser, name);
    assert.equal(intro.status, 200);
    assert.equal(intro.headers['totp-required'], 'true');
    const page = await browser.submit(intro, enrollPath);
    const [, url = ''] = /href="(otpauth:[^"]+)"/.exec(page.text) ?? [];
    return { browser, page, app: scan(clock, url.replaceAll('&amp;', '&')) };
  }

  test('lead from the password to the application', async () => {
    const { browser, page, app } = await begun(await person());
    assert.equal(page.status, 201);
    const done = await browser.submit(page, verifyPath, { saved: 'yes', code: app.code() });
    assert.equal(done.status, 302);
    assert.equal((await redeem(server, codeOf(done))).status, 200);
  });

  test('show the secret as picture, key and link, and the recovery codes', async () => {
    const { page, app } = await begun(await person());
    assertPage(page);
    const [, shown = ''] = /id="secret"[^>]*>([^<]+)</.exec(page.text) ?? [];
    assert.match(shown, /^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    assert.equal(shown.replaceAll(' ', ''), app.secret);
    assert.equal(page.text.match(/<li><code>[A-Z2-7]{5}-[A-Z2-7]{5}<\/code><\/li>/g)?.length, 20);
    assert.match(page.text, /<svg class="qr" viewBox="0 0 \d+ \d+" role="img" aria-label="[^"]+"/);
    assert.match(page.text, /<input id="saved" name="saved" type="checkbox" value="yes" required>/);
  });

  test('ask again after a wrong code, without showing the secret again', async () => {
    const { browser, page, app } = await begun(await person());
    const wrong = await browser.submit(page, verifyPath, { saved: 'yes', code: app.wrongCode() });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /role="alert"/);
    assert.ok(!wrong.text.includes('<svg') && !wrong.text.includes('otpauth:'));
    assert.equal((await browser.submit(wrong, verifyPath, { code: app.code() })).status, 302);
  });

  test('can be cancelled, and begun again with another secret', async () => {
    const name = await person();
    const { browser, page, app } = await begun(name);
    const intro = await browser.submit(page, cancelPath);
    assert.equal(intro.status, 200);
    const second = await browser.submit(intro, enrollPath);
    assert.equal(second.status, 201);
    assert.ok(!second.text.includes(app.secret));
    const late = await browser.submit(page, verifyPath, { saved: 'yes', code: app.code() });
    assert.equal(late.status, 400);
  });

  test('give way to the application at a reload, once the policy no longer asks for an app', async () => {
    const id = await createTotpUser(server, policy, 'relaxed');
    const browser = await browse();
    formTo(await signIn(browser, 'relaxed'), enrollPath);
    const path = `/oidc/login/auth-queries?id=${browser.id}`;
    await server.store.identities.update(id, { authPolicyId: defaultAuthPolicyId }, clock.now());
    const other = await browse();
    assert.equal((await other.get(path)).status, 400, 'not for another browser');
    const done = await browser.get(path);
    assert.equal(done.status, 302, done.text);
    assert.equal((await redeem(server, codeOf(done))).status, 200);
    assert.equal((await browser.get(path)).status, 400, 'and only once');
  });

  test('survive a reload: the second start says how to continue', async () => {
    const { browser, page, app } = await begun(await person());
    const intro = await browser.get(`/oidc/login/auth-queries?id=${browser.id}`);
    const reloaded = await browser.submit(intro, enrollPath);
    // For a person nothing has failed: the page continues where it was. A program learns that it had already begun.
    assert.equal(reloaded.status, 200);
    assert.ok(!reloaded.text.includes(app.secret));
    formTo(reloaded, cancelPath);
    assert.equal((await browser.submit(reloaded, verifyPath, { code: app.code() })).status, 302);
    assert.equal(page.status, 201);
  });

  test('lead on after a cancel in another tab, and after an enrollment in another window', async () => {
    const name = await person();
    const { browser, page } = await begun(name);
    await browser.submit(page, cancelPath);
    const closed = await browser.submit(page, verifyPath, { saved: 'yes', code: '123456' });
    assert.equal(closed.status, 404);
    formTo(closed, enrollPath);
    const { app } = await enroll(server, clock, name);
    const codePage = await browser.submit(closed, enrollPath);
    assert.equal(codePage.status, 200);
    assert.equal((await browser.submit(codePage, '/oidc/login/totp', { code: app.code() })).status, 302);
  });

  test('leave the picture out where the name makes it unreadable', async () => {
    await createTotpUser(server, policy, 'n'.repeat(2000), 'long');
    const { browser, page, app } = await begun('long');
    assert.ok(!page.text.includes('<svg'));
    assert.equal((await browser.submit(page, verifyPath, { saved: 'yes', code: app.code() })).status, 302);
  });

  test('show a hostile name as text, never as markup', async () => {
    await createTotpUser(server, policy, '"><script>alert(1)</script>', 'hostile');
    const { page } = await begun('hostile');
    assertPage(page);
  });
});

describe('a client that asks for JSON', () => {
  test('gets JSON from the same addresses', async () => {
    const name = await person();
    const id = authRequestIdOf(await server.get(`/oidc/authorization?${authorizationQuery()}`));
    const fields = { authRequestId: id, username: name, password };
    for (const headers of [{ accept: 'application/json' }, { accept: '*/*' }, {}]) {
      const partial = await server.post('/oidc/login/username', { form: fields, headers });
      assert.match(String(partial.headers['content-type']), /^application\/json/);
      assert.equal(partial.json.authQueries.length, 1);
    }
    const cancelled = await server.post('/oidc/login/totp/enroll/cancel', { json: { authRequestId: id } });
    assert.equal(cancelled.status, 404);
  });
});
