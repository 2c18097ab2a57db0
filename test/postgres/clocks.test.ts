// Two nodes whose clocks differ from that of the database by less than is tolerated, in opposite directions.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { deleteExpired } from '../../src/tasks/expire.ts';
import { dpopKey, hashOf, withHeaders } from '../support/dpop.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { obtainCode, redeem } from '../support/flow.ts';
import { type Node, startNode } from '../support/nodes.ts';
import { postgresServer } from '../support/postgres.ts';

const password = 'seven quiet lanterns';
const database = fixedClock(systemClock.now());
const ahead = fixedClock(database.now() + 29 * SECOND);
const behind = fixedClock(database.now() - 29 * SECOND);
const db = await (await postgresServer()).createDatabase();
const nodes: readonly [Node, Node] = [
  await startNode(db, { clock: ahead }),
  await startNode(db, { clock: behind }),
];
after(async () => {
  for (const node of nodes) {
    node.closeConnections();
    await node.server.close();
  }
});

/** Time passes, and the node that is ahead deletes what has expired by its clock. */
async function expire(seconds: number): Promise<void> {
  for (const clock of [database, ahead, behind]) clock.advance(seconds * SECOND);
  const { store } = nodes[0].server;
  await deleteExpired({ store, clock: ahead, keepAttempts: 0, keepAuditEvents: 0 });
}

test('a DPoP proof that one of them would still accept is not forgotten by the other', async () => {
  const [, late] = nodes;
  await late.server.createUser({ name: 'thea', password });
  const [key, path] = [dpopKey(), '/edge/client/v1/current-api-session'];
  const proofOf = (method: string, of: string, claims = {}) =>
    key.proof({ method, url: new URL(of, late.server.url).href }, database.now(), { claims });
  const code = await obtainCode(late, 'thea', password);
  const { access_token } = (await redeem(withHeaders(late, { dpop: proofOf('POST', '/oidc/token') }), code))
    .json;
  const dpop = proofOf('GET', path, { ath: hashOf(access_token) });
  const send = () => late.get(path, { headers: { authorization: `DPoP ${access_token}`, dpop } });
  assert.equal((await send()).status, 200);
  // A proof lives a minute. One of the clocks comes to its end after 31 seconds, the other after 89.
  for (const seconds of [0, 32, 56]) {
    await expire(seconds);
    assert.equal((await send()).status, 401, `${seconds} s later`);
  }
});
