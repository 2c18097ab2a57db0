// A legacy session opened with a certificate works over any connection for as long as it is used: each call judges
// the certificate as a refresh does.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IdentityId } from '../../src/model/ids.ts';
import { HOUR, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { readPathCertificate } from '../../src/platform/x509/path-certificate.ts';
import { enrolled, registerCa, withCertificate } from '../support/certificates.ts';
import {
  authority,
  authorityExtensions,
  client,
  clientExtensions,
  generalName,
  type Made,
  subjectAltName,
} from '../support/chains.ts';
import { createIdentity, createPolicy } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { type Caller, loggedIn, password } from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';
import { assertNoSession, clientRoot, type Session, sessionOf } from './support.ts';

const emailRule = { location: 'SAN_EMAIL', matcher: 'ALL', parser: 'NONE' };

// Certificates follow the system's clock.
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
// Half an hour passes in no time; normally a thread writes every ten seconds which sessions were used.
const server = await serverOfFile({ clock, threads: 1 });
await server.createUser({ name: 'root', password, isAdmin: true });

/** Time passes in these tests, so earlier tokens have expired. */
const administrator = (): Promise<Caller> => loggedIn(server, 'root');

let count = 0;
function newIdentity(more: Parameters<typeof createIdentity>[2] = {}): Promise<IdentityId> {
  count += 1;
  return createIdentity(server, `identity ${count}`, { externalId: null, ...more });
}

/** A session opened with the certificate; its calls use other connections. */
async function opened(leaf: Made, ...sent: readonly Made[]): Promise<Session> {
  const connection = withCertificate(server, leaf, ...sent);
  const answer = await connection.post(`${clientRoot}/authenticate?method=cert`, { json: {} });
  assert.equal(answer.status, 200, answer.text);
  connection.closeConnections();
  const session = sessionOf(server, answer);
  await goesOn(session);
  return session;
}

async function goesOn(session: Session): Promise<void> {
  assert.equal((await session.get('current-identity')).status, 200);
  assert.equal((await session.get('current-api-session')).status, 200);
}

async function isOver(session: Session): Promise<void> {
  for (const path of ['current-identity', 'current-api-session']) assertNoSession(await session.get(path));
  assertNoSession(await session.call('DELETE', 'current-api-session'));
  assertNoSession(await session.post('current-identity/mfa'));
}

/** Uses the session every few minutes, which would keep it alive. */
async function use(session: Session, time: number): Promise<void> {
  for (let left = time; left > 0; left -= 20 * MINUTE) {
    clock.advance(Math.min(left, 20 * MINUTE));
    await session.get('current-identity');
  }
}

describe('a legacy session that a certificate opened', () => {
  test('does not outlive the certificate, however it is used', async () => {
    const until = clock.now() - systemClock.now() + HOUR;
    const session = await opened(await enrolled(server, await newIdentity(), { until }));
    await use(session, HOUR - MINUTE);
    await goesOn(session);
    await use(session, 2 * MINUTE);
    await isOver(session);
  });

  test('outlives it only as long as the policy allows expired certificates', async () => {
    const cert = { allowed: true, allowExpiredCerts: true };
    const authPolicyId = await createPolicy(server, 'forgiving', { primary: { cert } });
    const until = clock.now() - systemClock.now() + HOUR;
    const session = await opened(await enrolled(server, await newIdentity({ authPolicyId }), { until }));
    await use(session, 2 * HOUR);
    await goesOn(session);
    const patch = { primary: { cert: { allowed: true, allowExpiredCerts: false } } };
    assert.equal(
      (await (await administrator()).call('PATCH', `auth-policies/${authPolicyId}`, patch)).status,
      200,
    );
    await isOver(session);
  });

  test('ends with an intermediate certificate', async () => {
    const ca = authority({ until: 10 * 24 * HOUR });
    await registerCa(await administrator(), ca, { externalIdClaim: emailRule });
    const until = clock.now() - systemClock.now() + HOUR;
    const intermediate = authority({ issuer: ca, subject: 'between', until }, authorityExtensions());
    const name = subjectAltName(generalName.email('between@example.com'));
    const leaf = client({ issuer: intermediate }, clientExtensions(name));
    await newIdentity({ externalId: 'between@example.com' });
    const session = await opened(leaf, intermediate);
    await use(session, HOUR + MINUTE);
    await isOver(session);
  });

  test('ends when the rule of the authority no longer leads to the identity', async () => {
    const ca = authority();
    const id = await registerCa(await administrator(), ca, { externalIdClaim: emailRule });
    const name = subjectAltName(generalName.email('narrowed@example.com'));
    const leaf = client({ issuer: ca }, clientExtensions(name));
    await newIdentity({ externalId: 'narrowed@example.com' });
    const session = await opened(leaf);
    const externalIdClaim = {
      location: 'SAN_EMAIL',
      matcher: 'SUFFIX',
      matcherCriteria: '@corp.example',
      parser: 'NONE',
    };
    assert.equal((await (await administrator()).call('PATCH', `cas/${id}`, { externalIdClaim })).status, 200);
    await isOver(session);
  });

  test('ends when its authority is disabled or deleted', async () => {
    for (const end of ['PATCH', 'DELETE']) {
      const ca = authority();
      const id = await registerCa(await administrator(), ca, { externalIdClaim: emailRule });
      const email = `${end.toLowerCase()}@example.com`;
      await newIdentity({ externalId: email });
      const name = subjectAltName(generalName.email(email));
      const session = await opened(client({ issuer: ca }, clientExtensions(name)));
      const body = end === 'PATCH' ? { isAuthEnabled: false } : undefined;
      assert.equal((await (await administrator()).call(end, `cas/${id}`, body)).status, 200);
      await isOver(session);
    }
  });

  test('ends when an authority of the overlay is replaced', async () => {
    // Replaces those of the only thread that the test can reach; `reload` tells all.
    await using own = await startTestServer({ clock, threads: 1 });
    const id = await createIdentity(own, 'device', { externalId: null });
    const leaf = await enrolled(own, id);
    using connection = withCertificate(own, leaf);
    const answer = await connection.post(`${clientRoot}/authenticate?method=cert`, { json: {} });
    const session = sessionOf(own, answer);
    await goesOn(session);
    own.controller.services.replaceOwnAuthorities([readPathCertificate(authority().der)]);
    await isOver(session);
  });

  test('continues after a restart of the controller', async () => {
    const first = await startTestServer({ clock });
    const id = await createIdentity(first, 'device', { externalId: null });
    const connection = withCertificate(first, await enrolled(first, id));
    const answer = await connection.post(`${clientRoot}/authenticate?method=cert`, { json: {} });
    connection.closeConnections();
    await first.controller.services.view.legacy.flush();
    await first.stop();
    const again = await startTestServer({ clock, home: first.home });
    await goesOn(sessionOf(again, answer));
    await again.close();
  });
});
