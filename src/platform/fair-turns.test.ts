import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fairTurns, NoTurn } from './fair-turns.ts';

const limits = { atOnce: 2, ofOne: 2, waiting: 6, waitingOfOne: 4, patience: 1000 };

/** Asks for turns and notes in which order they come. */
function asker(given: Partial<typeof limits> = {}) {
  const turns = fairTurns({ ...limits, ...given });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const refused: string[] = [];
  return {
    started,
    refused,
    async ask(caller: string, name: string) {
      void turns.take(caller).then(
        (end) => {
          started.push(name);
          ends.set(name, end);
        },
        (error) => {
          assert.ok(error instanceof NoTurn);
          refused.push(name);
        },
      );
      await settled();
    },
    async end(name: string) {
      ends.get(name)?.();
      await settled();
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  test('go to the caller whose last one is longest ago', async () => {
    const { ask, end, started } = asker({ atOnce: 1 });
    for (const name of ['a1', 'a2', 'a3']) await ask('a', name);
    await ask('b', 'b1');
    await ask('c', 'c1');
    for (const name of ['a1', 'b1', 'c1', 'a2']) await end(name);
    assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'a3']);
  });

  test('of one caller are limited, even while there is room', async () => {
    const { ask, end, started } = asker({ atOnce: 3 });
    for (const name of ['a1', 'a2', 'a3']) await ask('a', name);
    await ask('b', 'b1');
    assert.deepEqual(started, ['a1', 'a2', 'b1']);
    await end('a1');
    await end('a1');
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3']);
  });

  test('are refused to a caller who has too many waiting, and to no other caller', async () => {
    const { ask, end, started, refused } = asker();
    for (let at = 1; at <= 7; at += 1) await ask('a', `a${at}`);
    assert.deepEqual(refused, ['a7']);
    await ask('b', 'b1');
    await end('a1');
    assert.deepEqual(started, ['a1', 'a2', 'b1']);
  });

  test('beyond what may wait in all, the newest of the caller with the most is sent away', async () => {
    const { ask, refused } = asker();
    for (let at = 1; at <= 6; at += 1) await ask('a', `a${at}`);
    for (const name of ['b1', 'b2']) await ask('b', name);
    await ask('c', 'c1');
    await ask('c', 'c2');
    await ask('c', 'c3');
    assert.deepEqual(refused, ['a6', 'a5', 'c3']);
  });

  test('that do not come in time are refused, and leave nothing behind', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { ask, end, started, refused } = asker({ atOnce: 1 });
    await ask('a', 'a1');
    await ask('b', 'b1');
    context.mock.timers.tick(1000);
    await settled();
    assert.deepEqual(refused, ['b1']);
    await end('a1');
    await ask('b', 'b2');
    assert.deepEqual(started, ['a1', 'b2']);
  });
});
