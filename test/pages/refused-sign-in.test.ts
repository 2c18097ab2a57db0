// What the console and the account page show after a sign-in that did not finish: another try, or a server to wait for.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ProtocolError, Refusal, SessionEnded, Unreachable } from '@overlay-auth/client';
import { isRefused } from '../../web/parts/refused.ts';

const refusal = (status: number) => new Refusal('said', { status, code: '' });

test('a sign-in failed if the server refused it, or what it answered could not be used', () => {
  for (const status of [400, 401, 403, 428, 499]) assert.ok(isRefused(refusal(status)), String(status));
  assert.ok(isRefused(new ProtocolError('state_mismatch', 'of another tab')));
});

test('a server that cannot answer, and a failure of the page, say nothing about the sign-in', () => {
  for (const status of [429, 500, 502, 503, 504]) assert.ok(!isRefused(refusal(status)), String(status));
  const others = [
    new Unreachable('https://here', null),
    new SessionEnded('expired'),
    new TypeError('x'),
    null,
  ];
  for (const error of others) assert.ok(!isRefused(error), String(error));
});

test('no page decides that for itself', () => {
  const deciding = globSync('web/**/*.{ts,tsx}').filter((file) =>
    /(?:>=|<) 500 (?:&&|\|\|) /.test(readFileSync(file, 'utf8')),
  );
  assert.deepEqual(deciding, ['web/parts/refused.ts']);
});
