import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { beginLogin, codeOf, login, redeem, refresh, type Tokens } from '../support/flow.ts';
import { assertRefused, type Caller, password, rootOf } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
let admin: Caller;
before(async () => {
  server = await startTestServer();
  admin = await rootOf(server);
});
after(() => server.close());

const names = Array.from({ length: 100 }, (_value, at) => `user-${at}`).values();
async function user(): Promise<{ id: string; name: string }> {
  const name = names.next().value ?? '';
  return { name, id: await server.createUser({ name, password }) };
}

const envInfo = {
  arch: 'amd64',
  os: 'linux',
  osRelease: '6.1',
  osVersion: '#1 SMP',
  domain: 'd',
  hostname: 'h',
};
const sdkInfo = { appId: 'app', appVersion: '1', branch: 'b', revision: 'r', type: 'sdk-go', version: '2' };
const form = {
  envArch: 'amd64',
  envOs: 'linux',
  envOsRelease: '6.1',
  envOsVersion: '#1 SMP',
  envDomain: 'd',
  envHostname: 'h',
  sdkAppID: 'app',
  sdkAppVersion: '1',
  sdkBranch: 'b',
  sdkRevision: 'r',
  sdkType: 'sdk-go',
  sdkVersion: '2',
};

async function submit(name: string, more: object, isForm = false) {
  const fields = { authRequestId: await beginLogin(server), username: name, password, ...more };
  return server.post('/oidc/login/username', isForm ? { form: fields as never } : { json: fields });
}

async function complete(name: string, more: object, isForm = false): Promise<Tokens> {
  const answer = await redeem(server, codeOf(await submit(name, more, isForm)));
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

async function known(id: string): Promise<unknown[]> {
  const { data } = (await admin.get(`identities/${id}`)).json;
  return [data.envInfo, data.sdkInfo];
}

const legacy = (name: string, more: object) =>
  server.post('/edge/client/v1/authenticate?method=password', {
    json: { username: name, password, ...more },
  });

describe('what a client says about itself at login', () => {
  test('is shown with the identity once the login is complete', async () => {
    const { id, name } = await user();
    const submitted = await submit(name, { envInfo, sdkInfo });
    assert.deepEqual(await known(id), [{}, {}]);
    await redeem(server, codeOf(submitted));
    assert.deepEqual(await known(id), [envInfo, sdkInfo]);
  });

  test('may come as fields of a form, and at a session of the legacy mechanism', async () => {
    const [byForm, byLegacy] = [await user(), await user()];
    await complete(byForm.name, form, true);
    assert.equal((await legacy(byLegacy.name, { envInfo, sdkInfo })).status, 200);
    for (const { id } of [byForm, byLegacy]) assert.deepEqual(await known(id), [envInfo, sdkInfo]);
  });

  test('stays when a later login or a refresh says nothing, and is replaced as a whole', async () => {
    const { id, name } = await user();
    const tokens = await complete(name, { envInfo, sdkInfo });
    await refresh(server, tokens.refresh_token);
    await login(server, name, password);
    await complete(name, { envInfo: null, sdkInfo: {} });
    assert.deepEqual(await known(id), [envInfo, sdkInfo]);
    await complete(name, { envInfo: { os: 'plan9' } });
    assert.deepEqual(await known(id), [{ os: 'plan9' }, {}]);
  });

  test('is text without characters that are not seen, and only what is known', async () => {
    const { id, name } = await user();
    await complete(name, { envInfo: { os: '\u001b[2J a\nb ', extra: 'x', arch: '' }, sdkInfo: { id: 7 } });
    assert.deepEqual(await known(id), [{ os: '[2J a b' }, {}]);
    await complete(name, { envInfo: { os: 'a\u202efdp.exe\u2028b' } });
    assert.deepEqual(await known(id), [{ os: 'a fdp.exe b' }, {}]);
  });

  test('is refused when it is no text or too long', async () => {
    const { id, name } = await user();
    const refused: readonly (readonly [string, object])[] = [
      ['envInfo', { envInfo: 'linux' }],
      ['envInfo', { envInfo: [] }],
      ['envInfo.os', { envInfo: { os: 7 } }],
      ['envInfo.os', { envInfo: { os: 'x'.repeat(256) } }],
      ['envInfo.hostname', { envInfo: { hostname: 'x'.repeat(254) } }],
      ['sdkInfo.type', { sdkInfo: { type: { a: 1 } } }],
      ['sdkInfo.appId', { sdkInfo: { appId: 'x'.repeat(256) } }],
    ];
    for (const [field, body] of refused) {
      assertRefused(await submit(name, body), 400, 'COULD_NOT_VALIDATE', field);
      assertRefused(await legacy(name, body), 400, 'COULD_NOT_VALIDATE', field);
    }
    assertRefused(await submit(name, { envOs: 'x'.repeat(256) }, true), 400, 'COULD_NOT_VALIDATE', 'envOs');
    assert.deepEqual(await known(id), [{}, {}]);
  });

  test('goes with the identity', async () => {
    const { id, name } = await user();
    await complete(name, { envInfo });
    assert.equal((await admin.call('DELETE', `identities/${id}`)).status, 200);
  });
});
