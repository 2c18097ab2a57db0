// A node that dies in the middle of a delivery: what it sent and did not note is sent again by another one, in order.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ClusterNode, startCluster } from '../support/cluster.ts';
import { createdId } from '../support/management.ts';
import { startMessageReceiver } from '../support/message-receiver.ts';
import { testPki } from '../support/test-pki.ts';
import { patience, until } from '../support/until.ts';

const cluster = await startCluster({ nodes: 2 });
const receiver = await startMessageReceiver();
after(async () => {
  await receiver.close();
  await cluster.close();
});

test('events go on from another node, from the one that the dead node was sending', async () => {
  const [dying, other] = cluster.nodes as [ClusterNode, ClusterNode];
  const { ca } = await testPki();
  const add = async (path: string, body: object) => createdId(await cluster.admin.call('POST', path, body));
  await add('event-subscriptions', {
    ...{ type: 'webhook', url: `${receiver.url}/events`, trustedRoots: ca.certPem },
    events: ['admin.changed'],
    filter: 'entity="config-type"',
  });
  const sent = () => receiver.received.map(({ body }) => JSON.parse(body).data.entityId);
  // The node whose administrator makes the change has it first. The other one is paused until it is being sent.
  other.pause();
  let answers = true;
  receiver.answer((response) => {
    if (answers) response.writeHead(204).end();
  });
  const first = await add('config-types', { name: 'first' });
  await until(patience, () => sent().includes(first));
  answers = false;
  const second = await add('config-types', { name: 'second' });
  await until(patience, () => sent().includes(second));
  const third = await add('config-types', { name: 'third' });
  await dying.kill();
  other.resume();
  answers = true;
  await until(patience, () => sent().includes(third));
  const ids = sent();
  assert.deepEqual(
    ids.filter((id, at) => id !== ids[at - 1]),
    [first, second, third],
  );
  const attempts = receiver.received.filter((_, at) => ids[at] === second);
  assert.ok(attempts.length > 1);
  const known = new Set(attempts.map(({ headers }) => headers['webhook-id']));
  assert.equal(known.size, 1, 'so that the receiver knows it');
});
