// A server that was suspended acts on no request whose client has given up meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { envelope } from '../../src/http/request/answer.ts';
import { route } from '../../src/http/request/route.ts';
import { openSocket, startTestListener } from './support.ts';

test('a request whose connection has ended is dropped, however soon the database answers', async (t) => {
  let read = 0;
  const done: string[] = [];
  const { port } = await startTestListener(t, {
    // Up to date at once: the request is read, and the end of its connection lies there still.
    feed: {
      hasStoodStill: true,
      beFresh: async () => {
        read += 1;
      },
    },
    routes: [
      route('POST', '/edge/client/v1/things/:id', {
        api: 'edge-client',
        guard: 'anonymous',
        load: 'light',
        errors: 'edge',
        summary: 'For a test',
        answers: {},
        params: z.object({ id: z.string() }),
        body: { json: true, form: false, schema: z.record(z.string(), z.unknown()) },
        handler: (_context, { params }) => {
          done.push(params.id);
          return envelope({});
        },
      }),
    ],
  });
  const head = (id: string) =>
    `POST /edge/client/v1/things/${id} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
  for (const giveUp of ['end', 'destroy'] as const) {
    const impatient = await openSocket(port);
    impatient.write(head(`given-up-by-${giveUp}`));
    // Not before it was written.
    setImmediate(() => impatient[giveUp]());
  }
  const waiting = await openSocket(port);
  waiting.write(head('waits'));
  await new Promise((resolve) => waiting.once('data', resolve));
  waiting.destroy();
  assert.deepEqual([read, done], [3, ['waits']]);
});
