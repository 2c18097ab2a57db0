// The conversation of the CLI: it finds the API by the version document, logs in as the Go SDK does, keeps the tokens
// in a file, and refreshes only by a refresh token whose end it can read.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { HOUR, MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import type { HttpsClient } from '../support/https-client.ts';
import { startTestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { assertList, type GoTokens, goCall, goLoginWithPassword, goRefresh } from './go-client.ts';
import { parseJwt, startCompatibleServer } from './support.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await startCompatibleServer(clock);
await server.createUser({ name: 'admin', password, isAdmin: true });
after(() => server.close());

/** Where the management API is, asked at each address in turn. */
async function managementPath(client: HttpsClient): Promise<string> {
  for (const path of ['/edge/management/v1/version', '/edge/client/v1/version', '/version']) {
    const answer = await client.get(path);
    if (answer.status !== 200) continue;
    assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
    const management = answer.json.data.apiVersions['edge-management'];
    if (management !== undefined) return management.v1.path;
  }
  throw new Error('no version document names the management API');
}

const cliLogin = (client: HttpsClient): Promise<GoTokens> => goLoginWithPassword(client, 'admin', password);

/** The tokens for the next command; undefined when the user is told to log in again. */
async function tokensFor(client: HttpsClient, stored: GoTokens): Promise<GoTokens | undefined> {
  const now = clock.now();
  if (parseJwt(stored.access).claims.exp * SECOND > now + 30 * SECOND) return stored;
  if (stored.refresh.split('.').length !== 3) return undefined;
  if (parseJwt(stored.refresh).claims.exp * SECOND <= now) return undefined;
  return goRefresh(client, stored);
}

describe('the CLI', () => {
  test('logs in and works for hours without asking again', async () => {
    // With and without the prefix of an API: trust comes before anything is known of the server.
    const authorities = await server.get('/.well-known/est/cacerts');
    assert.equal(authorities.status, 200);
    assert.equal(authorities.headers['content-type'], 'application/pkcs7-mime');
    const root = await managementPath(server);
    assert.equal(root, '/edge/management/v1');
    let tokens = await cliLogin(server);
    assertList(await goCall(server, tokens, `${root}/controllers`));
    for (let hour = 0; hour < 3; hour += 1) {
      const next = await tokensFor(server, tokens);
      assert.ok(next, 'a refresh token whose end can be read');
      tokens = next;
      assertList(await goCall(server, tokens, `${root}/identities?limit=10`));
      clock.advance(HOUR);
    }
  });

  test('runs eight commands together at the end of a token, and goes on with the tokens of any of them', async () => {
    let stored = await cliLogin(server);
    for (const saved of [0, 7, 3]) {
      clock.advance(30 * MINUTE - 20 * SECOND);
      const renewed = await Promise.all(Array.from({ length: 7 }, () => tokensFor(server, stored)));
      clock.advance(8 * SECOND);
      renewed.push(await tokensFor(server, stored));
      for (const tokens of renewed) {
        assert.ok(tokens);
        assertList(await goCall(server, tokens, '/edge/management/v1/identities?limit=1'));
      }
      stored = renewed[saved] ?? assert.fail();
    }
  });

  test('learns from the refresh token when it has to log in again', async () => {
    const tokens = await cliLogin(server);
    const { claims, header } = parseJwt(tokens.refresh);
    assert.equal(claims.exp * SECOND, clock.now() + 24 * HOUR);
    assert.equal(header.alg, 'ES256');
    clock.advance(24 * HOUR - MINUTE);
    assert.ok(await tokensFor(server, tokens));
    const other = await cliLogin(server);
    clock.advance(24 * HOUR);
    assert.equal(await tokensFor(server, other), undefined);
  });

  test('finds the API on a server that has only the client API there', async () => {
    await using split = await startTestServer({
      clock,
      configure: (yaml) => yaml.replace('- binding: edge-management', ''),
    });
    await assert.rejects(managementPath(split), /no version document/);
    assert.equal((await split.get('/version')).status, 200);
  });

  test('falls back to a legacy session on the management API', async () => {
    await using plain = await startTestServer({ clock });
    await plain.createUser({ name: 'admin', password, isAdmin: true });
    assert.deepEqual((await plain.get('/edge/management/v1/version')).json.data.capabilities, []);
    const answer = await plain.post('/edge/management/v1/authenticate?method=password', {
      json: { username: 'admin', password, configTypes: [], envInfo: {}, sdkInfo: {} },
    });
    assert.equal(answer.status, 200, answer.text);
    const headers = {
      'zt-session': answer.json.data.token,
      'content-type': 'application/json',
      accept: 'application/json',
    };
    assertList(await plain.get('/edge/management/v1/identities', { headers }));
  });
});

describe('lists of what this service does not have', () => {
  const lists = [
    'services',
    'configs',
    'edge-routers',
    'terminators',
    'identity-role-attributes',
    'sessions',
  ];

  test('are empty at the management API, and their summary counts nothing', async () => {
    const { access } = await cliLogin(server);
    const get = (path: string) =>
      server.get(`/edge/management/v1/${path}`, { headers: { authorization: `Bearer ${access}` } });
    const { id } = (await get('current-identity')).json.data;
    for (const path of [...lists, `identities/${id}/services`, `identities/${id}/service-policies`]) {
      const answer = await get(`${path}?limit=20&filter=${encodeURIComponent('true limit none')}`);
      assert.equal(answer.status, 200, `${path} ${answer.text}`);
      assert.deepEqual(answer.json.data, []);
      assert.deepEqual(answer.json.meta.pagination, { limit: 20, offset: 0, totalCount: 0 });
    }
    const summary = await get('summary');
    assert.deepEqual([summary.status, summary.json.data.services], [200, 0]);
    assert.equal((await server.get('/edge/management/v1/services')).status, 401);
  });

  test('are described like every other endpoint', async () => {
    const { json } = await server.get('/edge/management/v1/openapi.json');
    const described = new Set(json.tags.map(({ name }: { name: string }) => name));
    for (const path of lists) {
      const { get } = json.paths[`/edge/management/v1/${path}`];
      for (const tag of get.tags) assert.ok(described.has(tag), tag);
    }
    for (const { name, description } of json.tags) assert.notEqual(description, '', name);
  });

  test('are not there without the profile', async () => {
    await using plain = await startTestServer();
    assert.equal((await plain.get('/edge/management/v1/services')).status, 404);
  });
});
