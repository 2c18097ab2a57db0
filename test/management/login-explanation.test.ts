import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type AuthPolicyId, asId, defaultAuthPolicyId, type IdentityId } from '../../src/model/ids.ts';
import { DAY, systemClock } from '../../src/platform/clock.ts';
import { enrolled, submitCertificate, withCertificate } from '../support/certificates.ts';
import { createIdentity, createSigner } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, submitPassword } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { userNamed } from '../support/names.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';
import { enroll } from '../support/totp.ts';

interface Explanation {
  readonly method: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly standing: string;
  readonly until: string | null;
  readonly acceptedFrom: readonly object[];
  readonly checks: readonly {
    readonly name: string;
    readonly verdict: string;
    readonly saw: string | null;
  }[];
  readonly asks: readonly string[];
}

const clock = fixedClock(systemClock.now());
const server = await serverOfFile({ clock });
const root = await rootOf(server);
const idp = await startTestIdp();
after(() => idp.close());

async function explain(id: string, method: string): Promise<Explanation> {
  const answer = await root.get(`identities/${id}/login-explanation?method=${method}`);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.data.method, method);
  return answer.json.data;
}

async function explainAll(id: string): Promise<readonly Explanation[]> {
  const answer = await root.get(`identities/${id}/login-explanation`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data;
}

async function policy(rules: object): Promise<AuthPolicyId> {
  return asId(createdId(await root.call('POST', 'auth-policies', { name: server.random.id(), ...rules })));
}

async function userWith(name: string, authPolicyId: AuthPolicyId = defaultAuthPolicyId): Promise<IdentityId> {
  const id = await server.createUser({ name, password });
  await server.store.identities.update(id, { authPolicyId }, clock.now());
  return id;
}

const failed = ({ checks }: Explanation) =>
  checks.filter(({ verdict }) => verdict === 'failed').map(({ name }) => name);
const tryPassword = async (name: string): Promise<Answer> =>
  submitPassword(server, await beginLogin(server), name, password);

describe('the explanation of a login by password', () => {
  test('says what refuses: disabled, not allowed, no password, locked', async () => {
    const id = await userWith('bob');
    await root.call('POST', `identities/${id}/disable`, {});
    const disabled = await explain(id, 'password');
    assert.deepEqual(
      [disabled.outcome, disabled.reason, disabled.standing],
      ['refused', 'identity-disabled', 'refused'],
    );
    assert.equal((await tryPassword('bob')).status, 401);
    await root.call('POST', `identities/${id}/enable`, {});

    const strict = await policy({ primary: { updb: { maxAttempts: 1 } } });
    await server.store.identities.update(id, { authPolicyId: strict }, clock.now());
    assert.equal((await submitPassword(server, await beginLogin(server), 'bob', 'wrong')).status, 401);
    const locked = await explain(id, 'password');
    assert.deepEqual([locked.reason, failed(locked)], ['locked', ['authenticator unlocked']]);
    assert.equal(locked.standing, 'locked');
    assert.ok(Date.parse(locked.until ?? '') > clock.now());
    assert.equal((await tryPassword('bob')).status, 401);
    await root.call('POST', `identities/${id}/unlock`, {});
    assert.equal((await explain(id, 'password')).outcome, 'allowed');

    const without = await policy({ primary: { updb: { allowed: false } } });
    await server.store.identities.update(id, { authPolicyId: without }, clock.now());
    const forbidden = await explain(id, 'password');
    assert.deepEqual([forbidden.reason, forbidden.standing], ['method-not-allowed', 'not-allowed']);
    const bare = await createIdentity(server, 'bare');
    const unset = await explain(bare, 'password');
    assert.deepEqual([unset.reason, unset.standing], ['unknown-user', 'not-set-up']);
  });
});

describe('the explanation of a login by certificate', () => {
  test('judges the certificate as the login does: its path, and whether it may have expired', async () => {
    const id = await createIdentity(server, 'cora', { externalId: null });
    assert.equal((await explain(id, 'cert')).standing, 'not-set-up');
    assert.equal((await explain(id, 'cert')).reason, 'unknown-thumbprint');
    const expired = await enrolled(server, id, { from: -2 * DAY, until: -DAY });
    const refused = await explain(id, 'cert');
    assert.deepEqual([refused.outcome, refused.reason], ['refused', 'certificate-expired']);
    assert.equal(refused.standing, 'expired');
    assert.ok(Date.parse(refused.until ?? '') <= clock.now());
    using connection = withCertificate(server, expired);
    assert.equal((await submitCertificate(connection)).status, 401);
    const lenient = await policy({ primary: { cert: { allowExpiredCerts: true } } });
    await server.store.identities.update(id, { authPolicyId: lenient }, clock.now());
    assert.equal((await explain(id, 'cert')).outcome, 'allowed');
    assert.equal((await submitCertificate(connection)).status, 302);
  });
});

describe('the explanation of a login by external JWT', () => {
  test('needs a signer that is enabled, allowed and can name the identity', async () => {
    const first = { ...idp, issuer: 'https://first.example' };
    const byId = await createSigner(root, first, 'First', { useExternalId: false });
    const id = await createIdentity(server, 'jo', { externalId: null });
    const allowed = await explain(id, 'ext-jwt');
    assert.deepEqual([allowed.outcome, allowed.standing], ['allowed', 'vouched']);
    assert.deepEqual(allowed.acceptedFrom, [{ type: 'ext-jwt-signer', name: 'First', naming: id }]);
    assert.ok(allowed.checks.some(({ saw }) => saw?.includes(id)));
    const other = await createSigner(root, { ...idp, issuer: 'https://third.example' }, 'Third');
    const only = await policy({ primary: { extJwt: { allowedSigners: [other] } } });
    await server.store.identities.update(id, { authPolicyId: only }, clock.now());
    const refused = await explain(id, 'ext-jwt');
    assert.equal(refused.outcome, 'refused');
    const reasons = refused.checks.filter(({ verdict }) => verdict === 'failed').map(({ name }) => name);
    assert.ok(reasons.includes('signer allowed') && reasons.includes('identity'), String(reasons));
    await root.call('PATCH', `external-jwt-signers/${byId}`, { enabled: false });
    await root.call('PATCH', `external-jwt-signers/${other}`, { enabled: false });
    assert.equal((await explain(id, 'ext-jwt')).reason, 'signer-disabled');
  });
});

describe('the explanation', () => {
  test('without a method has one entry for each', async () => {
    const id = await userWith('lea');
    const all = await explainAll(id);
    assert.deepEqual(
      all.map(({ method }) => method),
      ['password', 'cert', 'ext-jwt', 'passkey'],
    );
    for (const one of all) assert.deepEqual(one, await explain(id, one.method));
  });

  test('changes nothing and counts no attempt', async () => {
    const id = await userWith('max');
    const before = (await root.get('login-attempts?limit=1')).json.meta.pagination.totalCount;
    for (let calls = 0; calls < 20; calls += 1) await explainAll(id);
    assert.equal((await root.get('login-attempts?limit=1')).json.meta.pagination.totalCount, before);
    assert.equal((await tryPassword('max')).status, 302);
  });

  test('is for administrators and readers, of identities that exist, by methods that exist', async () => {
    const id = await userWith('nina');
    const path = `identities/${id}/login-explanation`;
    assertRefused(await (await loggedIn(server, 'nina')).get(path), 403, 'FORBIDDEN');
    await userWith('reader');
    const [{ id: readerId }] = (await root.get('identities?filter=name%20%3D%20%22reader%22')).json.data;
    await root.call('PATCH', `identities/${readerId}`, { permissions: ['read'] });
    assert.equal((await (await loggedIn(server, 'reader')).get(path)).status, 200);
    for (const nobody of ['nobody', '..', 'a b', `${id}x`]) {
      const answer = await root.get(`identities/${encodeURIComponent(nobody)}/login-explanation`);
      assert.equal(answer.status, 404, `${nobody}: ${answer.text}`);
    }
    assertRefused(await root.get(`${path}?method=magic`), 400, 'COULD_NOT_VALIDATE');
    assert.equal((await server.get(`/edge/management/v1/${path}`)).status, 401);
  });
});

describe('the preview of a policy', () => {
  const preview = async (body: object) => root.call('POST', 'auth-policies/preview', body);
  const read = async (id: string) => (await root.get(`auth-policies/${id}`)).json.data;

  test('counts who has it and who would have to prove more, and names who could no longer log in', async () => {
    const id = await policy({ primary: { extJwt: { allowed: false } } });
    await userWith('p-password', id);
    const both = await userWith('p-both', id);
    await enrolled(server, both);
    const off = await userWith('p-off', id);
    await root.call('POST', `identities/${off}/disable`, {});
    await createIdentity(server, 'p-none', { externalId: null, authPolicyId: id });
    const current = await read(id);
    const same = await preview(current);
    assert.equal(same.status, 200, same.text);
    const none = { count: 0 };
    const nothing = {
      touched: { count: 4 },
      joins: none,
      leaves: none,
      asksMore: none,
      lockedOut: { count: 0, first: [] },
      objection: null,
    };
    assert.deepEqual(same.json.data, nothing);

    const withTotp = { ...current, secondary: { ...current.secondary, requireTotp: true } };
    assert.deepEqual((await preview(withTotp)).json.data, { ...nothing, asksMore: { count: 4 } });

    const { updb } = current.primary;
    const withoutPassword = {
      ...current,
      primary: { ...current.primary, updb: { ...updb, allowed: false } },
    };
    const { touched, lockedOut } = (await preview(withoutPassword)).json.data;
    assert.deepEqual(touched, { count: 4 });
    assert.equal(lockedOut.count, 1);
    assert.deepEqual(
      lockedOut.first.map(({ name }: { name: string }) => name),
      ['p-password'],
    );
    assert.deepEqual(Object.keys(lockedOut.first[0]).toSorted(), ['id', 'name']);
    assert.deepEqual(await read(id), current);
  });

  test('does not count an app that is set up as more, but a second signer', async () => {
    const id = await policy({});
    await userWith('q-app', id);
    await server.store.identities.update(await userWith('q-ext', id), { externalId: 'q-7' }, clock.now());
    const idp = { issuer: 'https://q.example', jwksEndpoint: 'https://q.example/jwks' };
    const signer = await createSigner(root, idp, 'Q');
    const asking = await policy({ secondary: { requireTotp: true } });
    const app = (await root.get('identities?filter=name%20%3D%20%22q-app%22')).json.data[0].id;
    await root.call('PATCH', `identities/${app}`, { authPolicyId: asking });
    await enroll(server, clock, 'q-app');
    await root.call('PATCH', `identities/${app}`, { authPolicyId: id });
    const totp = await preview({ id, name: 'x', secondary: { requireTotp: true } });
    assert.equal(totp.json.data.asksMore.count, 1);
    const jwt = await preview({ id, name: 'x', secondary: { requireExtJwt: signer } });
    assert.equal(jwt.json.data.asksMore.count, 2);
    // Nothing refers that signer to q-app.
    assert.deepEqual(
      jwt.json.data.lockedOut.first.map(({ name }: { name: string }) => name),
      ['q-app'],
    );
  });

  test('goes through more people than are read at once, and names ten', async () => {
    const id = await policy({ primary: { extJwt: { allowed: false } } });
    for (let at = 0; at < 230; at += 1) {
      const identityId = await createIdentity(server, `crowd-${at}`, { externalId: null, authPolicyId: id });
      const authenticator = {
        id: asId<never>(server.random.id()),
        identityId,
        ...userNamed(`crowd-${at}`),
        passwordHash: 'x',
        tags: {},
      };
      await server.store.authenticators.createPassword(authenticator, clock.now());
    }
    const none = { updb: { allowed: false }, cert: { allowed: false }, extJwt: { allowed: false } };
    const { touched, lockedOut } = (await preview({ id, name: 'x', primary: none })).json.data;
    assert.deepEqual([touched.count, lockedOut.count, lockedOut.first.length], [230, 230, 10]);
  });

  test('says why saving would be refused, such as the last administrator locked out, and changes nothing', async () => {
    const current = await read(defaultAuthPolicyId);
    const none = { updb: { allowed: false }, cert: { allowed: false }, extJwt: { allowed: false } };
    const shut = { ...current, primary: none };
    const saved = await root.call('PUT', `auth-policies/${current.id}`, {
      name: current.name,
      primary: none,
    });
    assertRefused(saved, 409, 'CONFLICT');
    const { objection, lockedOut } = (await preview(shut)).json.data;
    assert.ok(objection.startsWith(saved.json.error.message), objection);
    assert.ok(lockedOut.count > 0);
    const forced = await root.call('POST', 'auth-policies/preview?force=true', shut);
    assert.equal(forced.json.data.objection, null);
    const taken = { ...current, id: undefined };
    assert.match((await preview(taken)).json.data.objection, /is already taken/);
    // The administrator would get another policy, which allows nothing.
    const rootId = (await root.get('identities?filter=isAdmin%3Dtrue')).json.data[0].id;
    const all = { name: 'shut for all', assignTo: ['all'], primary: none };
    await root.call('PATCH', `identities/${rootId}`, { roleAttributes: ['all'], authPolicyId: null });
    assert.match((await preview(all)).json.data.objection, /no administrator who can log in/);
    await root.call('PATCH', `identities/${rootId}`, { roleAttributes: [] });
    assert.deepEqual(await read(defaultAuthPolicyId), current);
    assert.equal(
      (await root.get('auth-policies?filter=name%20%3D%20%22shut%20for%20all%22')).json.data.length,
      0,
    );
  });

  test('of a new one affects no identity; an invalid one is refused', async () => {
    const { touched, asksMore, lockedOut } = (await preview({ name: 'new' })).json.data;
    assert.deepEqual([touched, asksMore, lockedOut], [{ count: 0 }, { count: 0 }, { count: 0, first: [] }]);
    assertRefused(await preview({ id: 'absent', name: 'x' }), 404, 'NOT_FOUND');
    assertRefused(await preview({}), 400, 'COULD_NOT_VALIDATE');
    assertRefused(
      await preview({ name: 'x', secondary: { requireExtJwt: 'absent' } }),
      400,
      'COULD_NOT_VALIDATE',
    );
    assert.equal((await preview({ name: 'x', secondry: {} })).status, 400);
    const nina = await loggedIn(server, 'nina');
    assertRefused(await nina.call('POST', 'auth-policies/preview', { name: 'x' }), 403, 'FORBIDDEN');
  });
});

describe('a login by another policy', () => {
  const ask = (id: string, body: object) => root.call('POST', `identities/${id}/login-explanation`, body);

  test('is judged by its rules, saved or not, and nothing is changed', async () => {
    const own = await policy({});
    const nameOfOwn = (await root.get(`auth-policies/${own}`)).json.data.name;
    const id = await userWith('w-password', own);
    const before = (await root.get(`identities/${id}`)).json.data;
    const ownWays = (await root.get(`identities/${id}/login-explanation`)).json.data;
    assert.deepEqual((await ask(id, {})).json.data, ownWays);
    assert.deepEqual((await ask(id, { policy: { id: own, name: nameOfOwn } })).json.data, ownWays);

    const policyOfCode = { name: 'code', secondary: { requireTotp: true } };
    const [withCode] = (await ask(id, { method: 'password', policy: policyOfCode })).json.data;
    assert.deepEqual([withCode.outcome, withCode.asks], ['allowed', ['totp']]);
    const withoutPassword = { name: 'none', primary: { updb: { allowed: false } } };
    const [refused] = (await ask(id, { method: 'password', policy: withoutPassword })).json.data;
    assert.deepEqual([refused.outcome, refused.reason], ['refused', 'method-not-allowed']);
    // A document may be sent back as it was read.
    const saved = (await root.get(`auth-policies/${own}`)).json.data;
    assert.equal((await ask(id, { policy: saved })).status, 200);
    assert.deepEqual((await root.get(`identities/${id}`)).json.data, before);
  });

  test('names a role attribute only where it is the policy that one assigns', async () => {
    const name = 'w-assigned';
    await policy({ assignTo: [name] });
    const id = await createIdentity(server, name, { externalId: null });
    await root.call('PATCH', `identities/${id}`, { roleAttributes: [name] });
    const saw = async (body: object) => (await ask(id, { method: 'password', ...body })).text;
    assert.match(await saw({}), /\(by role attribute w-assigned\)/);
    assert.doesNotMatch(await saw({ policy: { name: 'other' } }), /by role attribute/);
  });

  test('is refused if the policy is invalid or the identity does not exist', async () => {
    const id = await userWith('w-refused', await policy({}));
    assertRefused(await ask(id, { policy: { name: 'x', secondry: {} } }), 400, 'COULD_NOT_VALIDATE');
    assertRefused(await ask(id, { policy: { name: 'x', id: 'absent' } }), 404, 'NOT_FOUND');
    const unknownSigner = { name: 'x', secondary: { requireExtJwt: 'absent' } };
    assertRefused(await ask(id, { policy: unknownSigner }), 400, 'COULD_NOT_VALIDATE');
    assertRefused(await ask('absent', {}), 404, 'NOT_FOUND');
    const nina = await loggedIn(server, 'nina');
    assertRefused(await nina.call('POST', `identities/${id}/login-explanation`, {}), 403, 'FORBIDDEN');
  });
});
