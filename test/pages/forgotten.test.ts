// A forgotten password in a real browser, with the mail of a real mail server: from the login page to the account page.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { typedName } from '../../src/model/names.ts';
import { accessibilityProblems } from '../support/axe.ts';
import { screenshot, type Visitor, visitor } from '../support/browser.ts';
import { password } from '../support/management.ts';
import { startSmtpReceiver, withMail } from '../support/smtp-receiver.ts';
import { startTestServer } from '../support/test-server.ts';

const chosen = 'eleven loud umbrellas';
const phone = { width: 360, height: 740 } as const;
const receiver = await startSmtpReceiver();
const server = await startTestServer(withMail(receiver));
after(async () => {
  await server.close();
  await receiver.close();
});

async function assertClean({ page, complaints }: Visitor): Promise<void> {
  assert.deepEqual(await accessibilityProblems(page), []);
  const width = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.equal(width, 0, 'nothing sticks out');
  assert.deepEqual(complaints, []);
}

test('a person who has forgotten the password gets a mail, chooses another one and is signed in, in German', async () => {
  const email = 'rosa@example.com';
  const id = await server.createUser({ name: 'rosa', password });
  await server.store.identities.update(
    id,
    { email: typedName(email), emailVerified: true },
    server.clock.now(),
  );
  await using guest = await visitor({ language: 'de', viewport: phone });
  const { page } = guest;
  await page.goto(`${server.url}/account`);
  await page.click('#sign-in');
  await page.getByRole('link', { name: 'Passwort vergessen?' }).click();
  await page.locator('#send').waitFor();
  await assertClean(guest);
  await screenshot(page, 'forgotten-de');
  await page.fill('#name', email);
  await page.click('#send');
  await page.getByRole('status').waitFor();
  await assertClean(guest);
  await screenshot(page, 'forgotten-sent-de');

  const mail = await receiver.at(0);
  assert.deepEqual(mail.to, [email]);
  assert.equal(mail.subject, 'Neues Passwort für Overlay wählen');
  // As a mail program shows it, without the rules that our pages have for styles.
  await page.goto('about:blank');
  await page.setContent(mail.html);
  await assertClean(guest);
  await screenshot(page, 'forgotten-mail-de');

  const [link = ''] = mail.links;
  await page.goto(link);
  assert.equal(await page.inputValue('#username'), 'rosa');
  await assertClean(guest);
  await screenshot(page, 'forgotten-choose-de');
  await page.fill('#password', chosen);
  await page.fill('#repeated', chosen);
  await page.click('#choose');
  await page.locator('#sign-out').getByText('Abmelden').waitFor();
  assert.equal(page.url(), `${server.url}/account`);
  await page.getByText('rosa', { exact: true }).waitFor();

  await page.goto(link);
  await page.getByRole('link', { name: 'neue E-Mail anfordern' }).waitFor();
  await screenshot(page, 'forgotten-used-de');
});
