// Names of identities and user names are one namespace: a name that passes for one of another identity is refused.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { registerCa, withCertificate } from '../support/certificates.ts';
import { authority, client } from '../support/chains.ts';
import { clientApi, enrollBy, invited } from '../support/enrollment.ts';
import { createSigner, reasonOf, submitJwt, tokenOf } from '../support/external-jwt.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { startTestServer } from '../support/test-server.ts';

/** The names that pass for `boss` or `chief`. */
const alike = ['BOSS', 'Boss', 'ｂｏｓｓ', 'bоss', 'ΒΟЅЅ', 'Chief', 'chіef', 'ＣＨＩＥＦ'];

const [server, idp] = await Promise.all([startTestServer(), startTestIdp()]);
const admin = await rootOf(server);
// The one person who has all names at stake: `boss` as identity, `chief` to log in.
await server.createUser({ name: 'boss', username: 'chief', password });
const signer = await createSigner(admin, idp, 'idp', {
  enrollToTokenEnabled: true,
  enrollNameClaimsSelector: 'nick',
});
after(() => Promise.all([server.close(), idp.close()]));

let count = 0;
const unused = () => {
  count += 1;
  return `unused ${count}`;
};
const create = (name: string, path = 'identities') => admin.call('POST', path, { name });
const givePassword = (identityId: string, username: string, query = '') =>
  admin.call('POST', `authenticators${query}`, { method: 'updb', identityId, username, password });
const ownOf = async (identityId: string) =>
  (await admin.get(`identities/${identityId}/authenticators`)).json.data[0];
const enrollByToken = async (nick: string): Promise<Answer> => {
  const headers = { authorization: `Bearer ${await tokenOf(server, idp, unused(), { nick })}` };
  return server.post(`${clientApi}/enroll/token`, { json: {}, headers });
};
/** How a login makes identities; null: it does not. */
async function createIdentities(creation: object | null): Promise<void> {
  const answer = await admin.call('PATCH', `external-jwt-signers/${signer}`, { createIdentities: creation });
  assert.equal(answer.status, 200, answer.text);
}

