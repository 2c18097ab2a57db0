// Programs whose tokens are bound to a key.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createClientApi } from '../../packages/client/src/api/edge-api.ts';
import { startDirectLogin } from '../../packages/client/src/login/direct-login.ts';
import { fileTokenStore } from '../../packages/client/src/node/file-token-store.ts';
import { discover, type ProviderOptions } from '../../packages/client/src/oidc/provider.ts';
import { openSession } from '../../packages/client/src/session/session.ts';
import { memoryTokenStore } from '../../packages/client/src/session/token-store.ts';
import type { Transport } from '../../packages/client/src/transport.ts';
import { HOUR, MINUTE } from '../../src/platform/clock.ts';
import { password } from '../support/management.ts';
import { startTestServer } from '../support/test-server.ts';
import { transportTo } from './support.ts';

const server = await startTestServer();
await server.createUser({ name: 'ada', password });
const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-key-'));
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function loggedIn(options: Partial<ProviderOptions> = {}) {
  const transport = options.transport ?? transportTo(server);
  const provider = await discover({ baseUrl: server.url, ...options, transport });
  const state = await (await startDirectLogin(provider)).password({ username: 'ada', password });
  assert.ok(state.kind === 'done');
  const { tokens } = state;
  const api = (store = memoryTokenStore(tokens)) => {
    const session = openSession({ provider, store });
    return { session, api: createClientApi({ baseUrl: server.url, token: session, transport }) };
  };
  return { provider, tokens, api };
}

const statusAs = async (scheme: string, token: string) =>
  (await server.get('/edge/client/v1/current-identity', { headers: { authorization: `${scheme} ${token}` } }))
    .status;

describe('tokens of a program', () => {
  test('are bound to a key by default, which a file keeps with them', async () => {
    const { provider, tokens, api } = await loggedIn();
    assert.deepEqual(
      [await statusAs('Bearer', tokens.accessToken), await statusAs('DPoP', tokens.accessToken)],
      [401, 401],
    );
    const path = join(folder, 'tokens.json');
    await fileTokenStore(path).update(async () => [tokens, undefined]);
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')).key, tokens.key);
    // As another program reads them.
    const { session, api: calls } = api(fileTokenStore(path));
    assert.equal((await calls.GET('/current-identity')).data.data.name, 'ada');
    await session.renewedToken(tokens.accessToken);
    assert.equal((await calls.GET('/current-identity')).data.data.name, 'ada');
    assert.notEqual(provider.newKey, null);
    const { tokens: others } = await loggedIn();
    assert.notDeepEqual(others.key, tokens.key);
  });

  test('are bearer tokens on request, and from a server that binds none', async () => {
    const send = transportTo(server);
    const older: Transport = async (request) => {
      assert.equal(request.headers.get('dpop'), null);
      const response = await send(request);
      if (!request.url.endsWith('/openid-configuration')) return response;
      const { dpop_signing_alg_values_supported: _, ...members } = (await response.json()) as Record<
        string,
        unknown
      >;
      return Response.json(members);
    };
    for (const options of [{ newKey: null }, { transport: older }]) {
      const { tokens, api } = await loggedIn(options);
      assert.equal(tokens.key, undefined);
      assert.equal(await statusAs('Bearer', tokens.accessToken), 200);
      const { session, api: calls } = api();
      await session.renewedToken(tokens.accessToken);
      assert.equal((await calls.GET('/current-identity')).data.data.name, 'ada');
    }
  });

  test('are issued to a computer whose clock is wrong', async () => {
    for (const error of [-3 * HOUR, -2 * MINUTE, 2 * MINUTE, 3 * HOUR]) {
      const { tokens } = await loggedIn({ now: () => Date.now() + error });
      assert.notEqual(tokens.key, undefined, String(error));
    }
  });

  test('work on a computer whose clock is wrong', async () => {
    for (const error of [-20 * MINUTE, -2 * MINUTE, 2 * MINUTE, 20 * MINUTE]) {
      const { tokens, api } = await loggedIn();
      const session = openSession({
        provider: await discover({
          baseUrl: server.url,
          transport: transportTo(server),
          now: () => Date.now() + error,
        }),
        store: memoryTokenStore(tokens),
      });
      const calls = createClientApi({ baseUrl: server.url, token: session, transport: transportTo(server) });
      assert.equal((await calls.GET('/current-identity')).data.data.name, 'ada', String(error));
      assert.equal((await api().api.GET('/current-identity')).data.data.name, 'ada');
    }
  });
});
