// Reloading the configuration, seen from outside: what the next request gets, in every thread, and what stays.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { type Reloaded, ReloadRefused } from '../../src/controller/controller.ts';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { auditedBy } from '../support/audit.ts';
import { authority } from '../support/chains.ts';
import { readNamedFile } from '../support/files.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import {
  authorize,
  authRequestIdOf,
  beginLogin,
  callWith,
  claimsOf,
  locationOf,
  login,
  obtainCode,
  redeem,
  refresh,
  submitPassword,
} from '../support/flow.ts';
import { httpsClient } from '../support/https-client.ts';
import { callerWith, createdId, password, rootOf } from '../support/management.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../support/test-server.ts';
import { patience, until } from '../support/until.ts';

interface Reloading {
  readonly server: TestServer;
  /** Changes the file and reloads. */
  reload(change: (yaml: string) => string): Promise<Reloaded>;
}

async function reloading(
  t: { after(work: () => Promise<void>): void },
  options: TestServerOptions = {},
): Promise<Reloading> {
  const server = await startTestServer(options);
  t.after(() => server.close());
  const file = join(server.home, 'controller.yml');
  const original = readFileSync(file, 'utf8');
  return {
    server,
    reload(change) {
      writeFileSync(file, change(original));
      return server.controller.reload(loadConfig(file, { readFile: readNamedFile, env: {} }).config);
    },
  };
}

const paths = (changes: Reloaded['changed']) => changes.map(({ path }) => path);
const application = 'https://app.example.com';

/** The default listener lists its APIs without `edge-oidc`, which is bound automatically. */
function withApplication(yaml: string): string {
  const api = [
    '      - binding: edge-oidc',
    '        options:',
    `          redirectURIs: [${application}/callback, "http://localhost:*/auth/callback"]`,
  ];
  const changed = yaml.replace('      - binding: edge-client\n', (line) => `${line}${api.join('\n')}\n`);
  assert.notEqual(changed, yaml);
  return changed;
}

