import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { queueOf } from '../../src/model/delivery.ts';
import type { AuthenticatorId } from '../../src/model/ids.ts';
import type { SharedDatabase } from './contract.ts';
import { newSubscription, queuedEvent } from './contract-deliveries.ts';
import { newSetupLink } from './contract-keys.ts';
import { attemptLimit, pendingTotp } from './contract-limits.ts';
import {
  createUser,
  DAY,
  HOUR,
  isAlive,
  newId,
  openSession,
  query,
  SECOND,
  t0,
  uniqueName,
} from './fixtures.ts';

export function newNode(name = uniqueName('node')) {
  return {
    id: newId<string>(),
    name,
    address: 'ctrl.example:1280',
    keyIds: ['0123456789abcdef'],
    authorities: { trusted: ['abc', 'def'], signing: ['abc'] },
    apiAddresses: [
      { binding: 'edge-client', url: 'https://ctrl.example:1280/edge/client/v1', version: 'v1' },
    ],
    version: '1.2.3',
    startedAt: t0,
  };
}

export function nodeTests({ store }: SharedDatabase): void {
  describe('nodes', () => {
    test('come back as they announced themselves, and keep id and age over restarts', async () => {
      const { nodes } = store;
      const node = newNode();
      await nodes.announce(node, t0, 0);
      const stored = { ...node, createdAt: t0, lastSeenAt: t0, leftAt: null };
      assert.deepEqual(await nodes.find(node.id), stored);
      const again = { ...newNode(node.name), startedAt: t0 + HOUR, version: '1.2.4' };
      await nodes.announce(again, t0 + HOUR, 0);
      const expected = { ...again, id: node.id, createdAt: t0, lastSeenAt: t0 + HOUR, leftAt: null };
      assert.deepEqual(await nodes.find(node.id), expected);
      assert.equal(await nodes.find(again.id), null);
      const filter = { op: '=', field: 'name', value: node.name } as const;
      assert.deepEqual((await nodes.list(query({ filter }))).items, [expected]);
    });

    test('sign off for themselves only, and come back', async () => {
      const { nodes } = store;
      const node = newNode();
      await nodes.announce(node, t0, 0);
      await nodes.leave(node.name, t0 - 1, t0 + SECOND);
      assert.equal((await nodes.find(node.id))?.leftAt, null);
      await nodes.leave(node.name, t0, t0 + SECOND);
      assert.equal((await nodes.find(node.id))?.leftAt, t0 + SECOND);
      await nodes.announce(node, t0 + 2 * SECOND, 0);
      assert.equal((await nodes.find(node.id))?.leftAt, null);
    });

    test('that were not seen for long are removed by the others', async () => {
      const { nodes } = store;
      const [gone, stays] = [newNode(), newNode()];
      await nodes.announce(gone, t0, 0);
      await nodes.announce(stays, t0 + DAY + 1, t0 + 1);
      assert.equal(await nodes.find(gone.id), null);
      assert.ok(await nodes.find(stays.id));
    });

    test('are in the change feed when they are new, have new addresses or are removed, and at no other heartbeat', async () => {
      const { nodes, changes } = store;
      const node = newNode();
      let seq = await changes.latest();
      const told = async () => {
        const entries = (await changes.readAfter(seq)).changes.filter(
          ({ entityId }) => entityId === node.name,
        );
        seq = await changes.latest();
        return entries.map(({ kind }) => kind);
      };
      await nodes.announce(node, t0, 0);
      assert.deepEqual(await told(), ['node']);
      await nodes.announce({ ...node, version: '2.0.0' }, t0 + SECOND, 0);
      assert.deepEqual(await told(), []);
      await nodes.announce({ ...node, apiAddresses: [] }, t0 + 2 * SECOND, 0);
      assert.deepEqual(await told(), ['node']);
      await nodes.announce(newNode(), t0 - DAY, 0);
      await told();
      await nodes.announce({ ...node, apiAddresses: [] }, t0 + 3 * SECOND, t0 - DAY + 1);
      assert.deepEqual(await told(), ['node']);
    });
  });
}

