import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuthError } from '../../errors/auth-error.ts';
import { limitedExchanges } from './exchange-limit.ts';

const wanted = { accept: 'application/json', maxBytes: 10 };

/** A poster whose answers wait until they are let go. */
function waitingPoster() {
  const waiting: ((body: Buffer | Error) => void)[] = [];
  return {
    waiting,
    postForm: () =>
      new Promise<Buffer>((resolve, reject) => {
        waiting.push((body) => (Buffer.isBuffer(body) ? resolve(body) : reject(body)));
      }),
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof AuthError && error.code === 'busy' && error.retryAfterSeconds === 3;
}

test('sixteen codes are redeemed at one provider at once, without delaying others', async () => {
  const poster = waitingPoster();
  const limited = limitedExchanges(poster);
  const slow = Array.from({ length: 16 }, () => limited.postForm('https://slow.example/token', {}, wanted));
  await assert.rejects(limited.postForm('https://slow.example/token', {}, wanted), isBusy);
  const other = limited.postForm('https://quick.example/token', {}, wanted);
  poster.waiting[16]?.(Buffer.from('quick'));
  assert.equal(String(await other), 'quick');

  // One that fails makes room like one that answers.
  poster.waiting[0]?.(new Error('gone'));
  await assert.rejects(slow[0] ?? Promise.resolve(), /gone/);
  const next = limited.postForm('https://slow.example/token', {}, wanted);
  await assert.rejects(limited.postForm('https://slow.example/token', {}, wanted), isBusy);
  for (const answer of poster.waiting.slice(1)) answer(Buffer.from('late'));
  assert.equal(String(await next), 'late');
});

test('sixty-four are under way in all', async () => {
  const poster = waitingPoster();
  const limited = limitedExchanges(poster);
  const all = Array.from({ length: 64 }, (_, at) =>
    limited.postForm(`https://p${at % 8}.example/token`, {}, wanted),
  );
  await assert.rejects(limited.postForm('https://another.example/token', {}, wanted), isBusy);
  for (const answer of poster.waiting) answer(Buffer.from('x'));
  await Promise.all(all);
  void limited.postForm('https://another.example/token', {}, wanted);
  assert.equal(poster.waiting.length, 65);
});
