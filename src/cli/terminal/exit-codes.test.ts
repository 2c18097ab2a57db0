import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exitCodeOfStatus } from './output.ts';

test('the status of an answer decides the exit code', () => {
  for (const [status, code] of [
    [400, 1],
    [401, 3],
    [403, 4],
    [404, 1],
    [409, 1],
    [429, 1],
    [500, 1],
    [502, 5],
    [503, 5],
    [504, 5],
  ] as const) {
    assert.equal(exitCodeOfStatus(status), code, String(status));
  }
});
