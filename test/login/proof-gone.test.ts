// What proved a login is taken away between its check and the step that records the login.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { asId, type CaId, type IdentityId, type SignerId } from '../../src/model/ids.ts';
import { clientRoot } from '../legacy/support.ts';
import {
  enrolled,
  giveCertificate,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import { authority, client, clientExtensions, generalName, subjectAltName } from '../support/chains.ts';
import {
  bearer,
  createIdentity,
  createPolicy,
  createSigner,
  createUserWithPolicy,
  reasonOf,
  submitJwt,
  submitPasswordAnd,
  tokenOf,
} from '../support/external-jwt.ts';
import { beginLogin, submitPassword } from '../support/flow.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { listOf } from '../support/list-budget.ts';
import { assertRefused, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';

/** The tokens of the first one name people by external id, those of the other one by id. */
// One thread: it reaches into the store of that.
const server = await serverOfFile({ threads: 1 });
const admin = await rootOf(server);
const [naming, knowing] = await Promise.all([startTestIdp(), startTestIdp()]);
await createSigner(admin, naming, 'naming');
await createSigner(admin, knowing, 'knowing', { useExternalId: false });
after(() => Promise.all([naming.close(), knowing.close()]));

/** A person by name, the login that they would pass, and what takes their proof away. */
interface Person {
  readonly id: IdentityId;
  oidc(): Promise<Answer>;
  legacy(): Promise<Answer>;
  takeAway(): Promise<unknown>;
  /** Of the refusal; `changed-meanwhile` unless given. */
  readonly reason?: string;
}

async function byCertificate(name: string): Promise<Person> {
  const id = await createIdentity(server, name);
  const leaf = await enrolled(server, id);
  return withConnection(id, withCertificate(server, leaf), () =>
    server.store.authenticators.delete(leaf.authenticatorId, server.clock.now()),
  );
}

async function ofDisabled(name: string): Promise<Person> {
  const person = await byCertificate(name);
  const disabledAt = server.clock.now();
  return {
    ...person,
    reason: 'identity-disabled',
    takeAway: () => server.store.identities.update(person.id, { disabledAt }, disabledAt),
  };
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

/** A signer of its own, with a token for the identity; its rule can be changed, as on another node. */
async function changingSigner(name: string) {
  const id = asId<SignerId>(await createSigner(admin, naming, name, { audience: name }));
  return {
    id,
    token: await tokenOf(server, naming, `${name}@idp`, { aud: name }),
    change: () =>
      server.store.externalJwtSigners.update(id, { claimsProperty: 'email' }, server.clock.now() + 1),
  };
}

async function byTokenOfSigner(name: string): Promise<Person> {
  const { token, change } = await changingSigner(name);
  return {
    id: await createIdentity(server, name),
    takeAway: change,
    oidc: () => submitJwt(server, token),
    legacy: () =>
      server.post(`${clientRoot}/authenticate?method=ext-jwt`, { json: {}, headers: bearer(token) }),
  };
}

async function byRuleOfAuthority(name: string): Promise<Person> {
  const person = await byAuthorityRule(name);
  const [ca] = (await server.store.cas.listAll()).slice(-1);
  assert.ok(ca);
  return {
    ...person,
    takeAway: () => server.store.cas.update(ca.id, { externalIdClaim: null }, server.clock.now() + 1),
  };
}

async function byCertificateOfAuthority(name: string): Promise<Person> {
  const ca = authority();
  const caId = asId<CaId>(await registerCa(admin, ca));
  const id = await createIdentity(server, name);
  const leaf = client({ issuer: ca });
  await giveCertificate(server, id, leaf);
  const disabled = () => server.store.cas.update(caId, { isAuthEnabled: false }, server.clock.now() + 1);
  return withConnection(id, withCertificate(server, leaf), disabled);
}

/** Password first, and the token with it. */
async function bySecondToken(name: string): Promise<Person & { readonly token: string }> {
  const { id: signerId, token, change } = await changingSigner(name);
  const policy = await createPolicy(server, name, { secondary: { requireExtJwt: signerId } });
  return {
    id: await createUserWithPolicy(server, name, policy),
    token,
    takeAway: change,
    oidc: () => submitPasswordAnd(server, name, password, token),
    legacy: () =>
      server.post(`${clientRoot}/authenticate?method=password`, {
        json: { username: name, password },
        headers: bearer(token),
      }),
  };
}

async function bySecondTokenOfName(name: string): Promise<Person> {
  const person = await bySecondToken(name);
  return { ...person, takeAway: () => changeExternalId(person.id) };
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

const recording = {
  oidc: [server.store.authRequests, 'recordPrimaryLogin'],
  later: [server.store.authRequests, 'recordFactor'],
  legacy: [server.store.apiSessions, 'openLegacy'],
  enrollment: [server.store.enrollments, 'enroll'],
} as const;

/** Something happens right before the store records the next login, factor or enrollment. */
function beforeRecording(t: TestContext, what: keyof typeof recording, action: () => Promise<unknown>): void {
  const [concern, step] = recording[what];
  const steps = concern as unknown as Record<string, (...recorded: unknown[]) => Promise<unknown>>;
  const original = steps[step]?.bind(concern);
  const once = async (...recorded: unknown[]) => {
    await action();
    return original?.(...recorded);
  };
  t.mock.method(steps, step, once, { times: 1 });
}

const ways = {
  'by certificate': byCertificate,
  'of an identity that is disabled': ofDisabled,
  'by the rule of an authority': byAuthorityRule,
  'by external JWT': byToken,
  'by external JWT of a signer that changes': byTokenOfSigner,
  'by the rule of an authority that changes': byRuleOfAuthority,
  'by certificate of an authority that is disabled': byCertificateOfAuthority,
  'with a second proof of a signer that changes': bySecondToken,
  'with a second proof for another external id': bySecondTokenOfName,
};
for (const [way, make] of Object.entries(ways)) {
  for (const mechanism of ['oidc', 'legacy'] as const) {
    test(`a login ${way} is refused when its proof is taken away before it is recorded: ${mechanism}`, async (t) => {
      const person = await make(`${way} ${mechanism}`.replaceAll(' ', '-'));
      beforeRecording(t, mechanism, person.takeAway);
      const refused = await person[mechanism]();
      assertRefused(refused, 401, 'INVALID_AUTH');
      assert.equal(refused.headers.location, undefined);
      const { reason = 'changed-meanwhile' } = person;
      if (mechanism === 'oidc') assert.equal(await reasonOf(server, refused), reason);
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

test('a second proof that comes after the password is refused when its signer changes before it is recorded', async (t) => {
  const { id, token, takeAway } = await bySecondToken('later');
  const authRequestId = await beginLogin(server);
  const partial = await submitPassword(server, authRequestId, 'later', password);
  assert.equal(partial.status, 200, partial.text);
  beforeRecording(t, 'later', takeAway);
  const refused = await server.post('/oidc/login/ext-jwt', {
    json: { authRequestId },
    headers: bearer(token),
  });
  assertRefused(refused, 401, 'INVALID_AUTH');
  assert.equal(await reasonOf(server, refused), 'changed-meanwhile');
  const { items } = await server.store.apiSessions.list(listOf({ op: 'true' }), server.clock.now());
  assert.ok(items.every(({ identityId }) => identityId !== id));
});

test('nobody gets an identity by the rules of a signer or an authority that changes before it is recorded', async (t) => {
  const [naming, enrolling] = [
    await changingSigner('naming-people'),
    await changingSigner('enrolling-people'),
  ];
  for (const [{ id }, rules] of [
    [naming, { createIdentities: { name: 'sub' } }],
    [enrolling, { enrollToTokenEnabled: true, enrollNameClaimsSelector: 'sub' }],
  ] as const) {
    const changed = await admin.call('PATCH', `external-jwt-signers/${id}`, rules);
    assert.equal(changed.status, 200, changed.text);
  }
  const ca = authority();
  const caId = asId<CaId>(await registerCa(admin, ca, { isAutoCaEnrollmentEnabled: true }));
  const connection = withCertificate(server, client({ issuer: ca }, clientExtensions()));
  const headers = bearer(enrolling.token);
  const switchedOff = () =>
    server.store.cas.update(caId, { isAutoCaEnrollmentEnabled: false }, server.clock.now() + 1);
  const ways = [
    [naming.change, () => submitJwt(server, naming.token)],
    [enrolling.change, () => server.post(`${clientRoot}/enroll?method=token`, { json: {}, headers })],
    [switchedOff, () => connection.post(`${clientRoot}/enroll?method=ca`, { json: {} })],
  ] as const;
  const before = await server.store.identities.list(listOf({ op: 'true' }));
  for (const [change, enroll] of ways) {
    let isChanged = false;
    beforeRecording(t, 'enrollment', async () => {
      isChanged = (await change()) !== false;
    });
    assertRefused(await enroll(), 401, 'INVALID_AUTH');
    assert.ok(isChanged);
  }
  const after = await server.store.identities.list(listOf({ op: 'true' }));
  assert.equal(after.totalCount, before.totalCount);
});
