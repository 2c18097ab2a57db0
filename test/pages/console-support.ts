// Working at the console as a person does.

import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityProblems } from '../support/axe.ts';
import { type Visitor, type VisitorOptions, visitor, wide } from '../support/browser.ts';
import { closable } from '../support/closable.ts';
import { password } from '../support/management.ts';
import type { TestServer } from '../support/test-server.ts';

/** A telephone held upright; the pages of the logins are looked at with 320 (browser.ts). */
export const phone = { width: 360, height: 740 } as const;

/** Fills in the login page, in this window or in one of its own. */
export async function giveLogin(page: Page, username: string, secret = password): Promise<void> {
  await page.locator('#username').fill(username);
  await page.locator('#password').fill(secret);
  await page.locator('#login').click();
}

/** An administrator who signs in to the console at an address and sees it. */
export async function atConsole(
  server: TestServer,
  username: string,
  path = '/console',
  options: VisitorOptions = {},
): Promise<Visitor> {
  const guest = await visitor(options);
  await guest.page.goto(server.url + path);
  await giveLogin(guest.page, username);
  await guest.page.locator('.shell').waitFor();
  return guest;
}

/** An administrator who is signed in to the console, and whom several tests send to screens. */
export interface Colleague {
  /** At a screen. When a test before has failed, at a console that is opened anew. */
  at(path: string): Promise<Visitor>;
  close(): Promise<void>;
}

/** Signing in at the console costs more than most tests do there, so tests that are not about it share one sign-in. */
export function colleague(
  server: () => TestServer,
  username: string,
  options: VisitorOptions = {},
): Colleague {
  let guest: Visitor | undefined;
  let isFree = false;
  afterEach(({ passed }) => {
    isFree &&= passed;
  });
  return {
    async at(path) {
      if (guest !== undefined && isFree) {
        // The heading of a screen stays when that screen is asked for again.
        const [pathname] = path.split('?');
        if (new URL(guest.page.url()).pathname === pathname) await go(guest.page, '/nodes');
        await go(guest.page, path.slice('/console'.length));
        // The test before may have looked at its screens in another window.
        await guest.page.setViewportSize(options.viewport ?? wide);
        await guest.page.emulateMedia({ colorScheme: options.colorScheme ?? 'light' });
      } else {
        await guest?.close();
        guest = await atConsole(server(), username, path, options);
      }
      isFree = false;
      const close = async () => {
        isFree = true;
      };
      return closable<Visitor>({ ...guest, close });
    },
    close: async () => guest?.close(),
  };
}

/**
 * Goes to another screen without leaving the page, as a link does: the session stays. Returns when the screen
 * before is gone.
 */
export async function go(page: Page, path: string): Promise<void> {
  await page.locator('h1').waitFor();
  await page.evaluate(`{
    document.querySelector('h1').dataset.left = '';
    history.pushState({}, '', '/console${path}');
  }`);
  await page.locator('h1:not([data-left])').waitFor();
}

/** Holds one request of the page, which `asked` waits for, until `release`. @param call counts from 1 */
export async function held(page: Page, url: string, call = 1) {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const { promise: released, resolve: mayGoOn } = Promise.withResolvers<void>();
  let calls = 0;
  await page.route(url, async (route) => {
    calls += 1;
    if (calls === call) {
      isAsked();
      await released;
    }
    await route.continue();
  });
  const release = () => {
    mayGoOn();
    return page.unrouteAll({ behavior: 'wait' });
  };
  return { asked, release };
}

/** Looks at the page with axe, at its width, at where its words end, and at what it complained of. */
export async function assertClean({ page, complaints }: Visitor): Promise<void> {
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  assert.deepEqual(await accessibilityProblems(page), []);
  await assertFits(page);
  assert.deepEqual(
    complaints.filter((complaint) => !/status of (?:4\d\d|503)|ERR_INTERNET_DISCONNECTED/.test(complaint)),
    [],
  );
}

/** Looks at the width of what a page shows, and at where its words end. */
export async function assertFits(page: Page, what = 'as it is'): Promise<void> {
  assert.deepEqual(await page.evaluate(sticksOut), [], what);
  assert.deepEqual(await page.evaluate(brokenWords), [], what);
  assert.deepEqual(await page.evaluate(enlargedFields), [], what);
}

/** Fields in which iPhones enlarge the page to type, and leave it so: their text has less than 16 px. */
const enlargedFields = `[...document.querySelectorAll('input:not([type=checkbox], [type=radio], [type=file]), select, textarea')]
  .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16)
  .map(({ id }) => id)`;

const sticksOut = `[...document.querySelectorAll('main, main *')]
  .filter((element) => element.checkVisibility() && element.closest('.hidden-text, thead, canvas, .skip') === null)
  .filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    return left < 0 || right > document.documentElement.clientWidth + 0.5;
  })
  .map((element) => element.outerHTML.slice(0, 80))
  .concat(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page scrolls'] : [])`;

/** Words that a line ends in the middle of. Longer ones than these, such as ids and addresses, may be broken. */
const brokenWords = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found = [];
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (!text.parentElement.checkVisibility() || text.parentElement.closest('.hidden-text, pre, script')) continue;
    for (const { 0: word, index } of text.data.matchAll(/(?<![^\\s-])[\\p{L}\\p{N}.:@]{2,16}(?![^\\s-])/gu)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) found.push(word);
    }
  }
  return found;
})()`;

/** What is said to those who listen. Another change may be announced in the same words: each is heard once. */
export async function announced(page: Page, text: string | RegExp): Promise<void> {
  const said = page.locator('#status p:not([data-heard])').filter({ hasText: text });
  await said.waitFor();
  await said.evaluate((element) => element.setAttribute('data-heard', ''));
}
