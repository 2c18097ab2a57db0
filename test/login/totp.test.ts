// Verifying codes with a real store and a real vault: what is accepted, what is used up, what is recorded.

import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import type { LoginServices } from '../../src/login/services.ts';
import { readRecoveryCode, recoveryCodeHash, seedLabel, verifyTotp } from '../../src/login/totp/totp.ts';
import type { IdentityId } from '../../src/model/ids.ts';
import type { AttemptLog, AttemptRecorder } from '../../src/model/login-attempt.ts';
import { MINUTE, SECOND } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { keyVault, vaultKey } from '../../src/platform/secrets/key-vault.ts';
import { timeStepAt, totpCode } from '../../src/platform/secrets/totp-code.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { createUser, t0, temporaryFolder } from '../store/fixtures.ts';
import { fixedClock } from '../support/fixed-clock.ts';

const folder = temporaryFolder();
const clock = fixedClock(t0);
const vault = keyVault(vaultKey(Buffer.alloc(32, 1)));
const recoveryKey = Buffer.alloc(32, 2);
const seed = Buffer.alloc(20, 3);
let ana: IdentityId;
let serial = 0;

const store = await openSqliteStore({ path: folder.path('totp.db') });
const needs = { store, clock, vault, recoveryKey, audit: { record() {} } } as unknown as LoginServices;
beforeEach(async () => {
  serial += 1;
  clock.advance(10 * MINUTE);
  ana = (await createUser(store)).id;
});
after(async () => {
  await store.close();
  folder.remove();
});

async function enroll(identityId: IdentityId, ...recoveryCodes: string[]): Promise<void> {
  const flow = systemRandom.id();
  const now = clock.now();
  const recoveryHashes = recoveryCodes.map((code) => recoveryCodeHash(recoveryKey, identityId, code));
  await store.totp.start(flow, { identityId, sealedSeed: 'x', recoveryHashes, expiresAt: now + MINUTE }, now);
  const sealedSeed = vault.seal(seed, seedLabel(identityId));
  assert.equal(await store.totp.verify(flow, { sealedSeed, step: timeStepAt(now) - 5, now }), true);
}

const codeAt = (steps = 0) => totpCode(seed, timeStepAt(clock.now()) + steps);
const wrong = () =>
  ['000000', '111111', '222222', '333333'].find((code) => ![-1, 0, 1].map(codeAt).includes(code)) ?? '';

/** What was recorded, the verdict last. */
async function tried(code: string, identityId = ana): Promise<readonly string[]> {
  const lines: string[] = [];
  const attempt: AttemptRecorder = {
    passed: (check, saw) => lines.push(['passed', check, saw].filter(Boolean).join(': ')),
    failed(check, reason, saw) {
      lines.push(['failed', check, reason, saw].filter(Boolean).join(': '));
      return null;
    },
    about: (who) => lines.push(`about ${who.identityId === identityId ? 'her' : 'nobody'}`),
    seen() {},
  };
  const attempts: AttemptLog = { decide: (_step, decide) => decide(attempt), refuse() {}, refused() {} };
  const recording = { ...needs, attempts };
  const origin = { requestId: 'r', ipAddress: `192.0.2.${serial}`, issuer: '' };
  const verdict = await verifyTotp(recording, { identityId, code, mechanism: 'oidc', origin }).then(
    () => 'accepted',
    (error) => error.code,
  );
  return [...lines, verdict];
}

