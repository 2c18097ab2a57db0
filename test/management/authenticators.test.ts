import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authority, client as clientCertificate } from '../support/chains.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const newPassword = 'eleven loud umbrellas';
const server = await serverOfFile();
const admin = await rootOf(server);

async function newIdentity(name: string): Promise<string> {
  return createdId(await admin.call('POST', 'identities', { name }));
}

const addPassword = (identityId: string, fields: object) =>
  admin.call('POST', 'authenticators', { method: 'updb', identityId, ...fields });

async function authenticatorOf(identityId: string): Promise<string> {
  return (await admin.get(`identities/${identityId}/authenticators`)).json.data[0].id;
}

test('creating for an identity that is deleted meanwhile is a conflict, or comes too late, and never fails otherwise', async () => {
  for (let round = 0; round < 5; round += 1) {
    const identityId = await newIdentity(`gone ${round}`);
    const [added, enrolling, deleted] = await Promise.all([
      addPassword(identityId, { username: `gone ${round}`, password }),
      admin.call('POST', 'enrollments', { method: 'updb', identityId, username: `soon gone ${round}` }),
      admin.call('DELETE', `identities/${identityId}`),
    ]);
    assert.equal(deleted.status, 200);
    for (const { status, text } of [added, enrolling]) assert.ok([201, 400, 409].includes(status), text);
  }
});

