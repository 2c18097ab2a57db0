// Listeners and bind points (spec 5.7): where OIDC answers, and which issuer it names.

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { goExchange, goLoginWithPassword, goRefresh } from '../compatibility/go-client.ts';
import { cClient, goClient, pathOf } from '../compatibility/support.ts';
import { dpopCaller, dpopKey } from '../support/dpop.ts';
import {
  beginLogin,
  claimsOf,
  codeOf,
  locationOf,
  login,
  redeem,
  refresh,
  submitPassword,
} from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { type HttpsClient, httpsClient } from '../support/https-client.ts';
import { startTestServer } from '../support/test-server.ts';

const password = 'seven quiet lanterns';

/** A server whose `web` section is `web`, and a client for each of its addresses. */
/** Closed at the end of the test. */
async function startWith(
  t: TestContext,
  addresses: readonly string[],
  { web, edge = '' }: { web: string; edge?: string },
) {
  const server = await startTestServer({
    configure: (yaml) => {
      const before = yaml.slice(0, yaml.search(/^web:/m));
      const home = addresses[0];
      return `${before}web:\n${web}\nedge:\n  api: { address: "${home}"${edge} }\n`;
    },
  });
  const clients = addresses.map((address) => httpsClient(`https://${address}`, server.caPem));
  t.after(async () => {
    for (const client of clients) client.closeConnections();
    await server.close();
  });
  return { server, clients };
}

function listener(
  name: string,
  bindPoints: readonly (readonly [number, string])[],
  apis: readonly string[],
): string {
  const points = bindPoints.map(
    ([port, address]) => `{ interface: "127.0.0.1:${port}", address: "${address}" }`,
  );
  return `  - name: ${name}\n    bindPoints: [${points.join(', ')}]\n    apis: [${apis.map((binding) => `{ binding: ${binding} }`).join(', ')}]`;
}

const discovery = '/oidc/.well-known/openid-configuration';

describe('with several bind points', () => {
  test('each has its own issuer, in documents, answers and tokens', async (t) => {
    const [one, two] = [await freePort(), await freePort()];
    const addresses = [`localhost:${one}`, `other.localhost:${two}`];
    const { server, clients } = await startWith(t, addresses, {
      web: listener(
        'both',
        [
          [one, addresses[0] ?? ''],
          [two, addresses[1] ?? ''],
        ],
        ['edge-client', 'edge-management'],
      ),
    });
    await server.createUser({ name: 'alice', password });
    for (const [at, client] of clients.entries()) {
      const issuer = `https://${addresses[at]}/oidc`;
      const document = (await client.get(discovery)).json;
      assert.equal(document.issuer, issuer);
      assert.equal(document.token_endpoint, `${issuer}/token`);
      const finished = await submitPassword(client, await beginLogin(client), 'alice', password);
      assert.equal(new URL(String(finished.headers.location)).searchParams.get('iss'), issuer);
      const tokens = (await redeem(client, codeOf(finished))).json;
      assert.equal(claimsOf(tokens.access_token).iss, issuer);
      assert.equal(claimsOf(tokens.id_token).iss, issuer);
    }
  });

  test('a login, a code and a refresh token belong to the one at which they began', async (t) => {
    const [one, two] = [await freePort(), await freePort()];
    const addresses = [`localhost:${one}`, `other.localhost:${two}`];
    const { server, clients } = await startWith(t, addresses, {
      web: listener(
        'both',
        [
          [one, addresses[0] ?? ''],
          [two, addresses[1] ?? ''],
        ],
        ['edge-client'],
      ),
    });
    const [here, there] = clients;
    assert.ok(here && there);
    await server.createUser({ name: 'alice', password });
    assert.equal((await submitPassword(there, await beginLogin(here), 'alice', password)).status, 400);
    const code = codeOf(await submitPassword(here, await beginLogin(here), 'alice', password));
    assert.equal((await redeem(there, code)).json.error, 'invalid_grant');
    assert.equal((await redeem(here, code)).status, 200);
    const tokens = await login(here, 'alice', password);
    assert.equal((await refresh(there, tokens.refresh_token)).json.error, 'invalid_grant');
    assert.equal((await refresh(here, tokens.refresh_token)).status, 200);
  });

  test('sessions of existing SDKs continue at the other one, with their key and for their client alone', async (t) => {
    const [one, two] = [await freePort(), await freePort()];
    const addresses = [`localhost:${one}`, `other.localhost:${two}`];
    const points = addresses.map((address, at) => [at === 0 ? one : two, address] as const);
    const aliases = `compatibility: { clientIds: [${goClient}, ${cClient}] }`;
    const { server, clients } = await startWith(t, addresses, {
      web: listener('both', points, ['edge-client']),
      edge: `}\n  oidc: { ${aliases}`,
    });
    const [here, there] = clients;
    assert.ok(here && there);
    await server.createUser({ name: 'alice', password });
    const issuer = `https://${addresses[1]}/oidc`;
    const tokens = await goLoginWithPassword(here, 'alice', password);
    for (const clientId of ['overlay', cClient]) {
      const foreign = await refresh(there, tokens.refresh, { client_id: clientId });
      assert.equal(foreign.json.error, 'invalid_grant');
    }
    const moved = await goRefresh(there, tokens);
    for (const token of [moved.access, moved.id, moved.refresh]) assert.equal(claimsOf(token).iss, issuer);

    // Without a refresh token the access token is exchanged; one that is bound needs its key there too.
    const key = dpopKey();
    const dpopAt = (at: number, client: HttpsClient) =>
      dpopCaller({ ...client, url: `https://${addresses[at]}` }, systemClock, key);
    const id = await beginLogin(here, { client_id: goClient, scope: 'openid' });
    const first = await here.post('/oidc/login/password', { json: { id, username: 'alice', password } });
    const code = codeOf(await here.get(pathOf(locationOf(first))));
    const bound = (await redeem(dpopAt(0, here), code, { client_id: goClient })).json;
    assert.equal(bound.token_type, 'DPoP');
    const exchange = (client: HttpsClient) =>
      goExchange(client, bound.access_token, 'access_token', 'access_token');
    assert.equal((await exchange(there)).json.error, 'invalid_grant');
    const next = await exchange(dpopAt(1, there));
    assert.equal(next.status, 200, next.text);
    const { iss, cnf } = claimsOf(next.json.access_token);
    assert.deepEqual([iss, cnf.jkt], [issuer, key.thumbprint]);
  });

  test('a host that belongs to the other interface is misdirected', async (t) => {
    const [one, two] = [await freePort(), await freePort()];
    const addresses = [`localhost:${one}`, `other.localhost:${two}`];
    const { clients } = await startWith(t, addresses, {
      web: [
        listener('first', [[one, addresses[0] ?? '']], ['edge-client']),
        listener('second', [[two, addresses[1] ?? '']], ['edge-client']),
      ].join('\n'),
    });
    const answer = await clients[0]?.get(discovery, { headers: { host: addresses[1] ?? '' } });
    assert.equal(answer?.status, 421);
  });
});

