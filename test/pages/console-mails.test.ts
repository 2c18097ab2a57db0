// Mails that the mail server refused, in the console.

import { after, describe, test } from 'node:test';
import { screenshot } from '../support/browser.ts';
import { createdId, rootOf } from '../support/management.ts';
import { startSmtpReceiver, withMail } from '../support/smtp-receiver.ts';
import { startTestServer } from '../support/test-server.ts';
import { announced, assertClean, atConsole, phone } from './console-support.ts';

const receiver = await startSmtpReceiver();
const server = await startTestServer({ signing: true, ...withMail(receiver) });
const root = await rootOf(server);
after(async () => {
  await server.close();
  await receiver.close();
});

describe('mails that were refused', () => {
  test('are on the overview with the answer of the server, and are sent again', async () => {
    receiver.refuse({ at: 'recipient', code: 550 });
    const person = { name: 'Ada Typo', type: 'User', email: 'ada@exmaple.com' };
    const id = createdId(await root.call('POST', 'identities', person));
    await using guest = await atConsole(server, 'root', '/console', { language: 'de', viewport: phone });
    const { page } = guest;
    await root.call('POST', `identities/${id}/invitation`, { send: true });
    for (let given = 0; given === 0; ) given = (await root.get('mails?state=failed')).json.data.length;
    await page.reload();
    const card = page.locator('section:has(#mails)');
    await card.getByText('Ada Typo').waitFor();
    await card.getByText('550').waitFor();
    await assertClean(guest);
    await screenshot(page, 'console-mails');
    receiver.refuse(null);
    await page.locator('#send-again').click();
    await page.locator('#send-again-confirm').click();
    await announced(page, 'Die E-Mails werden gesendet');
    await receiver.at(0);
    await card.waitFor({ state: 'detached' });
  });
});
