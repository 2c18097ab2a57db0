// Staying signed in and going back to the application by a form, in a real browser, with scripts and without.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startApplication } from '../support/application.ts';
import { accessibilityProblems } from '../support/axe.ts';
import { visitor } from '../support/browser.ts';
import { withBrowserSession } from '../support/browser-session.ts';
import { redeem } from '../support/flow.ts';
import { password, rootOf } from '../support/management.ts';
import { registerClient } from '../support/oidc-clients.ts';
import { startTestServer } from '../support/test-server.ts';
import { beginAt, givePassword } from './support.ts';

const application = await startApplication();
const server = await startTestServer({ configure: withBrowserSession });
await server.createUser({ name: 'alice', password });
const client = await registerClient(await rootOf(server), {
  name: 'Wiki',
  redirectUris: [application.redirectUri],
});
const registered = client.id;
after(async () => {
  await server.close();
  await application.close();
});

for (const scripts of [true, false]) {
  describe(scripts ? 'with scripts' : 'without scripts', () => {
    test('each further authorization of a program on this device asks for a click', async () => {
      const { page, complaints, close } = await visitor({ scripts });
      await beginAt(server, application, page);
      await givePassword(page, 'alice', password);
      await page.waitForURL(`${application.redirectUri}?**`);
      await beginAt(server, application, page);
      await page.click('#continue');
      await page.waitForURL(`${application.redirectUri}?**`);

      await beginAt(server, application, page, { client_id: registered });
      assert.equal(await page.innerText('#signed-in-as'), 'alice');
      assert.match(await page.innerText('.lead'), /Wiki on this device/);
      if (scripts) assert.deepEqual(await accessibilityProblems(page), []);
      await page.click('#continue');
      await page.waitForURL(`${application.redirectUri}?**`);

      await page.goto(`${server.url}/oidc/end_session`);
      await page.click('#sign-out');
      await page.waitForSelector('h1:text("You are signed out")');
      await beginAt(server, application, page);
      assert.equal(await page.locator('#password').count(), 1);
      assert.deepEqual(complaints, []);
      await close();
    });

    test('the answer as a form comes to the application', async () => {
      const { page, complaints, close } = await visitor({ scripts });
      await beginAt(server, application, page, { response_mode: 'form_post', state: `s"<${scripts}>` });
      await givePassword(page, 'alice', password);
      if (!scripts) await page.click('main button');
      await page.waitForURL(application.redirectUri);
      await page.waitForSelector('h1:text("Back at the application")');
      const post = application.posts.at(-1);
      assert.equal(post?.get('state'), `s"<${scripts}>`);
      assert.equal(post?.get('iss'), server.issuer);
      const redirected = { redirect_uri: application.redirectUri };
      assert.equal((await redeem(server, post?.get('code') ?? '', redirected)).status, 200);
      assert.deepEqual(complaints, []);
      await close();
    });
  });
}

test('the answer as a form is sent once, also when the person presses its button meanwhile', async () => {
  await using alice = await visitor();
  const { page } = alice;
  const isPressed = page.waitForRequest('**/pressed');
  let posts = 0;
  await page.route(application.redirectUri, async (route) => {
    posts += 1;
    await isPressed;
    await route.continue().catch(() => undefined);
  });
  await page.addInitScript(`addEventListener('DOMContentLoaded', () => {
    if (document.title.startsWith('Going back')) setTimeout(() => {
      // Firefox shows the page only now, after its script has sent the form.
      dispatchEvent(new PageTransitionEvent('pageshow'));
      document.querySelector('form button').click();
      new Image().src = '/pressed';
    }, 50);
  });`);
  await beginAt(server, application, page, { response_mode: 'form_post' });
  await page.fill('#username', 'alice');
  await page.fill('#password', password);
  await page.click('#login', { noWaitAfter: true });
  await page.waitForURL(application.redirectUri);
  assert.equal(posts, 1);
});

test('a name that begins in a script from right to left is read from the right', async () => {
  await server.createUser({ name: '\u05d3\u05e0\u05d4 Cohen', username: 'dana', password });
  const { page, close } = await visitor();
  await beginAt(server, application, page);
  await givePassword(page, 'dana', password);
  await page.waitForURL(`${application.redirectUri}?**`);
  await beginAt(server, application, page);
  const [hebrew = 0, latin = 0] = await page.evaluate<readonly number[]>(leftOfWords);
  assert.ok(latin < hebrew, `${latin} < ${hebrew}`);
  await close();
});

/** Where the two words of the name begin on the screen. */
const leftOfWords = `(() => {
  const text = document.querySelector('#signed-in-as').firstChild;
  return [0, text.data.indexOf(' ') + 1].map((at) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().left;
  });
})()`;
