// What happens to real processes under load when something breaks. Each test prints how long it took until every
// client was served again, and then judges by the ledger of the clients: what was acknowledged is there, what was
// single-use was used once.

import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { type Millis, systemClock } from '../../src/platform/clock.ts';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster.ts';
import { type Load, startLoad } from '../support/cluster-load.ts';
import { clusterSize } from '../support/cluster-size.ts';

let cluster: Cluster;
before(async () => {
  cluster = await startCluster({ nodes: clusterSize.nodes });
});
after(() => cluster.close());

const wait = (millis: Millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** Lets something break under load, as often as the size says, and judges. */
async function underLoad(
  t: TestContext,
  breakAndMend: (load: Load, round: number) => Promise<Millis>,
): Promise<void> {
  const load = await startLoad(cluster, clusterSize.clients);
  const times: Millis[] = [];
  try {
    for (let round = 0; round < clusterSize.rounds; round += 1) {
      await load.untilServed();
      await wait(clusterSize.calm);
      times.push(await breakAndMend(load, round));
    }
    await wait(clusterSize.calm);
  } finally {
    await load.stop();
  }
  const { logins, refreshes, ends, calls, retries } = load.count;
  t.diagnostic(
    `recovered in ${times.map(Math.round).join(', ')} ms; acknowledged: ${logins} logins, ${refreshes} refreshes, ` +
      `${ends} ends, ${calls} calls; ${retries} retries`,
  );
  assert.deepEqual(await load.verdict(), []);
}

function nodeOf(round: number): ClusterNode {
  return cluster.nodes[round % cluster.nodes.length] as ClusterNode;
}

describe('a cluster under load', () => {
  test('loses nothing when a node is killed', (t) =>
    underLoad(t, async (load, round) => {
      await nodeOf(round).kill();
      const elapsed = await load.untilServed();
      await nodeOf(round).start();
      return elapsed;
    }));

  test('loses nothing when the database is killed', (t) =>
    underLoad(t, async (load) => {
      await cluster.database.kill();
      const begun = systemClock.monotonic();
      await cluster.database.start();
      t.diagnostic(`the database was back after ${Math.round(systemClock.monotonic() - begun)} ms`);
      return load.untilServed();
    }));
});
