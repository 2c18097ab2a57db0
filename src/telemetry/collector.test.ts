import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { CollectorFailed, collectorAt } from './collector.ts';

test('an answer that switches to another protocol is a failure, and not waited for', async (t) => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const collector = collectorAt(`http://127.0.0.1:${port}`, { headers: {}, roots: [] });
  t.after(() => collector.close());
  await assert.rejects(collector.post('metrics', Buffer.from('x')), CollectorFailed);
});
