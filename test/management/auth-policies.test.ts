import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AuthPolicyId, asId, defaultAuthPolicyId, type SignerId } from '../../src/model/ids.ts';
import { usualPolicy } from '../../src/model/usual-policy.ts';
import { createSigner, redeemed, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { login } from '../support/flow.ts';
import {
  assertRefused,
  type Caller,
  callerWith,
  createdId,
  loggedIn,
  password,
  rootOf,
} from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const server = await serverOfFile();
const admin = await rootOf(server);

const newPolicy = async (fields: object) => createdId(await admin.call('POST', 'auth-policies', fields));
const document = async (id: string) => (await admin.get(`auth-policies/${id}`)).json.data;

/** An identity with the policy, logged in, and its id. */
async function userWith(name: string, policyId: string): Promise<{ id: string; caller: Caller }> {
  const id = await server.createUser({ name, password });
  const caller = await loggedIn(server, name);
  const changed = await admin.call('PATCH', `identities/${id}`, { authPolicyId: policyId });
  assert.equal(changed.status, 200, changed.text);
  return { id, caller };
}

const updbDefaults = {
  allowed: true,
  minPasswordLength: 12,
  requireSpecialChar: false,
  requireNumberChar: false,
  requireMixedCase: false,
  maxAttempts: 10,
  lockoutDurationMinutes: 15,
};

/** Programs that know no passkeys allow none. */
const noPasskeys = usualPolicy.primary.passkey;

describe('a policy', () => {
  test('without rules allows every primary method but passkeys, and requires nothing more', async () => {
    const id = await newPolicy({ name: 'bare' });
    const { createdAt, updatedAt, ...rest } = await document(id);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      id,
      _links: { self: { href: `./auth-policies/${id}` } },
      tags: {},
      name: 'bare',
      assignTo: [],
      primary: {
        cert: { allowed: true, allowExpiredCerts: false },
        extJwt: { allowed: true, allowedSigners: [] },
        updb: updbDefaults,
        passkey: noPasskeys,
      },
      secondary: {
        requireTotp: false,
        requireExtJwt: null,
        requireExtJwtSigner: null,
        requirePasskey: false,
      },
      requireDpop: false,
    });
  });

  test('with some rules has the defaults for the others', async () => {
    const id = await newPolicy({
      name: 'some',
      primary: { updb: { maxAttempts: 3 }, cert: { allowed: false } },
    });
    const { primary } = await document(id);
    assert.deepEqual(primary, {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: true, allowedSigners: [] },
      updb: { ...updbDefaults, maxAttempts: 3 },
      passkey: noPasskeys,
    });
  });

  test('accepts every member, and null where clients send it for none', async () => {
    const primary = {
      cert: { allowed: false, allowExpiredCerts: true },
      extJwt: { allowed: true, allowedSigners: null },
      updb: {
        allowed: true,
        minPasswordLength: 20,
        requireSpecialChar: true,
        requireNumberChar: true,
        requireMixedCase: true,
        maxAttempts: 0,
        lockoutDurationMinutes: 0,
      },
      passkey: {
        allowed: true,
        userVerification: 'preferred',
        satisfiesSecondary: true,
        allowedAuthenticators: [],
      },
    };
    const secondary = { requireTotp: true, requireExtJwtSigner: null };
    const id = await newPolicy({ name: 'strict', primary, secondary, tags: { team: 'a' } });
    const stored = await document(id);
    assert.deepEqual(stored.primary, { ...primary, extJwt: { allowed: true, allowedSigners: [] } });
    assert.equal(stored.secondary.requireTotp, true);
    assert.deepEqual(stored.tags, { team: 'a' });
  });

  test('is changed by PATCH member by member, at any depth', async () => {
    const id = await newPolicy({ name: 'patched', tags: { a: 1 }, secondary: { requireTotp: true } });
    const before = await document(id);
    const patch = { primary: { updb: { maxAttempts: 4 }, cert: { allowed: false } } };
    assert.equal((await admin.call('PATCH', `auth-policies/${id}`, patch)).status, 200);
    const { updatedAt: _updatedAt, ...stored } = await document(id);
    const { updatedAt: _before, ...expected } = before;
    assert.deepEqual(stored, {
      ...expected,
      primary: {
        ...before.primary,
        cert: { allowed: false, allowExpiredCerts: false },
        updb: { ...updbDefaults, maxAttempts: 4 },
      },
    });
  });

  test('keeps both of two changes that come at once', async () => {
    const id = await newPolicy({ name: 'contested' });
    const changes = [
      { primary: { updb: { maxAttempts: 4 } } },
      { primary: { updb: { lockoutDurationMinutes: 7 } } },
      { secondary: { requireTotp: true } },
      { primary: { cert: { allowed: false } } },
    ];
    await Promise.all(changes.map((change) => admin.call('PATCH', `auth-policies/${id}`, change)));
    const { primary, secondary } = await document(id);
    assert.equal(primary.updb.maxAttempts, 4);
    assert.equal(primary.updb.lockoutDurationMinutes, 7);
    assert.equal(primary.cert.allowed, false);
    assert.equal(secondary.requireTotp, true);
  });

  test('is refused for a mistyped rule, because the policy would require less than intended', async () => {
    const id = await newPolicy({ name: 'typed well', secondary: { requireTotp: true } });
    const was = await document(id);
    const mistyped: readonly (readonly [string, string, object])[] = [
      ['secondary.requireTOTP', 'requireTotp', { secondary: { requireTOTP: true } }],
      ['secondry', 'secondary', { secondry: { requireTotp: true } }],
      ['primary.updp', 'updb', { primary: { updp: { maxAttempts: 3 } } }],
      ['primary.updb.maxAttempt', 'maxAttempts', { primary: { updb: { maxAttempt: 3 } } }],
      ['primary.cert.allow', 'allowed', { primary: { cert: { allow: false } } }],
      ['primary.extJwt.allowedSigner', 'allowedSigners', { primary: { extJwt: { allowedSigner: ['a'] } } }],
      ['secondry_', 'secondary', { secondry_: { requireTotp: true } }],
    ];
    for (const [field, nearest, change] of mistyped) {
      const body = { name: 'typed badly', ...change };
      for (const answer of [
        await admin.call('POST', 'auth-policies', body),
        await admin.call('PUT', `auth-policies/${id}`, body),
        await admin.call('PATCH', `auth-policies/${id}`, change),
      ]) {
        assertRefused(answer, field);
        const { reason } = answer.json.error.cause;
        assert.equal(reason, `is not known here: the nearest known name is ${nearest}`);
      }
    }
    assert.deepEqual(await document(id), was);
    const list = await admin.get(`auth-policies?filter=${encodeURIComponent('name = "typed badly"')}`);
    assert.equal(list.json.meta.pagination.totalCount, 0);
  });

  test('names every unknown member, shortens long names and repeats no value', async () => {
    const long = 'x'.repeat(100);
    const answer = await admin.call('POST', 'auth-policies', { name: 'a', [long]: 'value', apiKey: 'hush' });
    assertRefused(answer, 'x'.repeat(80));
    assert.ok(answer.text.length < 1000, answer.text);
    assert.doesNotMatch(answer.text, /hush|"value":"value"/);
  });
});

