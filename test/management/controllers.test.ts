import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, SECOND } from '../../src/platform/clock.ts';
import { clockWatch } from '../../src/tasks/clock-watch.ts';
import { nodeHeartbeat } from '../../src/tasks/node-heartbeat.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { assertRefused, type Caller, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({
  clock,
  configure: (yaml) => yaml.replace(/^edge:/m, 'node: { name: ctrl-1 }\nedge:'),
});
const root = await rootOf(server);
await server.createUser({ name: 'alice', password });
const user = await loggedIn(server, 'alice');

const names = async (caller: Caller, path: string) =>
  (await caller.get(path)).json.data.map(({ name, isOnline }: { name: string; isOnline: boolean }) => [
    name,
    isOnline,
  ]);

/** Another node on the same database. */
function another() {
  const { store, log } = server;
  return nodeHeartbeat({
    store,
    clock,
    vault: { keyIds: () => [] },
    authorities: () => ({ trusted: [], signing: [] }),
    clockWatch: clockWatch({ store, clock, log, onSetRight: async () => undefined }),
    log,
  });
}
const announcement = (name: string) => ({
  id: server.random.id(),
  name,
  address: `${name}.example:1280`,
  apiAddresses: [
    { binding: 'edge-client', url: `https://${name}.example:1280/edge/client/v1`, version: 'v1' },
    { binding: 'edge-client', url: `https://${name}.example:1290/edge/client/v1`, version: 'v1' },
  ],
  version: '0.0.0',
});

test('signing keys are listed with their times, for those who may read, without anything that signs', async () => {
  const answer = await root.get('signing-keys');
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.json.data.map(({ alg }: { alg: string }) => alg).sort(), ['ES256', 'RS256']);
  for (const { kid, alg: _alg, use, ...times } of answer.json.data) {
    assert.match(kid, /^[\w-]{43}$/);
    assert.equal(use, 'signing');
    assert.deepEqual(times, {
      createdAt: '2026-01-01T00:00:00.000Z',
      signsFrom: '2026-01-01T00:00:00.000Z',
      signsUntil: '2026-01-31T00:00:00.000Z',
      removedAt: null,
    });
  }
  assertRefused(await user.get('signing-keys'), 403, 'FORBIDDEN');
});

test('a controller announces where it serves which API to everybody who has logged in', async () => {
  const answer = await user.get('/edge/client/v1/controllers');
  assert.equal(answer.status, 200);
  const [only, ...rest] = answer.json.data;
  assert.deepEqual(rest, []);
  const { id, name, isOnline, ctrlAddress, apiAddresses, lastJoinedAt, _links } = only;
  assert.deepEqual([name, isOnline, lastJoinedAt], ['ctrl-1', true, '2026-01-01T00:00:00.000Z']);
  assert.equal(`https://${ctrlAddress}`, server.url);
  assert.deepEqual(apiAddresses['edge-client'], [{ url: `${server.url}/edge/client/v1`, version: 'v1' }]);
  assert.deepEqual(apiAddresses['edge-management'], [
    { url: `${server.url}/edge/management/v1`, version: 'v1' },
  ]);
  assert.deepEqual(_links, { self: { href: `./controllers/${id}` } });
  assert.equal(answer.json.meta.pagination.totalCount, 1);
  assert.deepEqual((await root.get('controllers')).json.data, answer.json.data);
  assert.deepEqual((await root.get(`controllers/${id}`)).json.data, only);
});

test('strangers and, on the management API, others than administrators are refused', async () => {
  assertRefused(await server.get('/edge/client/v1/controllers'), 401, 'UNAUTHORIZED');
  assertRefused(await user.get('controllers'), 403, 'FORBIDDEN');
  assertRefused(await root.get('controllers/none'), 404, 'NOT_FOUND');
  assertRefused(await root.call('POST', 'controllers', {}), 405, 'METHOD_NOT_ALLOWED');
});

test('another one is online until it stops or has not been seen for thirty seconds, and is forgotten after a day', async () => {
  const second = another();
  assert.equal(server.controller.services.node.isCluster, false);
  await second.start(announcement('ctrl-2'));
  assert.equal(second.isCluster, true);
  assert.deepEqual(await names(user, '/edge/client/v1/controllers?sort=name'), [
    ['ctrl-1', true],
    ['ctrl-2', true],
  ]);
  const filtered = await user.get('/edge/client/v1/controllers?filter=name%20%3D%20%22ctrl-2%22');
  assert.equal(filtered.json.data[0].apiAddresses['edge-client'].length, 2);
  await second.stop();
  assert.deepEqual(await names(root, 'controllers?filter=name%20%3D%20%22ctrl-2%22'), [['ctrl-2', false]]);
  clock.advance(6 * SECOND);
  // The last metrics of a controller that stops still ask.
  await second.check();
  assert.deepEqual(await names(root, 'controllers?filter=name%20%3D%20%22ctrl-2%22'), [['ctrl-2', false]]);

  const crashed = another();
  await crashed.start(announcement('ctrl-3'));
  clock.advance(29 * SECOND);
  assert.deepEqual(await names(root, 'controllers?filter=name%20%3D%20%22ctrl-3%22'), [['ctrl-3', true]]);
  clock.advance(SECOND);
  assert.deepEqual(await names(root, 'controllers?filter=name%20%3D%20%22ctrl-3%22'), [['ctrl-3', false]]);

  clock.advance(DAY);
  const again = another();
  await again.start(announcement('ctrl-2'));
  const left = (await server.store.nodes.listAll()).map(({ name }) => name);
  assert.ok(left.includes('ctrl-2') && !left.includes('ctrl-3'), left.join());
  await crashed.stop();
  await again.stop();
});

test('a node that starts again under its name keeps its id, and the old one cannot sign it off', async () => {
  const first = another();
  await first.start(announcement('ctrl-4'));
  const id = (await server.store.nodes.listAll()).find(({ name }) => name === 'ctrl-4')?.id;
  clock.advance(SECOND);
  const second = another();
  await second.start(announcement('ctrl-4'));
  await first.stop();
  const found = (await server.store.nodes.listAll()).find(({ name }) => name === 'ctrl-4');
  assert.equal(found?.id, id);
  assert.equal(found?.leftAt, null);
  await second.stop();
});

test('the certificates of a node are listed, with what each is for', async () => {
  const { status, json } = await (await loggedIn(server, 'root')).get('own-certificates');
  assert.equal(status, 200);
  const [presented] = json.data.filter(({ use }: { use: string }) => use === 'server');
  assert.deepEqual(presented.listeners, ['default']);
  assert.ok(presented.names.includes('localhost'));
  assert.match(presented.fingerprint, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  assert.match(presented.certPem, /^-----BEGIN CERTIFICATE-----/);
  assert.ok(json.data.some(({ use, isCa }: { use: string; isCa: boolean }) => use === 'authority' && isCa));
  const caller = await loggedIn(server, 'alice');
  assertRefused(await caller.get('own-certificates'), 403, 'FORBIDDEN');
});
