import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryLogger } from '../../test/support/memory-logger.ts';
import { subscribersOnce } from './subscribers.ts';

test('subscriptions that could not be read for the first event are read for the next one, and then no more', async () => {
  let reads = 0;
  const subscribers = subscribersOnce({
    store: {
      eventSubscriptions: {
        async listAll() {
          reads += 1;
          if (reads === 1) throw new Error('away');
          return [];
        },
      },
    },
    readFilter: () => ({ op: 'true' }),
    log: memoryLogger(),
  });
  await assert.rejects(async () => subscribers.deliveriesOf([]), /away/);
  for (let nth = 0; nth < 2; nth += 1) assert.deepEqual(await subscribers.deliveriesOf([]), []);
  assert.equal(reads, 2);
});