describe('deleting a policy', () => {
  test('is refused for the default policy, which may only be changed', async () => {
    assertRefused(await admin.call('DELETE', 'auth-policies/default'), 400, 'ENTITY_CAN_NOT_BE_DELETED');
    const tags = { changed: true };
    assert.equal((await admin.call('PATCH', 'auth-policies/default', { tags })).status, 200);
    assert.deepEqual((await document('default')).tags, tags);
  });
});

describe('a change of a policy applies at the next call', () => {
  test('a session without TOTP is partial once the policy requires it, and complete again when it does not', async () => {
    const id = await newPolicy({ name: 'growing' });
    const { caller } = await userWith('grown', id);
    assert.equal((await caller.get('current-identity')).status, 200);
    await admin.call('PATCH', `auth-policies/${id}`, { secondary: { requireTotp: true } });
    const answer = await caller.get('/edge/client/v1/current-identity');
    assertRefused(answer, 401, 'UNAUTHORIZED');
    assert.deepEqual(answer.lines('www-authenticate'), [
      'Bearer realm="overlay-oidc", error="invalid", error_description="token is invalid"',
    ]);
    await admin.call('PATCH', `auth-policies/${id}`, { secondary: { requireTotp: false } });
    assert.equal((await caller.get('current-identity')).status, 200);
  });

  test('a primary method that is no longer allowed opens no session and keeps none', async () => {
    const id = await newPolicy({ name: 'without passwords', primary: { updb: { allowed: false } } });
    const { caller } = await userWith('passwordless', id);
    await assert.rejects(login(server, 'passwordless', password), /401/);
    assertRefused(await caller.get('current-identity'), 401, 'UNAUTHORIZED');
  });
});

