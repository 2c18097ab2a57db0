// Logging in for a device without a browser (RFC 8628): the device asks and waits, a person types its code in a browser.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import { sessionCookieName, signedInBrowser, withBrowserSession } from '../support/browser-session.ts';
import { cookieBrowser } from '../support/cookie-browser.ts';
import { dpopKey } from '../support/dpop.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { callWith, claimsOf, codeOf, locationOf, obtainCode, redeem, refresh } from '../support/flow.ts';
import type { Answer, RequestInit } from '../support/https-client.ts';
import { rootOf } from '../support/management.ts';
import { appRedirectUri, registerClient } from '../support/oidc-clients.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';
import { createTotpUser, enroll, password, totpPolicy } from '../support/totp.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
const server = await serverOfFile({ clock });
const root = await rootOf(server);
await server.createUser({ name: 'alice', password });

/** A person's browser: keeps the only cookie, and follows no redirect by itself. */
function browser() {
  let cookie = '';
  async function request(method: string, path: string, init: RequestInit): Promise<Answer> {
    const headers = {
      accept: 'text/html,*/*;q=0.8',
      'user-agent': 'Mozilla/5.0 Firefox/145.0',
      'sec-fetch-site': 'same-origin',
      ...(cookie === '' ? {} : { cookie }),
    };
    const answer = await server.request(method, path, { ...init, headers });
    cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? cookie;
    return answer;
  }
  return {
    get: (path: string) => request('GET', path, {}),
    post: (path: string, form: Readonly<Record<string, string>>) => request('POST', path, { form }),
  };
}
type Browser = ReturnType<typeof browser>;

const asked = (form: Readonly<Record<string, string>> = {}) =>
  server.post('/oidc/device_authorization', {
    form: { client_id: 'overlay', scope: 'openid offline_access', ...form },
  });
const poll = (deviceCode: string, form: Readonly<Record<string, string>> = {}) =>
  server.post('/oidc/token', {
    headers: { 'user-agent': 'television/4.2.1 (Linux)' },
    form: { grant_type: grantType, device_code: deviceCode, client_id: 'overlay', ...form },
  });
const decide = (person: Browser, userCode: string, step: string) =>
  person.post('/oidc/device', { user_code: userCode, step });

/** The address to which the finished login sends the person's browser. */
async function logInFor(person: Browser, userCode: string, name = 'alice'): Promise<string> {
  const start = await decide(person, userCode, 'continue');
  assert.equal(start.status, 302, start.text);
  const form = await person.get(locationOf(start));
  const id = /name="authRequestId" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
  const done = await person.post('/oidc/login/username', { authRequestId: id, username: name, password });
  return pathOf(locationOf(done));
}
/** What the person answers when asked whether the device is to be signed in. */
async function finish(person: Browser, handOver: string, step = 'approve'): Promise<Answer> {
  const question = await person.get(handOver);
  assert.equal(question.status, 200);
  const code = /name="code" value="([^"]+)"/.exec(question.text)?.[1];
  return code === undefined ? question : person.post('/oidc/device/finished', { code, step });
}
const pathOf = (address: string) => {
  const { pathname, search } = new URL(address, server.url);
  return pathname + search;
};

function assertOAuthError(answer: Answer, error: string, status = 400): void {
  assert.deepEqual([answer.status, answer.json.error], [status, error], answer.text);
}

