// The pages and states that need another provider, a mail, a session before or an application that waits, with the same
// tests as those of states.test.ts.

import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { typedName } from '../../src/model/names.ts';
import { startApplication } from '../support/application.ts';
import { withBrowserSession } from '../support/browser-session.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { password, rootOf } from '../support/management.ts';
import { createSignerOf, startOpenIdProvider } from '../support/openid-provider.ts';
import { startSmtpReceiver, withMail } from '../support/smtp-receiver.ts';
import { startTestServer } from '../support/test-server.ts';
import { type States, testStates } from './states.ts';
import { beginAt, givePassword, signInAtProvider, submit } from './support.ts';

const application = await startApplication();
const receiver = await startSmtpReceiver();
const { configure, addFiles } = withMail(receiver);
const server = await startTestServer({
  addFiles,
  configure: (yaml) => withBrowserSession(configure(yaml)),
});
const provider = await startOpenIdProvider();
await createSignerOf(provider, server, await rootOf(server));
await createIdentity(server, 'ana', { externalId: 'ana' });
after(async () => {
  await Promise.all([server.close(), provider.close(), receiver.close()]);
  await application.close();
});

let people = 0;

/** With an address to which a mail may be sent. */
async function person(): Promise<string> {
  people += 1;
  const name = `person${people}`;
  const id = await server.createUser({ name, password });
  const email = typedName(`${name}@example.com`);
  await server.store.identities.update(id, { email, emailVerified: true }, server.clock.now());
  return name;
}

async function atForgotten(page: Page): Promise<void> {
  await beginAt(server, application, page);
  await submit(page, '#forgotten a');
}

/** @returns the link of the mail */
async function askForMail(page: Page): Promise<string> {
  await atForgotten(page);
  const next = receiver.received.length;
  await page.fill('#name', await person());
  await submit(page, '#send');
  return (await receiver.at(next)).links[0] ?? assert.fail('no link');
}

async function atNewPassword(page: Page): Promise<string> {
  const link = await askForMail(page);
  await page.goto(link);
  return link;
}

async function choose(page: Page, secret: string): Promise<void> {
  await page.fill('#password', secret);
  await page.fill('#repeated', secret);
  await submit(page, '#choose');
}

/** Back from the provider, which knows everybody. */
async function fromProvider(page: Page, name: string): Promise<void> {
  await beginAt(server, application, page, { method: 'ext-jwt' });
  await page.click('text=Example ID');
  await signInAtProvider(provider, page, name);
  await page.locator('#continue').waitFor();
}

async function atFinish(page: Page): Promise<void> {
  const form = { client_id: 'overlay', scope: 'openid' };
  const { json } = await server.post('/oidc/device_authorization', { form });
  await page.goto(json.verification_uri_complete);
  await submit(page, 'button');
  await submit(page, 'button[value=continue]');
  await givePassword(page, await person(), password);
}

const states: States = {
  forgotten: atForgotten,
  'forgotten-sent': askForMail,
  'forgotten-choose': atNewPassword,
  async 'forgotten-refused'(page) {
    await atNewPassword(page);
    await choose(page, 'password123456');
  },
  async 'forgotten-used'(page) {
    const link = await atNewPassword(page);
    await choose(page, 'eleven loud umbrellas');
    await page.goto(link);
  },
  'provider-return': (page) => fromProvider(page, 'ana'),
  async 'provider-refused'(page) {
    await fromProvider(page, 'nobody');
    await submit(page, '#continue');
  },
  async 'signed-in'(page) {
    await beginAt(server, application, page);
    await givePassword(page, await person(), password);
    await beginAt(server, application, page);
  },
  'device-finish': atFinish,
  async 'device-approved'(page) {
    await atFinish(page);
    await submit(page, '#approve-device');
  },
  async 'device-finish-denied'(page) {
    await atFinish(page);
    await submit(page, 'button[value=deny]');
  },
};

testStates(states);
