import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { CallFailed, threadCalls } from './thread-calls.ts';

const answers = {
  double: (number: number) => number * 2,
  later: async (text: string) => `${text}!`,
  fail(_: null): never {
    throw Object.assign(new RangeError('too far'), { by: 3 });
  },
  never: (_: null) => new Promise<void>(() => undefined),
};

function connected(more: Record<string, (argument: never) => unknown> = {}) {
  const { port1, port2 } = new MessageChannel();
  const calls = threadCalls<typeof answers & typeof more>(port1, {});
  threadCalls(port2, { ...answers, ...more });
  return { calls, close: () => port1.close() };
}

test('a question gets its own answer', async (t) => {
  const { calls, close } = connected();
  t.after(close);
  const asked = await Promise.all([calls.ask('double', 4), calls.ask('later', 'a'), calls.ask('double', 5)]);
  assert.deepEqual(asked, [8, 'a!', 10]);
});

test('what fails there fails here, with its name and its fields', async (t) => {
  const { calls, close } = connected();
  t.after(close);
  await assert.rejects(calls.ask('fail', null), (error) => {
    assert.ok(error instanceof CallFailed);
    assert.deepEqual([error.thrown, error.message, error.details], ['RangeError', 'too far', { by: 3 }]);
    return true;
  });
});

test('messages arrive in order, and before the answer to a later question', async (t) => {
  const told: number[] = [];
  const { calls, close } = connected({ news: (number: number) => void told.push(number) });
  t.after(close);
  for (const number of [1, 2, 3]) calls.tell('news', number as never);
  await calls.ask('double', 1);
  assert.deepEqual(told, [1, 2, 3]);
});

test('those who wait for a thread that has ended learn it, and so do those who ask later', async (t) => {
  const { calls, close } = connected();
  t.after(close);
  const waiting = calls.ask('never', null);
  calls.end('it is gone');
  await assert.rejects(waiting, { name: 'CallFailed', thrown: 'ThreadEnded', message: 'it is gone' });
  await assert.rejects(calls.ask('double', 1), { thrown: 'ThreadEnded' });
});
