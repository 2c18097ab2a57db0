// Links with which people choose their passwords.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { createPolicy, reasonOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { login, obtainCode } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const chosen = 'eleven loud umbrellas';
const clock = fixedClock('2026-03-01T12:00:00Z');
const server = await serverOfFile({ clock });
const admin = await rootOf(server);

let count = 0;
/** A person without credentials. */
async function newPerson(more: object = {}): Promise<{ id: string; name: string }> {
  count += 1;
  const name = `person ${count}`;
  return { name, id: createdId(await admin.call('POST', 'identities', { name, type: 'User', ...more })) };
}

async function linkFor(id: string, body: object = {}, by = admin): Promise<string> {
  const answer = await by.call('POST', `identities/${id}/invitation`, body);
  assert.equal(answer.status, 201, answer.text);
  const { url, ...rest } = answer.json.data;
  assert.deepEqual(Object.keys(rest), ['expiresAt']);
  assert.ok(url.startsWith(`${server.url}/invite?t=`), url);
  return url;
}

const tokenOf = (url: string) => new URL(url).searchParams.get('t') ?? '';

function open(url: string, accept = 'text/html'): Promise<Answer> {
  return server.get(url.slice(server.url.length), { headers: { accept } });
}

function use(url: string, secret = chosen, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const form = { t: tokenOf(url), password: secret, repeated: secret, ...more };
  return server.post('/invite', { form, headers: { accept: 'text/html' } });
}

const canLogIn = async (name: string, secret: string) => {
  try {
    await login(server, name, secret);
    return true;
  } catch {
    return false;
  }
};

