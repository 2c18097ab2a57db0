import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, MINUTE } from '../platform/clock.ts';
import { type AdministratorMeans, hasMeansToLogIn } from './administrator.ts';
import { asId, type SignerId } from './ids.ts';

const now = 1_000_000;
const byId = { id: asId<SignerId>('one'), issuer: 'https://one.example', useExternalId: false };
const byExternalId = { id: asId<SignerId>('two'), issuer: 'https://two.example', useExternalId: true };

function means(
  change: Partial<AdministratorMeans> = {},
  allowed = 'cert extJwt updb',
  requireExtJwt: SignerId | null = null,
): AdministratorMeans {
  const rules = { minPasswordLength: 12, requireSpecialChar: false, requireNumberChar: false };
  return {
    identity: { disabledAt: null, disabledUntil: null, externalId: null },
    policy: {
      primary: {
        cert: { allowed: allowed.includes('cert'), allowExpiredCerts: false },
        extJwt: { allowed: allowed.includes('extJwt'), allowedSigners: [] },
        updb: {
          ...rules,
          allowed: allowed.includes('updb'),
          requireMixedCase: false,
          maxAttempts: 3,
          lockoutDurationMinutes: 0,
        },
        passkey: {
          allowed: allowed.includes('passkey'),
          userVerification: 'required',
          satisfiesSecondary: false,
          allowedAuthenticators: [],
        },
      },
      secondary: { requireTotp: true, requireExtJwt, requirePasskey: false },
    },
    hasPassword: true,
    lockedUntil: null,
    certificateUntil: null,
    hasPasskey: false,
    signers: [],
    ...change,
  };
}

test('an administrator has the means to log in when enabled, with a proof that the policy allows', () => {
  const cases: readonly (readonly [string, AdministratorMeans, boolean])[] = [
    ['password', means(), true],
    ['password not allowed', means({}, 'cert extJwt'), false],
    ['no password', means({ hasPassword: false }), false],
    ['certificate', means({ hasPassword: false, certificateUntil: now }), true],
    ['certificate not allowed', means({ hasPassword: false, certificateUntil: now }, 'updb'), false],
    ['certificate that has expired', means({ hasPassword: false, certificateUntil: now - 1 }), false],
    ['passkey', means({ hasPassword: false, hasPasskey: true }, 'passkey'), true],
    ['passkey not allowed', means({ hasPassword: false, hasPasskey: true }), false],
    ['locked for a while', means({ lockedUntil: now + 15 * MINUTE }), true],
    ['locked until unlocked', means({ lockedUntil: now + 36_500 * DAY }), false],
    ['locked, with certificate', means({ lockedUntil: now + 36_500 * DAY, certificateUntil: now }), true],
    ['signer of ids', means({ hasPassword: false, signers: [byId] }), true],
    ['signer of ids, not allowed', means({ hasPassword: false, signers: [byId] }, 'cert updb'), false],
    ['signer of external ids, without one', means({ hasPassword: false, signers: [byExternalId] }), false],
    [
      'signer of external ids, with one',
      means({
        hasPassword: false,
        signers: [byExternalId],
        identity: { disabledAt: null, disabledUntil: null, externalId: 'x' },
      }),
      true,
    ],
    ['asked for a token of a disabled signer besides', means({}, 'updb', byId.id), false],
    ['asked for a token of a signer of ids besides', means({ signers: [byId] }, 'updb', byId.id), true],
    [
      'asked for a token of the only signer besides',
      means({ hasPassword: false, signers: [byId] }, 'extJwt', byId.id),
      false,
    ],
    [
      'asked for a token besides one of its issuer',
      means(
        { hasPassword: false, signers: [byId, { ...byId, id: asId<SignerId>('sister') }] },
        'extJwt',
        byId.id,
      ),
      false,
    ],
    [
      'asked for a token besides one of another issuer',
      means(
        { hasPassword: false, signers: [byId, { ...byId, id: asId<SignerId>('three'), issuer: 'x' }] },
        'extJwt',
        byId.id,
      ),
      true,
    ],
    [
      'asked for a token besides that names an external id, without one',
      means({ signers: [byExternalId] }, 'updb', byExternalId.id),
      false,
    ],
    ['disabled', means({ identity: { disabledAt: 1, disabledUntil: null, externalId: null } }), false],
    [
      'disabled until now',
      means({ identity: { disabledAt: 1, disabledUntil: now, externalId: null } }),
      true,
    ],
  ];
  for (const [name, given, expected] of cases) assert.equal(hasMeansToLogIn(given, now), expected, name);
});
