import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, MINUTE } from '../platform/clock.ts';
import { type AdministratorMeans, type Certainty, canLogIn } from './administrator.ts';
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

const open = means({ hasPassword: false, signers: [byId] });
const { primary } = open.policy;
const extJwt = { allowed: true, allowedSigners: [byId.id] };
const namedByPolicy = { ...open, policy: { ...open.policy, primary: { ...primary, extJwt } } };

test('an administrator has the means to log in when enabled, with a proof that the policy allows', () => {
  const cases: readonly (readonly [string, AdministratorMeans, Certainty])[] = [
    ['password', means(), 'yes'],
    ['password not allowed', means({}, 'cert extJwt'), 'no'],
    ['no password', means({ hasPassword: false }), 'no'],
    ['certificate', means({ hasPassword: false, certificateUntil: now }), 'yes'],
    ['certificate not allowed', means({ hasPassword: false, certificateUntil: now }, 'updb'), 'no'],
    ['certificate that has expired', means({ hasPassword: false, certificateUntil: now - 1 }), 'no'],
    ['passkey', means({ hasPassword: false, hasPasskey: true }, 'passkey'), 'yes'],
    ['passkey not allowed', means({ hasPassword: false, hasPasskey: true }), 'no'],
    ['locked for a while', means({ lockedUntil: now + 15 * MINUTE }), 'yes'],
    ['locked until unlocked', means({ lockedUntil: now + 36_500 * DAY }), 'no'],
    ['locked, with certificate', means({ lockedUntil: now + 36_500 * DAY, certificateUntil: now }), 'yes'],
    ['signer of ids', means({ hasPassword: false, signers: [byId] }), 'perhaps'],
    ['signer of ids that the policy names', namedByPolicy, 'yes'],
    ['signer of ids, not allowed', means({ hasPassword: false, signers: [byId] }, 'cert updb'), 'no'],
    ['signer of external ids, without one', means({ hasPassword: false, signers: [byExternalId] }), 'no'],
    [
      'signer of external ids, with one',
      means({
        hasPassword: false,
        signers: [byExternalId],
        identity: { disabledAt: null, disabledUntil: null, externalId: 'x' },
      }),
      'yes',
    ],
    ['asked for a token of a disabled signer besides', means({}, 'updb', byId.id), 'no'],
    ['asked for a token of a signer of ids besides', means({ signers: [byId] }, 'updb', byId.id), 'yes'],
    [
      'asked for a token of the only signer besides',
      means({ hasPassword: false, signers: [byId] }, 'extJwt', byId.id),
      'no',
    ],
    [
      'asked for a token besides one of its issuer',
      means(
        { hasPassword: false, signers: [byId, { ...byId, id: asId<SignerId>('sister') }] },
        'extJwt',
        byId.id,
      ),
      'no',
    ],
    [
      'asked for a token besides one of another issuer',
      means(
        { hasPassword: false, signers: [byId, { ...byId, id: asId<SignerId>('three'), issuer: 'x' }] },
        'extJwt',
        byId.id,
      ),
      'perhaps',
    ],
    [
      'asked for a token besides that names an external id, without one',
      means({ signers: [byExternalId] }, 'updb', byExternalId.id),
      'no',
    ],
    ['disabled', means({ identity: { disabledAt: 1, disabledUntil: null, externalId: null } }), 'no'],
    [
      'disabled until now',
      means({ identity: { disabledAt: 1, disabledUntil: now, externalId: null } }),
      'yes',
    ],
  ];
  for (const [name, given, expected] of cases) assert.equal(canLogIn(given, now), expected, name);
});
