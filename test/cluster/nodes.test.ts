import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { callWith, login } from '../support/flow.ts';
import { password } from '../support/management.ts';

let cluster: Cluster;
before(async () => {
  cluster = await startCluster({ nodes: 2 });
  await cluster.createUser('alice');
});
after(() => cluster.close());

describe('several nodes behind one address', () => {
  test('x', async () => {
    const { access_token } = await login(cluster.connect(), 'alice', password);
    for (const { client } of cluster.nodes) assert.equal((await callWith(client, access_token)).status, 200);
  });
});
