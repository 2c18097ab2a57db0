// The pages and states that people meet at a sign-in and at the set-up (states.ts says what is tried on each), and their
// weight. Those that need another provider, a mail or a session before are in further-states.test.ts.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { createSetupLink } from '../../src/admin/setup.ts';
import { auditLog } from '../../src/explain/audit-trail.ts';
import { sourceLimits } from '../../src/login/throttle.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { startApplication } from '../support/application.ts';
import { visitor } from '../support/browser.ts';
import { englishOn } from '../support/english-words.ts';
import { createPolicy, createSigner, createUserWithPolicy } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { login } from '../support/flow.ts';
import { rootOf } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTotpUser, enroll, partialLogin, password, submitCode, totpPolicy } from '../support/totp.ts';
import { type States, testStates } from './states.ts';
import { beginAt, givePassword, submit, withoutDatabase } from './support.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const application = await startApplication();
// Its store is broken, which reaches the thread of the test only.
const server = await startTestServer({ clock, threads: 1 });
const noCertificates = await startTestServer({
  clock,
  configure: (yaml) => yaml.replace('clientCertificates: request', 'clientCertificates: none'),
});
const policy = await totpPolicy(server);
const admin = await rootOf(server);
const provider = { issuer: 'https://localhost:1', jwksEndpoint: 'https://localhost:1/jwks' };
const forPeople = { externalAuthUrl: provider.issuer, clientId: 'overlay' };
const signer = await createSigner(admin, provider, 'Example ID', forPeople);
const programs = { issuer: 'https://robots.example', jwksEndpoint: 'https://localhost:1/jwks' };
const other = await createSigner(admin, programs, 'Robots');
for (const [name, requireExtJwt] of [
  ['second', signer],
  ['program', other],
] as const) {
  const id = await createPolicy(server, name, { secondary: { requireExtJwt } });
  await createUserWithPolicy(server, name, id);
}
after(async () => {
  await Promise.all([server.close(), noCertificates.close()]);
  await application.close();
});

let people = 0;
async function person(): Promise<string> {
  people += 1;
  await createTotpUser(server, policy, `person${people}`);
  return `person${people}`;
}

async function atCode(page: Page): Promise<void> {
  const name = await person();
  await enroll(server, clock, name);
  await beginAt(server, application, page);
  await givePassword(page, name, password);
}

/** After a recovery code and the wish to set up the app anew. @returns the codes that are left */
async function atNewApp(page: Page, used = (_: readonly string[]): readonly string[] => []) {
  const name = await person();
  const { recoveryCodes } = await enroll(server, clock, name);
  const [first = '', ...others] = recoveryCodes;
  const before = used(recoveryCodes);
  for (const code of before) await submitCode(server, await partialLogin(server, name), code);
  await beginAt(server, application, page);
  await givePassword(page, name, password);
  await page.click('summary');
  await page.fill('#recovery-code', first);
  await submit(page, '#set-up-app');
  return others.filter((code) => !before.includes(code));
}

async function setUpNewApp(page: Page): Promise<void> {
  const [another = ''] = await atNewApp(page);
  await page.fill('#recovery-code', another);
  await submit(page, '#start-enrollment');
}

async function atEnrollment(page: Page): Promise<void> {
  await beginAt(server, application, page);
  await givePassword(page, await person(), password);
}

async function atDevice(page: Page): Promise<void> {
  const form = { client_id: 'overlay', scope: 'openid' };
  const { json } = await server.post('/oidc/device_authorization', { form });
  await page.goto(json.verification_uri_complete);
  await submit(page, 'button');
}

async function atSetup(page: Page): Promise<string> {
  const { token } = await createSetupLink({ ...server, audit: auditLog(server.log) });
  await page.goto(`${server.url}/setup?t=${token}`);
  return token;
}

async function setUp(page: Page, name: string, secret: string): Promise<void> {
  await page.fill('#username', name);
  await page.fill('#password', secret);
  await page.fill('#repeated', secret);
  await submit(page, '#create');
}

