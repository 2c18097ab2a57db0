// The page on which a person answers for a device, in a browser.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { visitor } from '../support/browser.ts';
import { startTestServer } from '../support/test-server.ts';

const server = await startTestServer();
after(() => server.close());

test('a person who thinks better of it at once has denied, however slow the answer to the first click is', async () => {
  const form = { client_id: 'overlay', scope: 'openid' };
  const { device_code, user_code } = (await server.post('/oidc/device_authorization', { form })).json;
  const { page, close } = await visitor();
  await page.goto(`${server.url}/oidc/device?user_code=${user_code}`);
  await page.click('button[type=submit]');
  await page.locator('button[value=continue]').waitFor();
  const sent: string[] = [];
  await page.route('**/oidc/device', async (route) => {
    const text = route.request().postData() ?? '';
    sent.push(new URLSearchParams(text).get('step') ?? '');
    // The first one gets no answer.
    if (text.includes('step=deny')) await route.continue();
  });
  const denied = page.waitForResponse((answer) => answer.request().method() === 'POST');
  // While an answer is awaited, nothing can be asked of the page from here.
  await page.evaluate(`{
    const button = (value) => document.querySelector('button[value=' + value + ']');
    button('continue').click();
    setTimeout(() => button('continue').click(), 25);
    setTimeout(() => button('deny').click(), 50);
  }`);
  await denied;
  assert.deepEqual(sent, ['continue', 'deny']);
  const polled = await server.post('/oidc/token', {
    form: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code, client_id: 'overlay' },
  });
  assert.deepEqual([polled.status, polled.json.error], [400, 'access_denied']);
  await close();
});
