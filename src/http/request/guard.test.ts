import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AuthError } from '../../errors/auth-error.ts';
import { oidcChallenge, secondaryExtJwtChallenge, ztSessionChallenge } from '../../errors/challenge.ts';
import { asId, type SignerId } from '../../model/ids.ts';
import type { ProvenFactors } from '../../model/login.ts';
import type { Permission } from '../../model/permission.ts';
import type { Principal } from '../../model/principal.ts';
import { CallerRefused } from '../../store/contracts/store.ts';
import { callerRefusal, enforceGuard, requireAudience, sessionHeaders } from './guard.ts';
import type { Guard } from './route.ts';

function caller(more: Partial<Principal> = {}): Principal {
  return {
    ...{
      identityId: asId('i'),
      account: { identity: { id: asId('i'), name: 'ana' } } as Principal['account'],
      isAdmin: false,
      permissions: [],
      apiSessionId: asId('s'),
    },
    ...{ mechanism: 'oidc', issuer: 'https://a/oidc', clientId: 'c', scopes: [], configTypes: [] },
    ...{
      passed: ['password'] as unknown as ProvenFactors,
      authTime: 0,
      issuedAt: 0,
      expiresAt: 1,
      outstanding: [],
    },
    ...more,
  };
}

const lacking = { outstanding: [{ type: 'totp', isEnrolled: true }] } as const;

function refusalOf(guard: Guard, principal: Principal, permission?: Permission): AuthError {
  try {
    enforceGuard(guard, principal, permission);
  } catch (error) {
    if (error instanceof AuthError) return error;
  }
  return assert.fail(`${guard} let the caller in`);
}

describe('a guard', () => {
  test('lets a session with outstanding factors in only where the endpoint allows it', () => {
    for (const guard of ['anonymous', 'partial'] as const) {
      assert.equal(enforceGuard(guard, caller(lacking)), null, guard);
      assert.equal(enforceGuard(guard, caller({ ...lacking, isAdmin: true })), null, guard);
    }
    for (const guard of ['full', 'admin'] as const) {
      const refusal = refusalOf(guard, caller({ ...lacking, isAdmin: true }));
      assert.equal(refusal.code, 'unauthorized');
      assert.match(refusal.description, /^The authentication is not complete: /);
      assert.match(refusal.message, /outstanding: \{"type":"totp","isEnrolled":true\}$/);
    }
    assert.match(
      refusalOf(
        'full',
        caller({
          outstanding: [
            { type: 'totp', isEnrolled: true },
            { type: 'totp', isEnrolled: true },
          ],
        }),
      ).message,
      /\}, \{/,
    );
  });

  test('lets every complete session in, but only administrators where they alone may', () => {
    assert.equal(enforceGuard('full', caller()), null);
    assert.equal(enforceGuard('full', caller({ isAdmin: true })), null);
    assert.equal(enforceGuard('admin', caller({ isAdmin: true })), 'administrator');
    assert.equal(enforceGuard('admin', caller({ permissions: ['read'] }), 'read'), 'read');
    for (const [who, permission] of [
      [caller(), undefined],
      [caller(), 'read'],
      [caller({ permissions: ['read'] }), undefined],
      [caller({ permissions: ['read'] }), 'helpdesk'],
    ] as const) {
      assert.equal(refusalOf('admin', who, permission).code, 'forbidden');
    }
  });

  test('challenges in the mechanism of the session', () => {
    const challenges = (more: Partial<Principal>) =>
      refusalOf('full', caller({ ...lacking, ...more })).challenges;
    assert.deepEqual(challenges({}), [oidcChallenge('invalid')]);
    assert.deepEqual(challenges({ mechanism: 'legacy' }), [ztSessionChallenge('invalid')]);
    const jwt = (issuer: string | null) =>
      ({
        mechanism: 'legacy',
        lackingJwt: { signerId: asId<SignerId>('g'), issuer, error: 'expired', detail: 'it has expired' },
      }) as const;
    assert.deepEqual(challenges(jwt('https://idp')), [
      secondaryExtJwtChallenge('expired', [{ id: 'g', issuer: 'https://idp' }]),
    ]);
    assert.deepEqual(challenges(jwt(null)), [secondaryExtJwtChallenge('expired', [])]);
  });
});

test('a caller who has lost something meanwhile learns what', () => {
  const right = new CallerRefused('right');
  const forbidden = callerRefusal(right, caller());
  assert.deepEqual([forbidden.code, forbidden.cause, forbidden.challenges], ['forbidden', right, []]);
  const session = new CallerRefused('session');
  for (const [who, challenge] of [
    [caller(), oidcChallenge('invalid')],
    [null, oidcChallenge('invalid')],
    [caller({ mechanism: 'legacy' }), ztSessionChallenge('invalid')],
  ] as const) {
    const refusal = callerRefusal(session, who);
    assert.deepEqual(
      [refusal.code, refusal.cause, refusal.challenges],
      ['unauthorized', session, [challenge]],
    );
  }
});

test('the token of an application without apiAccess works at the OIDC endpoints only', () => {
  const ofApplication = caller({ isOfApplication: true });
  for (const api of ['edge-client', 'edge-management'] as const) {
    assert.throws(
      () => requireAudience(api, ofApplication),
      (error) =>
        error instanceof AuthError &&
        error.code === 'unauthorized' &&
        error.message.includes('for an application without apiAccess') &&
        error.challenges.length === 1 &&
        error.challenges[0]?.realm === oidcChallenge('invalid').realm &&
        error.challenges[0]?.error === 'invalid',
      api,
    );
    assert.doesNotThrow(() => requireAudience(api, caller()));
    assert.doesNotThrow(() => requireAudience(api, caller({ isOfApplication: false })));
  }
  assert.doesNotThrow(() => requireAudience('oidc', ofApplication));
});

const issuedAt = Date.parse('2030-01-01T00:00:00Z');
const session = { issuedAt, expiresAt: issuedAt + 1_800_000 };

describe('session headers', () => {
  test('the end is written in RFC 3339 and the rest in whole seconds', () => {
    assert.deepEqual(sessionHeaders(session, issuedAt + 1500), {
      'expires-at': '2030-01-01T00:30:00.000Z',
      'expiration-seconds': '1798',
    });
  });

  test('under every jump of the clock the rest is neither negative nor more than was granted', () => {
    for (const [now, seconds] of [
      [issuedAt - 86_400_000, '1800'],
      [session.expiresAt, '0'],
      [session.expiresAt + 86_400_000, '0'],
    ] as const) {
      assert.equal(sessionHeaders(session, now)['expiration-seconds'], seconds);
    }
  });
});