describe('a password', () => {
  test('that is added lets the identity log in', async () => {
    const identityId = await newIdentity('carol');
    const id = createdId(await addPassword(identityId, { username: 'Carol', password }));
    const answer = await admin.get(`authenticators/${id}`);
    const { createdAt, updatedAt, ...rest } = answer.json.data;
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      id,
      _links: { self: { href: `./authenticators/${id}` } },
      tags: {},
      method: 'updb',
      identityId,
      identity: {
        _links: { self: { href: `./identities/${identityId}` } },
        entity: 'identities',
        id: identityId,
        name: 'carol',
      },
      username: 'Carol',
      lockedUntil: null,
    });
    assert.equal((await (await loggedIn(server, 'carol')).get('current-identity')).status, 200);
  });

  test('never comes back, neither in documents nor in refusals nor in the log', async () => {
    const canary = 'canary-7Kq-swallow';
    const identityId = await newIdentity('canary holder');
    const id = createdId(await addPassword(identityId, { username: 'holder', password: canary }));
    const answers = [
      await admin.get(`authenticators/${id}`),
      await admin.get('authenticators?limit=none'),
      await addPassword(identityId, { username: 'holder', password: canary }),
      await addPassword(identityId, { username: '', password: canary }),
      await addPassword('no-such', { username: 'x', password: canary }),
      await addPassword(identityId, { username: 'x', password: [canary] }),
      await addPassword(identityId, { username: `x${canary}`, password: `${canary}\u0000` }),
      await admin.call('PATCH', `authenticators/${id}`, { password: `${canary}`, username: 'root' }),
      await admin.call('PATCH', `authenticators/${id}`, { password: `${canary}`.repeat(100) }),
    ];
    for (const answer of answers) assert.doesNotMatch(answer.text, /canary-|argon2/);
    assert.doesNotMatch(JSON.stringify(server.log.entries), /canary-/);
  });

  test('must meet the rules', async () => {
    const identityId = await newIdentity('rules');
    for (const weak of ['', 'short', 'password123', 'rules-rules', 'aaaaaaaaaaaa', 'x'.repeat(1025)]) {
      const answer = await addPassword(identityId, { username: 'rules', password: weak });
      assertRefused(answer, 400, 'INVALID_FIELD', 'password');
      assert.equal(answer.json.error.cause.value, '');
    }
    for (const odd of ['seven quiet\u0007 lanterns', 'seven quiet\u202e lanterns']) {
      assertRefused(
        await addPassword(identityId, { username: 'rules', password: odd }),
        400,
        'INVALID_FIELD',
        'password',
      );
    }
  });

  test('is refused with an invalid value', async () => {
    const identityId = await newIdentity('values');
    const refused: readonly (readonly [string, object])[] = [
      ['certPem', { method: 'cert' }],
      ['method', { method: 'toString' }],
      ['method', { method: undefined }],
      ['identityId', { identityId: 'no-such' }],
      ['identityId', { identityId: '\u0007' }],
      ['identityId', { identityId: 5 }],
      ['username', { username: '' }],
      ['username', { username: ' padded ' }],
      ['username', { username: 'x'.repeat(101) }],
      ['username', { username: 'a\u200bb' }],
      ['username', { username: undefined }],
      ['username', { username: { $ne: null } }],
      ['username', { username: 'ROOT' }],
      ['password', { password: undefined }],
      ['password', { password: 12345678 }],
    ];
    for (const [field, fields] of refused) {
      const answer = await addPassword(identityId, { username: 'values', password, ...fields });
      assertRefused(answer, field);
    }
  });

  test('is limited to one per identity', async () => {
    const identityId = await newIdentity('only one');
    createdId(await addPassword(identityId, { username: 'one', password }));
    assertRefused(await addPassword(identityId, { username: 'two', password }), 409, 'CONFLICT', 'method');
  });

  test('that is changed ends the sessions of the identity', async () => {
    const identityId = await server.createUser({ name: 'changing', password });
    const before = await loggedIn(server, 'changing');
    const id = await authenticatorOf(identityId);
    assert.equal((await admin.call('PATCH', `authenticators/${id}`, { password: newPassword })).status, 200);
    assertRefused(await before.get('current-identity'), 401, 'UNAUTHORIZED');
    await assert.rejects(loggedIn(server, 'changing'));
    assert.equal(
      (await (await loggedIn(server, 'changing', newPassword)).get('current-identity')).status,
      200,
    );
  });

  test('that administrators change for themselves keeps the session in which they do it', async () => {
    const identityId = await server.createUser({ name: 'self', password, isAdmin: true });
    const self = await loggedIn(server, 'self');
    const other = await loggedIn(server, 'self');
    const id = await authenticatorOf(identityId);
    const body = { username: 'self', password: newPassword };
    assert.equal((await self.call('PUT', `authenticators/${id}`, body)).status, 200);
    assert.equal((await self.get('current-identity')).status, 200);
    assertRefused(await other.get('current-identity'), 401, 'UNAUTHORIZED');
  });

  test('stays when only the user name changes', async () => {
    const identityId = await server.createUser({ name: 'renamed', password });
    const before = await loggedIn(server, 'renamed');
    const id = await authenticatorOf(identityId);
    assert.equal((await admin.call('PATCH', `authenticators/${id}`, { username: 'new name' })).status, 200);
    assert.equal((await before.get('current-identity')).status, 200);
    await assert.rejects(loggedIn(server, 'renamed'));
    assert.equal((await (await loggedIn(server, 'New Name')).get('current-identity')).status, 200);
    const taken = await admin.call('PATCH', `authenticators/${id}`, { username: 'root' });
    assertRefused(taken, 'username');
  });

  test('that is deleted ends the sessions that it opened', async () => {
    const identityId = await server.createUser({ name: 'bare', password });
    const before = await loggedIn(server, 'bare');
    const id = await authenticatorOf(identityId);
    assert.equal((await admin.call('DELETE', `authenticators/${id}`)).status, 200);
    assertRefused(await before.get('current-identity'), 401, 'UNAUTHORIZED');
    await assert.rejects(loggedIn(server, 'bare'));
    assertRefused(await admin.get(`authenticators/${id}`), 404, 'NOT_FOUND');
    assertRefused(await admin.call('DELETE', `authenticators/${id}`), 404, 'NOT_FOUND');
    assertRefused(await admin.call('PATCH', `authenticators/${id}`, { password }), 404, 'NOT_FOUND');
  });
});

