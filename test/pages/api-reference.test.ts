// The pages that show the API descriptions, as a person reads them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessibilityProblems } from '../support/axe.ts';
import { narrow, screenshot, visitor } from '../support/browser.ts';
import { startTestServer } from '../support/test-server.ts';

test('an API page names types as people do, and finds operations by words', async (t) => {
  const server = await startTestServer();
  t.after(() => server.close());
  const { page, complaints, close } = await visitor();
  await page.goto(`${server.url}/edge/client/v1/docs`);
  const text = await page.locator('main').innerText();
  assert.match(text, /\bstring, number, boolean or null\b/);
  assert.match(text, /one of passed, refused/);
  assert.match(text, /integer, at least 0, at most 500 or "none" For example 50, none\./);
  assert.match(text, /\bResponses\b/);
  assert.match(text, /\bErrors of GET /);
  assert.doesNotMatch(text, /stringn|numberb|Answers|Refusals of/);

  const shown = page.locator('#operations li:visible');
  const all = await shown.count();
  await page.locator('#search').focus();
  await page.keyboard.type('recovery post');
  await page.getByText('1 operation found', { exact: true }).waitFor();
  assert.equal(await shown.count(), 1);
  assert.match(await shown.innerText(), /POST .*\/mfa\/recovery-codes/);
  assert.equal(await page.locator('#operations h2:visible').count(), 1);
  assert.deepEqual(await accessibilityProblems(page), []);
  await screenshot(page, 'api-search');
  await page.locator('#search').fill('');
  assert.equal(await shown.count(), all);
  await page.setViewportSize(narrow);
  assert.equal(
    await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
    true,
  );
  assert.deepEqual(complaints, []);
  await close();
});
