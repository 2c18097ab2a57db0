import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditEvents } from './audit-events.ts';
import { loginAttempts } from './login-attempts.ts';

test('without a subscription, recording an event takes no further statement', () => {
  const row = { id: '1' };
  for (const intent of [
    auditEvents.intents.appendRows([row, row], null, { events: [] }),
    loginAttempts.intents.appendRows([row, row], null, []),
  ]) {
    const statements = [];
    for (let step = intent.next([]); step.done !== true; step = intent.next([]))
      statements.push(step.value.sql);
    assert.equal(statements.length, 2);
    for (const sql of statements) assert.match(sql, /^INSERT INTO (audit_events|login_attempts) /);
  }
});