describe('a change after which no administrator could log in', () => {
  test('is refused, unless it is forced', async (t) => {
    const own = await startTestServer();
    t.after(() => own.close());
    const root = await rootOf(own);
    const noPasswords = { primary: { updb: { allowed: false } } };
    const certsOnly = createdId(await root.call('POST', 'auth-policies', { name: 'certs', ...noPasswords }));
    const rootId = (await root.get('current-identity')).json.data.id;
    const changes: readonly (readonly [string, string, object?])[] = [
      ['PATCH', 'auth-policies/default', noPasswords],
      ['PUT', 'auth-policies/default', { name: 'Default', ...noPasswords }],
      ['PATCH', `identities/${rootId}`, { authPolicyId: certsOnly }],
    ];
    for (const [method, path, body] of changes) {
      const answer = await root.call(method, path, body);
      assertRefused(answer, 409, 'CONFLICT');
      assert.match(answer.json.error.message, /administrator.*force=true/);
      assertRefused(await root.call(method, `${path}?force=false`, body), 409, 'CONFLICT');
      assertRefused(await root.call(method, `${path}?force=perhaps`, body), 400, 'COULD_NOT_VALIDATE');
    }
    const policy = (await root.get('auth-policies/default')).json.data;
    assert.equal(policy.primary.updb.allowed, true);
    assert.equal(policy.name, 'Default');
    const forced = await root.call('PATCH', 'auth-policies/default?force=true', noPasswords);
    assert.equal(forced.status, 200, forced.text);
    assertRefused(await root.get('auth-policies/default'), 401, 'UNAUTHORIZED');
    // No administrator could log in before either, so the rule does not stop a repair by direct access to the store.
    const { authPolicies } = own.store;
    const now = own.clock.now();
    const shut = await authPolicies.find(defaultAuthPolicyId);
    assert.ok(shut);
    const updb = { ...shut.primary.updb, allowed: true };
    const open = { primary: { ...shut.primary, updb } };
    assert.equal(await authPolicies.update(defaultAuthPolicyId, open, now), true);
    await loggedIn(own, 'root');
  });

  test('is allowed while another administrator can, under another policy', async (t) => {
    const own = await startTestServer();
    t.after(() => own.close());
    const root = await rootOf(own);
    const other = createdId(await root.call('POST', 'auth-policies', { name: 'other' }));
    const secondId = await own.createUser({ name: 'second', password, isAdmin: true });
    await root.call('PATCH', `identities/${secondId}`, { authPolicyId: other });
    const second = await loggedIn(own, 'second');
    const body = { primary: { updb: { allowed: false } } };
    assert.equal((await root.call('PATCH', 'auth-policies/default', body)).status, 200);
    assertRefused(await second.call('PATCH', `auth-policies/${other}`, body), 409, 'CONFLICT');
    assertRefused(await second.call('DELETE', `identities/${secondId}`), 409, 'CONFLICT');
  });

  test('of two at once that each rely on the other policy, one is refused', async (t) => {
    const own = await startTestServer();
    t.after(() => own.close());
    const root = await rootOf(own);
    const other = createdId(await root.call('POST', 'auth-policies', { name: 'other' }));
    const secondId = await own.createUser({ name: 'second', password, isAdmin: true });
    await root.call('PATCH', `identities/${secondId}`, { authPolicyId: other });
    const second = await loggedIn(own, 'second');
    const body = { primary: { updb: { allowed: false } } };
    const answers = await Promise.all([
      root.call('PATCH', `auth-policies/${other}`, body),
      second.call('PATCH', 'auth-policies/default', body),
    ]);
    // The loser is told that no administrator could log in any more, or the winner's change has barred the loser.
    const [won, lost] = answers.map((answer) => answer.status).sort();
    assert.equal(won, 200);
    assert.ok(lost === 409 || lost === 401, String(lost));
    const policies = await Promise.all(
      [defaultAuthPolicyId, asId<AuthPolicyId>(other)].map((id) => own.store.authPolicies.find(id)),
    );
    assert.equal(policies.filter((policy) => policy?.primary.updb.allowed).length, 1);
  });
});

