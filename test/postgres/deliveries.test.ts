// What is to be delivered to others, with two controllers on one database.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DeliveryQueue, queueOf } from '../../src/model/delivery.ts';
import { claimsOf } from '../support/flow.ts';
import { type Caller, createdId, loggedIn, password } from '../support/management.ts';
import { startMessageReceiver } from '../support/message-receiver.ts';
import { type Node, startNode } from '../support/nodes.ts';
import { loginAt, registerClient } from '../support/oidc-clients.ts';
import { postgresServer } from '../support/postgres.ts';
import { eventually, patience, until } from '../support/until.ts';

let [a, b]: [Node, Node] = [] as never;
let root: Caller;
before(async () => {
  const db = await (await postgresServer()).createDatabase();
  [a, b] = await Promise.all([startNode(db), startNode(db)]);
  await a.server.createUser({ name: 'root', password, isAdmin: true });
  root = await loggedIn(b, 'root');
});
after(async () => {
  for (const node of [a, b]) {
    node.closeConnections();
    await node.server.close();
  }
});

const sidOf = (body: string) => claimsOf(new URLSearchParams(body).get('logout_token') ?? '').sid;

test('what was registered at one node is told at once, also by the other one, whose memory is older', async (t) => {
  const receiver = await startMessageReceiver();
  t.after(() => receiver.close());
  await a.server.createUser({ name: 'nora', password });
  const app = await registerClient(root);
  const { sid } = claimsOf((await loginAt(a, app, 'nora')).id_token);
  t.mock.method(a.server.store.deliveries, 'hold', async () => null);
  const late = Promise.withResolvers<void>();
  const { changes } = b.server.store;
  const readAfter = changes.readAfter.bind(changes);
  t.mock.method(changes, 'readAfter', (position: Parameters<typeof readAfter>[0]) =>
    late.promise.then(() => readAfter(position)),
  );
  t.after(() => late.resolve());

  const admin = await loggedIn(a, 'root');
  await admin.call('PATCH', `oidc-clients/${app.id}`, { backchannelLogoutUri: `${receiver.url}/logout` });
  const subscription = { name: 'all', type: 'webhook', url: `${receiver.url}/events` };
  const subscribed = createdId(await admin.call('POST', 'event-subscriptions', subscription));
  assert.equal(await a.server.store.apiSessions.end(sid, 'logout', Date.now()), true);
  const stateOf = async (queue: DeliveryQueue) => {
    const list = () => a.server.store.deliveries.list(queue, null, 10);
    const first = (await eventually(list, (found) => found.at(-1)?.state !== 'waiting')).at(-1);
    return [first?.state, first?.result];
  };
  assert.deepEqual(await stateOf(queueOf('logout', app.id)), ['delivered', 'HTTP 200']);
  assert.deepEqual(await stateOf(queueOf('event', subscribed)), ['delivered', 'HTTP 200']);
  assert.deepEqual(new Set(receiver.received.map(({ path }) => path)), new Set(['/logout', '/events']));
});

test('each of many sessions that end at once on both nodes is told once, and by the other node if one stops', async (t) => {
  const receiver = await startMessageReceiver();
  t.after(() => receiver.close());
  const app = await registerClient(root, { backchannelLogoutUri: `${receiver.url}/logout` });
  await a.server.createUser({ name: 'alice', password });
  const sids: string[] = [];
  for (let at = 0; at < 11; at += 1) sids.push(claimsOf((await loginAt(a, app, 'alice')).id_token).sid);
  const [last = '', ...first] = sids;
  const end = (sid: string, at: number) => {
    const { store } = (at % 2 === 0 ? a : b).server;
    return store.apiSessions.end(sid as never, 'logout', Date.now());
  };
  assert.deepEqual(
    await Promise.all(first.map(end)),
    first.map(() => true),
  );
  await receiver.at(first.length - 1);
  const told = receiver.received.map(({ body }) => sidOf(body));
  assert.deepEqual(told.toSorted(), first.toSorted());

  receiver.answer(503);
  assert.equal(await end(last, 0), true);
  await receiver.at(first.length);
  await a.server.stop();
  receiver.answer(200);
  const from = receiver.received.length;
  assert.equal(sidOf((await receiver.at(from)).body), last);
  const waiting = `oidc-clients/${app.id}/deliveries?state=waiting`;
  await until(patience, async () => (await root.get(waiting)).json.data.length === 0);
  assert.equal(receiver.received.filter(({ body }) => sidOf(body) === last).length, from - first.length + 1);
});