describe('a device', () => {
  test('gets tokens once a person has logged in for it', async () => {
    const { json, status } = await asked();
    assert.equal(status, 200);
    assert.match(json.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.equal(json.verification_uri, `${server.url}/oidc/device`);
    assert.equal(json.verification_uri_complete, `${server.url}/oidc/device?user_code=${json.user_code}`);
    assert.deepEqual([json.expires_in, json.interval], [600, 5]);
    assertOAuthError(await poll(json.device_code), 'authorization_pending');

    const person = browser();
    const entry = await person.get(pathOf(json.verification_uri_complete));
    assert.ok(entry.text.includes(`value="${json.user_code}"`));
    const confirmation = await decide(person, json.user_code.toLowerCase().replace('-', ' '), 'look');
    for (const named of [json.user_code, 'overlay', '127.0.0.1', '2026-01-01 00:00 UTC']) {
      assert.ok(confirmation.text.includes(named), named);
    }
    const handOver = await logInFor(person, json.user_code);
    const question = await person.get(handOver);
    for (const named of ['overlay', '127.0.0.1', '2026-01-01 00:00 UTC', 'Sign in the device?']) {
      assert.ok(question.text.includes(named), named);
    }
    clock.advance(5 * SECOND);
    assertOAuthError(await poll(json.device_code), 'authorization_pending');
    const finished = await finish(person, handOver);
    assert.ok(finished.text.includes('Your device is signed in'));

    clock.advance(5 * SECOND);
    const tokens = await poll(json.device_code);
    assert.equal(tokens.status, 200, tokens.text);
    const own = await callWith(server, tokens.json.access_token);
    assert.equal(own.status, 200);
    const { program, operatingSystem } = own.json.data;
    assert.deepEqual([program, operatingSystem], ['television 4.2', 'Linux'], 'not the browser beside it');
    assert.deepEqual(claimsOf(tokens.json.id_token).amr, ['password']);
    assert.equal((await refresh(server, tokens.json.refresh_token)).status, 200);
  });

  test('gets tokens for the key that it proves, and its proof is not read before', async () => {
    const { json } = await asked();
    const key = dpopKey();
    const pollWith = (dpop: string) =>
      server.post('/oidc/token', {
        headers: { dpop },
        form: { grant_type: grantType, device_code: json.device_code, client_id: 'overlay' },
      });
    assertOAuthError(await pollWith('no proof'), 'authorization_pending');
    const person = browser();
    await finish(person, await logInFor(person, json.user_code));
    clock.advance(MINUTE);
    assertOAuthError(await pollWith('no proof'), 'invalid_dpop_proof');
    const tokens = await pollWith(key.proof({ method: 'POST', url: `${server.issuer}/token` }, clock.now()));
    assert.equal(tokens.json.token_type, 'DPoP', tokens.text);
    assert.deepEqual(claimsOf(tokens.json.access_token).cnf, { jkt: key.thumbprint });
  });

  test('leaves in the record, and on the application, which scopes it asked for in vain', async () => {
    const app = await registerClient(root, { type: 'public', scopes: ['openid'] });
    const scope = 'openid groups urn:x';
    const { json } = await asked({ client_id: app.id, scope });
    const person = browser();
    await finish(person, await logInFor(person, json.user_code));
    const { data } = (await root.get('login-attempts')).json;
    const checks = data.flatMap(
      (attempt: { checks: readonly { check: string; saw: string }[] }) => attempt.checks,
    );
    const saw = checks.find(({ check }: { check: string }) => check === 'scopes')?.saw;
    assert.match(String(saw), /not among those of the application: \["groups","urn:x"\]$/);
    assert.deepEqual((await root.get(`oidc-clients/${app.id}`)).json.data.droppedScopes, ['groups']);
  });

  test('has to wait longer if it asks too often, and loses nothing by it', async () => {
    const { json } = await asked();
    assertOAuthError(await poll(json.device_code), 'authorization_pending');
    clock.advance(SECOND);
    assertOAuthError(await poll(json.device_code), 'slow_down');
    clock.advance(5 * SECOND);
    assertOAuthError(await poll(json.device_code), 'authorization_pending');
  });

  test('asks a person who is signed in for credentials, and leaves the browser signed out', async (t) => {
    const stayed = await startTestServer({ clock, configure: withBrowserSession });
    t.after(() => stayed.close());
    await stayed.createUser({ name: 'alice', password });
    const signedIn = await signedInBrowser(stayed, 'alice');
    for (const person of [signedIn, cookieBrowser(stayed)]) {
      const form = { client_id: 'overlay', scope: 'openid' };
      const { json } = await stayed.post('/oidc/device_authorization', { form });
      const before = person.cookies.get(sessionCookieName);
      const start = await person.post('/oidc/device', { user_code: json.user_code, step: 'continue' });
      const page = await person.get(String(start.headers.location));
      assert.match(page.text, /id="password"/);
      await person.submit(page, { username: 'alice', password });
      assert.equal(person.cookies.get(sessionCookieName), before);
    }
  });

  test('learns that the person refused', async () => {
    const { json } = await asked();
    const refused = await decide(browser(), json.user_code, 'deny');
    assert.ok(refused.text.includes('The device was refused'));
    assertOAuthError(await poll(json.device_code), 'access_denied');
    assert.equal((await decide(browser(), json.user_code, 'continue')).status, 404);
  });

  test('learns that its code has expired, and so does the person', async () => {
    const { json } = await asked();
    const person = browser();
    const handOver = await logInFor(person, json.user_code);
    clock.advance(10 * MINUTE);
    assertOAuthError(await poll(json.device_code), 'expired_token');
    assert.equal((await decide(person, json.user_code, 'look')).status, 404);
    assert.ok((await finish(person, handOver)).text.includes('no longer waiting'));
  });

  test('has its code entered again by a person whose login took too long', async () => {
    const { json } = await asked();
    const person = browser();
    const form = await person.get(locationOf(await decide(person, json.user_code, 'continue')));
    const authRequestId = /name="authRequestId" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    clock.advance(10 * MINUTE);
    const late = await person.post('/oidc/login/username', { authRequestId, username: 'alice', password });
    const [, again = ''] = /id="start-again" class="button" href="([^"]+)"/.exec(late.text) ?? [];
    assert.match((await person.get(again)).text, /Enter the code that your device shows/);
  });

  test('gets one session for one code', async () => {
    const { json } = await asked();
    const person = browser();
    await finish(person, await logInFor(person, json.user_code));
    const both = await Promise.all([poll(json.device_code), poll(json.device_code)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
  });

  test('gets no tokens without every factor of the person', async () => {
    const policy = await totpPolicy(server);
    await createTotpUser(server, policy, 'tess');
    await enroll(server, clock, 'tess');
    const { json } = await asked();
    const person = browser();
    const start = await decide(person, json.user_code, 'continue');
    const form = await person.get(locationOf(start));
    const id = /name="authRequestId" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const step = await person.post('/oidc/login/username', { authRequestId: id, username: 'tess', password });
    assert.equal(step.status, 200);
    assertOAuthError(await poll(json.device_code), 'authorization_pending');
  });
});

describe('attacks on a device login', () => {
  test('a code of another login does not approve it', async () => {
    const { json } = await asked();
    const code = await obtainCode(server, 'alice', password);
    const page = await browser().get(`/oidc/device/finished?code=${code}`);
    assert.ok(page.text.includes('no longer waiting'));
    assertOAuthError(await poll(json.device_code), 'authorization_pending');
    // And it stays as it was.
    assert.equal((await redeem(server, code)).status, 200);
  });

  test('the code of a login for a device is useless without the device code', async () => {
    const { json } = await asked();
    const code = codeOf({
      headers: { location: server.url + (await logInFor(browser(), json.user_code)) },
    } as never);
    const redirect = `${server.url}/oidc/device/finished`;
    assertOAuthError(await redeem(server, code, { redirect_uri: redirect }), 'invalid_grant');
  });

  test('with both codes it gets nothing before the click, nor after the person has refused', async () => {
    for (const step of [null, 'deny', 'approve']) {
      const { json } = await asked();
      const person = browser();
      const handOver = await logInFor(person, json.user_code);
      const code = new URLSearchParams(handOver.split('?')[1]).get('code') ?? '';
      if (step !== null) await finish(person, handOver, step);
      const past = await redeem(server, code, {
        redirect_uri: `${server.issuer}/device/finished`,
        code_verifier: json.device_code,
      });
      assertOAuthError(past, 'invalid_grant');
      clock.advance(5 * SECOND);
      assert.equal((await poll(json.device_code)).status, step === 'approve' ? 200 : 400);
    }
  });

  test('the result goes to it only by a click of who has logged in, on our page', async () => {
    const { json } = await asked();
    const person = browser();
    const handOver = await logInFor(person, json.user_code);
    const code = new URLSearchParams(handOver.split('?')[1]).get('code') ?? '';
    const approval = { code, step: 'approve' };
    const ownPage = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
    // Led there by a link, twice: nothing is settled.
    for (let times = 0; times < 2; times += 1) {
      assert.ok((await person.get(handOver)).text.includes('Sign in the device?'));
    }
    // Another browser, a program, and pages of other origins.
    const attempts = [
      [200, ownPage],
      [403, {}],
      [403, { accept: 'text/html' }],
      [403, { ...ownPage, 'sec-fetch-site': 'same-site', origin: 'https://localhost:9' }],
      [403, { ...ownPage, 'sec-fetch-site': 'cross-site', origin: 'http://localhost:8400' }],
      [403, { origin: 'http://localhost:8400' }],
    ] as const;
    for (const [status, headers] of attempts) {
      const answer = await server.post('/oidc/device/finished', { form: approval, headers });
      assert.equal(answer.status, status, JSON.stringify(headers));
      assert.ok(!answer.text.includes('Your device is signed in'));
    }
    clock.advance(5 * SECOND);
    assertOAuthError(await poll(json.device_code), 'authorization_pending');
    assert.ok((await finish(person, handOver, 'deny')).text.includes('The device was refused'));
    assertOAuthError(await poll(json.device_code), 'access_denied');
    assert.ok((await finish(person, handOver)).text.includes('no longer waiting'));
  });

  test('no authorization request may name the address at which logins are handed over', async () => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'overlay',
      redirect_uri: `${server.url}/oidc/device/finished`,
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    assert.equal((await server.get(`/oidc/authorization?${query}`)).status, 400);
  });

  test('device codes that are not ours, or of another client, are refused alike', async () => {
    const { json } = await asked();
    const forged = `${json.device_code.slice(0, -1)}${json.device_code.endsWith('A') ? 'B' : 'A'}`;
    for (const code of ['x', forged, await obtainCode(server, 'alice', password)]) {
      assertOAuthError(await poll(code), 'invalid_grant');
    }
    assertOAuthError(await poll(json.device_code, { client_id: 'nobody' }), 'invalid_client');
    assertOAuthError(await poll(''), 'invalid_request');
  });

  test('the login continues only in the browser that confirmed the device', async () => {
    const { json } = await asked();
    const start = await decide(browser(), json.user_code, 'continue');
    const stolen = await browser().get(locationOf(start));
    assert.equal(stolen.status, 400);
  });

  test('a page of another site refuses and confirms nothing', async () => {
    const { json } = await asked();
    for (const step of ['continue', 'deny']) {
      const answer = await server.post('/oidc/device', {
        headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', accept: 'text/html' },
        form: { user_code: json.user_code, step },
      });
      assert.equal(answer.status, 403);
    }
    assertOAuthError(await poll(json.device_code), 'authorization_pending');
  });
});

