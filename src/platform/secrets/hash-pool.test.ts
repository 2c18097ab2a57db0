import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { after, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { heldHashes } from '../../../test/support/held-hashes.ts';
import { systemClock } from '../clock.ts';
import { defaultHashCost } from './hash-cost.ts';
import {
  createHashPool,
  type HashPool,
  HashPoolFull,
  type HashPoolOptions,
  HashPoolStopped,
  HashUnwanted,
} from './hash-pool.ts';
import { hashPasswordBlocking, needsRehash, preparePassword } from './password-hash.ts';

const cheap = { memoryKiB: 64, passes: 1, lanes: 1 };
const password = preparePassword('correct horse battery staple');
const wrong = preparePassword('incorrect horse');

const pools: HashPool[] = [];
after(() => Promise.all(pools.map((pool) => pool.close())));

function pool(options: HashPoolOptions): HashPool {
  const made = createHashPool({ clock: systemClock }, options);
  pools.push(made);
  return made;
}

describe('the pool of password hashes', () => {
  test('hashes and verifies, also hashes of an older cost', async () => {
    const hashes = pool({ cost: cheap, threads: 2 });
    const phc = await hashes.hash(password, 'test');
    assert.equal(await hashes.verify(phc, password, 'test'), true);
    assert.equal(await hashes.verify(phc, wrong, 'test'), false);
    assert.equal(await hashes.verify(null, password, 'test'), false);
    const older = hashPasswordBlocking(password, { ...cheap, passes: 2 });
    assert.equal(await hashes.verify(older, password, 'test'), true);
    assert.ok(needsRehash(older, hashes.cost));
  });

  test('refuses what exceeds its queue at once, and says when to come back', async () => {
    const hashes = pool({ cost: defaultHashCost, threads: 1, longestQueue: 3 });
    const outcomes = Array.from({ length: 20 }, (_, at) => hashes.verify(null, password, `192.0.2.${at}`));
    assert.deepEqual(hashes.depth(), { threads: 1, running: 1, waiting: 3, longestQueue: 3, refused: 16 });
    const settled = await Promise.allSettled(outcomes);
    assert.equal(settled.filter((outcome) => outcome.status === 'fulfilled').length, 4);
    for (const outcome of settled.slice(4)) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof HashPoolFull);
      assert.ok(Number.isInteger(outcome.reason.retryAfterSeconds) && outcome.reason.retryAfterSeconds >= 1);
    }
    assert.equal(await hashes.verify(null, password, 'test'), false);
    assert.deepEqual(
      { ...hashes.depth(), refused: 0 },
      { threads: 1, running: 0, waiting: 0, longestQueue: 3, refused: 0 },
    );
  });

  test('keeps shares of its queue for other sources than the one that sends most', async () => {
    const hashes = pool({ cost: cheap, threads: 1, longestQueue: 64 });
    const send = (count: number, sourceOf: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => hashes.verify(null, password, sourceOf(at)));
    const flood = send(100, () => '203.0.113.7');
    assert.equal(hashes.depth().waiting, 32);
    // The holder of a /48 has eight shares.
    const network = send(1000, (at) => `2001:db8:1:${at.toString(16)}::1`);
    assert.equal(hashes.depth().waiting, 48);
    const [mine] = send(1, () => '198.51.100.1');
    const outcomes = await Promise.allSettled([...flood, ...network]);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 49);
    assert.equal(await mine, false);
  });

  test('refuses those who would wait longer than anybody does, if hashes take long', async () => {
    const clock = fixedClock(0);
    const hashes = createHashPool({ clock }, { cost: cheap, threads: 1 });
    pools.push(hashes);
    await hashes.verify(null, password, 'test');
    // As if other programs had the processors.
    const slow = hashes.verify(null, password, 'test');
    clock.advance(24_000);
    await slow;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => hashes.verify(null, password, 'test')),
    );
    // Of some three seconds each, a third one would not be done within eight.
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 2);
    const [last] = outcomes.slice(-1);
    assert.ok(last?.status === 'rejected' && last.reason instanceof HashPoolFull);
    assert.equal(last.reason.retryAfterSeconds, 10);
  });

  test('computes no hash whose client gave up while it waited, and gives its place away at once', async () => {
    const { hashPool: hashes, begun, hold, release } = heldHashes(2);
    pools.push(hashes);
    hold();
    const patient = new AbortController().signal;
    const impatient = new AbortController();
    let sources = 0;
    const ask = (gone: AbortSignal) =>
      hashes.verify(null, password, { source: `192.0.2.${sources++}`, gone });
    const running = ask(impatient.signal);
    const [left, stayed] = [ask(impatient.signal), ask(patient)];
    await assert.rejects(ask(patient), HashPoolFull);
    impatient.abort();
    await assert.rejects(left, HashUnwanted);
    await assert.rejects(ask(impatient.signal), HashUnwanted);
    assert.equal(hashes.depth().waiting, 1);
    const next = ask(patient);
    release();
    assert.deepEqual(await Promise.all([running, stayed, next]), [false, false, false]);
    assert.deepEqual([begun(), hashes.depth().waiting, hashes.depth().running], [3, 0, 0]);
  });

  test('hashes at a lower priority than everything else', {
    skip: process.platform !== 'linux',
  }, async () => {
    await pool({ cost: cheap, threads: 1 }).hash(password, 'test');
    const tasks = readdirSync('/proc/self/task').map((id) => {
      const name = readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim();
      return { name, priority: getPriority(Number(id)) };
    });
    const hashing = new Set(tasks.filter(({ name }) => name === 'password-hash').map((one) => one.priority));
    const others = new Set(tasks.filter(({ name }) => name !== 'password-hash').map((one) => one.priority));
    assert.deepEqual(others, new Set([getPriority()]));
    assert.deepEqual(hashing, new Set([Math.min(19, getPriority() + 10)]));
  });

  test('leaves the thread pool of file access free', async () => {
    const hashes = pool({ threads: 1 });
    await hashes.verify(null, password, 'test');
    const many = Promise.all(Array.from({ length: 12 }, () => hashes.verify(null, password, 'test')));
    for (let i = 0; i < 5; i += 1) await stat(import.meta.filename);
    const { running, waiting } = hashes.depth();
    assert.ok(running + waiting >= 6, 'file access had to wait for the hashes');
    await many;
  });

  test('rejects a damaged stored hash without queueing it', async () => {
    const hashes = pool({ cost: cheap, threads: 1 });
    await assert.rejects(hashes.verify('$argon2id$broken', password, 'test'), /malformed/);
    assert.equal(hashes.depth().running, 0);
  });

  test('replaces a thread that died, and loses only the hash it died over', async () => {
    let started = 0;
    const hashes = pool({
      cost: cheap,
      threads: 1,
      startThread() {
        started += 1;
        const answer = started === 1 ? 'process.exit(1)' : 'parentPort.postMessage({ result: true })';
        const code = `const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => ${answer});`;
        return new Worker(code, { eval: true });
      },
    });
    const phc = hashPasswordBlocking(password, cheap);
    const [first, second] = await Promise.allSettled([
      hashes.verify(phc, password, 'test'),
      hashes.verify(phc, password, 'test'),
    ]);
    assert.ok(first?.status === 'rejected' && first.reason instanceof HashPoolStopped);
    assert.ok(second?.status === 'fulfilled' && second.value);
    assert.equal(started, 2);
  });

  test('closed, it rejects waiting and new jobs', async () => {
    const hashes = pool({ threads: 1 });
    const outcomes = Promise.allSettled([
      hashes.verify(null, password, 'test'),
      hashes.verify(null, password, 'test'),
    ]);
    await hashes.close();
    for (const outcome of await outcomes)
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof HashPoolStopped);
    await assert.rejects(hashes.hash(password, 'test'), HashPoolStopped);
  });
});
