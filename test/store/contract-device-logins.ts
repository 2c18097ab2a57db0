import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewDeviceLogin } from '../../src/store/contracts/device-logins.ts';
import type { SharedDatabase } from './contract.ts';
import { HOUR, t0, uniqueName } from './fixtures.ts';

const many = 1_000_000;

function waiting(changes: Partial<NewDeviceLogin> = {}): NewDeviceLogin {
  return {
    id: uniqueName('device'),
    userCodeHash: uniqueName('code'),
    codeChallenge: uniqueName('challenge'),
    clientId: 'overlay',
    scopes: ['openid'],
    droppedScopes: ['groups'],
    issuer: 'https://localhost/oidc',
    ipAddress: '192.0.2.1',
    createdAt: t0,
    expiresAt: t0 + HOUR,
    ...changes,
  };
}

export function deviceLoginTests({ store }: SharedDatabase): void {
  describe('logins of devices', () => {
    test('are found while they wait, by either code', async () => {
      const { deviceLogins } = store;
      const login = waiting();
      assert.equal(await deviceLogins.begin(login, many), 'begun');
      const { userCodeHash, ...rest } = login;
      const stored = { ...rest, state: 'waiting', sealedCode: null };
      assert.deepEqual(await deviceLogins.find(login.id), stored);
      for (const by of [{ userCodeHash }, { codeChallenge: login.codeChallenge }]) {
        assert.deepEqual(await deviceLogins.findWaiting(by, t0), stored);
        assert.equal(await deviceLogins.findWaiting(by, t0 + HOUR), null);
      }
    });

    test('have a unique user code and a limited number', async () => {
      const { deviceLogins } = store;
      const login = waiting();
      assert.equal(await deviceLogins.begin(login, many), 'begun');
      const { userCodeHash } = login;
      assert.equal(await deviceLogins.begin(waiting({ userCodeHash }), many), 'taken');
      assert.equal(await deviceLogins.begin(waiting(), 1), 'full');
    });

    test('are settled once, however many come at once', async () => {
      const { deviceLogins } = store;
      const login = waiting();
      await deviceLogins.begin(login, many);
      const outcomes = await Promise.all(
        ['one', 'other', null, 'third'].map((code) => deviceLogins.settle(login.id, code, t0)),
      );
      assert.equal(outcomes.filter((isSettled) => isSettled).length, 1);
      const { userCodeHash } = login;
      assert.equal(await deviceLogins.findWaiting({ userCodeHash }, t0), null);
      const found = await deviceLogins.find(login.id);
      assert.equal(found?.state, found?.sealedCode === null ? 'denied' : 'approved');
    });

    test('are not settled after their time, and deleted', async () => {
      const { deviceLogins, expiry } = store;
      const login = waiting({ expiresAt: t0 + 1 });
      await deviceLogins.begin(login, many);
      assert.equal(await deviceLogins.settle(login.id, 'code', t0 + 1), false);
      while ((await expiry.deleteExpired(t0 + 1, 100)) > 0);
      assert.equal(await deviceLogins.find(login.id), null);
    });
  });
}
