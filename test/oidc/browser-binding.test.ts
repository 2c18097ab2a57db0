// A login belongs to the browser that continues it, even if an attacker began it and knows its id.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { cookieBrowser } from '../support/cookie-browser.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorizationQuery,
  authRequestIdOf,
  beginLogin,
  claimsOf,
  codeOf,
  locationOf,
  redeem,
  submitPassword,
} from '../support/flow.ts';
import type { Answer, RequestInit } from '../support/https-client.ts';
import { assertRefused, createdId, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import {
  authQueries,
  createTotpUser,
  enroll,
  partialLogin,
  password,
  scan,
  startEnrollment,
  submitCode,
  totpPolicy,
  verifyEnrollment,
} from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
const ofOwnPage = { accept, 'sec-fetch-site': 'same-origin' };
const server = await serverOfFile({ clock });
const policy = await totpPolicy(server);
await server.createUser({ name: 'alice', password });

interface Browser {
  get(path: string): Promise<Answer>;
  post(path: string, form: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Keeps the only cookie. */
function browser(): Browser {
  let cookie = '';
  async function request(method: string, path: string, init: RequestInit): Promise<Answer> {
    const headers = { ...ofOwnPage, ...(cookie === '' ? {} : { cookie }) };
    const answer = await server.request(method, path, { ...init, headers });
    cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? cookie;
    return answer;
  }
  return { get: (path) => request('GET', path, {}), post: (path, form) => request('POST', path, { form }) };
}

/** The id in the forms of a page. */
function ownId(page: Answer): string {
  return /name="authRequestId" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
}

/** A person opens the login page of another person's request and gives the password. */
async function lured(id: string, username: string): Promise<Browser & { readonly id: string }> {
  const victim = browser();
  const page = await victim.get(`/oidc/login/username?authRequestID=${id}`);
  assert.equal(page.status, 200);
  const own = ownId(page);
  const answer = await victim.post('/oidc/login/username', { authRequestId: own, username, password });
  assert.equal(answer.status, 200, answer.text);
  return { ...victim, id: own };
}

describe('a request that began outside a browser and continues in one', () => {
  test('shows its originator no question and no enrollment, and accepts no code from there', async () => {
    await createTotpUser(server, policy, 'carol');
    const id = await beginLogin(server);
    const carol = await lured(id, 'carol');

    const answers = [
      await authQueries(server, id),
      await startEnrollment(server, id),
      await submitCode(server, id, '123456'),
      await verifyEnrollment(server, id, '123456'),
      await server.request('DELETE', '/oidc/login/totp/enroll', { json: { authRequestId: id } }),
    ];
    for (const answer of answers) assertRefused(answer, 400, 'INVALID_AUTH_REQUEST');
    const mallory = browser();
    await mallory.get(`/oidc/authorization?${authorizationQuery()}`);
    const elsewhere = await mallory.post('/oidc/login/totp/enroll', { authRequestId: id });
    assert.equal(elsewhere.status, 400);

    const started = await carol.post('/oidc/login/totp/enroll', { authRequestId: carol.id });
    assert.equal(started.status, 201, started.text);
    const url = /otpauth:[^"<]+/.exec(started.text)?.[0].replaceAll('&amp;', '&') ?? '';
    const code = scan(clock, url).code();
    const done = await carol.post('/oidc/login/totp/enroll/verify', { authRequestId: carol.id, code });
    assert.equal(done.status, 302);
  });

  test('is bound by every page on which a browser can do the first step', async () => {
    const id = await beginLogin(server);
    for (const method of ['username', 'cert']) {
      const page = await server.get(`/oidc/login/${method}?authRequestID=${id}`, { headers: { accept } });
      assert.equal(page.status, 200, page.text);
      assert.match(String(page.headers['set-cookie']), /^__Host-/, method);
      const json = await server.get(`/oidc/login/${method}?authRequestID=${id}`);
      assert.equal(json.headers['set-cookie'], undefined, method);
    }
  });

  test('continues without a cookie if no browser sent the password', async () => {
    await createTotpUser(server, policy, 'dan');
    const id = await beginLogin(server);
    assert.equal((await submitPassword(server, id, 'dan', password)).status, 200);
    assert.equal((await authQueries(server, id)).status, 200);
  });
});

describe('a request on which a program has done the first step', () => {
  test('accepts no proof from a browser: the person would prove it for the program', async () => {
    const identityId = await createTotpUser(server, policy, 'gina');
    const { app } = await enroll(server, clock, 'gina');
    await server.store.identities.update(identityId, { passwordMustChange: true }, clock.now());
    // An attacker who knows the password leads her to the page that asks for the code.
    const id = await partialLogin(server, 'gina');
    const gina = browser();
    await gina.get(`/oidc/authorization?${authorizationQuery()}`);
    const asked = await gina.get(`/oidc/login/auth-queries?authRequestID=${id}`);
    assert.equal(asked.status, 400);
    const given = await gina.post('/oidc/login/totp', {
      authRequestId: ownId(asked) || id,
      code: app.code(),
    });
    assert.equal(given.status, 400);

    const replaced = await server.post('/oidc/login/password-change', {
      json: { authRequestId: id, password: 'nine loud lanterns' },
    });
    assertRefused(replaced, 409, 'CONFLICT');
    assert.equal((await submitCode(server, id, app.code())).status, 200);
  });
});

describe('a request with an earlier login', () => {
  test('continues only in the browser of the last primary login, with what that login asked for', async () => {
    await createTotpUser(server, policy, 'erin');
    await createTotpUser(server, policy, 'mallory');
    const id = await beginLogin(server);
    const root = await rootOf(server);
    const asked = createdId(await root.call('POST', 'config-types', { name: 'hers', schema: {} }));
    const own = { authRequestId: id, username: 'mallory', password, configTypes: [asked] };
    assert.equal((await server.post('/oidc/login/username', { json: own })).status, 200);
    assert.equal((await startEnrollment(server, id)).status, 201);

    const erin = await lured(id, 'erin');
    const answers = [
      await authQueries(server, id),
      await startEnrollment(server, id),
      await submitCode(server, id, '123456'),
      await verifyEnrollment(server, id, '123456'),
      await server.request('DELETE', '/oidc/login/totp/enroll', { json: { authRequestId: id } }),
    ];
    for (const answer of answers) assertRefused(answer, 400, 'INVALID_AUTH_REQUEST');

    const started = await erin.post('/oidc/login/totp/enroll', { authRequestId: erin.id });
    assert.equal(started.status, 201, started.text);
    const url = /otpauth:[^"<]+/.exec(started.text)?.[0].replaceAll('&amp;', '&') ?? '';
    assert.match(url, /erin/);
    const code = scan(clock, url).code();
    const done = await erin.post('/oidc/login/totp/enroll/verify', { authRequestId: erin.id, code });
    assert.equal(done.status, 302);
    const { access_token } = (await redeem(server, codeOf(done))).json;
    assert.deepEqual(claimsOf(access_token).z_ct, []);
  });

  test('cannot be taken over outside its browser, even by an attacker who knows the id', async () => {
    const id = await beginLogin(server);
    await createTotpUser(server, policy, 'frank');
    const frank = await lured(id, 'frank');
    const stranger = browser();
    await stranger.get(`/oidc/authorization?${authorizationQuery()}`);
    // Another person's right password, and a wrong one: neither is looked at.
    for (const word of [password, 'wrong']) {
      assertRefused(await submitPassword(server, id, 'alice', word), 400, 'INVALID_AUTH_REQUEST');
    }
    const elsewhere = await stranger.post('/oidc/login/username', {
      authRequestId: id,
      username: 'alice',
      password,
    });
    assert.equal(elsewhere.status, 400);
    assert.equal((await stranger.get(`/oidc/login/username?authRequestID=${id}`)).status, 400);

    const started = await frank.post('/oidc/login/totp/enroll', { authRequestId: frank.id });
    assert.equal(started.status, 201, started.text);
  });
});

describe('a browser without a cookie that begins two logins at once, as when it restores its tabs', () => {
  /** Two logins whose first pages are requested before either answer has come. */
  async function begun() {
    const tabs = cookieBrowser(server);
    const first = [0, 1].map(() => tabs.get(`/oidc/authorization?${authorizationQuery()}`));
    const begun = await Promise.all(first);
    return { tabs, pages: begun.map((answer) => locationOf(answer)) };
  }

  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    test(`finishes both, in the order ${order}`, async () => {
      const { tabs, pages } = await begun();
      assert.equal(tabs.cookies.size, 2);
      for (const at of order) {
        const page = await tabs.get(String(pages[at]));
        assert.equal(page.status, 200, page.text);
        assert.equal((await tabs.submit(page, { username: 'alice', password })).status, 302);
      }
      // Later logins make no further one.
      await tabs.get(`/oidc/authorization?${authorizationQuery()}`);
      assert.equal(tabs.cookies.size, 2);
    });
  }

  test('continues neither in another browser that began two', async () => {
    const [{ pages }, { tabs }] = await Promise.all([begun(), begun()]);
    for (const page of pages) assert.equal((await tabs.get(page)).status, 400);
  });
});

describe('a login that has expired', () => {
  test('tells only its own browser how it starts again, with what its client sent', async () => {
    const secrets = { state: 'the-secret-state', nonce: 'the-secret-nonce' };
    const own = cookieBrowser(server);
    const page = locationOf(await own.get(`/oidc/authorization?${authorizationQuery(secrets)}`));
    const stranger = cookieBrowser(server);
    await stranger.get(`/oidc/authorization?${authorizationQuery()}`);
    clock.advance(40 * MINUTE);
    const shown = await own.get(page);
    assert.equal(shown.status, 400);
    assert.match(shown.text, /id="start-again"[^>]*the-secret-state/);
    for (const answer of [await stranger.get(page), await server.get(page)]) {
      assert.equal(answer.status, 400);
      assert.doesNotMatch(answer.text, /start-again|the-secret/);
    }
  });

  test('or is finished tells no other browser either, if it began outside a browser', async () => {
    const id = await beginLogin(server, { state: 'the-secret-state' });
    const page = `/oidc/login/username?authRequestID=${id}`;
    const own = cookieBrowser(server);
    const form = await own.get(page);
    assert.equal((await own.submit(form, { username: 'alice', password })).status, 302);
    assert.match((await own.get(page)).text, /the-secret-state/);
    const stranger = cookieBrowser(server);
    await stranger.get(`/oidc/authorization?${authorizationQuery()}`);
    const seen = await stranger.get(page);
    assert.equal(seen.status, 400);
    assert.doesNotMatch(seen.text, /the-secret/);
  });
});

describe('a form of another site', () => {
  test('submits no login step, with any contents', async () => {
    for (const site of ['cross-site', 'same-site']) {
      for (const path of ['/oidc/login/username', '/oidc/login/totp', '/oidc/login/totp/enroll']) {
        const id = await beginLogin(server);
        const answer = await server.post(path, {
          form: { authRequestId: id, username: 'alice', password, code: '123456' },
          headers: { accept, 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', origin: 'null' },
        });
        assert.equal(answer.status, 403, `${site} ${path}`);
        assert.equal(answer.headers.location, undefined);
      }
    }
  });

  test('may lead to the login page, and the page may submit', async () => {
    const headers = { accept, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const begun = await server.get(`/oidc/authorization?${authorizationQuery()}`, { headers });
    const id = authRequestIdOf(begun);
    const cookie = begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const path = `/oidc/login/username?authRequestID=${id}`;
    assert.equal((await server.get(path, { headers: { ...headers, cookie } })).status, 200);
    const answer = await server.post('/oidc/login/username', {
      form: { authRequestId: id, username: 'alice', password },
      headers: { ...headers, cookie, 'sec-fetch-site': 'same-origin', origin: 'null' },
    });
    assert.equal(answer.status, 302);
  });

  test('is not a script of an allowed origin, which CORS admits', async () => {
    const answer = await server.post('/oidc/login/username', {
      json: { authRequestId: await beginLogin(server), username: 'alice', password },
      headers: { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', origin: 'http://localhost:3000' },
    });
    assert.equal(answer.status, 302);
  });
});