/** Uses a database of its own, because it removes everything. */
export function restoreTests({ store }: SharedDatabase): void {
  describe('a restore', () => {
    test('withdraws what was issued, advances TOTP, and keeps people and locks', async () => {
      const user = await createUser(store);
      const session = await openSession(store, user);
      const flow = newId<string>();
      await store.totp.start(flow, pendingTotp(user.id), t0);
      await store.totp.verify(flow, { sealedSeed: 'sealed', step: 10, now: t0 });
      const certificate = newId<AuthenticatorId>();
      await store.authenticators.createCertificate(
        { id: certificate, identityId: user.id, certPem: 'PEM', thumbprint: 'present', tags: {} },
        t0,
      );
      const successor = { certPem: 'NEXT', thumbprint: 'successor', hasNewKey: true };
      assert.ok(
        await store.authenticators.keepSuccessor({
          id: certificate,
          currentThumbprint: 'present',
          ...successor,
        }),
      );
      const link = newSetupLink();
      await store.setupLinks.create(link);
      const limit = attemptLimit({ max: 1 });
      await store.attempts.count([limit], 1, t0);
      await store.keys.serverSecret('root', () => 'before');
      assert.equal(await store.restores.latest(), null);

      const withdrawn = await store.restores.withdrawEverythingIssued({ id: 'r1', totpStep: 20, now: t0 });
      assert.equal(withdrawn.sessions, 1);
      assert.equal(withdrawn.setupLinks, 1);
      assert.ok(withdrawn.recoveryCodes > 0);
      assert.equal(await isAlive(store, session), false);
      const promote = { id: certificate, thumbprint: 'successor', now: t0, exceptSession: session };
      assert.equal(await store.authenticators.promoteSuccessor(promote), false);
      assert.equal((await store.authenticators.findCertificateLogin('present'))?.identity.id, user.id);
      assert.equal(await store.setupLinks.check(link.tokenHash, t0), 'unknown');
      assert.equal(await store.totp.burnStep(user.id, t0, 20), false);
      assert.equal(await store.totp.burnStep(user.id, t0, 21), true);
      assert.equal(await store.totp.burnRecoveryCode(user.id, 'r1', t0), false);
      assert.equal(await store.keys.serverSecret('root', () => 'after'), 'after');
      assert.equal((await store.attempts.count([limit], 1, t0)).outcome, 'refused');
      assert.ok(await store.identities.find(user.id));
      assert.equal(await store.restores.latest(), 'r1');

      const again = await store.restores.withdrawEverythingIssued({ id: 'r2', totpStep: 5, now: t0 });
      assert.deepEqual(again, {
        sessions: 0,
        recoveryCodes: 0,
        setupLinks: 0,
        enrollments: 0,
        invitations: 0,
      });
      assert.equal(await store.restores.latest(), 'r2');
      assert.equal(await store.totp.burnStep(user.id, t0, 21), false, 'TOTP never moves back');
    });

    test('the last backup is noted, also if an earlier one is told after it', async () => {
      const { restores } = store;
      assert.equal(await restores.lastBackup(), null);
      for (const at of [t0, t0 + HOUR, t0 + SECOND]) await restores.noteBackup(at);
      assert.equal(await restores.lastBackup(), t0 + HOUR);
    });

    test('a restore sends events again that waited, and nothing else', async () => {
      const subscription = await newSubscription(store);
      const queue = queueOf('event', subscription);
      await store.auditEvents.append([], null, { events: [queuedEvent(subscription, 'event')] });
      await store.deliveries.hold({ queue, holder: 'dead', until: t0 + 10 * DAY }, t0);
      await store.restores.withdrawEverythingIssued({ id: 'r3', totpStep: 5, now: t0 + 5 * DAY });
      assert.deepEqual(await store.deliveries.listDue('holder', t0 + 5 * DAY), [queue]);
      const order = { order: 'oldest', most: 9 } as const;
      const [event] = await store.deliveries.next(queue, order, t0 + 5 * DAY);
      assert.deepEqual([event?.id, event?.createdAt], ['event', t0 + 5 * DAY]);
    });
  });
}
