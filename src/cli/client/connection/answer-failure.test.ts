import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerError, type HttpsAnswer } from './answer-failure.ts';

function answer(status: number, body: unknown, headers: HttpsAnswer['headers'] = {}): HttpsAnswer {
  return { status, headers, body, text: JSON.stringify(body) ?? '' };
}

test('the Edge envelope, OAuth errors and anything else are understood', () => {
  const edge = {
    error: { code: 'NOT_FOUND', message: 'gone', requestId: 'r1', cause: { field: 'id', reason: 'is bad' } },
  };
  const shown = (of: HttpsAnswer) => {
    const { message, code, field, reference, exitCode } = answerError(of);
    return { message, code, field, reference, exitCode };
  };
  assert.deepEqual(shown(answer(404, edge)), {
    message: 'Gone: id is bad.',
    code: 'NOT_FOUND',
    field: 'id',
    reference: 'r1',
    exitCode: 1,
  });
  const oauth = { error: 'invalid_grant', error_description: 'used' };
  assert.deepEqual(shown(answer(400, oauth, { 'x-request-id': 'r2' })), {
    message: 'Used.',
    code: 'invalid_grant',
    field: undefined,
    reference: 'r2',
    exitCode: 1,
  });
  for (const body of [undefined, null, 'text', [], { error: 7 }, { error: null }]) {
    assert.match(shown(answer(500, body)).message, /status 500/);
  }
});

test('a reason that the message already contains is not repeated', () => {
  const body = {
    error: { message: 'The field name is taken', cause: { field: 'name', reason: 'is taken' } },
  };
  assert.equal(answerError(answer(400, body)).message, 'The field name is taken.');
});

test('an answer that asks to wait becomes the next step', () => {
  assert.equal(
    answerError(answer(429, {}, { 'retry-after': '7' })).next,
    'run the command again in 7 seconds',
  );
});

test('who may have changed something is not told to run the command again', () => {
  const error = {
    code: 'UNAVAILABLE',
    message: 'The change was made, but not kept in the list',
    requestId: 'r3',
  };
  assert.match(answerError(answer(503, { error })).next ?? '', /^look whether the change was made/);
  // A balancer says so while no node is there.
  assert.match(answerError(answer(503, undefined)).next ?? '', /^run the command again/);
});
