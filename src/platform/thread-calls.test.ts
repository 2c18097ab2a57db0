import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';
import { type Answers, CallFailed, threadCalls } from './thread-calls.ts';

const answers = {
  double: (number: number) => number * 2,
  later: async (text: string) => `${text}!`,
  fail(_: null): never {
    throw Object.assign(new RangeError('too far'), { by: 3 });
  },
  never: (_: null) => new Promise<void>(() => undefined),
};

function connected(more: Answers = {}) {
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

test('an error of the other thread arrives here, with its name and its fields', async (t) => {
  const { calls, close } = connected();
  t.after(close);
  await assert.rejects(calls.ask('fail', null), (error) => {
    assert.ok(error instanceof CallFailed);
    assert.deepEqual([error.thrown, error.message, error.details], ['RangeError', 'too far', { by: 3 }]);
    return true;
  });
});

test('a question that is given up is answered all the same, with what the other side makes of that', async (t) => {
  const seen: (boolean | undefined)[] = [];
  const untilGone = (_: null, gone: AbortSignal | undefined) =>
    new Promise<string>((resolve) => {
      seen.push(gone?.aborted);
      gone?.addEventListener('abort', () => resolve('given up'));
      if (gone === undefined) resolve('nobody can');
    });
  const { calls, close } = connected({ untilGone });
  t.after(close);
  for (const isLate of [true, false]) {
    const gone = new AbortController();
    if (!isLate) gone.abort();
    const asked = calls.ask('untilGone', null as never, gone.signal);
    await calls.ask('double', 1);
    gone.abort();
    assert.equal(await asked, 'given up');
    assert.equal(await calls.ask('double', 2), 4);
  }
  assert.equal(await calls.ask('untilGone', null as never), 'nobody can');
  assert.deepEqual(seen, [false, false, undefined]);
});

test('messages arrive in order, and before the answer to a later question', async (t) => {
  const told: number[] = [];
  const { calls, close } = connected({ news: (number: number) => void told.push(number) });
  t.after(close);
  for (const number of [1, 2, 3]) calls.tell('news', number as never);
  await calls.ask('double', 1);
  assert.deepEqual(told, [1, 2, 3]);
});

test('an argument that cannot be sent fails alone', async (t) => {
  const told: number[] = [];
  const answersToo = { news: (number: number) => void told.push(number), impossible: () => () => 1 };
  const { calls, close } = connected(answersToo);
  t.after(close);
  calls.tell('news', 1 as never);
  const settled = await Promise.allSettled([
    calls.ask('later', (() => 1) as never),
    calls.ask('impossible', null as never),
    calls.ask('double', 4),
  ]);
  assert.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.thrown)),
    ['DataCloneError', 'DataCloneError', 8],
  );
  assert.deepEqual(told, [1]);
});

test('messages that a thread sent before an error ended it arrive', async () => {
  const module = new URL('./thread-calls.ts', import.meta.url).href;
  const code = `
    const { parentPort } = require('node:worker_threads');
    import(${JSON.stringify(module)}).then(({ threadCalls }) => {
      const first = threadCalls(parentPort, {});
      process.once('exit', first.sendNow);
      setTimeout(() => {
        first.tell('news', 1);
        throw new Error('it ends here');
      }, 0);
    });`;
  const told: number[] = [];
  const worker = new Worker(code, { eval: true });
  threadCalls(worker, { news: (number: number) => void told.push(number) });
  const ended = new Promise<unknown>((resolve) => worker.once('error', resolve));
  await new Promise((resolve) => worker.once('exit', resolve));
  assert.match(String(await ended), /it ends here/);
  assert.deepEqual(told, [1]);
});

test('what a thread asked for is given up when it has ended', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const asked = Promise.withResolvers<AbortSignal | undefined>();
  const serving = threadCalls(port2, {
    wait(_: null, gone) {
      asked.resolve(gone);
      return new Promise(() => undefined);
    },
  });
  const asking = threadCalls<{ wait(_: null): Promise<void> }>(port1, {});
  void asking.ask('wait', null, new AbortController().signal).catch(() => undefined);
  const gone = await asked.promise;
  assert.equal(gone?.aborted, false);
  serving.end('it is gone');
  assert.equal(gone?.aborted, true);
});

test('calls to a thread that has ended fail, waiting ones and later ones', async (t) => {
  const { calls, close } = connected();
  t.after(close);
  const waiting = calls.ask('never', null);
  calls.end('it is gone');
  await assert.rejects(waiting, { name: 'CallFailed', thrown: 'ThreadEnded', message: 'it is gone' });
  await assert.rejects(calls.ask('double', 1), { thrown: 'ThreadEnded' });
});