describe('an invitation', () => {
  test('lets a person choose the first password, once', async () => {
    const { id, name } = await newPerson();
    const url = await linkFor(id);
    const shown = await open(url);
    assert.equal(shown.status, 200);
    assert.match(shown.text, new RegExp(`value="${name}"`));
    assert.equal(shown.headers['referrer-policy'], 'no-referrer');
    assert.equal(shown.headers['cache-control'], 'no-store');
    const answer = await use(url);
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /Your password is set/);
    assert.ok(await canLogIn(name, chosen));
    assert.equal((await use(url, 'twelve loud umbrellas')).status, 404);
    assert.equal((await open(url)).status, 404);
    assert.ok(await canLogIn(name, chosen));
  });

  test('is not used up by looking at the page', async () => {
    const { id } = await newPerson();
    const url = await linkFor(id);
    for (const accept of ['text/html', '*/*', 'image/*', 'application/json']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT']) {
        await server.request(method, url.slice(server.url.length), { headers: { accept } });
      }
    }
    assert.equal((await use(url)).status, 200);
  });

  test('replaces a forgotten password; the old one works until then', async () => {
    const id = await server.createUser({ name: 'forgetful', password });
    const session = await loggedIn(server, 'forgetful');
    const url = await linkFor(id);
    assert.match((await open(url)).text, /Choose a new password/);
    assert.ok(await canLogIn('forgetful', password));
    assert.equal((await use(url)).status, 200);
    assert.deepEqual(
      [await canLogIn('forgetful', password), await canLogIn('forgetful', chosen)],
      [false, true],
    );
    // Forgetting a password is not losing it to a thief.
    assert.equal((await session.get('/edge/client/v1/current-identity')).status, 200);
  });

  test('ends the sessions where it says so, when it is used', async () => {
    const id = await server.createUser({ name: 'robbed', password });
    const session = await loggedIn(server, 'robbed');
    const url = await linkFor(id, { endSessions: true });
    const invitation = (await admin.get(`identities/${id}/invitation`)).json.data;
    assert.equal(invitation.endSessions, true);
    assert.deepEqual((await admin.get(`identities/${id}`)).json.data.invitation, invitation);
    assert.equal((await session.get('/edge/client/v1/current-identity')).status, 200);
    await use(url);
    assertRefused(await session.get('/edge/client/v1/current-identity'), 401, 'UNAUTHORIZED');
  });

  test('withdraws a code obtained with the old password', async () => {
    const id = await server.createUser({ name: 'in the middle', password });
    const url = await linkFor(id);
    const code = await obtainCode(server, 'in the middle', password);
    await use(url);
    const answer = await server.post('/oidc/token', {
      form: {
        grant_type: 'authorization_code',
        code,
        redirect_uri: 'http://localhost:8400/auth/callback',
        client_id: 'overlay',
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    });
    assert.equal(answer.status, 400, answer.text);
  });

  test('leaves the second factor in place', async () => {
    const authPolicyId = await createPolicy(server, 'codes too', { secondary: { requireTotp: true } });
    const { id, name } = await newPerson({ authPolicyId });
    await use(await linkFor(id));
    await assert.rejects(login(server, name, chosen), /authQueries|MFA/);
  });

  test('ends with its time, with a newer one, and when it is withdrawn', async () => {
    const { id } = await newPerson();
    const first = await linkFor(id);
    const second = await linkFor(id, { expiresIn: '5m' });
    const refused = await use(first);
    assert.equal(refused.status, 404);
    assert.equal(await reasonOf(server, refused), 'invitation-unknown');
    clock.advance(5 * MINUTE);
    assert.equal((await open(second)).status, 410);
    const late = await use(second);
    assert.equal(late.status, 410);
    assert.equal(await reasonOf(server, late), 'invitation-expired');
    assertRefused(await admin.get(`identities/${id}/invitation`), 404, 'NOT_FOUND');
    assert.equal((await admin.get(`identities/${id}`)).json.data.invitation, null);

    const third = await linkFor(id);
    assert.equal((await admin.call('DELETE', `identities/${id}/invitation`)).status, 200);
    assertRefused(await admin.call('DELETE', `identities/${id}/invitation`), 404, 'NOT_FOUND');
    assert.equal((await open(third)).status, 404);
  });

  test('tells administrators whom a dead link was for, and why it is dead', async () => {
    const { id, name } = await newPerson();
    const record = async (answer: Answer) => {
      await server.controller.services.attempts.flush();
      const found = await server.store.loginAttempts.findByReference(String(answer.headers['x-request-id']));
      const [first] = found;
      const saw = first?.checks.find(({ check }) => check === 'link' || check === 'token')?.saw;
      return { identityId: first?.identityId ?? null, subject: first?.subject ?? null, saw };
    };
    const whose = { identityId: id, subject: name };
    const replaced = await linkFor(id);
    const used = await linkFor(id);
    const { createdAt } = (await admin.get(`identities/${id}/invitation`)).json.data;
    for (const tried of [open, use])
      assert.deepEqual(await record(await tried(replaced)), {
        ...whose,
        saw: `replaced by a newer one of ${createdAt}`,
      });
    assert.equal((await use(used)).status, 200);
    for (const tried of [open, use])
      assert.deepEqual(await record(await tried(used)), {
        ...whose,
        saw: 'used or withdrawn, or its identity was disabled or got another password or email address',
      });
    const strange = used.replace(/t=./, 't=x');
    assert.deepEqual(await record(await open(strange)), {
      identityId: null,
      subject: null,
      saw: 'not made by this service, or for a password that was changed since',
    });
    await admin.call('DELETE', `identities/${id}`);
    assert.equal((await record(await open(used))).saw, `its identity ${id} was deleted`);
  });

  test('ends when the password is set or removed in another way', async () => {
    const id = await server.createUser({ name: 'remembering', password });
    const url = await linkFor(id);
    const { data } = (await admin.get(`authenticators?filter=identityId="${id}"`)).json;
    const authenticator = `authenticators/${data[0].id}`;
    const own = await loggedIn(server, 'remembering');
    const change = { password: 'nine calm rivers', currentPassword: password };
    const changed = await own.call('PATCH', `/edge/client/v1/current-identity/${authenticator}`, change);
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await use(url)).status, 404, 'the person remembers the password, and changes it');

    const second = await linkFor(id);
    assert.equal((await admin.call('PATCH', authenticator, { password: 'ten calm rivers' })).status, 200);
    assert.equal((await use(second)).status, 404, 'an administrator sets it');

    const third = await linkFor(id);
    assert.equal((await admin.call('PATCH', authenticator, { username: 'remembering too' })).status, 200);
    assert.equal((await open(third)).status, 200, 'another name is no other password');
    assert.equal((await admin.call('DELETE', authenticator)).status, 200);
    assert.equal((await use(third)).status, 404, 'it is taken away');

    const fourth = await linkFor(id);
    const made = { method: 'updb', identityId: id, username: 'remembering', password };
    assert.equal((await admin.call('POST', 'authenticators', made)).status, 201);
    assert.equal((await use(fourth)).status, 404, 'an administrator gives one');
    assert.ok(await canLogIn('remembering', password));
  });

  test('ends when the identity is disabled, also after it is enabled again', async () => {
    const { id } = await newPerson();
    const url = await linkFor(id);
    await admin.call('POST', `identities/${id}/disable`, {});
    assert.equal((await open(url)).status, 404);
    assertRefused(await admin.call('POST', `identities/${id}/invitation`, {}), 409, 'CONFLICT');
    await admin.call('POST', `identities/${id}/enable`, {});
    assert.equal((await use(url)).status, 404);
    const other = await linkFor(id);
    await admin.call('DELETE', `identities/${id}`);
    assert.equal((await use(other)).status, 404);
  });

  test("applies the policy's password rules, and stays usable", async () => {
    const standard = await server.store.authPolicies.find('default' as never);
    const updb = { ...standard?.primary.updb, requireNumberChar: true } as never;
    const authPolicyId = await createPolicy(server, 'with a digit', { primary: { updb } });
    const { id, name } = await newPerson({ authPolicyId });
    const url = await linkFor(id);
    for (const bad of ['short', 'password1', chosen, `${name} 1`]) {
      const answer = await use(url, bad);
      assert.equal(answer.status, 400, bad);
      assert.ok(!answer.text.includes(`value="${bad}"`));
      assert.match(answer.text, /role="alert"/);
    }
    const differ = await server.post('/invite', {
      form: { t: tokenOf(url), password: `${chosen} 1`, repeated: `${chosen} 2` },
      headers: { accept: 'text/html' },
    });
    assert.equal(differ.status, 400);
    assert.match(differ.text, /differ/);
    assert.equal((await use(url, `${chosen} 1`)).status, 200);
    assert.ok(await canLogIn(name, `${chosen} 1`));
  });

  test('is refused if there would be nothing to set up', async () => {
    const standard = await server.store.authPolicies.find('default' as never);
    const updb = { ...standard?.primary.updb, allowed: false } as never;
    const passkey = { ...standard?.primary.passkey, allowed: false } as never;
    const authPolicyId = await createPolicy(server, 'no passwords', { primary: { updb, passkey } });
    const { id } = await newPerson({ authPolicyId });
    const refused = await admin.call('POST', `identities/${id}/invitation`, {});
    assertRefused(refused, 409, 'CONFLICT');
    assert.match(refused.text, /neither passwords nor passkeys/);

    const meanwhile = await newPerson();
    const url = await linkFor(meanwhile.id);
    await admin.call('PATCH', `identities/${meanwhile.id}`, { authPolicyId });
    assert.equal((await use(url)).status, 404);

    await server.createUser({ name: 'holder', password });
    const holder = (await admin.get(`identities?filter=${encodeURIComponent('name="holder"')}`)).json.data[0];
    await admin.call('PATCH', `identities/${holder.id}`, { name: 'renamed' });
    const namesake = createdId(
      await admin.call('POST', 'identities?force=true', { name: 'holder', type: 'User' }),
    );
    const taken = await admin.call('POST', `identities/${namesake}/invitation`, {});
    assertRefused(taken, 'username');
    assertRefused(await admin.call('POST', 'identities/nobody/invitation', {}), 404, 'NOT_FOUND');
  });

  test('lasts between five minutes and thirty days', async () => {
    const { id } = await newPerson();
    for (const expiresIn of ['4m59s', '720h1s', '0', '-1h', 'soon', '', 24]) {
      const answer = await admin.call('POST', `identities/${id}/invitation`, { expiresIn });
      assertRefused(answer, 'expiresIn');
    }
    assertRefused(
      await admin.call('POST', `identities/${id}/invitation`, { expires: '1h' }),
      400,
      'COULD_NOT_VALIDATE',
    );
    for (const expiresIn of ['5m', '720h']) await linkFor(id, { expiresIn });
  });

  test('is made by administrators, and by helpers for those without power', async () => {
    const helperOf = async (name: string, permissions: readonly string[]) => {
      const id = await server.createUser({ name, password });
      await admin.call('PATCH', `identities/${id}`, { permissions });
      return { id, caller: await loggedIn(server, name) };
    };
    const helper = await helperOf('helper', ['helpdesk']);
    const reader = await helperOf('reader', ['read']);
    const { id } = await newPerson();
    const plain = await server.createUser({ name: 'plain', password });
    const stranger = await loggedIn(server, 'plain');
    for (const caller of [reader.caller, stranger]) {
      for (const method of ['POST', 'DELETE']) {
        assertRefused(await caller.call(method, `identities/${id}/invitation`, {}), 403, 'FORBIDDEN');
      }
    }
    const root = (await admin.get('current-identity')).json.data.id;
    for (const target of [root, helper.id, reader.id]) {
      for (const method of ['POST', 'DELETE']) {
        assertRefused(
          await helper.caller.call(method, `identities/${target}/invitation`, {}),
          403,
          'FORBIDDEN',
        );
      }
    }
    const url = await linkFor(plain, {}, helper.caller);
    assert.equal((await reader.caller.get(`identities/${plain}/invitation`)).status, 200);
    await admin.call('PATCH', `identities/${plain}`, { isAdmin: true });
    const refused = await use(url);
    assert.equal(refused.status, 404);
    assert.equal(await reasonOf(server, refused), 'invitation-not-allowed');
    assert.ok(await canLogIn('plain', password));
  });

  test('ends when its creator loses the right to make it, even if they get it back', async () => {
    const makers = {
      administrator: { right: { isAdmin: true }, none: { isAdmin: false } },
      helper: { right: { permissions: ['helpdesk'] }, none: { permissions: ['read'] } },
    };
    for (const [kind, { right, none }] of Object.entries(makers)) {
      const maker = await server.createUser({ name: `former ${kind}`, password });
      const patch = (body: object) => admin.call('PATCH', `identities/${maker}`, body);
      await patch(right);
      const losses: Record<string, () => Promise<unknown>> = {
        right: () => patch(none),
        account: () => admin.call('POST', `identities/${maker}/disable`, { durationMinutes: 1 }),
        identity: () => admin.call('DELETE', `identities/${maker}`),
      };
      for (const [what, lose] of Object.entries(losses)) {
        const { id } = await newPerson();
        const url = await linkFor(id, {}, await loggedIn(server, `former ${kind}`));
        await patch({ tags: { team: 'blue' } });
        assert.equal((await open(url)).status, 200, `${kind}: ${what}`);
        await lose();
        assert.equal((await open(url)).status, 404, `${kind}: ${what}`);
        assertRefused(await admin.get(`identities/${id}/invitation`), 404, 'NOT_FOUND');
        await admin.call('POST', `identities/${maker}/enable`);
        await patch(right);
        assert.equal((await use(url)).status, 404, `${kind}: ${what}`);
      }
    }
  });

  test('is listed without its secret until it is used, and for a week after it expires', async () => {
    const later = fixedClock('2026-03-01T12:00:00Z');
    await using other = await startTestServer({ clock: later });
    const root = await rootOf(other);
    for (const name of ['helper', 'reader', 'stranger']) await other.createUser({ name, password });
    const right = async (name: string, permission: string) => {
      const { json } = await root.get(`identities?filter=${encodeURIComponent(`name = "${name}"`)}`);
      await root.call('PATCH', `identities/${json.data[0].id}`, { permissions: [permission] });
      return loggedIn(other, name);
    };
    const [helper, reader] = [await right('helper', 'helpdesk'), await right('reader', 'read')];
    const invited = async (name: string, by: Caller, body: object) => {
      const id = createdId(await root.call('POST', 'identities', { name, type: 'User' }));
      const { url } = (await by.call('POST', `identities/${id}/invitation`, body)).json.data;
      return { id, url };
    };
    const first = await invited('b first', root, { expiresIn: '5m' });
    const second = await invited('a second', helper, { expiresIn: '48h', endSessions: true });
    await invited('c third', root, {});
    const listed = async (asked: string, by = reader) => {
      const answer = await by.get(`invitations?${asked}`);
      assert.equal(answer.status, 200, answer.text);
      assert.doesNotMatch(answer.text, /hash|token|invite\?t=/i);
      return answer.json;
    };
    const names = async (asked: string) =>
      (await listed(asked)).data.map(({ identity }: { identity: { name: string } }) => identity.name);
    assert.deepEqual(await names('sort=identityName'), ['a second', 'b first', 'c third']);
    assert.deepEqual(await names('sort=expiresAt%20desc&limit=1&offset=1'), ['c third']);
    const [row] = (await listed(`filter=${encodeURIComponent('identityName contains "second"')}`)).data;
    const { identity, madeBy, ...rest } = row;
    assert.deepEqual(rest, {
      identityId: second.id,
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-03-03T12:00:00.000Z',
      endSessions: true,
    });
    assert.deepEqual([identity.id, identity.entity, madeBy.name], [second.id, 'identities', 'helper']);
    assert.deepEqual(await names(`filter=${encodeURIComponent(`madeBy = "${madeBy.id}"`)}`), ['a second']);
    assert.equal((await listed('', helper)).meta.pagination.totalCount, 3);
    assertRefused(await (await loggedIn(other, 'stranger')).get('invitations'), 403, 'FORBIDDEN');
    assertRefused(await root.get('invitations?filter=tokenHash%20%3D%20%22x%22'), 400, 'INVALID_FILTER');

    const form = { t: tokenOf(second.url), password: chosen, repeated: chosen };
    await other.post('/invite', { form, headers: { accept: 'text/html' } });
    later.advance(6 * MINUTE);
    assert.deepEqual(
      await names('sort=identityName'),
      ['b first', 'c third'],
      'whoever came is not waited for',
    );
    assertRefused(await root.get(`identities/${first.id}/invitation`), 404, 'NOT_FOUND');
    const isOpen = encodeURIComponent('expiresAt > datetime(2026-03-01T12:06:00Z)');
    assert.deepEqual(await names(`filter=${isOpen}`), ['c third']);
    await helper.call('DELETE', `identities/${first.id}/invitation`);
    assert.deepEqual(await names(''), ['c third']);
  });

  test('is audited, explained, and nowhere in the log', async () => {
    const { id } = await newPerson();
    const url = await linkFor(id, { endSessions: true });
    await open(url);
    await use(url, 'short');
    await use(url);
    await use(url);
    const everything = JSON.stringify(server.log.entries);
    for (const event of ['admin.changed', 'enrollment.refused', 'enrollment.completed']) {
      const about = server.log.entries.filter(({ fields }) => fields.event === event);
      assert.ok(
        about.some(({ fields }) => [fields.entity, fields.enrollment].includes('invitation')),
        event,
      );
    }
    assert.ok(!everything.includes(tokenOf(url)));
    assert.ok(!everything.includes(chosen));
  });

  test('accepts no form of another site, and no JSON', async () => {
    const { id, name } = await newPerson();
    const url = await linkFor(id);
    const form = { t: tokenOf(url), password: chosen, repeated: chosen };
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ]) {
      assert.equal((await server.post('/invite', { form, headers })).status, 403);
    }
    assert.equal((await server.post('/invite', { json: form })).status, 415);
    assert.equal((await open(url)).status, 200);
    assert.equal(await canLogIn(name, chosen), false);
  });

  test('of many who come at once, one sets the password', async () => {
    const { id, name } = await newPerson();
    const url = await linkFor(id);
    const secrets = Array.from({ length: 4 }, (_all, at) => `${chosen} number ${at}`);
    const answers = await Promise.all(secrets.map((secret) => use(url, secret)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404]);
    const winner = secrets[answers.findIndex(({ status }) => status === 200)] ?? '';
    assert.ok(await canLogIn(name, winner));
  });

  test('that was never issued counts against its source', async () => {
    for (const t of ['', 'x', 'A'.repeat(91), 'A'.repeat(601)]) {
      const answer = await server.post('/invite', {
        form: { t, password: chosen, repeated: chosen },
        headers: { accept: 'text/html' },
      });
      assert.equal(answer.status, t.length > 600 ? 400 : 404, answer.text);
      assert.equal((await open(`${server.url}/invite?t=${t}`)).status, t.length > 600 ? 400 : 404);
    }
    const limit = { key: 'source:127.0.0.1', max: 300 };
    const { store } = server;
    const now = clock.now();
    const wide = { ...limit, lockFor: MINUTE, longestLock: MINUTE, forgetAfter: MINUTE };
    for (let at = 0; at < 300; at += 1) await store.attempts.count([wide], 1, now);
    const { id } = await newPerson();
    assert.equal((await use(await linkFor(id))).status, 429);
    await store.attempts.clear([limit.key]);
  });
});
