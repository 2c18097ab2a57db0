// Rotating the root of several nodes, each on its own host: no client is locked out, and no node is forgotten.

import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { compactVerify } from 'jose';
import { type Cluster, type ClusterNode, startCluster } from '../support/cluster.ts';
import { enrolledDevice, type Invited, invited } from '../support/enrollment.ts';
import { loggedIn } from '../support/management.ts';
import { sized } from '../support/size.ts';

const fileOf = ({ home }: ClusterNode, name: string) => join(home, 'pki', name);

describe('pki rotate with several nodes', () => {
  let cluster: Cluster;
  let [one, other]: readonly [ClusterNode, ClusterNode] = [] as never;
  before(async () => {
    cluster = await startCluster({ nodes: 2 });
    [one, other] = cluster.nodes as readonly [ClusterNode, ClusterNode];
  });
  after(() => cluster?.close());

  async function done(node: ClusterNode, ...args: string[]) {
    const { code, stderr } = await node.command(args);
    assert.equal(code, 0, `${node.name} ${args.join(' ')}: ${stderr}`);
    return stderr;
  }
  const step = (node: ClusterNode, ...args: string[]) => done(node, 'pki', 'rotate', 'root', ...args);
  const reload = (node: ClusterNode) => done(node, 'config', 'reload');

  /** Whether a client that trusts only this authority accepts a node. */
  function accepts({ home }: ClusterNode, ca: string): Promise<boolean> {
    const [, port] =
      /interface: "?127\.0\.0\.1:(\d+)/.exec(readFileSync(join(home, 'controller.yml'), 'utf8')) ?? [];
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: Number(port), servername: 'localhost', ca }, () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  }

  test('nodes with different certificates for one key enroll every device, by invitations from before a renewal', async () => {
    const count = sized({ small: 10, full: 100 });
    const invitations: Invited[] = [];
    for (let at = 0; at < count; at += 1) invitations.push(await invited(cluster.admin));
    await done(other, 'pki', 'renew');
    await reload(other);
    const leaves = cluster.nodes.map(
      (node) => new X509Certificate(readFileSync(fileOf(node, 'server.cert.pem'))),
    );
    assert.notEqual(leaves[0]?.fingerprint256, leaves[1]?.fingerprint256);
    for (const [at, { token, jwt }] of invitations.entries()) {
      for (const leaf of leaves) await compactVerify(jwt, leaf.publicKey);
      const enrolled = await enrolledDevice(at % 2 === 0 ? one.client : other.client, token);
      assert.match(enrolled.certPem, /^-----BEGIN CERTIFICATE-----/);
    }
  });

  test('a node that does not trust the next root, or still uses the previous one, stops the step', async () => {
    const old = readFileSync(fileOf(one, 'root-ca.cert.pem'), 'utf8');
    const said = await step(one);
    assert.match(
      said,
      /next: copy \S+root-ca\.cert\.pem\.next, \S+, \S+, \S+ca-bundle\.pem to every other node/,
    );
    const fresh = readFileSync(fileOf(one, 'root-ca.cert.pem.next'), 'utf8');
    const everywhere = () =>
      Promise.all(cluster.nodes.flatMap((node) => [old, fresh].map((caPem) => accepts(node, caPem))));
    await reload(one);
    const early = await one.command(['pki', 'rotate', 'root', '--switch']);
    assert.equal(early.code, 1, early.stdout);
    assert.match(
      early.stderr,
      /^error: n2 does not trust the next root CA yet, so nothing is signed by it\.\n/,
    );

    for (const name of [
      'root-ca.cert.pem.next',
      'root-ca.key.pem.next',
      'root-ca.cross.pem',
      'ca-bundle.pem',
    ])
      copyFileSync(fileOf(one, name), fileOf(other, name));
    await reload(other);
    await step(one, '--switch');
    await reload(one);
    await other.stop();
    await other.start();
    assert.deepEqual((await everywhere()).slice(0, 3), [true, true, true]);
    const waiting = await one.command(['pki', 'rotate', 'root', '--retire']);
    assert.equal(waiting.code, 1, waiting.stdout);
    assert.match(
      waiting.stderr,
      /^error: CN=Overlay Auth root CA is still needed by what n2 present or sign with\.\n/,
    );

    await step(other, '--switch');
    await reload(other);
    assert.deepEqual(await everywhere(), [true, true, true, true]);
    for (const node of cluster.nodes) assert.ok(await loggedIn(node.client, 'root'));
    const certificates = cluster.nodes.map((node) =>
      readFileSync(fileOf(node, 'client-ca.cert.pem'), 'utf8'),
    );
    assert.equal(certificates[0], certificates[1], 'all nodes have the same client authority');
    for (const node of cluster.nodes) {
      await step(node, '--retire');
      await reload(node);
    }
    assert.deepEqual(await everywhere(), [false, true, false, true]);
  });
});
