// The pages that show the API descriptions, as a person reads them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityProblems } from '../support/axe.ts';
import { narrow, screenshot, visitor } from '../support/browser.ts';
import { startTestServer } from '../support/test-server.ts';

const phone = { width: 360, height: 640 } as const;

test('an API page lists the operations by tag, and finds them by words', async () => {
  await using server = await startTestServer();
  const { page, complaints, close } = await visitor({ viewport: phone });
  await page.goto(`${server.url}/edge/client/v1/docs`);
  const shown = page.locator('#operations li:visible');
  const all = await shown.count();
  const first = await page.locator('#operations h2').first().boundingBox();
  assert.ok(first !== null && first.y + first.height <= 320, `the first tag ends at ${first?.y}`);
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
  assert.equal(await isWithinWidth(page), true);
  assert.deepEqual(complaints, []);
  await close();
});

test('an operation has a page of its own with the script of all pages, between its neighbours', async () => {
  await using server = await startTestServer();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, complaints, close } = await visitor({ colorScheme, viewport: phone });
    await page.goto(`${server.url}/edge/client/v1/docs`);
    await page.getByRole('link', { name: /^GET \S+\/current-identity\/authenticators$/ }).click();
    const main = page.getByRole('main');
    assert.equal(await page.locator('script').count(), 1);
    const text = await main.innerText();
    assert.match(text, /GET \/edge\/client\/v1\/current-identity\/authenticators\n/);
    assert.match(text, /Challenges\nAn access token of the OpenID provider/);
    assert.match(
      text,
      /limit in the query \(optional\): integer, at least 0, at most 500 or "none" For example/,
    );
    assert.match(text, /Responses\n200 /);
    assert.match(text, /\n401 .*\nwww-authenticate: One line for each way to authenticate/s);
    assert.match(text, /\bstring, number, boolean or null\b/);
    assert.match(text, /\nEdgeError\n/);
    const begins = await main.locator('h1').boundingBox();
    assert.ok(begins !== null && begins.y + begins.height <= 320);
    assert.deepEqual(await accessibilityProblems(page), []);
    await screenshot(page, `api-operation-${colorScheme}`);
    await page.setViewportSize(narrow);
    assert.equal(await isWithinWidth(page), true);

    const heading = await main.locator('h1').innerText();
    const to = (name: string) => page.getByRole('link', { name, exact: true });
    await to('Next').click();
    assert.notEqual(await main.locator('h1').innerText(), heading);
    await to('Previous').click();
    assert.equal(await main.locator('h1').innerText(), heading);
    await to('All operations').click();
    assert.equal(await to('Previous').count(), 0);
    await page.locator('#operations a').first().click();
    assert.deepEqual([await to('Previous').count(), await to('Next').count()], [0, 1]);
    assert.deepEqual(complaints, []);
    await close();
  }
});

function isWithinWidth(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
}
