import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBrowser } from './browser-login.ts';

test('a browser is opened only where there is one', async () => {
  const url = 'https://localhost:1/';
  assert.equal(await openBrowser({ platform: 'linux', env: {} }, url), false);
  assert.equal(
    await openBrowser({ platform: 'linux', env: { BROWSER: '/nonexistent/browser' } }, url),
    false,
  );
  // A program that exists and does nothing with its arguments.
  assert.equal(await openBrowser({ platform: 'linux', env: { BROWSER: 'true' } }, url), true);
});
