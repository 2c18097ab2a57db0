import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:https';
import { test } from 'node:test';
import { limitConnections, sourceCounts } from './connections.ts';

/** A server whose connections come from these addresses. */
function limited(perSource: number) {
  const server = new EventEmitter();
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
