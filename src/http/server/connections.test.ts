import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:https';
import { test } from 'node:test';
import { MINUTE } from '../../platform/clock.ts';
import { limitConnections, sourceCounts } from './connections.ts';

/** A server whose connections come from these addresses. */
function limited(perSource: number, server = new EventEmitter()) {
  limitConnections(sourceCounts(), server as Server, perSource);
  return (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, isOpen: true, destroy });
    function destroy() {
      socket.isOpen = false;
    }
    server.emit('connection', socket);
    return socket;
  };
}

test('a handshake with a costly key takes a twentieth of the places for a minute, and a resumed one none', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const server = new EventEmitter();
  const connect = limited(40, server);
  const remoteAddress = '192.0.2.1';
  const shake = (publicExponent: bigint, isReused = false) => {
    const publicKey = { asymmetricKeyDetails: { modulusLength: 2048, publicExponent } };
    const getPeerX509Certificate = () => ({ publicKey, raw: Buffer.alloc(2000) });
    server.emit('secureConnection', {
      remoteAddress,
      isSessionReused: () => isReused,
      getPeerX509Certificate,
    });
  };
  for (let at = 0; at < 30; at += 1) shake(65_537n);
  shake(2n ** 32n + 1n, true);
  for (let at = 0; at < 19; at += 1) shake(2n ** 32n + 1n);
  const open = [1, 2, 3].map(() => connect(remoteAddress));
  assert.deepEqual(
    open.map(({ isOpen }) => isOpen),
    [true, true, false],
  );
  shake(2n ** 32n + 1n);
  assert.equal(open[0]?.isOpen, true);
  shake(2n ** 32n + 1n);
  assert.deepEqual([open[0]?.isOpen, open[1]?.isOpen], [false, false], 'they may be about to do the same');
  for (const one of open.slice(0, 2)) one.emit('close');
  assert.equal(connect(remoteAddress).isOpen, false, 'also beyond the last place');
  t.mock.timers.tick(MINUTE);
  assert.equal(connect(remoteAddress).isOpen, true);
});

test('a handshake takes places for each costly key of its chain, and for each issuer beyond the eighth', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const rsa = (publicExponent: bigint) => ({ asymmetricKeyDetails: { modulusLength: 2048, publicExponent } });
  const [usual, costly] = [rsa(65_537n), rsa(2n ** 32n + 1n)];
  const dsa = { asymmetricKeyType: 'dsa', asymmetricKeyDetails: { modulusLength: 3072 } };
  const chain = (keys: readonly (object | null)[]) =>
    keys.map((key, at) => ({ key, subject: `${at}`, issuer: `${at + 1}` }));
  const roots = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ key: usual, subject: `r${at}`, issuer: `r${at}` }));
  const table = [
    [chain(Array(9).fill(usual)), 0],
    [chain([usual, null, costly, dsa]), 2],
    [chain(Array(12).fill(usual)), 3],
    [[...chain([usual]), ...roots(140)], 0],
    [chain(Array(90).fill(costly)), 20],
  ] as const;
  for (const [sent, checks] of table) {
    const server = new EventEmitter();
    const connect = limited(40, server);
    const remoteAddress = '192.0.2.1';
    let leaf: object | undefined;
    for (const { key, ...names } of sent.toReversed())
      leaf = {
        ...names,
        raw: Buffer.alloc(9),
        issuerCertificate: leaf,
        get publicKey() {
          assert.ok(key !== null);
          return key;
        },
      };
    const chainSent = leaf;
    server.emit('secureConnection', {
      remoteAddress,
      isSessionReused: () => false,
      getPeerX509Certificate: () => chainSent,
    });
    const open = Array.from({ length: 41 }, () => connect(remoteAddress)).filter(({ isOpen }) => isOpen);
    assert.equal(open.length, 40 - 2 * checks);
  }
});

test('a source has its share of the connections, and a /48 of IPv6 eight', () => {
  const connect = limited(10);
  for (const address of ['192.0.2.1', '2001:db8:1:1::1']) {
    const open = Array.from({ length: 12 }, () => connect(address)).filter(({ isOpen }) => isOpen);
    assert.equal(open.length, 10, address);
    open[0]?.emit('close');
    assert.equal(connect(address).isOpen, true);
    assert.equal(connect(address).isOpen, false);
  }
  const network = Array.from({ length: 300 }, (_, at) => connect(`2001:db8:1:${(at + 2).toString(16)}::1`));
  assert.equal(network.filter(({ isOpen }) => isOpen).length, 70);
  // What was refused by the wide one does not stay counted in the narrow one.
  for (const one of network) if (one.isOpen) one.emit('close');
  assert.equal(connect('2001:db8:1:100::1').isOpen, true);
  assert.equal(connect('2001:db8:2::1').isOpen, true);
});
