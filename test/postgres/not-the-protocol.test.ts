// Bytes that are not PostgreSQL's protocol, from the server or from something between: they cost the connection on which
// they arrive, and nothing else.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { throughWire } from '../support/cluster.ts';
import { callWith, login, refresh } from '../support/flow.ts';
import { startPostgres } from '../support/postgres.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { startTestServer } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { patience, until } from '../support/until.ts';

const database = await startPostgres();
const wire = await tcpProxy(database.socket);
const server = await startTestServer({ db: throughWire(await database.createDatabase(), wire) });
await server.createUser({ name: 'alice', password });
after(async () => {
  await server.close();
  await wire.close();
  await database.close();
});

const garbage: Readonly<Record<string, Buffer>> = {
  'an answer of another protocol': Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'a way to authenticate that does not exist': Buffer.from('52000000080000ffff', 'hex'),
  'an error whose last field does not end': Buffer.from('450000000d53464154414c4d61', 'hex'),
  'fewer columns than it says': Buffer.from('54000000067fff', 'hex'),
  'fewer than no columns': Buffer.from('4400000006ffff', 'hex'),
  'a message shorter than its own length': Buffer.from('4400000000', 'hex'),
  'a message that would never be complete': Buffer.from('44ffffffff', 'hex'),
  'a message of no known type': Buffer.from('ff00000004', 'hex'),
};

for (const [name, bytes] of Object.entries(garbage)) {
  test(`${name} costs a controller only its connection`, async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, () => login(server, 'alice', password)));
    const open = new Set(wire.clients());
    wire.insert(bytes);
    const underWay = sessions.map(({ refresh_token }) => refresh(server, refresh_token));
    wire.insert(bytes);
    await until(patience, () => wire.clients().every((socket) => !open.has(socket)));
    for (const answer of await Promise.all(underWay))
      assert.ok([200, 503].includes(answer.status), answer.text);
    await until(
      patience,
      async () => (await callWith(server, String(sessions[0]?.access_token))).status === 200,
    );
    assert.ok(await login(server, 'alice', password));
  });
}
