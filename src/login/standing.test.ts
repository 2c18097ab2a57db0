import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import type { Ca } from '../model/entities/ca.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import { asId, type CaId, type SignerId } from '../model/ids.ts';
import type { PassedMethod, PrimaryMethod } from '../model/login.ts';
import { type Opening, provenFactors, type StandingNeeds, standingObjection } from './standing.ts';

const [enabled, disabled] = [asId<SignerId>('enabled'), asId<SignerId>('disabled')];
const [sister, other] = [asId<SignerId>('sister'), asId<SignerId>('other')];
const issuers = new Map([
  [enabled, 'https://a.example'],
  [sister, 'https://a.example'],
  [other, 'https://b.example'],
  [disabled, 'https://c.example'],
]);
const trusted = asId<CaId>('trusted');
const needs = {
  signers: {
    find: (id: SignerId) =>
      issuers.has(id)
        ? ({ id, issuer: issuers.get(id), enabled: id !== disabled } as ExternalJwtSigner)
        : undefined,
  },
  authorities: { find: (id: CaId) => (id === trusted ? ({ id } as Ca) : undefined) },
} as StandingNeeds;

function policyOf(allowed: readonly PrimaryMethod[], allowedSigners: readonly SignerId[] = []) {
  return {
    primary: {
      cert: { allowed: allowed.includes('cert') },
      extJwt: { allowed: allowed.includes('ext-jwt'), allowedSigners },
      updb: { allowed: allowed.includes('password') },
      passkey: { allowed: allowed.includes('passkey'), satisfiesSecondary: false },
    },
    secondary: { requireTotp: false, requireExtJwt: null, requirePasskey: false },
  } as unknown as AuthPolicy;
}
const everything = policyOf(['cert', 'ext-jwt', 'password']);

function opened(passed: readonly PassedMethod[], by: Partial<Opening> = {}): Opening {
  return { passed, signerId: null, caId: null, ...by };
}

test('a session stands as long as the policy allows the method that opened it', () => {
  for (const method of ['cert', 'ext-jwt', 'password', 'passkey'] as const) {
    const by = method === 'ext-jwt' ? { signerId: enabled } : {};
    assert.equal(standingObjection(needs, { policy: policyOf([method]) }, opened([method], by)), null);
    const others = (['cert', 'ext-jwt', 'password', 'passkey'] as const).filter((other) => other !== method);
    // The first method opened it; a later one does not stand in for it.
    const session = opened([method, 'totp'], by);
    assert.equal(standingObjection(needs, { policy: policyOf(others) }, session), 'method-not-allowed');
  }
});

test('and as long as the signer that vouched for it is there, enabled, and allowed', () => {
  const by = (signerId: SignerId | null) => opened(['ext-jwt'], { signerId });
  const objection = (policy: AuthPolicy, signerId: SignerId | null) =>
    standingObjection(needs, { policy }, by(signerId));
  assert.equal(objection(policyOf(['ext-jwt'], [disabled, enabled]), enabled), null);
  assert.equal(objection(policyOf(['ext-jwt'], [disabled]), enabled), 'signer-not-allowed');
  assert.equal(objection(everything, disabled), 'signer-disabled');
  assert.equal(objection(everything, asId<SignerId>('deleted')), 'signer-disabled');
  assert.equal(objection(everything, null), 'signer-disabled');
});

test('and as long as the third-party authority of its certificate may log people in', () => {
  const by = (caId: CaId | null) =>
    standingObjection(needs, { policy: everything }, opened(['cert'], { caId }));
  assert.equal(by(null), null);
  assert.equal(by(trusted), null);
  assert.equal(by(asId<CaId>('disabled')), 'authority-disabled');
});

test('and as long as it has passed every factor that the policy requires', () => {
  const policy = {
    ...everything,
    secondary: { requireTotp: true, requireExtJwt: enabled, requirePasskey: false },
  };
  const objection = (passed: readonly PassedMethod[]) => standingObjection(needs, { policy }, opened(passed));
  assert.equal(objection(['password', 'totp']), 'factors-outstanding');
  assert.equal(objection(['password', `ejs:${enabled}`]), 'factors-outstanding');
  assert.equal(objection(['password', 'totp', `ejs:${enabled}`]), null);
});

test('and as long as its first proof is independent of the second that the policy requires', () => {
  const objection = (required: SignerId, session: Opening) =>
    standingObjection(
      needs,
      {
        policy: {
          ...everything,
          secondary: { requireTotp: false, requireExtJwt: required, requirePasskey: false },
        },
      },
      session,
    );
  const by = (signerId: SignerId, required: SignerId) =>
    objection(required, opened(['ext-jwt', `ejs:${required}`], { signerId }));
  for (const [signerId, required] of [
    [enabled, enabled],
    [enabled, sister],
    [sister, enabled],
  ] as const) {
    assert.equal(by(signerId, required), 'signer-not-independent');
  }
  assert.equal(by(other, enabled), null);
  assert.equal(by(enabled, other), null);
  for (const method of ['password', 'cert'] as const) {
    assert.equal(objection(enabled, opened([method, `ejs:${enabled}`])), null);
  }
});

test('and a passkey that opened it, as long as none is required as the second proof or it may be both', () => {
  const objection = (satisfiesSecondary: boolean, ...passed: readonly PassedMethod[]) => {
    const policy = policyOf(['passkey']);
    const primary = { ...policy.primary, passkey: { ...policy.primary.passkey, satisfiesSecondary } };
    const secondary = { ...policy.secondary, requirePasskey: true };
    return standingObjection(needs, { policy: { ...policy, primary, secondary } }, opened(passed));
  };
  assert.equal(objection(false, 'passkey'), 'passkey-not-independent');
  assert.equal(objection(false, 'passkey', 'uv', 'passkey:another'), 'passkey-not-independent');
  assert.equal(objection(true, 'passkey'), 'factors-outstanding');
  assert.equal(objection(true, 'passkey', 'passkey:another'), 'factors-outstanding');
  assert.equal(objection(true, 'passkey', 'uv'), null);
});

test('a factor counts only if it is independent of the first one and its signer is enabled', () => {
  const counted = (signerId: SignerId | null, ...passed: readonly PassedMethod[]) => [
    ...provenFactors(needs, { passed, signerId }),
  ];
  assert.deepEqual(counted(null, 'password', 'totp', `ejs:${enabled}`), [
    'password',
    'totp',
    `ejs:${enabled}`,
  ]);
  assert.deepEqual(counted(other, 'ext-jwt', `ejs:${enabled}`), ['ext-jwt', `ejs:${enabled}`]);
  for (const second of [enabled, sister, disabled, asId<SignerId>('deleted')]) {
    assert.deepEqual(counted(enabled, 'ext-jwt', `ejs:${second}`, 'totp'), ['ext-jwt', 'totp'], second);
  }
  assert.deepEqual(counted(null, 'cert', `ejs:${disabled}`), ['cert']);
});
