import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { HOUR } from '../../src/platform/clock.ts';
import { uniqueName } from '../support/enrollment.ts';
import {
  bearer,
  createPolicy,
  createSigner,
  reasonOf,
  redeemed,
  submitJwt,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { claimsOf } from '../support/flow.ts';
import { assertRefused, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const idp = await startTestIdp();
const server = await startTestServer({ clock });
const admin = await rootOf(server);
const creation = { name: 'name', email: 'email', roleAttributes: '/groups' };
const signerId = await createSigner(admin, idp, 'idp', { createIdentities: creation });
after(async () => {
  await server.close();
  await idp.close();
});

const signerPath = `external-jwt-signers/${signerId}`;
async function creating(changes: object | null): Promise<void> {
  const createIdentities = changes && { ...creation, ...changes };
  const answer = await admin.call('PATCH', signerPath, { createIdentities });
  assert.equal(answer.status, 200, answer.text);
}

const login = async (subject: string, claims: Readonly<Record<string, unknown>>) =>
  submitJwt(server, await tokenOf(server, idp, subject, claims));

async function refusedAs(
  reason: string,
  subject: string,
  claims: Readonly<Record<string, unknown>>,
  about = '',
): Promise<string> {
  const answer = await login(subject, claims);
  assert.equal(answer.status, 401, `${about}: ${answer.text}`);
  assert.equal(await reasonOf(server, answer), reason, about);
  const { data } = (await admin.get(`login-attempts/${answer.headers['x-request-id']}`)).json;
  return JSON.stringify(data.attempts[0].checks);
}

async function found(field: string, value: string) {
  const filter = encodeURIComponent(`${field}="${value}"`);
  return (await admin.get(`identities?filter=${filter}`)).json.data;
}

describe('a person whom a signer names for the first time', () => {
  test('gets an identity as the signer says, which the next login finds', async () => {
    const [subject, name] = [uniqueName('sub'), uniqueName('Ada')];
    const claims = { name, email: 'Ada@corp.example', email_verified: true, groups: ['a', 'b', 7] };
    const first = claimsOf((await redeemed(server, await login(subject, claims))).access_token);
    const [document, ...others] = await found('externalId', subject);
    assert.equal(others.length, 0);
    const { id, isAdmin, permissions, email, emailVerified, roleAttributes, authPolicyId, typeId } = document;
    assert.deepEqual(
      {
        id,
        name: document.name,
        isAdmin,
        permissions,
        email,
        emailVerified,
        roleAttributes,
        authPolicyId,
        typeId,
      },
      {
        ...{
          id: first.sub,
          name,
          isAdmin: false,
          permissions: [],
          email: 'Ada@corp.example',
          emailVerified: true,
        },
        ...{ roleAttributes: ['a', 'b'], authPolicyId: 'default', typeId: 'User' },
      },
    );
    const again = await redeemed(server, await login(subject, { name: 'Another', groups: ['c'] }));
    assert.equal(claimsOf(again.access_token).sub, id);
    assert.deepEqual((await found('externalId', subject))[0].roleAttributes, ['a', 'b']);
    const { data } = (await admin.get(`audit-events?filter=${encodeURIComponent(`identityId="${id}"`)}`))
      .json;
    const [event] = data;
    assert.deepEqual(
      [event.event, event.action, event.entity, event.details.bySigner],
      ['admin.changed', 'create', 'identity', 'idp'],
    );
  });

  test('gets one by the legacy mechanism too', async () => {
    const subject = uniqueName('sub');
    const headers = bearer(await tokenOf(server, idp, subject, { name: subject }));
    const answer = await server.post('/edge/client/v1/authenticate?method=ext-jwt', { json: {}, headers });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.data.identity.id, (await found('externalId', subject))[0].id);
  });

  test('gets one, however many logins come at once', async () => {
    const subject = uniqueName('sub');
    const logins = Array.from({ length: 5 }, () => login(subject, { name: subject }));
    assert.deepEqual(
      (await Promise.all(logins)).map(({ status }) => status),
      [302, 302, 302, 302, 302],
    );
    assert.equal((await found('externalId', subject)).length, 1);
  });

  test('never administers, even if the token says so', async () => {
    const subject = uniqueName('sub');
    const lies = {
      isAdmin: true,
      permissions: ['read', 'helpdesk'],
      admin: true,
      authPolicyId: 'x',
      type: 'Router',
    };
    await redeemed(server, await login(subject, { ...lies, name: subject, groups: ['admin', 'isAdmin'] }));
    const [{ isAdmin, permissions, authPolicyId, typeId }] = await found('externalId', subject);
    assert.deepEqual([isAdmin, permissions, authPolicyId, typeId], [false, [], 'default', 'User']);
  });

  test('gets no role attribute that the signer does not allow', async () => {
    await creating({ allowedRoleAttributes: ['staff', 'guest'] });
    const subject = uniqueName('sub');
    await redeemed(server, await login(subject, { name: subject, groups: ['staff', 'root', 'Guest'] }));
    assert.deepEqual((await found('externalId', subject))[0].roleAttributes, ['staff']);
    await creating({ allowedRoleAttributes: ['Bu\u0308ro'] });
    const composed = uniqueName('sub');
    await redeemed(server, await login(composed, { name: composed, groups: [' Bu\u0308ro'] }));
    assert.deepEqual((await found('externalId', composed))[0].roleAttributes, ['B\u00fcro']);
    await creating({ allowedRoleAttributes: [] });
    const other = uniqueName('sub');
    await redeemed(server, await login(other, { name: other, groups: ['staff'] }));
    assert.deepEqual((await found('externalId', other))[0].roleAttributes, []);
    await creating({});
  });

  test('gets an address only if the provider vouches for it', async () => {
    for (const [claims, email, emailVerified] of [
      [{ email: 'a@corp.example', email_verified: 'true' }, 'a@corp.example', true],
      [{ email: 'a@corp.example', email_verified: false }, null, false],
      [{ email: 'a@corp.example' }, null, false],
      [{ email: 'no address', email_verified: true }, null, false],
      [{ email: 7 }, null, false],
    ] as const) {
      const subject = uniqueName('sub');
      await redeemed(server, await login(subject, { name: subject, ...claims }));
      const [document] = await found('externalId', subject);
      assert.deepEqual(
        [document.email, document.emailVerified],
        [email, emailVerified],
        JSON.stringify(claims),
      );
    }
  });

  test('is refused, with the reason on record and nothing created, if the identity cannot be', async () => {
    const taken = uniqueName('taken');
    await admin.call('POST', 'identities', { name: taken, type: 'User', isAdmin: false });
    const subject = uniqueName('sub');
    for (const [claims, saw] of [
      [{ name: taken }, /is taken/],
      [{ name: taken.toUpperCase() }, /passes for/],
      [{ name: '' }, /must not be empty/],
      [{}, /its claim name is nothing/],
      [{ name: ['a'] }, /its claim name is/],
      [{ name: 'a\u202eb' }, /invisible characters/],
      [{ name: subject, groups: Array.from({ length: 101 }, (_, at) => `g${at}`) }, /at most 100/],
    ] as const)
      assert.match(await refusedAs('newcomer-refused', subject, claims, JSON.stringify(claims)), saw);
    await creating({ name: 'email' });
    assert.match(
      await refusedAs('newcomer-refused', subject, { email: 'a@corp.example' }),
      /email_verified is nothing/,
    );
    const authPolicyId = await createPolicy(server, uniqueName('closed'), {
      primary: { extJwt: { allowed: false, allowedSigners: [] } },
    });
    await creating({ authPolicyId });
    assert.match(
      await refusedAs('newcomer-refused', subject, { name: subject }),
      /would not let them log in/,
    );
    await creating({});
    await refusedAs('newcomer-refused', `x${'y'.repeat(300)}`, { name: subject });
    assert.equal((await found('externalId', subject)).length, 0);
  });

  test('is refused if the signer creates none, with what an administrator needs to add them on record', async () => {
    await creating(null);
    const subject = uniqueName('sub');
    const claims = { name: 'Ada Lovelace', email: 'ada@corp.example', email_verified: true };
    const checks = await refusedAs('no-identity-for-claim', subject, claims);
    assert.match(checks, /"name in the token","verdict":"passed","saw":"Ada Lovelace"/);
    assert.match(checks, /"email in the token","verdict":"passed","saw":"ada@corp.example"/);
    assert.doesNotMatch(
      await refusedAs('no-identity-for-claim', subject, { email: 'x@corp.example' }),
      /x@corp/,
    );
    assert.equal((await found('externalId', subject)).length, 0);
    await creating({});
  });

  test('stays out while disabled, and comes back as a new person after being deleted', async () => {
    const subject = uniqueName('sub');
    const enter = () => login(subject, { name: subject, groups: ['a'] });
    await redeemed(server, await enter());
    const [{ id }] = await found('externalId', subject);
    assert.equal(
      (await admin.call('PATCH', `identities/${id}`, { disabled: true, roleAttributes: ['kept'] })).status,
      200,
    );
    await refusedAs('identity-disabled', subject, { name: subject });
    assert.equal((await admin.call('DELETE', `identities/${id}`)).status, 200);
    await redeemed(server, await enter());
    const [again] = await found('externalId', subject);
    assert.ok(again.id !== id);
    assert.deepEqual(again.roleAttributes, ['a']);
  });

  test('is refused after very many others of the signer, while known people still get in', async (t) => {
    const configure = (yaml: string) => yaml.replace('maxNewIdentities: 1000', 'maxNewIdentities: 2');
    const time = fixedClock('2026-01-01T00:00:00Z');
    const limited = await startTestServer({ clock: time, configure });
    t.after(() => limited.close());
    await createSigner(await rootOf(limited), idp, 'idp', { createIdentities: creation });
    const come = async (name: string) => submitJwt(limited, await tokenOf(limited, idp, name, { name }));
    await limited.createUser({ name: 'taken', password });
    for (const name of ['first', 'taken', 'taken', 'second', 'first']) {
      const answer = await come(name);
      // A person who cannot be admitted keeps nobody else out, however often they come.
      if (name === 'taken') assert.equal(await reasonOf(limited, answer), 'newcomer-refused');
      else await redeemed(limited, answer);
    }
    const refused = await come('third');
    assert.equal(refused.status, 401);
    assert.equal(await reasonOf(limited, refused), 'too-many-newcomers');
    await redeemed(limited, await come('second'));
    time.advance(HOUR);
    await redeemed(limited, await come('third'));
  });

  test('waits for the tokens that name an existing identity', async () => {
    const [known, unknown] = [uniqueName('sub'), uniqueName('sub')];
    const first = claimsOf((await redeemed(server, await login(known, { name: known }))).access_token);
    const tokens = [
      await tokenOf(server, idp, unknown, { name: unknown }),
      await tokenOf(server, idp, known, {}),
    ];
    const answer = await submitJwt(server, ...tokens);
    assert.equal(claimsOf((await redeemed(server, answer)).access_token).sub, first.sub);
    assert.equal((await found('externalId', unknown)).length, 0);
  });
});

describe('the test of a token', () => {
  test('shows what a login would create, and creates nothing', async () => {
    const subject = uniqueName('sub');
    const judge = async (claims: Readonly<Record<string, unknown>>) => {
      const token = await tokenOf(server, idp, subject, claims);
      return (await admin.call('POST', `${signerPath}/verify`, { token })).json.data;
    };
    const would = await judge({
      name: subject,
      email: 'a@corp.example',
      email_verified: true,
      groups: ['a'],
    });
    assert.deepEqual([would.isAccepted, would.use, would.identity], [true, 'primary', null]);
    assert.deepEqual(would.creates, {
      ...{ name: subject, externalId: subject, email: 'a@corp.example', emailVerified: true },
      ...{ roleAttributes: ['a'], authPolicyId: 'default', authPolicyFrom: 'default' },
    });
    for (const [name, saw] of [
      ['root', /"root\\" is taken/],
      ['ROOT', /"ROOT\\" passes for root/],
    ] as const) {
      const refused = await judge({ name });
      assert.deepEqual(
        [refused.isAccepted, refused.reason, refused.creates],
        [false, 'newcomer-refused', null],
      );
      assert.match(JSON.stringify(refused.checks), saw);
    }
    assert.equal((await found('externalId', subject)).length, 0);
  });
});

describe('how a signer creates identities', () => {
  test('is refused where it makes no sense, and has defaults', async () => {
    for (const [fields, field] of [
      [{ createIdentities: {}, useExternalId: false }, 'createIdentities'],
      [{ createIdentities: { name: '/' } }, 'createIdentities.name'],
      [{ createIdentities: { email: '/~2' } }, 'createIdentities.email'],
      [{ createIdentities: { roleAttributes: '/' } }, 'createIdentities.roleAttributes'],
      [{ createIdentities: { authPolicyId: 'none' } }, 'createIdentities.authPolicyId'],
    ] as const)
      assertRefused(await admin.call('PATCH', signerPath, fields), 400, 'COULD_NOT_VALIDATE', field);
    assert.equal((await admin.call('PATCH', signerPath, { createIdentities: {} })).status, 200);
    const { createIdentities } = (await admin.get(signerPath)).json.data;
    assert.deepEqual(createIdentities, {
      name: 'name',
      email: 'email',
      roleAttributes: null,
      authPolicyId: null,
    });
    await creating({});
  });

  test('names its policy in declarative state', async () => {
    const name = uniqueName('policy');
    await creating({ authPolicyId: await createPolicy(server, name, {}) });
    const { data } = (await admin.get('state?kinds=ext-jwt-signer')).json;
    const [entry] = data['ext-jwt-signer'];
    assert.equal(entry.createIdentities.authPolicy, name);
    const apply = async (createIdentities: object) =>
      admin.call('POST', 'state', {
        ...{ prune: false, dryRun: false },
        state: { 'ext-jwt-signer': [{ ...entry, createIdentities }] },
      });
    assert.equal((await apply(entry.createIdentities)).json.data.unchanged.length, 1);
    assert.equal((await apply({ name: 'sub', authPolicy: 'Default' })).json.data.changed.length, 1);
    const { createIdentities } = (await admin.get(signerPath)).json.data;
    assert.deepEqual([createIdentities.name, createIdentities.authPolicyId], ['sub', 'default']);
    assertRefused(await apply({ name: 'sub', authPolicy: 'nowhere' }), 400, 'COULD_NOT_VALIDATE');
    await creating({});
  });
});