describe('a reload', () => {
  test('admits an application that was added, and refuses one that was removed', async (t) => {
    const { server, reload } = await reloading(t);
    const asked = () => authorize(server, { redirect_uri: `${application}/callback` });
    const fromItsPage = async () => {
      const headers = { origin: application };
      const answer = await server.get('/oidc/.well-known/openid-configuration', { headers });
      return (
        (await server.post('/oidc/token', { headers, form: {} })).headers['access-control-allow-origin'] ??
        String(answer.status)
      );
    };
    assert.equal((await asked()).status, 400);
    assert.notEqual(await fromItsPage(), application);
    // A login that had begun continues.
    const underWay = await beginLogin(server);

    const { changed, needsRestart } = await reload(withApplication);
    assert.deepEqual(paths(needsRestart), []);
    assert.ok(
      changed.some(({ path, after }) => /redirectURIs$/.test(path) && String(after).includes(application)),
    );
    assert.equal((await asked()).status, 302);
    assert.equal(await fromItsPage(), application);
    await server.createUser({ name: 'between', password });
    const finished = await server.post('/oidc/login/username', {
      json: { authRequestId: underWay, username: 'between', password },
    });
    assert.match(locationOf(finished), /code=/);
    const audited = server.log.entries.filter(({ fields }) => fields.event === 'config.changed');
    assert.deepEqual(
      audited.map(({ fields }) => fields.path),
      paths(changed),
      'each change is in the audit trail',
    );

    const toTheApplication = authRequestIdOf(await asked());
    const redirect_uri = `${application}/callback`;
    const code = await obtainCode(server, 'between', password, { redirect_uri });
    await reload((yaml) => yaml);
    assert.equal((await asked()).status, 400);
    assert.notEqual(await fromItsPage(), application);
    const nowhere = await submitPassword(server, toTheApplication, 'between', password);
    assert.deepEqual([nowhere.status, nowhere.headers.location], [400, undefined], nowhere.text);
    // A code that was sent there before is worth nothing, too.
    const redeemed = await redeem(server, code, { redirect_uri });
    assert.equal(redeemed.json.error, 'invalid_grant');
    assert.equal(auditedBy(server, redeemed)[0]?.reason, 'redirect-uri-removed');
  });

  test('changes the look of the pages, and the files that they need', async (t) => {
    const { server, reload } = await reloading(t);
    const page = async () => {
      const { text } = await server.get(locationOf(await authorize(server)), {
        headers: { accept: 'text/html' },
      });
      const style = /href="([^"]+\.css)"/.exec(text)?.[1] ?? '';
      return { text, style, styleStatus: (await server.get(style)).status };
    };
    const before = await page();
    await reload((yaml) => `${yaml}\nbranding:\n  name: Harbour\n  color: "#7a1f5c"\n`);
    const after = await page();
    assert.match(after.text, /Harbour/);
    assert.doesNotMatch(before.text, /Harbour/);
    assert.deepEqual([before.styleStatus, after.styleStatus], [200, 200]);
  });

  test('changes the lifetime of tokens, and ends older ones; a longer one again revives no ended session', async (t) => {
    const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
    const { server, reload } = await reloading(t, { clock });
    const lifetimes = (text: string) => (yaml: string) =>
      yaml.replace('accessTokenDuration: 30m', `accessTokenDuration: ${text}`);
    const root = await rootOf(server);
    for (const name of ['ended', 'alive']) await server.createUser({ name, password });
    const [ended, alive] = [await login(server, 'ended', password), await login(server, 'alive', password)];
    const lifeOf = (token: string) => claimsOf(token).exp - claimsOf(token).iat;
    assert.equal(lifeOf(alive.access_token), 30 * 60);
    const { id } = (await callWith(server, ended.access_token)).json.data;

    await reload(lifetimes('2m'));
    const admin = callerWith(server, root.accessToken);
    assert.equal((await admin.call('DELETE', `api-sessions/${id}`)).status, 200);
    // Long enough to forget the end of a session whose tokens lived for two minutes only.
    for (let minute = 0; minute < 10; minute += 1) clock.advance(MINUTE);
    assert.equal(
      (await callWith(server, alive.access_token)).status,
      401,
      'a shorter life holds for old tokens',
    );
    const renewed = (await refresh(server, alive.refresh_token)).json;
    assert.equal(lifeOf(renewed.access_token), 2 * 60);

    await reload((yaml) => yaml);
    assert.equal((await callWith(server, alive.access_token)).status, 200);
    assert.equal((await callWith(server, ended.access_token)).status, 401);

    await reload(lifetimes('2h'));
    const long = claimsOf((await refresh(server, renewed.refresh_token)).json.access_token);
    assert.equal(long.exp - long.iat, 2 * 60 * 60);
    const revoked = await admin.call('POST', 'revocations', { id: long.jti, type: 'JTI' });
    const { expiresAt } = (await admin.get(`revocations/${createdId(revoked)}`)).json.data;
    assert.ok(
      Date.parse(expiresAt) >= long.exp * 1000,
      'a token is not revoked for a shorter time than it lives',
    );
  });

  test('to a shorter lifetime than a client has keeps every other change of that client possible', async (t) => {
    const { server, reload } = await reloading(t);
    const admin = callerWith(server, (await rootOf(server)).accessToken);
    const client = { name: 'with its own', accessTokenDuration: '20m', type: 'public' };
    const path = `oidc-clients/${createdId(await admin.call('POST', 'oidc-clients', client))}`;
    await reload((yaml) => yaml.replace('accessTokenDuration: 30m', 'accessTokenDuration: 2m'));
    const renamed = await admin.call('PATCH', path, { name: 'renamed', accessTokenDuration: '20m' });
    assert.equal(renamed.status, 200, renamed.text);
    const longer = await admin.call('PATCH', path, { accessTokenDuration: '19m' });
    assert.deepEqual([longer.status, longer.json.error.cause?.field], [400, 'accessTokenDuration']);
  });

  test('reaches every thread, and those that start later', async (t) => {
    const { server, reload } = await reloading(t, { threads: 3 });
    const clients = Array.from({ length: 16 }, () =>
      httpsClient(server.url, server.caPem, { maxSockets: 1 }),
    );
    t.after(async () => {
      for (const client of clients) client.closeConnections();
    });
    const asked = async () =>
      Promise.all(
        clients.map(
          async (client) => (await authorize(client, { redirect_uri: `${application}/callback` })).status,
        ),
      );
    assert.deepEqual(await asked(), Array(16).fill(400));
    // Two at once: they run one after the other, and the last one counts.
    await Promise.all([reload((yaml) => yaml), reload(withApplication)]);
    assert.deepEqual(await asked(), Array(16).fill(302));

    const replaced = () =>
      server.log.entries.filter(({ fields }) => fields.event === 'thread.replaced').length;
    for (const worker of server.workers) await worker.terminate();
    await until(patience, () => replaced() >= 2);
    for (const client of clients) client.closeConnections();
    assert.deepEqual(await asked(), Array(16).fill(302));
  });

  test('does not change settings that need a restart, and names them', async (t) => {
    const { server, reload } = await reloading(t);
    const { changed, needsRestart } = await reload((yaml) =>
      `${yaml}\nnode:\n  name: another\n`
        .replace('sessionTimeout: 30m', 'sessionTimeout: 20m')
        .replace('clientIds: []', 'clientIds: [native]'),
    );
    assert.deepEqual(changed, [{ path: 'edge.api.sessionTimeout', before: '30m', after: '20m' }]);
    assert.deepEqual(paths(needsRestart), ['edge.oidc.compatibility.clientIds', 'node.name']);
    assert.equal((await authorize(server, { client_id: 'native' })).status, 400);
  });

  test('of a configuration with unusable files changes nothing at all', async (t) => {
    const { server, reload } = await reloading(t);
    writeFileSync(join(server.home, 'logo.svg'), '<svg onload="alert(1)"/>');
    writeFileSync(join(server.home, 'other.pem'), 'nonsense');
    const bundle = server.caPem + authority().certPem;
    writeFileSync(join(server.home, 'half-written.pem'), bundle.slice(0, -40));
    for (const [broken, said] of [
      [(yaml: string) => `${yaml}\nbranding:\n  logo: logo.svg\n`, /logo/],
      [(yaml: string) => yaml.replace(/server_cert: .*/, 'server_cert: other.pem'), /other\.pem/],
      [
        (yaml: string) => yaml.replace(/([ ])key: .*/, '$1key: other.pem'),
        /other\.pem: it holds no unencrypted/,
      ],
      [
        (yaml: string) => yaml.replace(/([ ])ca: .*/, '$1ca: half-written.pem'),
        /half-written\.pem .* broken one/,
      ],
    ] as const) {
      await assert.rejects(
        reload((yaml) => withApplication(broken(yaml))),
        ({ message }: Error) => said.test(message),
      );
      assert.equal((await authorize(server, { redirect_uri: `${application}/callback` })).status, 400);
    }
    assert.equal(
      server.log.entries.some(({ fields }) => fields.event === 'config.changed'),
      false,
    );
  });

  test('is refused while the controller stops', async (t) => {
    const { server } = await reloading(t);
    const stopping = server.controller.stop();
    await assert.rejects(server.controller.reload(), ReloadRefused);
    await stopping;
  });
});