describe('what beginning a device login costs', () => {
  test('a page of an application cannot confirm it for the person', async () => {
    await registerClient(root, { type: 'public' });
    const { json } = await asked();
    for (const origin of [new URL(appRedirectUri).origin, 'http://localhost:8400']) {
      for (const step of ['continue', 'deny']) {
        const headers = { origin, 'sec-fetch-site': 'cross-site', accept: 'text/html' };
        const answer = await server.post('/oidc/device', {
          form: { user_code: json.user_code, step },
          headers,
        });
        assert.equal(answer.status, 403, answer.text);
        assert.ok(!answer.text.includes(json.user_code));
      }
    }
    const person = browser();
    await finish(person, await logInFor(person, json.user_code));
    clock.advance(5 * SECOND);
    assert.equal((await poll(json.device_code)).status, 200);
  });

  test('is bounded for each source', async () => {
    await using other = await startTestServer({ clock });
    const begin = () =>
      other.post('/oidc/device_authorization', { form: { client_id: 'overlay', scope: 'openid' } });
    for (let i = 0; i < 30; i += 1) assert.equal((await begin()).status, 200);
    const refused = await begin();
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers['retry-after']) > 0);
  });

  test('is nothing if the request is refused', async () => {
    assertOAuthError(await asked({ client_id: 'nobody' }), 'invalid_client');
    assertOAuthError(await asked({ scope: 'profile' }), 'invalid_scope');
    // Without a default, a missing scope is an invalid one too (RFC 6749 section 3.3).
    assertOAuthError(await asked({ scope: '' }), 'invalid_scope');
    assertOAuthError(await server.post('/oidc/device_authorization', { form: {} }), 'invalid_request');
  });

  test('guessing the codes of others is counted like guessing passwords', async () => {
    await using other = await startTestServer({ clock });
    const guess = (code: string) =>
      other.post('/oidc/device', {
        headers: { accept: 'text/html' },
        form: { user_code: code, step: 'look' },
      });
    let status = 0;
    for (let i = 0; i < 400 && status !== 429; i += 1) {
      ({ status } = await guess(
        `BBBBBB${'BCDFGHJKLMNPQRSTVWXZ'[i % 20]}${'BCDFGHJKLMNPQRSTVWXZ'[Math.floor(i / 20)]}`,
      ));
      assert.ok(status === 404 || status === 429);
    }
    assert.equal(status, 429);
  });
});