test('signers that are named must exist; the last way in of the last administrator may be one', async (t) => {
  const [own, idp] = await Promise.all([startTestServer(), startTestIdp()]);
  t.after(() => Promise.all([own.close(), idp.close()]));
  const byPassword = await rootOf(own);
  const signer = await createSigner(byPassword, idp, 'idp', { useExternalId: false });
  const { id: rootId } = (await byPassword.get('current-identity')).json.data;
  const opened = await redeemed(own, await submitJwt(own, await tokenOf(own, idp, rootId)));
  const root = callerWith(own, opened.access_token);
  const signerOnly = {
    primary: { updb: { allowed: false }, cert: { allowed: false }, extJwt: { allowedSigners: [signer] } },
  };
  const patched = await root.call('PATCH', 'auth-policies/default', signerOnly);
  assert.equal(patched.status, 200, patched.text);
  const disabled = await root.call('PATCH', `external-jwt-signers/${signer}`, { enabled: false });
  assertRefused(disabled, 409, 'CONFLICT');
  const kept = await root.call('DELETE', `external-jwt-signers/${signer}?force=true`);
  assertRefused(kept, 409, 'CAN_NOT_DELETE_REFERENCED_ENTITY');
  // A document comes back as it was read, with one of a member's two names changed.
  const policyId = createdId(await root.call('POST', 'auth-policies', { name: 'two names' }));
  for (const [name, value] of [
    ['requireExtJwt', signer],
    ['requireExtJwtSigner', null],
    ['requireExtJwtSigner', signer],
    ['requireExtJwt', null],
  ] as const) {
    const read = (await root.get(`auth-policies/${policyId}`)).json.data;
    const changed = { ...read, secondary: { ...read.secondary, [name]: value } };
    const answer = await root.call('PUT', `auth-policies/${policyId}`, changed);
    assert.equal(answer.status, 200, answer.text);
    const { secondary } = (await root.get(`auth-policies/${policyId}`)).json.data;
    assert.deepEqual([secondary.requireExtJwt, secondary.requireExtJwtSigner], [value, value]);
  }
});

test('a whole document may have only one of the two names of the required signer, and keeps or changes it', async (t) => {
  const idp = await startTestIdp();
  t.after(() => idp.close());
  const [one, two] = await Promise.all(
    ['one', 'two'].map((name) => createSigner(admin, idp, name, { audience: `of ${name}` })),
  );
  const name = 'one name';
  const id = await newPolicy({ name, secondary: { requireExtJwtSigner: one } });
  for (const [member, value] of [
    ['requireExtJwtSigner', one],
    ['requireExtJwtSigner', two],
    ['requireExtJwt', two],
    ['requireExtJwt', one],
    ['requireExtJwtSigner', null],
  ] as const) {
    const answer = await admin.call('PUT', `auth-policies/${id}`, { name, secondary: { [member]: value } });
    assert.equal(answer.status, 200, answer.text);
    const { secondary } = await document(id);
    assert.deepEqual([secondary.requireExtJwt, secondary.requireExtJwtSigner], [value, value], member);
  }
});

