// What proved a login is taken away between its check and the step that records the login.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import type { IdentityId } from '../../src/model/ids.ts';
import { clientRoot } from '../legacy/support.ts';
import { enrolled, registerCa, submitCertificate, withCertificate } from '../support/certificates.ts';
import { authority, client, clientExtensions, generalName, subjectAltName } from '../support/chains.ts';
import {
  bearer,
  createIdentity,
  createSigner,
  reasonOf,
  submitJwt,
  tokenOf,
} from '../support/external-jwt.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { listOf } from '../support/list-budget.ts';
import { assertRefused, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

/** The tokens of the first one name people by external id, those of the other one by id. */
// One thread: it reaches into the store of that.
const server = await startTestServer({ threads: 1 });
const admin = await rootOf(server);
const [naming, knowing] = await Promise.all([startTestIdp(), startTestIdp()]);
await createSigner(admin, naming, 'naming');
await createSigner(admin, knowing, 'knowing', { useExternalId: false });
after(() => Promise.all([server.close(), naming.close(), knowing.close()]));

/** A person by name, the login that they would pass, and what takes their proof away. */
interface Person {
  readonly id: IdentityId;
  oidc(): Promise<Answer>;
  legacy(): Promise<Answer>;
  takeAway(): Promise<unknown>;
}

async function byCertificate(name: string): Promise<Person> {
  const id = await createIdentity(server, name);
  const leaf = await enrolled(server, id);
  return withConnection(id, withCertificate(server, leaf), () =>
    server.store.authenticators.delete(leaf.authenticatorId, server.clock.now()),
  );
}

async function byAuthorityRule(name: string): Promise<Person> {
  const ca = authority();
  const externalIdClaim = { location: 'SAN_EMAIL', matcher: 'ALL', parser: 'NONE' };
  await registerCa(admin, ca, { externalIdClaim });
  const externalId = `${name}@example.com`;
  const leaf = client({ issuer: ca }, clientExtensions(subjectAltName(generalName.email(externalId))));
  const id = await createIdentity(server, name, { externalId });
  return withConnection(id, withCertificate(server, leaf), () => changeExternalId(id));
}

function withConnection(id: IdentityId, connection: HttpsClient, takeAway: () => Promise<unknown>): Person {
  return {
    id,
    takeAway,
    oidc: () => submitCertificate(connection),
    legacy: () => connection.post(`${clientRoot}/authenticate?method=cert`, { json: {} }),
  };
}

async function byToken(name: string, idp = naming): Promise<Person> {
  const id = await createIdentity(server, name);
  const token = await tokenOf(server, idp, idp === naming ? `${name}@idp` : id);
  const headers = bearer(token);
  return {
    id,
    takeAway: () => changeExternalId(id),
    oidc: () => submitJwt(server, token),
    legacy: () => server.post(`${clientRoot}/authenticate?method=ext-jwt`, { json: {}, headers }),
  };
}

const changeExternalId = (id: IdentityId) =>
  server.store.identities.update(id, { externalId: `other ${id}` }, server.clock.now());

/** Something happens right before the store records the next login. */
function beforeRecording(t: TestContext, mechanism: 'oidc' | 'legacy', action: () => Promise<unknown>): void {
  const { authRequests, apiSessions } = server.store;
  const [concern, step] =
    mechanism === 'oidc'
      ? ([authRequests, 'recordPrimaryLogin'] as const)
      : ([apiSessions, 'openLegacy'] as const);
  const steps = concern as unknown as Record<string, (login: unknown) => Promise<unknown>>;
  const original = steps[step]?.bind(concern);
  const once = async (login: unknown) => {
    await action();
    return original?.(login);
  };
  t.mock.method(steps, step, once, { times: 1 });
}

const ways = {
  'by certificate': byCertificate,
  'by the rule of an authority': byAuthorityRule,
  'by external JWT': byToken,
};
for (const [way, make] of Object.entries(ways)) {
  for (const mechanism of ['oidc', 'legacy'] as const) {
    test(`a login ${way} is refused when its proof is taken away before it is recorded: ${mechanism}`, async (t) => {
      const person = await make(`${way} ${mechanism}`.replaceAll(' ', '-'));
      beforeRecording(t, mechanism, person.takeAway);
      const refused = await person[mechanism]();
      assertRefused(refused, 401, 'INVALID_AUTH');
      assert.equal(refused.headers.location, undefined);
      if (mechanism === 'oidc') assert.equal(await reasonOf(server, refused), 'changed-meanwhile');
      const { items } = await server.store.apiSessions.list(listOf({ op: 'true' }), server.clock.now());
      assert.ok(items.every(({ identityId }) => identityId !== person.id));
    });
  }
}

test('a login whose token names the id of the identity does not depend on the external id', async (t) => {
  for (const [mechanism, status] of [
    ['oidc', 302],
    ['legacy', 200],
  ] as const) {
    const person = await byToken(`known-${mechanism}`, knowing);
    beforeRecording(t, mechanism, person.takeAway);
    const answer = await person[mechanism]();
    assert.equal(answer.status, status, answer.text);
  }
});
