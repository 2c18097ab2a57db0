import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiSessionId, SessionCertificateId } from '../../src/model/ids.ts';
import type { SessionCertificate } from '../../src/model/session-certificate.ts';
import type { SharedDatabase } from './contract.ts';
import { createUser, HOUR, newId, openSession, t0, uniqueName } from './fixtures.ts';

function certificateOf(
  sessionId: ApiSessionId,
  changes: Partial<SessionCertificate> = {},
): SessionCertificate {
  const id = newId<SessionCertificateId>();
  const times = { createdAt: t0, expiresAt: t0 + HOUR };
  return { id, sessionId, certPem: `pem of ${id}`, thumbprint: uniqueName(), ...times, ...changes };
}

export function sessionCertificateTests({ store }: SharedDatabase): void {
  describe('session certificates', () => {
    test('are found by their thumbprint and listed with their session until they expire', async () => {
      const user = await createUser(store);
      const [session, other] = [await openSession(store, user), await openSession(store, user)];
      const short = certificateOf(session, { expiresAt: t0 + 1 });
      const long = certificateOf(session);
      for (const each of [short, long]) assert.equal(await store.sessionCertificates.add(each, 8), true);
      assert.deepEqual(await store.sessionCertificates.findByThumbprint(long.thumbprint), long);
      assert.equal(await store.sessionCertificates.findByThumbprint('another'), null);
      assert.deepEqual(await store.sessionCertificates.listOf(session, t0), [short, long]);
      assert.deepEqual(await store.sessionCertificates.listOf(session, t0 + 1), [long]);
      assert.deepEqual(await store.sessionCertificates.listOf(other, t0), []);
    });

    test('are revoked once, by their session only, and every node learns it', async () => {
      const user = await createUser(store);
      const [session, other] = [await openSession(store, user), await openSession(store, user)];
      const certificate = certificateOf(session);
      await store.sessionCertificates.add(certificate, 8);
      const seq = await store.changes.latest();
      assert.equal(await store.sessionCertificates.revoke(other, certificate.id, t0), false);
      assert.equal(await store.sessionCertificates.revoke(session, certificate.id, t0), true);
      assert.equal(await store.sessionCertificates.revoke(session, certificate.id, t0), false);
      assert.equal(await store.sessionCertificates.findByThumbprint(certificate.thumbprint), null);
      const told = (await store.changes.readAfter(seq)).changes;
      assert.deepEqual(
        told.map(({ kind, entityId }) => [kind, entityId]),
        [['session-certificate', certificate.thumbprint]],
      );
    });

    test('are limited per session: the oldest are revoked', async () => {
      const session = await openSession(store, await createUser(store));
      const all = [certificateOf(session), certificateOf(session), certificateOf(session)];
      const seq = await store.changes.latest();
      for (const each of all) await store.sessionCertificates.add(each, 2);
      assert.deepEqual(await store.sessionCertificates.listOf(session, t0), all.slice(1));
      const told = (await store.changes.readAfter(seq)).changes;
      assert.deepEqual(
        told.map(({ entityId }) => entityId),
        [all[0]?.thumbprint],
      );
    });

    test('end with their session, and their rows go with theirs', async () => {
      const user = await createUser(store);
      const session = await openSession(store, user);
      const certificate = certificateOf(session, { expiresAt: t0 + 1000 * HOUR });
      await store.sessionCertificates.add(certificate, 8);
      await store.apiSessions.end(session, 'logout', t0);
      assert.equal(await store.sessionCertificates.findByThumbprint(certificate.thumbprint), null);
      assert.equal(await store.sessionCertificates.add(certificateOf(session), 8), false);
      await store.expiry.deleteExpired(t0 + 100 * HOUR, 1000);
      assert.deepEqual(await store.sessionCertificates.listOf(session, t0), []);
    });

    test('that have expired are deleted', async () => {
      const session = await openSession(store, await createUser(store));
      await store.sessionCertificates.add(certificateOf(session, { expiresAt: t0 + 1 }), 8);
      await store.expiry.deleteExpired(t0 + 1, 1000);
      assert.deepEqual(await store.sessionCertificates.listOf(session, t0), []);
    });
  });
}
