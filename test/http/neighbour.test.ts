// A page on another port of our host: cookies ignore ports, so it reads those of our logins and plants its own. Its author
// begins the login of a device elsewhere, as a program that says of itself what it likes, and leads a visitor through it
// who is signed in at another provider.

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { signInAtProvider } from '../pages/support.ts';
import { type Application, startApplication } from '../support/application.ts';
import { type Visitor, visitor } from '../support/browser.ts';
import { createIdentity, createSigner } from '../support/external-jwt.ts';
import { authorizationQuery, claimsOf, locationOf } from '../support/flow.ts';
import { type ForeignSite, startForeignSite } from '../support/foreign-site.ts';
import { rootOf } from '../support/management.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const bindingName = '__Host-overlay-auth-login';
const planted = `${'A'.repeat(42)}E`;

let server: TestServer;
let site: ForeignSite;
let provider: OpenIdProvider;
let application: Application;
let signerId: string;
let ana: string;
/** What the neighbour does with a visitor. */
let page: (cookie: string) => Promise<string>;
before(async () => {
  const neighbour: RequestListener = (request, response) => {
    if (request.url !== '/') {
      response.writeHead(404).end();
      return;
    }
    const cookie = new RegExp(`${bindingName}=([^;]+)`).exec(request.headers.cookie ?? '')?.[1] ?? '';
    void page(cookie).then((script) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><script>${script}</script>`);
    });
  };
  [site, application, provider] = await Promise.all([
    startForeignSite(neighbour),
    startApplication(),
    startOpenIdProvider(),
  ]);
  server = await startTestServer();
  signerId = await createSigner(await rootOf(server), provider, 'Example ID', {
    audience: provider.clientId,
    externalAuthUrl: provider.issuer,
    clientId: provider.clientId,
    targetToken: 'ID',
  });
  provider.register(`${server.url}/oidc/login/ext-jwt/callback/${signerId}`);
  ana = await createIdentity(server, 'ana', { externalId: 'ana' });
});
after(async () => {
  await Promise.all([server?.close(), site?.close(), provider?.close(), application?.close()]);
});

/** Begins the login of the attacker's device for whoever has the cookie, and a visit to the provider for it. */
async function prepared(cookie: string) {
  const headers = {
    accept: 'text/html',
    cookie: `${bindingName}=${cookie}`,
    'sec-fetch-site': 'same-origin',
  };
  const form = { client_id: 'overlay', scope: 'openid offline_access' };
  const { json } = await server.post('/oidc/device_authorization', { form });
  const step = { user_code: json.user_code, step: 'continue' };
  const begun = await server.post('/oidc/device', { form: step, headers });
  const id = new URL(locationOf(begun), server.url).searchParams.get('authRequestID');
  const visit = `/oidc/login/ext-jwt/visit?step=primary&signer=${signerId}&authRequestID=${id}`;
  const leaving = await server.get(visit, { headers });
  return {
    deviceCode: String(json.device_code),
    visit: server.url + visit,
    provider: String(leaving.headers.location),
  };
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
  if (!keepsCookie) await one.context.clearCookies({ name: bindingName });
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
            const cookie = `${bindingName}=${planted}; Secure; Path=/; SameSite=Lax`;
            const plant = how === 'plants' ? `document.cookie = ${JSON.stringify(cookie)};` : '';
            return `${plant} location = ${JSON.stringify(begun[leadsTo])}`;
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
});