describe('a name that passes for one of another identity', () => {
  test('is not given by an administrator who does not insist', async () => {
    const id = createdId(await create(unused()));
    const authenticator = createdId(await givePassword(id, unused()));
    for (const name of alike) {
      const answers: readonly (readonly [Answer, string])[] = [
        [await create(name), 'name'],
        [await admin.call('PATCH', `identities/${id}`, { name }), 'name'],
        [await admin.call('PATCH', `authenticators/${authenticator}`, { username: name }), 'username'],
        [await givePassword(createdId(await create(unused())), name), 'username'],
        [await admin.call('POST', 'identities', { name: unused(), enrollment: { updb: name } }), 'username'],
      ];
      for (const [answer, field] of answers) {
        assertRefused(answer, field);
        assert.ok(answer.json.error.message.startsWith(`The name "${name}" is already taken`), answer.text);
      }
    }
    const { error } = (await create('Boss')).json;
    assert.match(error.cause.reason, /it passes for a name of the identity "boss"; \?force=true/);
    const state = { identity: [{ name: 'boSS' }] };
    assertRefused(await admin.call('POST', 'state', { state }), 'name');
    const trial = await admin.call('POST', 'state?force=true', { state, dryRun: true });
    assert.equal(trial.status, 200, trial.text);
  });

  test('is not taken by a person, who does not learn whose it is', async () => {
    const id = await server.createUser({ name: unused(), username: `me-${count}`, password });
    const owner = await loggedIn(server, `me-${count}`);
    const [own] = (await admin.get(`identities/${id}/authenticators`)).json.data;
    for (const username of [...alike, 'boss']) {
      for (const query of ['', '?force=true']) {
        const json = { username, currentPassword: password };
        const path = `${clientApi}/current-identity/authenticators/${own.id}${query}`;
        const answer = await owner.call('PATCH', path, json);
        assertRefused(answer, 400, query === '' ? 'COULD_NOT_VALIDATE' : answer.json.error.code);
        assert.ok(
          !answer.text.includes('force=true gives') && !answer.text.includes('identity \\"boss'),
          answer.text,
        );
      }
    }
    assert.equal((await admin.get(`authenticators/${own.id}`)).json.data.username, own.username);
  });

  test('cannot be the verified address of another person, where a person chooses it', async () => {
    const verified = { email: 'Ada@example.com', emailVerified: true };
    const ada = createdId(await admin.call('POST', 'identities', { name: 'ada', ...verified }));
    await givePassword(ada, 'ada');
    const own = await server.createUser({ name: unused(), username: `other-${count}`, password });
    const take = async (name: string, username: string) => {
      const person = await loggedIn(server, name);
      const path = `${clientApi}/current-identity/authenticators`;
      const [{ id }] = (await person.get(path)).json.data;
      return person.call('PATCH', `${path}/${id}`, { username, currentPassword: password });
    };
    // The last one with a Cyrillic letter.
    for (const address of ['ada@EXAMPLE.com', 'аda@example.com']) {
      const refused = await take(`other-${count}`, address);
      assertRefused(refused, 'username');
      assert.match(refused.json.error.message, /is already taken/);
    }
    // Nor by one who says that the address is theirs.
    await admin.call('PATCH', `identities/${own}`, { ...verified, emailVerified: false });
    assertRefused(await take(`other-${count}`, 'ada@example.com'), 'username');
    assert.equal((await take('ada', 'ada@example.com')).status, 200);

    // Of two who share an address one may be called so. What an administrator gives stays.
    await admin.call('PATCH', `authenticators/${(await ownOf(ada)).id}`, { username: 'ada' });
    await admin.call('PATCH', `identities/${own}`, verified);
    assert.equal((await take(`other-${count}`, 'ada@example.com')).status, 200);
    await admin.call('PATCH', `identities/${own}`, { email: null });
    assert.equal((await take('ada@example.com', 'ada@example.com')).status, 200);
  });

  test('cannot be the verified address of another person, where a token chooses it', async () => {
    const verified = { email: 'Grace@example.com', emailVerified: true };
    createdId(await admin.call('POST', 'identities', { name: 'grace', ...verified }));
    // The last two with letters that look like those of the address.
    for (const nick of [
      'grace@example.com',
      'GRACE@Example.com',
      'ｇrace@example.com',
      'grаce@example.com',
    ]) {
      assertRefused(await enrollByToken(nick), 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
      await createIdentities({ name: 'nick' });
      const login = await submitJwt(server, await tokenOf(server, idp, unused(), { nick }));
      assert.deepEqual([login.status, await reasonOf(server, login)], [401, 'newcomer-refused']);
      await createIdentities(null);
    }
    const own = { nick: 'grace@example.com', email: 'grace@example.com', email_verified: true };
    const headers = { authorization: `Bearer ${await tokenOf(server, idp, unused(), own)}` };
    const answer = await server.post(`${clientApi}/enroll/token`, { json: {}, headers });
    assert.equal(answer.status, 200, answer.text);
  });

  test('cannot be the verified address of another person, where a certificate chooses it', async () => {
    const verified = { email: 'Hedy@example.com', emailVerified: true };
    createdId(await admin.call('POST', 'identities', { name: 'hedy', ...verified }));
    const issuer = authority();
    const rules = { isAutoCaEnrollmentEnabled: true, identityNameFormat: '[requestedName][commonName]' };
    await registerCa(admin, issuer, rules);
    const enrollByCa = async (subject: string, name: string): Promise<Answer> => {
      using device = withCertificate(server, client({ issuer, subject }));
      return await enrollBy(device, 'ca', null, { json: { name } });
    };
    // Each in a certificate, in the name that its holder asks for, and in both together.
    for (const address of ['hedy@example.com', 'HEDY@Example.com', 'ｈedy@example.com', 'hеdy@example.com']) {
      const [local = '', domain = ''] = address.split('@');
      for (const [subject, name] of [
        [address, ' '],
        [`@${domain}`, local],
      ] as const) {
        const refused = await enrollByCa(subject, name);
        assertRefused(refused, 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
        assert.equal(await reasonOf(server, refused), 'enrollment-name-refused');
      }
    }
    const filter = encodeURIComponent('name contains "@example.com"');
    assert.deepEqual(
      (await admin.get(`identities?filter=${filter}`)).json.data.map((one: { name: string }) => one.name),
      ['grace@example.com'],
    );
    assert.equal((await enrollByCa('hedy@example.org', ' ')).status, 200);
  });

  test('is not taken by a token of a signer, and the record says for whom it passes', async () => {
    for (const nick of [...alike, 'chief', 'aDMIN']) {
      if (nick === 'aDMIN') createdId(await create('admin'));
      const answer = await enrollByToken(nick);
      assertRefused(answer, 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
      assert.equal(
        answer.json.error.message,
        `The name ${JSON.stringify(nick)} is already taken; ask the operator`,
      );
      assert.equal(await reasonOf(server, answer), 'enrollment-name-refused');
    }
  });

  test('is not taken by an enrollment that was given out before it was', async () => {
    const { token } = await invited(admin, { updb: 'Nora' });
    createdId(await create('nora'));
    assertRefused(await enrollBy(server, 'updb', token, { json: { password } }), 409, 'CONFLICT');
  });
});

describe('an administrator who insists', () => {
  test('gives a name that passes for another, but none twice', async () => {
    const second = createdId(await create('BOSS', 'identities?force=true'));
    createdId(await givePassword(second, 'Boss', '?force=true'));
    const third = createdId(await create(unused()));
    const path = `identities/${third}?force=true`;
    assert.equal((await admin.call('PATCH', path, { name: 'BoSS' })).status, 200);
    assertRefused(await admin.call('PATCH', path, { name: 'BOSS' }), 'name');
    // A login has to know whose password it is.
    assertRefused(await givePassword(third, 'bOSS', '?force=true'), 'username');
    // Those that share a name go on: each may be saved, and spelled in another way.
    for (const id of [second, third]) {
      const { name } = (await admin.get(`identities/${id}`)).json.data;
      assert.equal((await admin.call('PATCH', `identities/${id}`, { name })).status, 200);
    }
    assert.equal((await admin.call('PATCH', `identities/${second}`, { name: 'bo\u0455s' })).status, 200);
    for (const id of [second, third]) {
      assert.equal((await admin.call('DELETE', `identities/${id}`)).status, 200);
    }
  });
});

describe('a name', () => {
  test('may be both name and user name of one identity, in any spelling', async () => {
    const id = createdId(await create('Lea'));
    const authenticator = createdId(await givePassword(id, 'lea'));
    assert.equal((await admin.call('PATCH', `identities/${id}`, { name: 'LEA' })).status, 200);
    assert.equal(
      (await admin.call('PATCH', `authenticators/${authenticator}`, { username: 'LeA' })).status,
      200,
    );
    assert.equal((await admin.call('PATCH', `identities/${id}`, { name: 'lea' })).status, 200);
  });

  test('is free again when nothing is called so any more', async () => {
    const id = createdId(await create('Otto'));
    const authenticator = createdId(await givePassword(id, 'Otto One'));
    assert.equal(
      (await admin.call('PATCH', `authenticators/${authenticator}`, { username: 'ottone' })).status,
      200,
    );
    createdId(await create('OTTO ONE'));
    assert.equal((await admin.call('DELETE', `authenticators/${authenticator}`)).status, 200);
    createdId(await create('OttOne'));
    assert.equal((await admin.call('PATCH', `identities/${id}`, { name: 'Otho' })).status, 200);
    createdId(await create('OTTO'));
    assert.equal((await admin.call('DELETE', `identities/${id}`)).status, 200);
    createdId(await create('OTHO'));
  });
});
