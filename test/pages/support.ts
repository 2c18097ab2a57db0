// Logging in as a person does: pages, fields, buttons.

import assert from 'node:assert/strict';
import type { Page, Response } from 'playwright-core';
import type { Millis } from '../../src/platform/clock.ts';
import { StoreUnavailable } from '../../src/store/contracts/store.ts';
import type { Application } from '../support/application.ts';
import { authorizationQuery, redeem } from '../support/flow.ts';
import type { HttpsClient } from '../support/https-client.ts';
import type { OpenIdProvider } from '../support/openid-provider.ts';
import type { TestServer } from '../support/test-server.ts';

/** Begins a login for the application, and shows its first page. */
export async function beginAt(
  server: TestServer,
  application: Pick<Application, 'redirectUri'>,
  page: Page,
  changes: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const query = authorizationQuery({ redirect_uri: application.redirectUri, ...changes });
  const answer = await page.goto(`${server.url}/oidc/authorization?${query}`);
  assert.ok(answer);
  return answer;
}

/**
 * Has a page tell the time of a server whose clock a test sets, because a proof of a key says when it was made. Call it
 * before the page is opened.
 * @returns sets how far the clock is ahead, in Millis
 */
export async function ownClock(page: Page): Promise<(ahead: Millis) => Promise<void>> {
  await page.addInitScript(
    'globalThis.ahead = 0; Date.now = () => performance.timeOrigin + performance.now() + ahead;',
  );
  return (ahead) => page.evaluate(`ahead = ${ahead}`);
}

export async function givePassword(page: Page, username: string, password: string): Promise<void> {
  await page.fill('#username', username);
  await page.fill('#password', password);
  await submit(page, '#login');
}

/** Presses a button that leads to another page; returns its status. */
export async function submit(page: Page, selector: string): Promise<number> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().isNavigationRequest()),
    page.click(selector),
  ]);
  await page.waitForLoadState();
  return answer.status();
}

/** While `work` runs no password can be looked up, as when the connection to the database is lost. */
export async function withoutDatabase(server: TestServer, work: () => Promise<unknown>): Promise<void> {
  const { authenticators } = server.store;
  const { findPasswordLogin } = authenticators;
  const lost = () => Promise.reject(new StoreUnavailable('the connection is lost'));
  Object.assign(authenticators, { findPasswordLogin: lost });
  try {
    await work();
  } finally {
    Object.assign(authenticators, { findPasswordLogin });
  }
}

/** What a person does at the other provider: any password will do there, and consent may be asked for. */
export async function signInAtProvider(
  provider: Pick<OpenIdProvider, 'issuer'>,
  page: Page,
  name: string,
): Promise<void> {
  await page.waitForURL(`${provider.issuer}/**`);
  await page.fill('input[name=login]', name);
  await page.fill('input[name=password]', 'any');
  await page.click('button[type=submit]');
  await page.waitForLoadState();
  if (page.url().startsWith(provider.issuer)) await page.click('button[type=submit]');
  await page.waitForLoadState();
}

/** What a person answers who comes back from a provider for a program on their own device, and means it. */
export async function continueToApplication(page: Page): Promise<void> {
  assert.match(await page.title(), /^Continue to this application\?/);
  await submit(page, '#continue');
}

/**
 * Asserts that the browser is back at the application with a code, and that the code is good.
 * @param connection of the application, where it needs a certificate
 */
export async function assertLoggedIn(
  server: TestServer,
  application: Application,
  page: Page,
  connection: HttpsClient = server,
): Promise<void> {
  assert.ok(page.url().startsWith(`${application.redirectUri}?code=`), page.url());
  const parameters = new URL(page.url()).searchParams;
  assert.equal(parameters.get('state'), 's1');
  assert.equal(parameters.get('iss'), server.issuer);
  const changes = { redirect_uri: application.redirectUri };
  const tokens = await redeem(connection, parameters.get('code') ?? '', changes);
  assert.equal(tokens.status, 200, tokens.text);
}
