import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClientProgram } from '../../src/model/client-info.ts';
import type { NewProgram } from '../../src/model/last-login.ts';
import type { Millis } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import type { SharedDatabase } from './contract.ts';
import {
  createUser,
  HOUR,
  loginWithCode,
  MINUTE,
  query,
  redemption,
  SECOND,
  t0,
  type User,
} from './fixtures.ts';

const firefox: ClientProgram = { program: 'Firefox', operatingSystem: 'Linux' };
const curl: ClientProgram = { program: 'curl 8.5', operatingSystem: null };

interface Login {
  readonly clientId?: string;
  readonly ipAddress?: string;
  readonly now?: Millis;
}

async function logIn(
  store: Store,
  user: User,
  said: ClientProgram,
  { clientId = 'overlay', ipAddress = '192.0.2.9', now = t0 + SECOND }: Login = {},
): Promise<NewProgram | null> {
  const codeExpiresAt = now + MINUTE;
  const begun = await loginWithCode(store, user, {
    request: { clientId },
    progress: { place: { ipAddress, ...said } },
    codeExpiresAt,
  });
  const outcome = await store.authRequests.redeemCode(redemption(begun, { now }));
  return outcome.outcome === 'redeemed' ? outcome.newProgram : assert.fail(outcome.reason);
}

async function lastLoginsOf(store: Store, { id }: User) {
  const filter = { op: '=', field: 'identityId', value: id } as const;
  const sort = [{ field: 'lastAt', descending: false }];
  return (await store.lastLogins.list(query({ filter, sort, limit: 500 }))).items;
}

export function lastLoginTests({ store, openAnother }: SharedDatabase): void {
  describe('last logins', () => {
    test('say which programs an identity has used where, and which of them is new', async () => {
      const user = await createUser(store);
      assert.equal(await logIn(store, user, firefox), null);
      const later = { clientId: 'wiki', ipAddress: '2001:db8::1', now: t0 + HOUR };
      assert.equal(await logIn(store, user, firefox, later), null);
      const ipAddress = '192.0.2.9';
      const two = { ...curl, ipAddress, newWithinHour: 0 };
      assert.deepEqual(await logIn(store, user, curl, { now: t0 + 2 * HOUR }), two);
      const silent = { program: null, operatingSystem: null };
      const three = { ...silent, ipAddress, newWithinHour: 1 };
      assert.deepEqual(await logIn(store, user, silent, { now: t0 + 2 * HOUR + MINUTE }), three);
      const updated = { program: 'curl 8.6', operatingSystem: null };
      assert.equal(await logIn(store, user, updated, { now: t0 + 3 * HOUR }), null);
      const rows = (await lastLoginsOf(store, user)).map((row) => [
        ...[
          row.program,
          row.clientId,
          row.ipAddress,
          (row.firstAt - t0) / MINUTE,
          (row.lastAt - t0) / MINUTE,
        ],
      ]);
      assert.deepEqual(rows, [
        ['Firefox', 'overlay', '192.0.2.9', SECOND / MINUTE, SECOND / MINUTE],
        ['Firefox', 'wiki', '2001:db8::1', 60, 60],
        [null, 'overlay', '192.0.2.9', 121, 121],
        ['curl 8.6', 'overlay', '192.0.2.9', 120, 180],
      ]);
    });

    test('are the same for logins of a minute, and another identity has its own', async () => {
      const [user, other] = [await createUser(store), await createUser(store)];
      for (const now of [t0, t0 + MINUTE - 1]) await logIn(store, user, firefox, { now });
      assert.deepEqual(
        (await lastLoginsOf(store, user)).map(({ lastAt }) => lastAt),
        [t0],
      );
      await logIn(store, user, firefox, { now: t0 + MINUTE });
      assert.equal(await logIn(store, other, curl), null);
      const [mine, theirs] = [await lastLoginsOf(store, user), await lastLoginsOf(store, other)];
      assert.deepEqual([mine.length, mine[0]?.firstAt, mine[0]?.lastAt], [1, t0, t0 + MINUTE]);
      assert.deepEqual([theirs.length, theirs[0]?.identityName], [1, other.identity.name]);
      await store.identities.delete(user.id, t0);
      assert.deepEqual(await lastLoginsOf(store, user), []);
    });

    test('are fifty for an identity: those of long ago make room', async () => {
      const user = await createUser(store);
      const named = (at: number) => ({ program: `program-${'x'.repeat(at)}`, operatingSystem: null });
      for (let at = 0; at < 52; at += 1) await logIn(store, user, named(at), { now: t0 + at * MINUTE });
      const kept = await lastLoginsOf(store, user);
      assert.deepEqual(
        [kept.length, kept[0]?.program, kept.at(-1)?.program],
        [50, named(2).program, named(51).program],
      );
    });

    test('of one identity at once are each kept', async () => {
      const another = await openAnother();
      const user = await createUser(store);
      await logIn(store, user, firefox);
      const programs = ['a', 'b', 'c', 'a', 'b', 'c', 'Firefox', 'a'].map((program) => ({
        ...firefox,
        program,
      }));
      await Promise.all(programs.map((said, at) => logIn(at % 2 === 0 ? store : another, user, said)));
      const kept = (await lastLoginsOf(store, user)).map(({ program }) => program);
      assert.deepEqual(kept.toSorted(), ['Firefox', 'a', 'b', 'c']);
      await another.close();
    });
  });
}
