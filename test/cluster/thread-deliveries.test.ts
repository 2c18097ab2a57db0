// Events that several threads of one controller record: a subscriber gets each of them, in order, and again only after
// an answer that took none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HttpsClient, httpsClient } from '../support/https-client.ts';
import { callerWith, createdId, rootOf } from '../support/management.ts';
import { startMessageReceiver } from '../support/message-receiver.ts';
import { postgresServer } from '../support/postgres.ts';
import { startTestServer } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';

/** So many connections that they miss one of three threads only once in five thousand runs. */
const connections = 24;

for (const [engine, database] of [
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ db: await (await postgresServer()).createDatabase() })],
] as const) {
  test(`events of all threads arrive once and in order, on ${engine}`, async (t) => {
    const [receiver, server] = [
      await startMessageReceiver(),
      await startTestServer({ ...(await database()), threads: 3 }),
    ];
    const { accessToken } = await rootOf(server);
    const clients = Array.from({ length: connections }, () =>
      httpsClient(server.url, server.caPem, { maxSockets: 1 }),
    );
    t.after(async () => {
      for (const client of clients) client.closeConnections();
      await server.close();
      await receiver.close();
    });
    const add = async (client: HttpsClient, path: string, body: object) =>
      createdId(await callerWith(client, accessToken).call('POST', path, body));
    const subscription = await add(server, 'event-subscriptions', {
      ...{ type: 'webhook', url: `${receiver.url}/events` },
      events: ['admin.changed'],
      filter: 'entity="config-type"',
    });
    const waiting = async () =>
      (
        await callerWith(server, accessToken).get(
          `event-subscriptions/${subscription}/deliveries?state=waiting`,
        )
      ).json.data;

    // Some answers take nothing: an error, and a connection that breaks.
    const taken: boolean[] = [];
    receiver.answer((response) => {
      const fails = taken.length % 11 === 5;
      taken.push(!fails);
      if (!fails) response.writeHead(204).end();
      else if (taken.length % 2 === 0) response.writeHead(503).end();
      else response.destroy();
    });
    const changed: string[] = [];
    for (const client of clients)
      changed.push(await add(client, 'config-types', { name: `one after the other ${changed.length}` }));
    const together = await Promise.all(
      clients.map((client, at) => add(client, 'config-types', { name: `at once ${at}` })),
    );

    const acknowledged = () =>
      receiver.received.filter((_, at) => taken[at]).map(({ body }) => JSON.parse(body).data.entityId);
    await eventually(acknowledged, ({ length }) => length >= 2 * connections);
    // What is noted as delivered is sent no more.
    await eventually(waiting, ({ length }) => length === 0);
    assert.deepEqual(acknowledged().slice(0, connections), changed);
    assert.deepEqual(acknowledged().slice(connections).toSorted(), together.toSorted());
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    for (const [at, isTaken] of taken.entries())
      if (!isTaken) assert.equal(ids[at + 1], ids[at], 'what was not taken comes again before the next');
    assert.equal(new Set(ids).size, 2 * connections);
  });
}
