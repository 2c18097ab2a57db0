import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPolicy } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { login } from '../support/flow.ts';
import { assertRefused } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import { authenticate } from './support.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const updb = {
  allowed: true,
  minPasswordLength: 8,
  requireSpecialChar: false,
  requireNumberChar: false,
  requireMixedCase: false,
  maxAttempts: 3,
  lockoutDurationMinutes: 10,
};
const policy = await createPolicy(server, 'three', { primary: { updb } });
for (const name of ['alice', 'bob']) {
  const id = await server.createUser({ name, password });
  await server.store.identities.update(id, { authPolicyId: policy }, clock.now());
}

describe('wrong passwords at the legacy mechanism', () => {
  test('lock the authenticator for OIDC too, even when they come at once', async () => {
    const guesses = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => authenticate(server, 'alice', `wrong ${n}`)),
    );
    for (const answer of guesses) assertRefused(answer, 401, 'INVALID_AUTH');
    assertRefused(await authenticate(server, 'alice'), 401, 'INVALID_AUTH');
    await assert.rejects(login(server, 'alice', password));
  });

  test('are forgotten after a full login', async () => {
    for (let round = 0; round < 3; round += 1) {
      await authenticate(server, 'bob', 'wrong');
      await authenticate(server, 'bob', 'wrong');
      assert.equal((await authenticate(server, 'bob')).status, 200);
    }
  });
});
