// This service as a client of another provider: how it proves who it is there, and where its secret can go.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openClientSecret } from '../../src/login/external-jwt/client-secret.ts';
import { asId, type SignerId } from '../../src/model/ids.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import { cookieBrowser } from '../support/cookie-browser.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { authorizationQuery } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, rootOf } from '../support/management.ts';
import { createSignerOf, startOpenIdProvider } from '../support/openid-provider.ts';
import { masterKey, startTestServer } from '../support/test-server.ts';

// With characters that a header or a form must encode.
const secret = 'a+b &c:%=d/é'.replace('é', 'e').padEnd(48, '~');

const signers = 'external-jwt-signers';
const [server, provider] = await Promise.all([startTestServer(), startOpenIdProvider()]);
const admin = await rootOf(server);
await createIdentity(server, 'ana', { externalId: 'ana' });
const signerId = await createSignerOf(provider, server, admin);
after(() => Promise.all([server.close(), provider.close()]));

const change = (fields: object, id = signerId) => admin.call('PATCH', `${signers}/${id}`, fields);

/** Signs in at the provider. @returns what our callback answers */
async function signIn(): Promise<Answer> {
  const browser = cookieBrowser(server);
  const begun = await browser.get(`/oidc/authorization?${authorizationQuery({ method: 'ext-jwt' })}`);
  const id = new URL(String(begun.headers.location), server.url).searchParams.get('authRequestID');
  const query = new URLSearchParams({ authRequestID: String(id), signer: signerId, step: 'primary' });
  const left = await browser.get(`/oidc/login/ext-jwt/visit?${query}`, { 'sec-fetch-site': 'same-origin' });
  assert.equal(left.status, 302, left.text);
  const back = await provider.signIn(String(left.headers.location), 'ana');
  return browser.post(back.pathname, Object.fromEntries(back.searchParams));
}

async function assertSignsIn(): Promise<void> {
  const answer = await signIn();
  assert.equal(answer.status, 302, answer.text);
  assert.match(String(answer.headers.location), /^http:\/\/localhost:8400\/auth\/callback\?code=/);
}

/** What the record of the newest attempt says. */
async function newestRecord(): Promise<string> {
  const { data } = (await admin.get('login-attempts?limit=1')).json;
  return JSON.stringify(data[0]);
}

describe('a code is redeemed', () => {
  for (const method of ['client_secret_basic', 'client_secret_post'] as const) {
    test(`with ${method}`, async () => {
      provider.describe({ client_secret: secret, token_endpoint_auth_method: method });
      const set = await change({ clientSecret: secret, clientAuthMethod: method });
      assert.equal(set.status, 200, set.text);
      await assertSignsIn();
    });
  }

  test('with an assertion that our published keys verify, by either algorithm', async () => {
    const configuration = await server.get('/oidc/.well-known/openid-configuration');
    const jwks = (await server.get(new URL(configuration.json.jwks_uri).pathname)).json;
    assert.equal((await change({ clientAuthMethod: 'private_key_jwt' })).status, 200);
    for (const alg of ['RS256', 'ES256']) {
      const described = { token_endpoint_auth_method: 'private_key_jwt', jwks };
      provider.describe({ ...described, ...(alg === 'RS256' && { token_endpoint_auth_signing_alg: alg }) });
      await assertSignsIn();
    }
  });

  test('never with another secret, and the record says what the provider answered', async () => {
    provider.describe({ client_secret: secret, token_endpoint_auth_method: 'client_secret_basic' });
    assert.equal((await change({ clientSecret: 'another one' })).status, 200);
    assert.equal((await signIn()).status, 401);
    const record = await newestRecord();
    assert.match(record, /invalid_client/);
    assert.ok(!record.includes('another one'));
  });
});

