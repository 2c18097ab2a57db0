// Servers that let a connection in and then do not answer the first question, as one does that is starved, frozen or just
// dying: the connection fails, and neither the process nor the server is left with it.

import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { openClient, openPool, postgresSettings } from '../../src/store/postgres/connection.ts';
import { patience, until } from '../support/until.ts';

const message = (type: string, content: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, content]);
};
/** AuthenticationOk, ReadyForQuery. */
const letIn = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
/** A row with a column of type boolean that is true, its description before it. */
const isReplica = Buffer.concat([
  message('T', Buffer.from('0001612000000000000000000010 0001ffffffff0000'.replaceAll(' ', ''), 'hex')),
  message('D', Buffer.from('00010000000174', 'hex')),
  message('C', Buffer.from('SELECT 1\0')),
  message('Z', Buffer.from('I')),
]);

const answers: Readonly<Record<string, (connection: Socket) => void>> = {
  'says nothing': () => {},
  'hangs up': (connection) => void connection.destroy(),
  'is a replica': (connection) => void connection.write(isReplica),
};

for (const [name, answer] of Object.entries(answers)) {
  test(`a connection to a server that ${name} fails and is closed`, async (t) => {
    const open = new Set<Socket>();
    const server = createServer((connection) => {
      open.add(connection);
      connection.on('error', () => {}).on('close', () => open.delete(connection));
      connection.once('data', () => {
        connection.write(letIn);
        connection.once('data', () => answer(connection));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    t.after(() => {
      for (const connection of open) connection.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const settings = postgresSettings(`postgres://u@127.0.0.1:${port}/x?sslmode=disable`);
    const { client } = settings;
    const hasty = { ...settings, client: { ...client, connectionTimeoutMillis: 300, query_timeout: 600 } };
    const pool = openPool(hasty, 2);
    t.after(() => pool.end());
    for (let tries = 0; tries < 3; tries += 1) await assert.rejects(pool.connect());
    await assert.rejects(openClient(hasty).connect());
    await until(patience, () => open.size === 0);
    assert.equal(pool.totalCount, 0);
  });
}