test('the document of a certificate is accepted by PUT as it was read, and not with a change', async () => {
  const { certPem } = clientCertificate({ issuer: authority() });
  const made = await admin.call('POST', 'authenticators', {
    method: 'cert',
    identityId: await newIdentity('certified'),
    certPem,
    tags: { a: 1 },
  });
  const path = `authenticators/${createdId(made)}`;
  const was = (await admin.get(path)).json.data;
  assert.equal((await admin.call('PUT', path, was)).status, 200);
  assert.deepEqual((await admin.get(path)).json.data, was);
  for (const change of [
    { tags: {} },
    { certPem: clientCertificate({ issuer: authority() }).certPem },
    { username: 'x' },
    { password },
  ]) {
    assertRefused(await admin.call('PUT', path, { ...was, ...change }), 409, 'CONFLICT');
  }
});

test('a changed password is in the audit trail, without the password', async () => {
  const id = createdId(await addPassword(await newIdentity('watched'), { username: 'watched', password }));
  await admin.call('PATCH', `authenticators/${id}`, { username: 'seen', password: newPassword });
  const filter = encodeURIComponent(`entityId = "${id}"`);
  const { json, text } = await admin.get(`audit-events?filter=${filter}`);
  const [changed, created] = json.data.map(({ changes }: { changes: unknown }) => changes);
  const secret = { field: 'password', from: null, to: 'changed' };
  assert.deepEqual(created, [{ field: 'username', from: null, to: 'watched' }, secret]);
  assert.deepEqual(changed, [{ field: 'username', from: 'watched', to: 'seen' }, secret]);
  for (const never of [password, newPassword]) assert.ok(!text.includes(never));
});

test('passwords are found by part of the user name, folded as for logins and stored so', async () => {
  const identityId = await server.createUser({ name: 'Finn', username: 'ﬁnn ΣΊΣΥΦΟΣ', password });
  for (const part of ['FINN', 'ﬁnn', 'Ｆinn', 'nn σίσυ', 'FI']) {
    const term = `username icontains "${part}"`;
    for (const filter of [term, `${term} and not username icontains "x"`]) {
      const found = (await admin.get(`authenticators?filter=${encodeURIComponent(filter)}`)).json.data;
      assert.deepEqual(
        found.map((one: { identityId: string }) => one.identityId),
        [identityId],
        filter,
      );
    }
  }
});

test('authenticators of one identity are listed with it, with any filter', async () => {
  const identityId = await server.createUser({ name: 'lister', password });
  const filter = encodeURIComponent('true or method = "updb" limit none');
  const answer = await admin.get(`identities/${identityId}/authenticators?filter=${filter}`);
  assert.deepEqual(
    answer.json.data.map((one: { username: string }) => one.username),
    ['lister'],
  );
});

test('a user name is stored in the form of names, and found in any', async () => {
  const spelled = 'Zoe\u0308\u00a0K';
  const identityId = await newIdentity('zoe');
  const id = createdId(await addPassword(identityId, { username: spelled, password }));
  const read = async () => (await admin.get(`authenticators/${id}`)).json.data.username;
  assert.equal(await read(), 'Zo\u00eb K');
  for (const filter of [
    'username = "Zoe\u0308 K"',
    'username = "Zo\u00eb\u00a0K"',
    'username contains "oe\u0308"',
  ]) {
    const found = await admin.get(`authenticators?filter=${encodeURIComponent(filter)}`);
    assert.deepEqual(
      found.json.data.map((one: { identityId: string }) => one.identityId),
      [identityId],
      filter,
    );
  }
  assert.equal((await admin.call('PATCH', `authenticators/${id}`, { username: 'Noe\u0308' })).status, 200);
  assert.equal(await read(), 'No\u00eb');
  await loggedIn(server, 'noe\u0308 ');
});
