import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldHashes } from '../../../test/support/held-hashes.ts';
import { usernameKey } from '../../model/names.ts';
import { notedRecord } from '../../model/noted-record.ts';
import type { HashPool } from '../../platform/secrets/hash-pool.ts';
import { importedHash } from '../../platform/secrets/password-hash.ts';
import type { PasswordLogin } from '../../store/contracts/authenticators.ts';
import type { LoginServices } from '../services.ts';
import { passwordHasher, verifyPassword } from './password.ts';

test('a guess at a locked password is not compared with it', async () => {
  for (const [lockedUntil, compared] of [
    [null, 'its hash'],
    [2, null],
  ] as const) {
    const seen: (string | null)[] = [];
    const login = {
      authenticator: { id: 'a', username: 'ann' },
      identity: { id: 'i' },
      policy: { primary: { updb: { maxAttempts: 1, lockoutDurationMinutes: 1 } } },
      passwordHash: 'its hash',
      lockedUntil,
    } as PasswordLogin;
    const needs = {
      clock: { now: () => 1 },
      unknownNameKey: Buffer.alloc(32),
      hasher: { matches: async (phc: string | null) => void seen.push(phc) },
      store: {
        authenticators: { findPasswordLogin: async () => login },
        attempts: {
          lockedUntil: async () => null,
          count: async () => ({ outcome: 'refused', key: 'password:a', until: 2 }),
        },
      },
    } as unknown as LoginServices;
    const guess = { username: 'ann', password: 'seven quiet lanterns', origin: { ipAddress: '192.0.2.1' } };
    const record = notedRecord();
    assert.equal((await verifyPassword(needs, guess, record)).verdict, 'refused');
    assert.deepEqual([seen, record.reason], [[compared], 'locked']);
  }
});

test('the work for an imported hash is the same whether it matches or not', async () => {
  for (const matches of [true, false]) {
    const work: string[] = [];
    const pool = {
      verify: async (phc: string | null) =>
        work.push(phc === null ? 'nobody' : 'verify') > 0 && phc !== null && matches,
    } as unknown as HashPool;
    assert.equal(await passwordHasher(pool).matches('typed:x', 'seven quiet lanterns', '192.0.2.1'), matches);
    assert.deepEqual(work, ['verify', 'nobody']);
  }
});

test('a guess that was compared with an imported hash is finished, though its client has gone', async () => {
  const { hashPool, begun, hold, release } = heldHashes();
  const gone = new AbortController();
  hold();
  const imported = importedHash({ memoryKiB: 64, passes: 1, lanes: 1 }, Buffer.alloc(16), Buffer.alloc(32));
  const matches = passwordHasher(hashPool).matches(imported, 'x', { source: '192.0.2.1', gone: gone.signal });
  gone.abort();
  release();
  assert.deepEqual([await matches, begun()], [false, 2]);
});

test('every spelling of a user name has one key', () => {
  for (const spelling of ['alice', 'Alice', 'ALICE', 'ａｌｉｃｅ'])
    assert.equal(usernameKey(spelling), 'alice');
  assert.equal(usernameKey('Ju\u0308rgen'), usernameKey('jürgen'));
});

test('a text that cannot be a user name has no key', () => {
  const refused = [
    '',
    ' alice',
    'alice ',
    'al\u200Dice',
    'al\u202Eice',
    // Nothing of these is seen either: they are letters and marks, not control or format characters.
    'alice\u034f',
    'alice\ufe0f',
    'al\u115fice',
    'al\u3164ice',
    'alice\u17b4',
    'al\nice',
    'al\0ice',
    'a'.repeat(101),
    '\ud800',
    'a\u2028b',
  ];
  for (const text of refused) assert.equal(usernameKey(text), undefined, JSON.stringify(text));
});

test('names with other content are kept, since a look-up is not a pattern', () => {
  for (const name of ["' or 1=1--", '$' + '{jndi:x}', '%n', 'a b', 'jo@example.org'])
    assert.equal(usernameKey(name), name);
});
