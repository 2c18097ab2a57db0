// What holds for every page and state that people can meet: in German, whose words are the longer ones, accessible in both
// colour schemes, usable on a narrow window, at 400 % zoom and with forced colours; the tests of what pages do read them in
// English. With OVERLAY_AUTH_SCREENSHOTS=FOLDER it takes a picture of each, in both languages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Response } from 'playwright-core';
import { accessibilityProblems } from '../support/axe.ts';
import { narrow, screenshot, takesPictures, visitor, wide, zoomed } from '../support/browser.ts';
import { englishOn } from '../support/english-words.ts';

/** How to reach each state. */
export type States = Readonly<Record<string, (page: Page) => Promise<unknown>>>;

/** Tests of each state. */
export function testStates(states: States): void {
  for (const [name, reach] of Object.entries(states)) {
    test(`the page "${name}" can be used by everybody`, async () => {
      const { page, complaints, close } = await visitor({ language: takesPictures ? 'en' : 'de' });
      const answers: Response[] = [];
      page.on('response', (answer) => {
        if (answer.request().isNavigationRequest()) answers.push(answer);
      });
      await reach(page);
      if (!takesPictures) await checkGerman(page);
      await checkReference(page, answers.at(-1));
      await checkEverywhere(page, name);
      await checkFromRightToLeft(page, name);
      assert.deepEqual(await page.evaluate(sentTwice), [], `${name}: a second press sends nothing`);
      // A refusal is an answer with a status of its own, which the browser writes down; nothing else is wrong.
      const wrong = complaints.filter((text) => !text.startsWith('Failed to load resource'));
      assert.deepEqual(wrong, []);
      await close();
    });
  }

  if (takesPictures) {
    test('pictures in German', async () => {
      for (const [name, reach] of Object.entries(states)) {
        const { page, close } = await visitor({ language: 'de' });
        await reach(page).catch(() => undefined);
        await screenshot(page, `${name}-german`);
        await close();
      }
    });
  }
}

async function checkGerman(page: Page): Promise<void> {
  assert.equal(await page.getAttribute('html', 'lang'), 'de');
  assert.deepEqual(await englishOn(page), []);
}

/** A refusal names the id under which an administrator finds it. */
async function checkReference(page: Page, answer: Response | undefined): Promise<void> {
  assert.ok(answer);
  const isRefused = answer.status() >= 400;
  assert.equal(/^(?:Error|Fehler): /.test(await page.title()), isRefused, 'the title says so first');
  if (!isRefused) return;
  const shown = await page.locator('main code').allInnerTexts();
  assert.ok(shown.includes(answer.headers()['x-request-id'] ?? ''), `no reference among ${shown}`);
}

async function checkEverywhere(page: Page, name: string): Promise<void> {
  assert.equal(await page.locator('h1').count(), 1);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await accessibilityProblems(page), [], `${name} ${colorScheme}`);
    await screenshot(page, `${name}-${colorScheme}`);
  }
  for (const [size, viewport] of Object.entries({ narrow, zoomed })) {
    await page.setViewportSize(viewport);
    const overflow = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    assert.equal(overflow, 0, `${name} ${size}: no scrolling sideways`);
    const small = await page.evaluate<readonly string[]>(tooSmall);
    assert.deepEqual(small, [], `${name} ${size}: targets of at least 24 by 24 pixels (WCAG 2.5.8)`);
  }
  await page.setViewportSize(narrow);
  await screenshot(page, `${name}-narrow-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await screenshot(page, `${name}-narrow-light`);
  await page.setViewportSize(wide);
  assert.deepEqual(
    await page.evaluate(crowded),
    [],
    `${name}: text keeps a distance from the button above it`,
  );
  await page.emulateMedia({ forcedColors: 'active' });
  const borderless = await page.evaluate<readonly string[]>(invisibleButtons);
  assert.deepEqual(borderless, [], `${name}: buttons have an edge when colours are forced`);
  await page.emulateMedia({ forcedColors: 'none' });
}

/** The layout of a language that is written the other way, with the words of this one. */
async function checkFromRightToLeft(page: Page, name: string): Promise<void> {
  await page.evaluate("document.documentElement.dir = 'rtl'");
  await page.setViewportSize(narrow);
  // What sticks out there is out of reach to the left.
  const overflow = await page.evaluate<number>(
    'Math.max(0, ...[...document.querySelectorAll("main *")].map((element) => -element.getBoundingClientRect().left))',
  );
  assert.equal(overflow, 0, `${name} from right to left: nothing sticks out`);
  assert.deepEqual(await accessibilityProblems(page), [], `${name} from right to left`);
  await screenshot(page, `${name}-rtl`);
  await page.setViewportSize(wide);
}

/** Buttons and fields that are too small to hit; links in a sentence are exempt. */
const tooSmall = `[...document.querySelectorAll('button, .button, input:not([type=hidden]), summary')]
  .filter((element) => element.checkVisibility())
  .filter((element) => {
    const { width, height } = (element.type === 'checkbox' ? element.parentElement : element).getBoundingClientRect();
    return width < 24 || height < 24;
  })
  .map((element) => element.outerHTML.slice(0, 80))`;

const crowded = `[...document.querySelectorAll('main :is(button, .button, form) + p')]
  .filter((text) => text.checkVisibility())
  .filter((text) => text.getBoundingClientRect().top - text.previousElementSibling.getBoundingClientRect().bottom < 8)
  .map((text) => text.outerHTML.slice(0, 80))`;

/** Forms that a second press would send again. A passkey is asked for instead of sending. */
const sentTwice = `[...document.querySelectorAll('form:not([data-passkey])')]
  .filter((form) => {
    const press = () => form.dispatchEvent(new SubmitEvent('submit', { cancelable: true }));
    return !press() || press();
  })
  .map((form) => form.action)`;

const invisibleButtons = `[...document.querySelectorAll('button:not(.link), .button')]
  .filter((element) => element.checkVisibility())
  .filter((element) => getComputedStyle(element).borderTopStyle === 'none' || getComputedStyle(element).borderTopWidth === '0px')
  .map((element) => element.outerHTML.slice(0, 80))`;
