import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuditRecord } from '../../src/model/audit-event.ts';
import type { IdentityId } from '../../src/model/ids.ts';
import type { LoginAttempt } from '../../src/model/login-attempt.ts';
import type { AttemptLimit } from '../../src/store/contracts/attempts.ts';
import type { PendingTotp } from '../../src/store/contracts/totp.ts';
import { testBudget } from '../support/list-budget.ts';
import type { SharedDatabase } from './contract.ts';
import { createUser, DAY, HOUR, MINUTE, newId, query, t0, uniqueName } from './fixtures.ts';

export function pendingTotp(identityId: IdentityId, changes: Partial<PendingTotp> = {}): PendingTotp {
  return {
    identityId,
    sealedSeed: 'sealed',
    recoveryHashes: ['r1', 'r2'],
    expiresAt: t0 + 10 * MINUTE,
    ...changes,
  };
}

export function attemptLimit(changes: Partial<AttemptLimit> = {}): AttemptLimit {
  return {
    key: uniqueName('key'),
    max: 3,
    lockFor: MINUTE,
    longestLock: 3 * MINUTE,
    forgetAfter: HOUR,
    ...changes,
  };
}

export function limitTests({ store }: SharedDatabase): void {
  describe('TOTP enrollments', () => {
    test('a pending one belongs to its flow, until it expires or is abandoned', async () => {
      const { id } = await createUser(store);
      const flow = newId<string>();
      const pending = pendingTotp(id);
      assert.equal(await store.totp.start(flow, pending, t0), 'started');
      assert.equal(await store.totp.start(flow, pending, t0), 'exists');
      assert.deepEqual(await store.totp.findPending(flow, pending.expiresAt - 1), pending);
      assert.equal(await store.totp.findPending(flow, pending.expiresAt), null);
      assert.equal(await store.totp.findPending(newId<string>(), t0), null);
      assert.equal(await store.totp.start(flow, pendingTotp(id), pending.expiresAt), 'started');
      assert.equal(await store.totp.abandon(flow), true);
      assert.equal(await store.totp.abandon(flow), false);
    });

    test('verifying enrolls, once, and ends the other pending ones of the identity', async () => {
      const { id } = await createUser(store);
      const [flow, other] = [newId<string>(), newId<string>()];
      await store.totp.start(flow, pendingTotp(id), t0);
      await store.totp.start(other, pendingTotp(id), t0);
      const enrollment = { sealedSeed: 'sealed for the identity', step: 100, now: t0 };
      assert.equal(await store.totp.verify(flow, enrollment), true);
      assert.equal(await store.totp.verify(flow, enrollment), false);
      assert.equal(await store.totp.verify(other, enrollment), false);
      assert.deepEqual(await store.totp.find(id), {
        identityId: id,
        sealedSeed: 'sealed for the identity',
        enrolledAt: t0,
        recoveryCodesLeft: 2,
      });
      assert.equal(await store.totp.start(newId<string>(), pendingTotp(id), t0), 'exists');
    });

    test('a replacement takes the place of an enrollment in one step, once, with new recovery codes', async () => {
      const { id } = await createUser(store);
      const [flow, one, other] = [newId<string>(), newId<string>(), newId<string>()];
      await store.totp.start(flow, pendingTotp(id), t0);
      await store.totp.verify(flow, { sealedSeed: 'lost', step: 200, now: t0 });
      const replaces = { enrolledAt: t0, recoveryHash: null };
      const replacement = { ...pendingTotp(id), recoveryHashes: ['n1'], replaces };
      for (const begun of [one, other])
        assert.equal(await store.totp.start(begun, replacement, t0), 'started');
      const enrollment = { sealedSeed: 'new', step: 100, now: t0 };
      assert.equal((await store.totp.find(id))?.sealedSeed, 'lost');
      assert.equal(await store.totp.verify(one, { ...enrollment, replaces: true }), true);
      assert.equal(await store.totp.verify(other, { ...enrollment, replaces: true }), false);
      const { sealedSeed, recoveryCodesLeft } = (await store.totp.find(id)) ?? {};
      assert.deepEqual({ sealedSeed, recoveryCodesLeft }, { sealedSeed: 'new', recoveryCodesLeft: 1 });
      assert.equal(await store.totp.burnRecoveryCode(id, 'r1', t0), false);
      assert.equal(await store.totp.burnStep(id, t0, 101), true);
      assert.equal(await store.totp.burnStep(id, t0 - 1, 102), false, 'a code of the replaced app');
    });

    test('a step is accepted once, and none at or before it', async () => {
      const { id } = await createUser(store);
      const flow = newId<string>();
      await store.totp.start(flow, pendingTotp(id), t0);
      await store.totp.verify(flow, { sealedSeed: 's', step: 100, now: t0 });
      const accepted: boolean[] = [];
      for (const step of [100, 99, 101, 101, 103, 102])
        accepted.push(await store.totp.burnStep(id, t0, step));
      assert.deepEqual(accepted, [false, false, true, false, true, false]);
      assert.equal(await store.totp.burnStep(newId<IdentityId>(), t0, 1), false);
    });

    test('a recovery code is used once; new ones replace all; removal takes everything', async () => {
      const { id } = await createUser(store);
      const flow = newId<string>();
      await store.totp.start(flow, pendingTotp(id), t0);
      await store.totp.verify(flow, { sealedSeed: 's', step: 1, now: t0 });
      assert.equal(await store.totp.burnRecoveryCode(id, 'r1', t0), true);
      assert.equal(await store.totp.burnRecoveryCode(id, 'r1', t0), false);
      assert.equal(await store.totp.burnRecoveryCode(id, 'r9', t0), false);
      assert.equal((await store.totp.find(id))?.recoveryCodesLeft, 1);
      const proof = { enrolledAt: t0, recoveryHash: 'r1' };
      assert.equal(await store.totp.start(flow, { ...pendingTotp(id), replaces: proof }, t0), 'started');
      assert.equal(await store.totp.replaceRecoveryCodes(id, ['n1', 'n2', 'n3'], proof), true);
      assert.equal(await store.totp.findPending(flow, t0), null);
      assert.equal(await store.totp.burnRecoveryCode(id, 'r2', t0), false);
      assert.equal((await store.totp.find(id))?.recoveryCodesLeft, 3);
      for (const gone of [proof, { enrolledAt: t0 - 1, recoveryHash: null }]) {
        assert.equal(await store.totp.start(flow, { ...pendingTotp(id), replaces: gone }, t0), 'exists');
        assert.equal(await store.totp.replaceRecoveryCodes(id, ['o1'], gone), false);
        assert.equal(await store.totp.remove(id, t0, gone), false);
      }
      assert.equal((await store.totp.find(id))?.recoveryCodesLeft, 3);
      assert.equal(await store.totp.remove(id, t0, { enrolledAt: t0, recoveryHash: 'n1' }), true);
      assert.equal(await store.totp.remove(id, t0, null), false);
      assert.equal(await store.totp.find(id), null);
      assert.equal(await store.totp.burnRecoveryCode(id, 'n1', t0), false);
      assert.equal(
        await store.totp.replaceRecoveryCodes(id, ['n1'], { ...proof, recoveryHash: null }),
        false,
      );
    });
  });

  describe('counters of attempts', () => {
    test('refuse when the limit is reached, with a lock that doubles up to the longest', async () => {
      const limit = attemptLimit({ max: 2 });
      let now = t0;
      const locks: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        for (let attempt = 0; attempt < 2; attempt += 1) {
          assert.deepEqual(await store.attempts.count([limit], 1, now), { outcome: 'counted' });
        }
        const refused = await store.attempts.count([limit], 1, now);
        assert.ok(refused.outcome === 'refused' && refused.key === limit.key);
        assert.deepEqual(await store.attempts.count([limit], 1, refused.until - 1), refused);
        assert.equal(await store.attempts.lockedUntil(limit.key, refused.until - 1), refused.until);
        assert.equal(await store.attempts.lockedUntil(limit.key, refused.until), null);
        locks.push(refused.until - now);
        now = refused.until;
      }
      assert.deepEqual(locks, [MINUTE, 2 * MINUTE, 3 * MINUTE]);
    });

    test('lock from the attempt that reaches the limit, whenever the next one comes', async () => {
      const limit = attemptLimit({ max: 2 });
      const count = (now: number) => store.attempts.count([limit], 1, now);
      await count(t0);
      await count(t0 + 5);
      assert.equal(await store.attempts.lockedUntil(limit.key, t0 + 5), t0 + 5 + MINUTE);
      assert.deepEqual(await count(t0 + 5 + MINUTE), { outcome: 'counted' });
    });

    test('stay locked no longer than a lock may, once a clock that was hours ahead is set right', async () => {
      const [limit, once] = [attemptLimit({ max: 1 }), attemptLimit({ max: 1, longestLock: Infinity })];
      const count = async (of: AttemptLimit, now: number) =>
        (await store.attempts.count([of], 1, now)).outcome;
      const wrong = t0 + 5 * HOUR;
      const outcomes: string[] = [];
      for (const [of, now] of [
        [limit, wrong],
        [limit, wrong],
        [limit, t0],
        [limit, t0],
        [once, wrong],
        [once, t0],
      ] as const)
        outcomes.push(await count(of, now));
      assert.deepEqual(outcomes, ['counted', 'refused', 'counted', 'refused', 'counted', 'refused']);
    });

    test('let a right one pass, uncounted, until wrong ones have locked the key', async () => {
      const limit = attemptLimit({ max: 2 });
      const count = async (failures: 0 | 1) => (await store.attempts.count([limit], failures, t0)).outcome;
      const outcomes: string[] = [];
      for (const failures of [0, 0, 0, 1, 0, 1, 0, 1] as const) outcomes.push(await count(failures));
      assert.deepEqual(outcomes, [...Array.from({ length: 6 }, () => 'counted'), 'refused', 'refused']);
      assert.equal(await store.attempts.areCounted([limit.key]), true);
    });

    test('say whether there is anything to forget', async () => {
      const limits = [attemptLimit({ max: 3 }), attemptLimit({ max: 1 })];
      const [free, locked] = limits.map(({ key }) => key) as [string, string];
      const counted = () =>
        Promise.all([[free], [locked], [free, locked]].map((keys) => store.attempts.areCounted(keys)));
      assert.deepEqual(await counted(), [false, false, false]);
      await store.attempts.count(limits, 1, t0);
      assert.deepEqual(await counted(), [true, true, true]);
      await store.attempts.clear([free]);
      assert.deepEqual(await counted(), [false, true, true]);
      await store.attempts.clear([locked]);
      await store.attempts.count(limits, 0, t0);
      assert.deepEqual(await counted(), [false, false, false]);
    });

    test('stay locked after the most locks, until they are cleared', async () => {
      const limit = attemptLimit({ max: 1, mostLocks: 2 });
      const count = async (now: number) => (await store.attempts.count([limit], 1, now)).outcome;
      assert.deepEqual([await count(t0), await count(t0 + MINUTE)], ['counted', 'counted']);
      assert.equal(await count(t0 + 1000 * HOUR), 'refused');
      await store.attempts.clear([limit.key]);
      assert.equal(await count(t0 + 1000 * HOUR), 'counted');
    });

    test('count, of several limits, only at those after one that is reached, and name the last such one', async () => {
      const [narrow, wide] = [attemptLimit({ max: 1 }), attemptLimit({ max: 3 })];
      const refusals: string[] = [];
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const outcome = await store.attempts.count([narrow, wide], 1, t0);
        refusals.push(outcome.outcome === 'refused' ? outcome.key : outcome.outcome);
      }
      assert.deepEqual(refusals, ['counted', narrow.key, narrow.key, wide.key, wide.key]);
    });

    test('count nothing at the limits before one that is reached', async () => {
      const [wide, narrow] = [attemptLimit({ max: 2 }), attemptLimit({ max: 1 })];
      await store.attempts.count([narrow], 1, t0);
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const outcome = await store.attempts.count([wide, narrow], 1, t0);
        assert.equal(outcome.outcome === 'refused' && outcome.key, narrow.key);
      }
      assert.equal((await store.attempts.count([wide], 1, t0)).outcome, 'counted');
      assert.equal((await store.attempts.count([wide], 1, t0)).outcome, 'counted');
      assert.equal((await store.attempts.count([wide], 1, t0)).outcome, 'refused');
    });

    test('are forgotten when cleared or after a time', async () => {
      const limit = attemptLimit({ max: 1 });
      const count = async (now = t0) => (await store.attempts.count([limit], 1, now)).outcome;
      assert.deepEqual([await count(), await count()], ['counted', 'refused']);
      await store.attempts.clear([limit.key]);
      assert.equal(await store.attempts.lockedUntil(limit.key, t0), null);
      assert.equal(await count(), 'counted');
      assert.equal(await count(t0 + HOUR), 'counted');
    });
  });

  describe('audit events', () => {
    const record = (
      entityId: string,
      at: number,
      event: AuditRecord['event'] = 'admin.changed',
    ): AuditRecord => ({
      id: newId<string>(),
      at,
      event,
      action: 'update',
      entity: 'identity',
      entityId,
      identityId: entityId,
      byIdentityId: 'nobody',
      requestId: null,
      ipAddress: null,
      issuer: null,
      details: { fields: ['name'] },
    });

    test('are listed completely, and the oldest are deleted by number or age', async () => {
      const entityId = uniqueName('entity');
      const records = Array.from({ length: 6 }, (_value, at) => record(entityId, t0 + at));
      const times = async () => {
        const filter = { op: '=', field: 'entityId', value: entityId } as const;
        const sort = [{ field: 'id', descending: false }];
        const { items } = await store.auditEvents.list({
          filter,
          sort,
          limit: 10,
          offset: 0,
          budget: testBudget,
        });
        return items.map(({ at }) => at - t0);
      };
      await store.auditEvents.append(records.slice(0, 4), null);
      await store.auditEvents.append(records.slice(3), { keepAtMost: 5, ofOwners: [] });
      assert.deepEqual(await times(), [1, 2, 3, 4, 5]);
      const page = await store.auditEvents.list(query({ limit: 1 }));
      assert.deepEqual(page.items[0], { ...records[1], identityName: null, byIdentityName: null });
      assert.equal(await store.auditEvents.deleteBefore(t0 + 4, 2), 2);
      assert.equal(await store.auditEvents.deleteBefore(t0 + 4, 2), 1);
      assert.deepEqual(await times(), [4, 5]);
      await store.auditEvents.deleteBefore(t0 + HOUR, 10);
    });

    test('of owners push out their own once they are half of all', async () => {
      const entityId = uniqueName('entity');
      const bound = { keepAtMost: 4, ofOwners: ['account.changed', 'totp.enrolled'] } as const;
      const kept = async () => {
        const filter = { op: '=', field: 'entityId', value: entityId } as const;
        const sort = [{ field: 'id', descending: false }];
        const { items } = await store.auditEvents.list({
          filter,
          sort,
          limit: 10,
          offset: 0,
          budget: testBudget,
        });
        return items.map(({ at, event }) => `${event.split('.')[0]} ${at - t0}`);
      };
      await store.auditEvents.append([record(entityId, t0), record(entityId, t0 + 1)], null);
      const theirs = Array.from({ length: 5 }, (_value, at) => {
        const event = at % 2 === 0 ? 'account.changed' : 'totp.enrolled';
        return record(entityId, t0 + 2 + at, event);
      });
      await store.auditEvents.append(theirs, bound);
      assert.deepEqual(await kept(), ['admin 0', 'admin 1', 'totp 5', 'account 6']);
      await store.auditEvents.append([record(entityId, t0 + 7)], bound);
      assert.deepEqual(await kept(), ['admin 1', 'totp 5', 'account 6', 'admin 7']);
      await store.auditEvents.deleteBefore(t0 + HOUR, 10);
    });
  });

  test('audit events beyond their number go from those who caused most', async () => {
    const entityId = uniqueName('entity');
    let at = 0;
    const event = (name: AuditRecord['event'], identityId: string, byIdentityId: string): AuditRecord => {
      at += 1;
      const of = { entity: 'identity', entityId, identityId, byIdentityId, requestId: null, ipAddress: null };
      return {
        id: newId<string>(),
        at: t0 + at,
        event: name,
        action: null,
        issuer: null,
        details: {},
        ...of,
      };
    };
    const bound = { keepAtMost: 20, ofOwners: ['account.changed'] } as const;
    await store.auditEvents.append(
      [event('admin.changed', 'x', 'root'), event('account.changed', 'ana', 'ana')],
      null,
    );
    for (let round = 0; round < 40; round += 1)
      await store.auditEvents.append(
        [event('account.changed', 'bob', 'bob'), event('admin.changed', 'x', 'other')],
        bound,
      );
    const { items } = await store.auditEvents.list(query());
    const by = items.map(({ byIdentityId }) => byIdentityId);
    assert.equal(items.length, bound.keepAtMost);
    assert.ok(by.includes('root') && by.includes('ana'), by.join(' '));
    await store.auditEvents.deleteBefore(t0 + HOUR, 100);
  });

  describe('decision records', () => {
    const record = (reference: string, at: number): LoginAttempt & { id: string } => ({
      id: newId<string>(),
      reference,
      at,
      step: 'password',
      mechanism: 'oidc',
      outcome: 'refused',
      reason: 'wrong-password',
      identityId: null,
      subject: 'somebody',
      ipAddress: '192.0.2.1',
      issuer: 'https://localhost:1280/oidc',
      checks: [],
    });

    test('are found by reference in order, and the oldest are deleted by number or age', async () => {
      const reference = uniqueName('ref');
      const attempts = Array.from({ length: 6 }, (_value, at) => record(reference, t0 + at));
      await store.loginAttempts.append(attempts.slice(0, 4), 1000);
      await store.loginAttempts.append(attempts.slice(4, 5), null);
      // Refusals take at most three quarters.
      await store.loginAttempts.append(attempts.slice(5), 7);
      const times = async () =>
        (await store.loginAttempts.findByReference(reference)).map(({ at }) => at - t0);
      assert.deepEqual(await times(), [1, 2, 3, 4, 5]);
      const page = await store.loginAttempts.list(query({ limit: 2 }));
      assert.equal(page.totalCount, 5);
      assert.equal(page.items[0]?.identityName, null);
      assert.equal(await store.loginAttempts.deleteBefore(t0 + 4, 2), 2);
      assert.equal(await store.loginAttempts.deleteBefore(t0 + 4, 2), 1);
      assert.deepEqual(await times(), [4, 5]);
    });

    test('beyond their number go from those who have most, and refusals never for logins that passed', async () => {
      const [ana, bob] = [uniqueName('ana'), uniqueName('bob')];
      let at = 0;
      const of = (outcome: 'passed' | 'refused', identityId: string | null, ipAddress: string) => {
        at += 1;
        const reason = outcome === 'passed' ? null : ('wrong-password' as const);
        return { ...record(uniqueName('trail'), t0 + at), outcome, reason, identityId, ipAddress };
      };
      const many = <T>(count: number, make: (at: number) => T) =>
        Array.from({ length: count }, (_, at) => make(at));
      const keep = 40;
      const first = [
        ...many(3, () => of('refused', ana, '192.0.2.1')),
        of('refused', null, '192.0.2.2'),
        of('passed', ana, '192.0.2.1'),
      ];
      const left = async () => {
        const { items } = await store.loginAttempts.list(
          query({ sort: [{ field: 'at', descending: false }] }),
        );
        const isFirst = (one: LoginAttempt) => first.some(({ reference }) => reference === one.reference);
        return { first: items.filter(isFirst).length, total: items.length };
      };
      await store.loginAttempts.append(first, keep);
      // An account from one address, from a network of its own and from everywhere.
      for (const address of [
        () => '192.0.2.1',
        (n: number) => `2001:db8:1:${n}::1`,
        (n: number) => `198.51.100.${n}`,
      ])
        await store.loginAttempts.append(
          many(100, (n) => of('passed', bob, address(n))),
          keep,
        );
      assert.deepEqual(await left(), { first: 5, total: keep });
      // Strangers from one address, from one network, and at another person's account.
      for (const address of [() => '203.0.113.1', (n: number) => `2001:db8:2:${n}::1`]) {
        await store.loginAttempts.append(
          many(100, (n) => of('refused', null, address(n))),
          keep,
        );
        await store.loginAttempts.append(
          many(100, (n) => of('refused', ana, address(n))),
          keep,
        );
      }
      assert.deepEqual(await left(), { first: 5, total: keep });
      await store.loginAttempts.deleteBefore(t0 + HOUR, 1000);
    });

    test('are counted by the hours of UTC and by outcome', async () => {
      // Days after anything that other tests keep.
      const hour = Math.ceil((t0 + 30 * DAY) / HOUR) * HOUR;
      const at = (time: number, outcome: 'passed' | 'refused') => {
        const reason = outcome === 'passed' ? null : ('wrong-password' as const);
        return { ...record(uniqueName('hour'), time), outcome, reason };
      };
      await store.loginAttempts.append(
        [
          at(hour - 1, 'passed'),
          at(hour, 'passed'),
          at(hour + HOUR - 1, 'refused'),
          at(hour + HOUR - 1, 'refused'),
          at(hour + HOUR, 'passed'),
        ],
        null,
      );
      assert.deepEqual(await store.loginAttempts.countByHour(hour, testBudget), [
        { from: hour, outcome: 'passed', count: 1 },
        { from: hour, outcome: 'refused', count: 2 },
        { from: hour + HOUR, outcome: 'passed', count: 1 },
      ]);
      assert.equal(await store.loginAttempts.deleteBefore(hour + DAY, 100), 5);
    });
  });
}
