import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import { CollectorFailed } from './collector.ts';
import { openSpans } from './spans.ts';

/** Spans on their way to a collector that answers only when told to. */
function opened() {
  const counts = { sent: 0, lost: 0, dropped: 0, posts: 0 };
  const answers: PromiseWithResolvers<void>[] = [];
  const spans = openSpans({
    clock: systemClock,
    random: systemRandom,
    settings: { sampling: 1, callersPerSecond: 0 },
    resource: resourceFromAttributes({}),
    collector: {
      post() {
        counts.posts += 1;
        const answer = Promise.withResolvers<void>();
        answers.push(answer);
        return answer.promise;
      },
      close() {},
    },
    deliveries: {
      sent(count) {
        counts.sent += count;
      },
      failed(_error, lost) {
        counts.lost += lost;
      },
      dropped(count) {
        counts.dropped += count;
      },
    },
  });
  const request = (work: () => unknown = () => undefined) => {
    const trace = spans.tracing.begin({ requestId: 'R', traceparent: undefined });
    trace?.run(work);
    trace?.end({ method: 'GET', route: '/there', status: 200 });
  };
  return { counts, answers, spans, request };
}

test('while the collector does not answer, no more spans wait than fit, and each is counted once', async () => {
  const { counts, answers, spans, request } = opened();
  const all = 5000;
  for (let at = 0; at < all; at += 1) request();
  assert.equal(counts.dropped, all - 2048);
  assert.ok(counts.posts <= 1, 'one batch after the other');
  const stopped = spans.stop();
  // One fails, the others are accepted.
  for (let at = 0; counts.sent + counts.lost < 2048; at += 1) {
    await new Promise(setImmediate);
    if (at === 0) answers.shift()?.reject(new CollectorFailed('no'));
    else answers.shift()?.resolve();
  }
  await stopped;
  assert.equal(counts.lost, 512);
  assert.equal(counts.sent + counts.lost + counts.dropped, all);
});

test('a request has a bounded number of parts, and what continues after it is not part of it', async () => {
  const { counts, answers, spans, request } = opened();
  const part = { name: 'part', kind: 'internal', attributes: {} } as const;
  let later: (() => Promise<void>) | undefined;
  request(() => {
    for (let at = 0; at < 1000; at += 1) void spans.tracing.within(part, async () => {});
  });
  request(() => {
    const began = new Promise(setImmediate);
    later = () => began.then(() => spans.tracing.within(part, async () => {}));
    void later();
  });
  await later?.();
  await new Promise(setImmediate);
  // Nothing is under way here.
  await spans.tracing.within(part, async () => {});
  const stopped = spans.stop();
  await new Promise(setImmediate);
  for (const answer of answers) answer.resolve();
  await stopped;
  assert.equal(counts.sent, 1 + 200 + 1);
});

test('the error of a part is rethrown unchanged', async () => {
  const { answers, spans, request } = opened();
  const failure = new Error('the secret is canary');
  let thrown: Promise<unknown> | undefined;
  request(() => {
    thrown = spans.tracing.within({ name: 'part', kind: 'client', attributes: {} }, () =>
      Promise.reject(failure),
    );
    thrown.catch(() => undefined);
  });
  await assert.rejects(thrown ?? Promise.resolve(), failure);
  const stopped = spans.stop();
  await new Promise(setImmediate);
  for (const answer of answers) answer.resolve();
  await stopped;
});
