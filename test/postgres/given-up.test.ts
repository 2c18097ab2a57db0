import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SECOND } from '../../src/platform/clock.ts';
import { throughWire } from '../support/cluster.ts';
import { wait } from '../support/cluster-fault.ts';
import { callWith, login, obtainCode, redeem, refresh } from '../support/flow.ts';
import { type Node, startNode } from '../support/nodes.ts';
import { postgresServer } from '../support/postgres.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { password } from '../support/totp.ts';

let [cutOff, other]: [Node, Node] = [] as never;
const database = await postgresServer();
const url = await database.createDatabase();
const wire = await tcpProxy(database.socket);
[cutOff, other] = await Promise.all([startNode(throughWire(url, wire)), startNode(url)]);
await other.server.createUser({ name: 'alice', password });
after(async () => {
  wire.heal();
  for (const node of [cutOff, other]) {
    node.closeConnections();
    await node.server.close();
  }
  await wire.close();
});

test('a request that waited for the database while its client asked another node is dropped', async () => {
  const first = await login(cutOff, 'alice', password);
  const code = await obtainCode(cutOff, 'alice', password);
  wire.freeze();
  const late = Promise.all([refresh(cutOff, first.refresh_token), redeem(cutOff, code)]);
  // Four seconds without an answer: the client turns to another node.
  await wait(4 * SECOND);
  const [second, redeemed] = [await refresh(other, first.refresh_token), await redeem(other, code)];
  assert.equal(second.status, 200, second.text);
  assert.equal(redeemed.status, 200, redeemed.text);
  // Beyond the time within which the same request may come twice.
  await wait(2.5 * SECOND);
  wire.heal();
  for (const answer of await late) {
    assert.equal(answer.status, 503, answer.text);
    assert.match(String(answer.headers['retry-after']), /^\d+$/);
  }
  // A token or code that comes a second time would have ended its session.
  for (const { json } of [second, redeemed]) {
    assert.equal((await callWith(other, json.access_token)).status, 200);
    assert.equal((await refresh(other, json.refresh_token)).status, 200);
  }
});