test('a whole document of a program for another controller keeps the rules that it does not know', async () => {
  const ours = {
    primary: {
      passkey: {
        allowed: true,
        userVerification: 'preferred',
        satisfiesSecondary: true,
        allowedAuthenticators: [],
      },
      updb: { mustChangeAfter: '2160h' },
    },
    secondary: { requirePasskey: true },
    assignTo: ['staff'],
    requireDpop: true,
  };
  const id = await newPolicy({ name: 'ours', ...ours, tags: { ours: true } });
  const person = { name: 'of staff', type: 'User', isAdmin: false, roleAttributes: ours.assignTo };
  createdId(await admin.call('POST', 'identities', person));
  const { passkey: _passkey, ...primary } = usualPolicy.primary;
  const theirs = {
    name: 'theirs',
    primary: { ...primary, updb: { ...primary.updb, minPasswordLength: 14 } },
    secondary: { requireTotp: true, requireExtJwtSigner: null },
    tags: {},
  };
  const preview = await admin.call('POST', 'auth-policies/preview', { ...theirs, id });
  const { touched, leaves } = preview.json.data;
  assert.deepEqual([touched.count, leaves.count], [1, 0], preview.text);
  const answer = await admin.call('PUT', `auth-policies/${id}`, theirs);
  assert.equal(answer.status, 200, answer.text);
  const { primary: rules, secondary, assignTo, requireDpop, name, tags } = await document(id);
  assert.deepEqual(
    [name, tags, rules.updb.minPasswordLength, secondary.requireTotp],
    ['theirs', {}, 14, true],
  );
  assert.deepEqual(
    {
      primary: { passkey: rules.passkey, updb: { mustChangeAfter: rules.updb.mustChangeAfter } },
      secondary: { requirePasskey: secondary.requirePasskey },
      ...{ assignTo, requireDpop },
    },
    ours,
  );
});

test('an imported policy that names a signer that is not here can be changed as a whole document', async () => {
  const id = await newPolicy({ name: 'imported' });
  const primary = { extJwt: { allowedSigners: [asId<SignerId>('not-here')] } };
  await server.store.authPolicies.update(asId<AuthPolicyId>(id), { primary }, server.clock.now());
  const read = await document(id);
  const changed = { ...read, primary: { ...read.primary, updb: { ...read.primary.updb, maxAttempts: 5 } } };
  const answer = await admin.call('PUT', `auth-policies/${id}`, changed);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual((await document(id)).primary, changed.primary);
  const other = { primary: { extJwt: { allowedSigners: ['not-here', 'nor-this'] } } };
  assertRefused(await admin.call('PATCH', `auth-policies/${id}`, other), 400, 'COULD_NOT_VALIDATE');
});

test('changes are in the audit trail, with the names of members', async () => {
  const id = await newPolicy({ name: 'audited', primary: { updb: { maxAttempts: 3 } } });
  await admin.call('PATCH', `auth-policies/${id}`, { secondary: { requireTotp: true } });
  await admin.call('DELETE', `auth-policies/${id}`);
  const events = server.log.entries
    .map(({ fields }) => fields as Record<string, unknown>)
    .filter(({ entityId }) => entityId === id);
  assert.deepEqual(
    events.map(({ event, action, fields }) => [event, action, fields]),
    [
      ['admin.changed', 'create', ['name', 'primary.updb.maxAttempts']],
      ['admin.changed', 'update', ['secondary.requireTotp']],
      ['admin.changed', 'delete', []],
    ],
  );
});