describe('a code', () => {
  test('of this half minute or an adjacent one is accepted, once, and no earlier one after it', async () => {
    await enroll(ana);
    const accepted = [
      'about her',
      'passed: factor unlocked',
      'passed: enrolled',
      'passed: code',
      'passed: first use',
      'accepted',
    ];
    const used = [
      ...accepted.slice(0, 4),
      'failed: first use: replayed-code: this code, or a later one, was accepted before',
      'invalid_totp_code',
    ];
    assert.deepEqual(await tried(codeAt(-1)), accepted);
    assert.deepEqual(await tried(codeAt(-1)), used);
    assert.deepEqual(await tried(codeAt(1)), accepted);
    assert.deepEqual(await tried(codeAt(0)), used, 'it is older than the one that was accepted');
  });

  test('of another time, seed or shape is not', async () => {
    await enroll(ana);
    const refused = [
      'about her',
      'passed: factor unlocked',
      'passed: enrolled',
      'failed: code: wrong-code: not the code of this half minute, nor of the one before or after',
      'invalid_totp_code',
    ];
    for (const code of [codeAt(-2), codeAt(2), wrong()]) assert.deepEqual(await tried(code), refused, code);
    const noGuess = refused.filter((line) => line !== 'passed: factor unlocked');
    assert.deepEqual(await tried(`${codeAt()}1`), noGuess, 'nothing was counted, locked or not');
  });

  test('of a person who is not enrolled is simply wrong', async () => {
    assert.deepEqual(await tried('123456'), [
      'about her',
      'passed: factor unlocked',
      'failed: enrolled: totp-not-enrolled',
      'invalid_totp_code',
    ]);
  });

  test('is not evaluated after too many wrong ones', async () => {
    await enroll(ana);
    for (let n = 0; n < 5; n += 1) await tried(wrong());
    const locked = [
      'about her',
      'failed: factor unlocked: locked: too many wrong codes in a row',
      'invalid_totp_code',
    ];
    assert.deepEqual(await tried(codeAt()), locked);
    clock.advance(30 * SECOND);
    assert.equal((await tried(codeAt())).at(-1), 'accepted');
  });

  test('that is right does not count against the limit', async () => {
    await enroll(ana);
    for (let n = 0; n < 4; n += 1) await tried(wrong());
    for (let n = 0; n < 6; n += 1) {
      assert.equal((await tried(codeAt())).at(-1), 'accepted', String(n));
      clock.advance(30 * SECOND);
    }
  });

  test('a seed sealed for another identity does not open', async () => {
    await enroll(ana);
    const bob = (await createUser(store)).id;
    const flow = systemRandom.id();
    const now = clock.now();
    await store.totp.start(
      flow,
      { identityId: bob, sealedSeed: 'x', recoveryHashes: [], expiresAt: now + MINUTE },
      now,
    );
    await store.totp.verify(flow, { sealedSeed: vault.seal(seed, seedLabel(ana)), step: 0, now });
    assert.notEqual((await tried(codeAt(), bob)).at(-1), 'accepted');
  });
});

describe('a recovery code', () => {
  test('is accepted once, however it is typed, and only for its identity', async () => {
    await enroll(ana, 'ABCDE23456', 'ZZZZZ22222');
    const accepted = (left: number) => [
      'about her',
      'passed: factor unlocked',
      'passed: enrolled',
      `passed: recovery code: ${left} were left`,
      'passed: first use',
      'accepted',
    ];
    assert.deepEqual(await tried('abcde-23456'), accepted(2));
    const used = [
      'about her',
      'passed: factor unlocked',
      'passed: enrolled',
      'passed: recovery code: 1 were left',
      'failed: first use: replayed-code: this code, or a later one, was accepted before',
      'invalid_totp_code',
    ];
    assert.deepEqual(await tried('ABCDE23456'), used);
    const bob = (await createUser(store)).id;
    await enroll(bob, 'BBBBB33333');
    assert.equal((await tried('ZZZZZ22222', bob)).at(-1), 'invalid_totp_code');
    assert.deepEqual(await tried('ZZZZZ22222'), accepted(1));
  });

  test('has one form', () => {
    for (const [text, code] of [
      ['abcde-fghij', 'ABCDEFGHIJ'],
      ['ABCDE23456', 'ABCDE23456'],
      ['a2b-3c4', 'A2B3C4'],
      ['222222222a', '222222222A'],
      ['222222', undefined],
      ['2222222222', undefined],
      ['abcdefg', undefined],
      ['abcdefghijk', undefined],
      ['abcde', undefined],
      ['abcde fghij ', 'ABCDEFGHIJ'],
      ['abcd1', undefined],
      ['abcde0ghij', undefined],
      ['abcdefghi8', undefined],
      ['ſbcdefghij', undefined],
      ['xabcdefghij', undefined],
      ['', undefined],
    ] as const) {
      assert.equal(readRecoveryCode(text), code, text);
    }
  });

  test('is hashed under the key and for the identity', () => {
    const other = 'somebody' as IdentityId;
    const hashes = [
      recoveryCodeHash(recoveryKey, ana, 'A'),
      recoveryCodeHash(recoveryKey, ana, 'B'),
      recoveryCodeHash(recoveryKey, other, 'A'),
      recoveryCodeHash(Buffer.alloc(32, 9), ana, 'A'),
    ];
    assert.equal(new Set(hashes).size, 4);
    for (const hash of hashes) assert.match(hash, /^[\w-]{43}$/);
  });
});
