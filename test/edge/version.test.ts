import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import { capabilitiesOf } from '../../src/http/edge/version.ts';
import type { EdgeServices } from '../../src/http/request/services.ts';
import { rootOf } from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const server = await serverOfFile();

const paths = [
  '/edge/client/v1/version',
  '/edge/client/v1',
  '/edge/client/v1/',
  '/edge/management/v1/version',
  '/version',
];

test('the facts besides the version are there for every caller, and the types of identities for administrators', async () => {
  const at = async (path: string) => (await server.get(path)).json.data;
  for (const root of ['/edge/client/v1', '/edge/management/v1', '']) {
    const known = ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR', 'HA_CONTROLLER'];
    assert.deepEqual(await at(`${root}/enumerated-capabilities`), known);
    assert.match((await at(`${root}/protocols`)).https.address, /:\d+$/);
    const [spec] = await at(`${root}/specs`);
    assert.deepEqual(await at(spec._links.self.href), spec);
    assert.equal((await server.get(spec._links.spec.href)).json.openapi, '3.1.0');
    assert.equal((await server.get(`${root}/specs/other`)).status, 404);
  }
  const admin = await rootOf(server);
  assert.equal((await server.get('/edge/management/v1/identity-types')).status, 401);
  const types = (await admin.get('identity-types')).json.data;
  assert.deepEqual(
    types.map(({ name }: { name: string }) => name),
    ['Default', 'User', 'Device', 'Service', 'Router'],
  );
  assert.equal((await admin.get('identity-types/Router')).json.data.id, 'Router');
  assert.equal((await admin.get('identity-types/Robot')).status, 404);
});

describe('the version document', () => {
  test('is for everybody, and says where the APIs are', async () => {
    for (const path of paths) {
      const answer = await server.get(path);
      assert.equal(answer.status, 200, path);
      assert.match(answer.headers['content-type'] ?? '', /^application\/json/);
      const { apiVersions, capabilities } = answer.json.data;
      const at = (root: string) => ({
        v1: { path: root, version: 'v1', apiBaseUrls: [`${server.url}${root}`] },
      });
      assert.deepEqual(apiVersions, {
        edge: at('/edge/client/v1'),
        'edge-client': at('/edge/client/v1'),
        'edge-management': at('/edge/management/v1'),
        'edge-oidc': at('/oidc'),
      });
      assert.deepEqual(capabilities, []);
    }
  });

  test('names the release, which existing clients print, and no patch level of what it runs on', async () => {
    const { json, text } = await server.get('/version');
    const { revision, buildDate, runtimeVersion } = json.data;
    assert.equal(revision, packageJson.version);
    assert.ok(!Number.isNaN(Date.parse(buildDate)), buildDate);
    assert.match(runtimeVersion, /^node v\d+$/);
    assert.equal(text.includes(process.version), false);
  });

  test('advertises OIDC to clients of the compatibility profile only where that is on', async () => {
    await using profiled = await startTestServer({
      configure: (yaml) => yaml.replace('clientIds: []', 'clientIds: [alias]'),
    });
    for (const path of paths) {
      assert.deepEqual((await profiled.get(path)).json.data.capabilities, ['OIDC_AUTH']);
    }
  });

  test('advertises certificate requests along with OIDC where there is an authority that signs them', async () => {
    const asked: readonly (readonly [alias: boolean, capabilities: readonly string[]])[] = [
      [true, ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR']],
      [false, []],
    ];
    for (const [alias, expected] of asked) {
      const configure = (yaml: string) =>
        alias ? yaml.replace('clientIds: []', 'clientIds: [alias]') : yaml;
      await using signing = await startTestServer({ configure, signing: true });
      assert.deepEqual((await signing.get('/version')).json.data.capabilities, expected);
    }
  });

  test('says that there are several controllers when there are', async () => {
    const edge = { oidc: { compatibility: { clientIds: [] } } };
    const needs = { config: { edge }, certificateIssuer: { isAvailable: false }, node: { isCluster: true } };
    assert.deepEqual(capabilitiesOf(needs as unknown as EdgeServices, { listener: { apis: [] } }), [
      'HA_CONTROLLER',
    ]);
  });

  test('names only what is bound', async () => {
    await using bound = await startTestServer({
      configure: (yaml) => yaml.replace('- binding: edge-management', ''),
    });
    const { json } = await bound.get('/version');
    assert.deepEqual(Object.keys(json.data.apiVersions), ['edge', 'edge-client', 'edge-oidc']);
    assert.equal((await bound.get('/edge/management/v1/version')).status, 404);
  });

  test('does not depend on a token, however bad', async () => {
    const answer = await server.get('/version', {
      headers: { authorization: 'Bearer x', 'zt-session': 'x' },
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.lines('www-authenticate'), []);
  });
});
