// A page on another port of our host: cookies ignore ports, so it reads those of our logins and plants its own. Its author
// begins the login of a device elsewhere, as a program that says of itself what it likes, and leads a visitor through it
// who is signed in at another provider.

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, describe, test } from 'node:test';
import { assertLoggedIn, continueToApplication, signInAtProvider } from '../pages/support.ts';
import { startApplication } from '../support/application.ts';
import { type Visitor, visitor } from '../support/browser.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { authorizationQuery, authorize, authRequestIdOf, claimsOf, locationOf } from '../support/flow.ts';
import { startForeignSite } from '../support/foreign-site.ts';
import { rootOf } from '../support/management.ts';
import { registerClient } from '../support/oidc-clients.ts';
import { createSignerOf, startOpenIdProvider } from '../support/openid-provider.ts';
import { startTestServer } from '../support/test-server.ts';

const bindingName = '__Host-overlay-auth-login-';
const planted = `${'A'.repeat(42)}E`;
/** The name of a binding cookie ends in the beginning of its value. */
const bindingCookie = (value: string) => `${bindingName}${value.slice(0, 4)}=${value}`;

/** What the neighbour does with a visitor. */
let page: (cookie: string) => Promise<string>;
const neighbour: RequestListener = (request, response) => {
  if (request.url !== '/') {
    response.writeHead(404).end();
    return;
  }
  const cookie = new RegExp(`${bindingName}[^=]+=([^;]+)`).exec(request.headers.cookie ?? '')?.[1] ?? '';
  void page(cookie).then((script) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><script>${script}</script>`);
  });
};
const [site, application, provider] = await Promise.all([
  startForeignSite(neighbour),
  startApplication(),
  startOpenIdProvider(),
]);
const server = await startTestServer();
const root = await rootOf(server);
const signerId = await createSignerOf(provider, server, root);
const ana = await createIdentity(server, 'ana', { externalId: 'ana' });
after(async () => {
  await Promise.all([server.close(), site.close(), provider.close(), application.close()]);
});

/** Begins the login of the attacker's device for the browser with the cookie, and a visit to the provider for it. */
async function prepared(cookie: string) {
  const headers = headersWith(cookie);
  const form = { client_id: 'overlay', scope: 'openid offline_access' };
  const { json } = await server.post('/oidc/device_authorization', { form });
  const step = { user_code: json.user_code, step: 'continue' };
  const begun = await server.post('/oidc/device', { form: step, headers });
  return { deviceCode: String(json.device_code), ...(await leaving(authRequestIdOf(begun), headers)) };
}

function headersWith(cookie: string) {
  return { accept: 'text/html', cookie: bindingCookie(cookie), 'sec-fetch-site': 'same-origin' };
}

/** Goes to the provider as a program, for a login that has begun. */
async function leaving(id: string, headers: Readonly<Record<string, string>>) {
  const visit = `/oidc/login/ext-jwt/visit?step=primary&signer=${signerId}&authRequestID=${id}`;
  const left = await server.get(visit, { headers });
  return { visit: server.url + visit, provider: locationOf(left) };
}

/** The script of a page that plants our cookie and leads on. */
function plantAndLead(to: string): string {
  const cookie = `${bindingCookie(planted)}; Secure; Path=/; SameSite=Lax`;
  // Read once, because Chromium stores a script's cookie beside what follows, and the navigation might go without it.
  return `document.cookie = ${JSON.stringify(cookie)}; document.cookie; location = ${JSON.stringify(to)}`;
}

function poll(deviceCode: string) {
  const grantType = 'urn:ietf:params:oauth:grant-type:device_code';
  return server.post('/oidc/token', {
    form: { grant_type: grantType, device_code: deviceCode, client_id: 'overlay' },
  });
}

/** Has signed in at the provider, and then at an application of ours. */
async function signedInVisitor(keepsCookie: boolean): Promise<Visitor> {
  const one = await visitor();
  const query = authorizationQuery({ redirect_uri: application.redirectUri });
  await one.page.goto(`${server.url}/oidc/authorization?${query}`);
  await one.page.click('text=Continue with Example ID');
  await signInAtProvider(provider, one.page, 'ana');
  await continueToApplication(one.page);
  if (!keepsCookie) {
    await one.context.clearCookies({ name: new RegExp(`^${bindingName}`) });
  }
  return one;
}

describe('a page on another port of the host', () => {
  for (const at of ['beside', 'allowed'] as const) {
    for (const how of ['reads', 'plants'] as const) {
      for (const leadsTo of ['visit', 'provider'] as const) {
        test(`${how} the cookie of a login and leads to the ${leadsTo}, from ${at}: its device gets nothing`, async () => {
          let deviceCode = '';
          page = async (read) => {
            const begun = await prepared(how === 'reads' ? read : planted);
            deviceCode = begun.deviceCode;
            const to = begun[leadsTo];
            return how === 'plants' ? plantAndLead(to) : `location = ${JSON.stringify(to)}`;
          };
          const one = await signedInVisitor(how === 'reads');
          await one.page.goto(site[at]);
          if (leadsTo === 'visit') {
            // No further without a click, on a page that says for what.
            await one.page.waitForURL(`${server.url}/oidc/login/ext-jwt/visit**`);
            assert.match(await one.page.innerText('.lead'), /to sign in on another device/);
            await one.page.click('text=Continue with Example ID');
          }
          await one.page.waitForURL(`${server.url}/oidc/device/finished**`);
          assert.match(await one.page.title(), /^Sign in the device\?/);
          for (const named of ['overlay', '127.0.0.1', 'UTC']) {
            assert.ok((await one.page.innerText('dl')).includes(named), named);
          }
          const waiting = await poll(deviceCode);
          assert.deepEqual([waiting.status, waiting.json.error], [400, 'authorization_pending']);
          if (leadsTo === 'provider') {
            await one.page.click('button[value=deny]');
            await one.page.waitForLoadState();
            assert.notEqual((await poll(deviceCode)).status, 200);
          } else {
            // The same for a person who means it.
            await one.page.click('#approve-device');
            await one.page.waitForLoadState();
            const tokens = await poll(deviceCode);
            assert.equal(claimsOf(tokens.json.access_token).sub, ana);
          }
          await one.close();
        });
      }
    }
  }

  // Programs on the visitor's device, and a registered application at another port of our host.
  for (const [what, addressOf] of [
    ['a program on the device', () => ({ redirectUri: application.redirectUri, clientId: 'overlay' })],
    ['a registered application on the device', () => registered(application.redirectUri)],
    ['a registered program with a scheme of its own', () => registered('com.example.tool:/cb')],
    ['a registered application beside us', () => registered(`${site.beside}cb`)],
  ] as const) {
    test(`plants the cookie and leads to the provider for ${what}: no code without a click`, async () => {
      const { redirectUri, clientId } = await addressOf();
      page = async () => {
        const changes = { redirect_uri: redirectUri, client_id: clientId };
        const id = authRequestIdOf(await authorize(server, changes));
        return plantAndLead((await leaving(id, headersWith(planted))).provider);
      };
      const one = await signedInVisitor(false);
      const requested: string[] = [];
      one.page.on('request', (request) => requested.push(request.url()));
      await one.page.goto(site.beside);
      await one.page.waitForURL(`${server.url}/oidc/login/ext-jwt/callback/**`);
      assert.match(await one.page.title(), /^Continue to this application\?/);
      assert.ok((await one.page.innerText('dl')).includes(redirectUri));
      if (clientId !== 'overlay') assert.match(await one.page.innerText('.lead'), /neighbouring/);
      assert.ok(!requested.some((url) => url.includes('code=') && url.startsWith(redirectUri)));
      // A person who means it goes on.
      const answered = one.page.waitForResponse((answer) => answer.request().method() === 'POST');
      await one.page.click('#continue');
      const { location = '' } = await (await answered).allHeaders();
      assert.ok(location.startsWith(`${redirectUri}?code=`), location);
      if (clientId === 'overlay') {
        await one.page.waitForURL(`${redirectUri}**`);
        await assertLoggedIn(server, application, one.page);
      }
      await one.close();
    });
  }
});

async function registered(redirectUri: string) {
  const fields = { name: `neighbouring ${redirectUri}`, type: 'public', redirectUris: [redirectUri] };
  const { id } = await registerClient(root, fields);
  return { redirectUri, clientId: id };
}