describe('OIDC is bound', () => {
  const cases = [
    {
      name: 'to every listener with edge-client, by default',
      apis: [['edge-client'], ['edge-client', 'edge-management'], ['edge-management']],
      edge: '',
      oidc: [true, true, false],
    },
    {
      name: 'only where it is listed, once it is listed somewhere',
      apis: [['edge-client'], ['edge-client', 'edge-oidc']],
      edge: '',
      oidc: [false, true],
    },
    {
      name: 'alone on a listener, when so configured',
      apis: [['edge-client'], ['edge-oidc']],
      edge: '',
      oidc: [false, true],
    },
    {
      name: 'nowhere by itself, when auto-binding is off',
      apis: [['edge-client'], ['edge-client']],
      edge: ', disableOidcAutoBinding: true',
      oidc: [false, false],
    },
  ];
  for (const { name, apis, edge, oidc } of cases) {
    test(name, async (t) => {
      const ports = await Promise.all(apis.map(() => freePort()));
      const addresses = ports.map((port) => `localhost:${port}`);
      const web = apis
        .map((bindings, at) => listener(`l${at}`, [[ports[at] ?? 0, addresses[at] ?? '']], bindings))
        .join('\n');
      const { clients } = await startWith(t, addresses, { web, edge });
      for (const [at, client] of clients.entries()) {
        assert.equal((await client.get(discovery)).status, oidc[at] ? 200 : 404, `listener ${at}`);
        const legacy = await client.request('POST', '/edge/client/v1/authenticate?method=cert', {
          json: {},
        });
        if (legacy.status === 404) continue;
        assert.match(String(legacy.headers.deprecation), /^@\d+$/);
        const replacement = oidc[at] ? `<${discovery}>; rel="deprecation successor-version"` : undefined;
        assert.equal(legacy.headers.link, replacement, `listener ${at}`);
      }
    });
  }

  test('and tokens from a listener with OIDC alone work at the Edge APIs of another', async (t) => {
    const [api, oidc] = [await freePort(), await freePort()];
    const addresses = [`localhost:${api}`, `localhost:${oidc}`];
    const web = [
      listener('api', [[api, addresses[0] ?? '']], ['edge-client', 'edge-management']),
      listener('oidc', [[oidc, addresses[1] ?? '']], ['edge-oidc']),
    ].join('\n');
    const { server, clients } = await startWith(t, addresses, { web });
    const [atApi, atOidc] = clients;
    assert.ok(atApi && atOidc);
    await server.createUser({ name: 'alice', password });
    const { access_token } = await login(atOidc, 'alice', password);
    const answer = await atApi.get('/edge/client/v1/current-identity', {
      headers: { authorization: `Bearer ${access_token}` },
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.json.data.name, 'alice');
  });
});

test('durations that break the rules are adjusted, and the tokens show it', async () => {
  await using server = await startTestServer({
    configure: (yaml) =>
      yaml
        .replace(/accessTokenDuration: \S+/, 'accessTokenDuration: 10s')
        .replace(/refreshTokenDuration: \S+/, 'refreshTokenDuration: 30s'),
  });
  await server.createUser({ name: 'alice', password });
  const tokens = await login(server, 'alice', password);
  assert.equal(tokens.expires_in, 60);
});
