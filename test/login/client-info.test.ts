import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  beginLogin,
  callWith,
  claimsOf,
  codeOf,
  login,
  obtainCode,
  redeem,
  refresh,
  type Tokens,
} from '../support/flow.ts';
import type { HttpsClient } from '../support/https-client.ts';
import { assertRefused, password, rootOf } from '../support/management.ts';
import { appRedirectUri, registerClient } from '../support/oidc-clients.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();
const admin = await rootOf(server);

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

describe("a client's description of itself at login", () => {
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

  test('is text without invisible characters, and only in known members', async () => {
    const { id, name } = await user();
    await complete(name, { envInfo: { os: '\u001b[2J a\nb ', extra: 'x', arch: '' }, sdkInfo: { id: 7 } });
    assert.deepEqual(await known(id), [{ os: '[2J a b' }, {}]);
    await complete(name, { envInfo: { os: 'a\u202efdp.exe\u2028b' } });
    assert.deepEqual(await known(id), [{ os: 'a fdp.exe b' }, {}]);
  });

  test('is refused when it is not text or too long', async () => {
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

  test('is deleted with the identity', async () => {
    const { id, name } = await user();
    await complete(name, { envInfo });
    assert.equal((await admin.call('DELETE', `identities/${id}`)).status, 200);
  });
});

/** The same client, naming itself in every request. */
function calling(userAgent: string): HttpsClient {
  const request: HttpsClient['request'] = (method, path, init = {}) =>
    server.request(method, path, { ...init, headers: { ...init.headers, 'user-agent': userAgent } });
  return {
    ...server,
    request,
    get: (path, init) => request('GET', path, init),
    post: (path, init) => request('POST', path, init),
  };
}

/** The session of an access token, as an administrator sees it. */
async function sessionOf({ access_token }: Pick<Tokens, 'access_token'>) {
  const id = claimsOf(access_token).z_asid;
  return (await admin.get(`api-sessions/${id}`)).json.data;
}

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

describe('a session shows what it is used with', () => {
  test('a browser, and from where the person logged in, also to the owner', async () => {
    const { name } = await user();
    const tokens = await login(calling(firefox), name, password);
    const session = await sessionOf(tokens);
    assert.deepEqual(
      [session.program, session.operatingSystem, session.loginIpAddress],
      ['Firefox', 'Linux', '127.0.0.1'],
    );
    const own = await callWith(server, tokens.access_token, '/edge/client/v1/current-identity/api-sessions');
    const [listed] = own.json.data;
    assert.deepEqual([listed.program, listed.operatingSystem], ['Firefox', 'Linux']);
    await refresh(calling('curl/8.5.0'), tokens.refresh_token);
    assert.equal((await sessionOf(tokens)).program, 'Firefox', 'as it was opened');
    const filter = encodeURIComponent(`program contains "fire" and operatingSystem = "Linux"`);
    assert.deepEqual((await admin.get(`api-sessions?filter=${filter}`)).json.data, []);
    const found = await admin.get(`api-sessions?filter=${filter.replace('contains', 'icontains')}&limit=1`);
    assert.equal(found.json.data[0]?.program, 'Firefox', found.text);
  });

  test('a program that has sent the person to a browser to log in', async () => {
    const { name } = await user();
    const code = await obtainCode(calling(firefox), name, password);
    const session = await sessionOf((await redeem(calling('tunnel/2.7.1'), code)).json);
    assert.deepEqual([session.program, session.operatingSystem], ['tunnel 2.7', 'Linux']);
  });

  test('the browser, where the program is the server of a web application', async () => {
    const { name } = await user();
    const app = await registerClient(admin, { tokenEndpointAuthMethod: 'client_secret_post' });
    const changes = { client_id: app.id, redirect_uri: appRedirectUri };
    const code = await obtainCode(calling(firefox), name, password, changes);
    const secret = { ...changes, client_secret: app.secret };
    const session = await sessionOf((await redeem(calling('node'), code, secret)).json);
    assert.deepEqual([session.program, session.operatingSystem], ['Firefox', 'Linux']);
  });

  test('an SDK by its own description, with either mechanism', async () => {
    const { name } = await user();
    const said = { sdkInfo: { appId: 'Desktop Edge', appVersion: '2.7.1' }, envInfo: { os: 'windows' } };
    const known = ['Desktop Edge 2.7', 'Windows'];
    const session = await sessionOf(await complete(name, said));
    assert.deepEqual([session.program, session.operatingSystem], known);
    const { data } = (await legacy(name, said)).json;
    assert.deepEqual([data.program, data.operatingSystem, data.loginIpAddress], [...known, '127.0.0.1']);
  });

  test('nothing, if nothing was reported', async () => {
    const { name } = await user();
    const session = await sessionOf(await login(server, name, password));
    assert.deepEqual([session.program, session.operatingSystem], [null, null]);
  });

  test('no more than a few harmless characters of a stranger', async () => {
    const { name } = await user();
    const program = async (client: HttpsClient) => {
      const session = await sessionOf(await login(client, name, password));
      return session.program ?? '';
    };
    for (const userAgent of [
      '<script>alert(1)</script>/1',
      '"><img/src=x>',
      'x'.repeat(10_000),
      `Mozilla/5.0 ${'(x) '.repeat(2000)}`,
      '\u0080\u00a0\u00ad/1',
      '=cmd|calc!A1/1',
      "'; DROP TABLE api_sessions; --",
    ]) {
      const shown = await program(calling(userAgent));
      assert.ok(shown.length <= 60, shown);
      assert.doesNotMatch(shown, /[<>"]|[^ -~…]/, userAgent.slice(0, 40));
    }
    const info = { sdkInfo: { appId: '\u202egpj.exe\u0007\u2028<b>', appVersion: '\u001b[2J' } };
    assert.equal((await sessionOf(await complete(name, info))).program, 'gpj.exe <b>');
    const tooLong = await calling('x'.repeat(100_000)).get('/oidc/keys');
    assert.equal(tooLong.status, 431);
  });
});