test('discovery names the endpoint and the grant', async () => {
  const { json } = await server.get('/.well-known/openid-configuration');
  assert.equal(json.device_authorization_endpoint, `${server.url}/oidc/device_authorization`);
  assert.ok(json.grant_types_supported.includes(grantType));
});

describe('a device with an application that is not for the person', () => {
  test('is refused at once, and the page tells the person', async () => {
    const app = await registerClient(root, {
      name: 'Kiosk',
      type: 'public',
      tokenEndpointAuthMethod: 'none',
      allowedRoleAttributes: ['staff'],
    });
    const own = { client_id: app.id };
    const { json } = await asked(own);
    const person = browser();
    const confirmation = await decide(person, json.user_code, 'look');
    assert.ok(confirmation.text.includes('Kiosk'), 'by its name');
    const start = await decide(person, json.user_code, 'continue');
    const form = await person.get(locationOf(start));
    assert.ok(form.text.includes('Kiosk'));
    const id = /name="authRequestId" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
    const answer = await person.post('/oidc/login/username', {
      authRequestId: id,
      username: 'alice',
      password,
    });
    assert.equal(answer.status, 403);
    assert.match(answer.text, /You may not use this application/);
    assertOAuthError(await poll(json.device_code, own), 'access_denied');
    const gone = await decide(person, json.user_code, 'look');
    assert.equal(gone.status, 404);
  });
});
