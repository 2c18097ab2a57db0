import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queueOf } from '../../model/delivery.ts';
import { asId } from '../../model/ids.ts';
import { auditEvents } from './audit-events.ts';
import { deliveries } from './deliveries.ts';
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

test('where no person has many deliveries, the oldest go, and the person with most is looked for once', () => {
  const answers = [
    [/SELECT queue/, [{ queue: queueOf('logout', asId('app')) }]],
    [/GROUP BY/, [{ who: 'somebody', total: 3 }]],
    [/count\(\*\)/, [{ total: 100_500 }]],
  ] as const;
  for (const [surplus, looks] of [
    [500, 1],
    [10, 5],
  ] as const) {
    const statements: string[] = [];
    const intent = deliveries.intents.deleteOldOnes({ before: 0, most: 100_500 - surplus }, surplus);
    for (let step = intent.next([]); step.done !== true; ) {
      const { sql } = step.value;
      statements.push(sql);
      step = intent.next(answers.find(([part]) => part.test(sql))?.[1] ?? []);
    }
    assert.equal(statements.filter((sql) => sql.includes('GROUP BY')).length, looks);
  }
});