describe('the secret of a client', () => {
  test('is shown nowhere, and stored sealed', async () => {
    assert.equal((await change({ clientSecret: secret })).status, 200);
    const shown = [
      await admin.get(`${signers}/${signerId}`),
      await admin.get(signers),
      await admin.get('state'),
      await admin.get('audit-events?limit=100'),
      await server.get('/edge/client/v1/external-jwt-signers'),
      await change({ enabled: 'perhaps' }),
    ];
    for (const { text } of shown) assert.ok(!/sealed/i.test(text) && !text.includes(JSON.stringify(secret)));
    const { clientAuthMethod, hasClientSecret } = shown[0]?.json.data ?? {};
    assert.deepEqual([clientAuthMethod, hasClientSecret], ['client_secret_basic', true]);
    const stored = await server.store.externalJwtSigners.find(asId<SignerId>(signerId));
    assert.ok(stored !== null && !JSON.stringify(stored).includes(secret));
  });

  test('stays when a document that was read is sent back whole', async () => {
    assert.equal((await change({ clientSecret: secret })).status, 200);
    const { data } = (await admin.get(`${signers}/${signerId}`)).json;
    assert.equal((await admin.call('PUT', `${signers}/${signerId}`, data)).status, 200);
    provider.describe({ client_secret: secret, token_endpoint_auth_method: 'client_secret_basic' });
    await assertSignsIn();
  });

  test('does not go with the signer to another provider, issuer or client', async () => {
    for (const elsewhere of [
      { externalAuthUrl: 'https://elsewhere.example' },
      { issuer: 'https://elsewhere.example' },
      { clientId: 'elsewhere' },
      { clientId: null },
      { externalAuthUrl: null },
    ])
      assertRefused(
        await change(elsewhere),
        400,
        'COULD_NOT_VALIDATE',
        'clientId' in elsewhere && elsewhere.clientId === null ? 'clientId' : 'clientSecret',
      );
    // Nor by an attacker who writes into the database.
    const vault = keyVault(vaultKey(masterKey));
    const id = asId<SignerId>(signerId);
    const stored = await server.store.externalJwtSigners.find(id);
    assert.ok(stored !== null && openClientSecret(vault, stored) === secret);
    const moved = { ...stored, externalAuthUrl: 'https://elsewhere.example' };
    assert.equal(openClientSecret(vault, moved), null);
  });

  test('is refused where it means nothing, or cannot be sent', async () => {
    for (const [fields, field] of [
      [{ clientSecret: 'x', clientAuthMethod: 'none' }, 'clientSecret'],
      [{ clientSecret: 'x', clientAuthMethod: 'private_key_jwt' }, 'clientSecret'],
      [{ clientSecret: 'two\nlines' }, 'clientSecret'],
      [{ clientSecret: 'x'.repeat(1025) }, 'clientSecret'],
      [{ clientSecret: null, clientAuthMethod: 'client_secret_post' }, 'clientSecret'],
      [{ clientAuthMethod: 'self_signed_tls_client_auth' }, 'clientAuthMethod'],
      [{ clientAuthMethod: 'private_key_jwt', clientId: `${server.url}/oidc` }, 'clientId'],
    ] as const)
      assertRefused(await change(fields), 400, 'COULD_NOT_VALIDATE', field);
  });

  test('is removed by null, and by a method that needs none', async () => {
    for (const removal of [{ clientSecret: null }, { clientAuthMethod: 'none' }]) {
      assert.equal((await change({ clientSecret: secret })).status, 200);
      assert.equal((await change(removal)).status, 200);
      const stored = await server.store.externalJwtSigners.find(asId<SignerId>(signerId));
      assert.deepEqual([stored?.clientAuthMethod, stored?.sealedClientSecret], ['none', null]);
      const { data } = (await admin.get(`${signers}/${signerId}`)).json;
      assert.equal(data.hasClientSecret, false);
    }
  });

  test('can be in declarative state: applied again it changes nothing, and no difference shows it', async () => {
    const { data } = (await admin.get('state?kinds=ext-jwt-signer')).json;
    const [entry] = data['ext-jwt-signer'] ?? Object.values(data)[0];
    const apply = async (clientSecret: string) => {
      const state = {
        'ext-jwt-signer': [{ ...entry, clientAuthMethod: 'client_secret_post', clientSecret }],
      };
      return admin.call('POST', 'state', { state, prune: false, dryRun: false });
    };
    const first = await apply(secret);
    assert.equal(first.status, 200, first.text);
    assert.ok(!first.text.includes(JSON.stringify(secret)), first.text);
    assert.equal((await apply(secret)).json.data.unchanged.length, 1);
    assert.equal((await apply('another one')).json.data.changed.length, 1);
  });
});