/** How to reach each state. */
const states: States = {
  start: (page) => page.goto(server.url),
  password: (page) => beginAt(server, application, page),
  'password-only': (page) => beginAt(noCertificates, application, page),
  async 'password-refused'(page) {
    await beginAt(server, application, page);
    await givePassword(page, 'alice', 'wrong');
  },
  certificate: (page) => beginAt(server, application, page, { method: 'cert' }),
  async 'certificate-refused'(page) {
    await beginAt(server, application, page, { method: 'cert' });
    await submit(page, '#login');
  },
  'certificate-not-asked-for': (page) => beginAt(noCertificates, application, page, { method: 'cert' }),
  provider: (page) => beginAt(server, application, page, { method: 'ext-jwt' }),
  'no-provider': (page) => beginAt(noCertificates, application, page, { method: 'ext-jwt' }),
  async 'provider-unreachable'(page) {
    await beginAt(server, application, page, { method: 'ext-jwt' });
    await page.click('text=Example ID');
    await page.waitForSelector('#failure');
  },
  async 'second-provider'(page) {
    await beginAt(server, application, page);
    await givePassword(page, 'second', password);
  },
  async 'second-token-by-program'(page) {
    await beginAt(server, application, page);
    await givePassword(page, 'program', password);
  },
  device: (page) => page.goto(`${server.url}/oidc/device`),
  async 'device-refused'(page) {
    await page.goto(`${server.url}/oidc/device?user_code=BCDF-GHJK`);
    await submit(page, 'button');
  },
  'device-confirm': atDevice,
  async 'device-denied'(page) {
    await atDevice(page);
    await submit(page, 'button[value=deny]');
  },
  code: atCode,
  async 'code-recovery'(page) {
    await atCode(page);
    await page.click('summary');
  },
  async 'code-refused'(page) {
    await atCode(page);
    await page.fill('#code', '000000');
    await submit(page, '#submit-code');
  },
  'new-app': atNewApp,
  async 'new-app-refused'(page) {
    await atNewApp(page);
    await page.fill('#recovery-code', 'AAAAA-AAAAA');
    await submit(page, '#start-enrollment');
  },
  'new-app-set-up': setUpNewApp,
  async 'new-app-wrong-code'(page) {
    await setUpNewApp(page);
    await page.check('#saved');
    await page.fill('#code', '000000');
    await submit(page, '#verify');
  },
  async 'new-app-without-codes'(page) {
    const codes = await atNewApp(page, (left) => left.slice(1));
    assert.deepEqual(codes, []);
  },
  'enrollment-intro': atEnrollment,
  async enrollment(page) {
    await atEnrollment(page);
    await submit(page, '#start-enrollment');
  },
  async 'enrollment-refused'(page) {
    await atEnrollment(page);
    await submit(page, '#start-enrollment');
    await page.check('#saved');
    await page.fill('#code', '000000');
    await submit(page, '#verify');
  },
  async 'enrollment-begun'(page) {
    await atEnrollment(page);
    const id = await page.locator('input[name=authRequestId]').first().inputValue();
    await submit(page, '#start-enrollment');
    await page.goto(`${server.url}/oidc/login/auth-queries?id=${id}`);
    await submit(page, '#start-enrollment');
  },
  async 'too-many-tries'(page) {
    await beginAt(server, application, page);
    const tries = Array.from({ length: 300 }, () =>
      server.store.attempts.count(sourceLimits('source', '127.0.0.1'), 1, clock.now()),
    );
    await Promise.all(tries);
    await givePassword(page, 'alice', password);
    clock.advance(MINUTE);
    assert.match(
      await page.locator('main').innerText(),
      /(?:Try again in|Versuchen Sie es in) 60 (?:seconds|Sekunden)/,
    );
  },
  async unavailable(page) {
    await beginAt(server, application, page);
    await withoutDatabase(server, () => givePassword(page, 'alice', password));
    assert.match(
      await page.locator('main').innerText(),
      /(?:Try again in|Versuchen Sie es in) \d+ (?:seconds|Sekunden)/,
    );
  },
  async expired(page) {
    await beginAt(server, application, page);
    clock.advance(10 * MINUTE);
    await givePassword(page, 'alice', password);
  },
  async 'signed-out'(page) {
    const tokens = await login(server, 'root', password);
    await page.goto(`${server.url}/oidc/end_session?id_token_hint=${tokens.id_token}`);
  },
  'nothing-to-sign-out-of': (page) => page.goto(`${server.url}/oidc/end_session`),
  'sign-out-question': (page) =>
    page.goto(
      `${server.url}/oidc/end_session?${new URLSearchParams({
        client_id: 'overlay',
        post_logout_redirect_uri: 'http://localhost:8400/auth/logout',
      })}`,
    ),
  'redirect-uri': (page) =>
    beginAt(server, application, page, { redirect_uri: 'https://elsewhere.example/' }),
  'unknown-application': (page) => beginAt(server, application, page, { client_id: 'nobody' }),
  'not-found': (page) => page.goto(`${server.url}/nowhere`),
  setup: atSetup,
  async 'setup-refused'(page) {
    await atSetup(page);
    await setUp(page, 'ana', 'password123456');
    const marked = "[...document.querySelectorAll('[aria-invalid=true]')].map(({ id }) => id)";
    const wrong = await page.evaluate<readonly string[]>(marked);
    assert.deepEqual(wrong, ['password'], 'the field that was refused, and no other');
  },
  async 'setup-done'(page) {
    await atSetup(page);
    await setUp(page, 'ana', password);
  },
  async 'setup-used'(page) {
    const token = await atSetup(page);
    await setUp(page, 'ben', password);
    await page.goto(`${server.url}/setup?t=${token}`);
  },
  'setup-unknown': (page) => page.goto(`${server.url}/setup?t=x`),
};

testStates(states);

test('English would be found on a page in German', async () => {
  const { page, close } = await visitor();
  await beginAt(server, application, page);
  assert.ok((await englishOn(page)).length > 3);
  await close();
});

test('a login page and its style weigh at most 15 KB, compressed', async () => {
  const { page, close } = await visitor();
  const answer = await beginAt(server, application, page);
  const html = await answer.text();
  const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  // Style, script and icon.
  assert.equal(paths.length, 3);
  const files = await Promise.all(paths.map((path) => server.get(path)));
  const weights = [html, ...files.map(({ text }) => text)].map((text) => gzipSync(text).length);
  assert.ok(weights.reduce((sum, one) => sum + one, 0) <= 15_000, weights.join(' + '));
  await close();
});
