// Servers at which people stay signed in in their browser, and the steps of such a person.

import assert from 'node:assert/strict';
import { type CookieBrowser, cookieBrowser } from './cookie-browser.ts';
import { authorizationQuery } from './flow.ts';
import type { Answer, HttpsClient } from './https-client.ts';
import { password } from './management.ts';

export const sessionCookieName = '__Host-overlay-auth-session';

/** A web application of the built-in client, which may be answered without a question. */
export const webRedirectUri = 'https://portal.example/auth/callback';

/** Changes the configuration of a test so that people stay signed in. */
export function withBrowserSession(yaml: string): string {
  const binding = `
      - binding: edge-oidc
        options:
          redirectURIs: ['http://localhost:*/auth/callback', 'http://127.0.0.1:*/auth/callback', '${webRedirectUri}']
          postLogoutURIs: ['http://localhost:8400/auth/logout']
          browserSession: { idle: 30m, absolute: 12h }
`;
  return yaml.replace(/\n {6}- binding: health-checks\n/, (line) => `${binding}${line.slice(1)}`);
}

type Changes = Readonly<Record<string, string | null>>;

/** Where a web application sends the browser. */
export function authorizeIn(browser: CookieBrowser, changes: Changes = {}): Promise<Answer> {
  return browser.get(
    `/oidc/authorization?${authorizationQuery({ redirect_uri: webRedirectUri, ...changes })}`,
  );
}

/** Follows an answer to a page of this server. */
export function follow(browser: CookieBrowser, answer: Answer): Promise<Answer> {
  assert.equal(answer.status, 302, answer.text);
  return browser.get(String(answer.headers.location));
}

/** Signs in on the pages. @returns the answer to the password, which leads to the application */
export async function signIn(
  browser: CookieBrowser,
  username: string,
  changes: Changes = {},
): Promise<Answer> {
  const page = await follow(browser, await authorizeIn(browser, changes));
  assert.match(page.text, /id="password"/);
  return browser.submit(page, { username, password });
}

/** A browser in which a person is signed in. */
export async function signedInBrowser(
  server: HttpsClient & { readonly url: string },
  username: string,
): Promise<CookieBrowser> {
  const browser = cookieBrowser(server);
  const answer = await signIn(browser, username);
  assert.equal(answer.status, 302, answer.text);
  assert.ok(browser.cookies.has(sessionCookieName));
  return browser;
}

/** What an answer passes to the application. */
export function broughtBack(answer: Answer): URLSearchParams {
  assert.equal(answer.status, 302, answer.text);
  return new URL(String(answer.headers.location), 'https://here.invalid').searchParams;
}

/** Whether an answer asks for credentials. */
export function asksForLogin(answer: Answer): boolean {
  return String(answer.headers.location).startsWith('/oidc/login/username?');
}

/** Whether an answer leads to the page that says who is signed in. */
export function asksWhom(answer: Answer): boolean {
  return String(answer.headers.location).startsWith('/oidc/login/continue?');
}
