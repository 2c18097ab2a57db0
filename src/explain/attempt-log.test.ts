// The outcome of a step follows from its decision: none that was refused is recorded as passed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryLogger } from '../../test/support/memory-logger.ts';
import { AuthError } from '../errors/auth-error.ts';
import type { AttemptRecorder, LoginAttempt, StepResult } from '../model/login-attempt.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import type { LoginAttemptStore } from '../store/contracts/login-attempts.ts';
import { attemptLog, recordedAttempts } from './attempt-log.ts';

const origin = { requestId: 'R', ipAddress: '192.0.2.1', issuer: '' };

async function recorded(decide: (attempt: AttemptRecorder) => StepResult): Promise<readonly string[]> {
  const kept: LoginAttempt[] = [];
  const log = recordedAttempts({ clock: systemClock, random: systemRandom }, (attempt) => kept.push(attempt));
  const step = { step: 'totp', mechanism: 'oidc', origin } as const;
  await log.decide(step, async (attempt) => decide(attempt)).catch(() => undefined);
  return kept.map(({ outcome, reason, checks }) =>
    [outcome, reason, ...checks.map(({ check, verdict }) => `${check} ${verdict}`)].join(', '),
  );
}

test('a refusal that no check explains is recorded with its code, and never as passed', async () => {
  const thrown = await recorded((attempt) => {
    attempt.passed('enrolled');
    throw new AuthError('could_not_validate');
  });
  assert.deepEqual(thrown, ['refused, request-refused, enrolled passed, could_not_validate failed']);
  const returned = await recorded(() => ({ verdict: 'refused' }));
  assert.deepEqual(returned, ['refused, not-permitted, invalid_auth failed']);
});

test('a check that failed gives the reason, whatever was returned', async () => {
  for (const verdict of ['passed', 'refused'] as const) {
    const seen = await recorded((attempt) => {
      attempt.failed('code', 'wrong-code');
      return { verdict };
    });
    assert.deepEqual(seen, ['refused, wrong-code, code failed']);
  }
});

test('a limit that is a check of the step is recorded, unlike a step that was throttled before', async () => {
  const seen = await recorded((attempt) => {
    attempt.failed('new identities', 'too-many-newcomers');
    throw new AuthError('rate_limited');
  });
  assert.deepEqual(seen, ['refused, too-many-newcomers, new identities failed']);
});

test('only an explicit result has passed; outages, throttling and defects decide nothing', async () => {
  assert.deepEqual(await recorded(() => ({ verdict: 'passed' })), ['passed, ']);
  assert.deepEqual(await recorded(() => ({ verdict: 'unrecorded' })), []);
  const errors = (['busy', 'unavailable', 'rate_limited', 'server_error'] as const).map(
    (code) => new AuthError(code),
  );
  for (const error of [...errors, new Error('defect')]) {
    const seen = await recorded(() => {
      throw error;
    });
    assert.deepEqual(seen, []);
  }
});

test('while a write hangs no more records wait than there is room for, and later ones are written in one step', async () => {
  const written: number[] = [];
  const held = Promise.withResolvers<void>();
  const log = attemptLog(
    {
      ...{ clock: systemClock, random: systemRandom, log: memoryLogger() },
      store: {
        loginAttempts: {
          ...({} as LoginAttemptStore),
          async append(attempts) {
            written.push(attempts.length);
            await held.promise;
          },
        },
      },
      subscribers: { deliveriesOf: () => [] },
    },
    () => 100_000,
  );
  const step = { step: 'password', mechanism: 'oidc', origin } as const;
  const conclude = () => log.decide(step, async () => ({ verdict: 'passed' }));
  await conclude();
  const flushes = [log.flush()];
  for (let round = 0; round < 3; round += 1) {
    for (let nth = 0; nth < 600; nth += 1) await conclude();
    flushes.push(log.flush());
  }
  assert.deepEqual(log.queue(), { waiting: 1000, dropped: 800 });
  held.resolve();
  await Promise.all(flushes);
  assert.deepEqual(written, [1, 1000]);
  assert.deepEqual(log.queue(), { waiting: 0, dropped: 800 });
});
