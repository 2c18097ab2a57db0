import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, login } from '../support/flow.ts';
import { assertRefused, loggedIn } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import { password } from '../support/totp.ts';
import {
  assertDeprecated,
  assertNoSession,
  authenticate,
  clientRoot,
  managementRoot,
  openSession,
} from './support.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });
const aliceId = await server.createUser({ name: 'alice', password });
await server.createUser({ name: 'root', password, isAdmin: true });

for (const root of [clientRoot, managementRoot]) {
  describe(`${root}: a legacy session`, () => {
    test('opens with a password and is shown as clients of the mechanism expect', async () => {
      const answer = await authenticate(server, 'alice', password, root);
      assert.equal(answer.status, 200, answer.text);
      const { data, meta } = answer.json;
      assert.deepEqual(meta, {});
      assert.equal(data.identityId, aliceId);
      assert.deepEqual([data.identity.id, data.identity.name], [aliceId, 'alice']);
      assert.deepEqual(data.authQueries, []);
      assert.equal(data.expirationSeconds, 1800);
      assert.equal(data.expiresAt, new Date(clock.now() + 30 * MINUTE).toISOString());
      assert.deepEqual(
        [data.isMfaRequired, data.isMfaComplete, data.isCertExtendable],
        [false, false, false],
      );
      assert.deepEqual(data.configTypes, []);
      assert.equal(data.ipAddress, '127.0.0.1');
      assert.ok(data.token.length >= 43 && data.token !== data.id);
      assert.equal(answer.headers['zt-session'], data.token);
      assert.equal(answer.headers['expiration-seconds'], '1800');
      assert.equal(answer.headers['expires-at'], data.expiresAt);
      assert.equal(answer.headers['cache-control'], 'no-store');
      assertDeprecated(answer);
    });

    test('opens for a client that says more than is known here, as does a login by OIDC', async () => {
      const json = { username: 'alice', password, sdkInfo: { type: 'x', news: 1 }, newMember: { a: [] } };
      const answer = await server.post(`${root}/authenticate?method=password`, { json });
      assert.equal(answer.status, 200, answer.text);
      const id = await beginLogin(server);
      const oidc = await server.post('/oidc/login/username', { json: { ...json, id } });
      assert.equal(oidc.status, 302, oidc.text);
    });

    test('has every member that clients of the mechanism read', async () => {
      const session = await openSession(server, 'alice', root);
      const { data } = session.opened.json;
      const [authenticator] = (await session.get('current-identity/authenticators')).json.data;
      const now = new Date(clock.now()).toISOString();
      const own = (collection: string, id: string) => ({ self: { href: `./${collection}/${id}` } });
      const members = {
        _links: { ...own('api-sessions', data.id), session: { href: `./api-sessions/${data.id}/sessions` } },
        createdAt: now,
        updatedAt: now,
        lastActivityAt: now,
        cachedLastActivityAt: now,
        tags: {},
        identity: {
          _links: own('identities', aliceId),
          entity: 'identities',
          id: aliceId,
          name: 'alice',
        },
        authenticatorId: authenticator.id,
        isCertExtendRequested: false,
        isCertKeyRollRequested: false,
        improperClientCertChain: false,
      };
      const shown = Object.fromEntries(Object.keys(members).map((name) => [name, data[name]]));
      assert.deepEqual(shown, members);
      assert.equal(typeof data.id, 'string');
    });

    test('works for calls to both APIs', async () => {
      const session = await openSession(server, 'alice', root);
      for (const api of [clientRoot, managementRoot]) {
        const answer = await session.get(`${api}/current-identity`);
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.json.data.id, aliceId);
        assert.equal(answer.headers['expiration-seconds'], '1800');
        assertDeprecated(answer);
      }
      assertRefused(await session.get(`${managementRoot}/identities`), 403, 'FORBIDDEN');
      const admin = await openSession(server, 'root', root);
      assert.equal((await admin.get(`${managementRoot}/identities`)).status, 200);
    });

    test('describes itself, with its token, as the other mechanism does', async () => {
      const session = await openSession(server, 'alice', root);
      const { data } = (await session.get('current-api-session')).json;
      const { data: opened } = session.opened.json;
      assert.deepEqual(data, opened);
    });

    test('ends by logging out, and no other session does', async () => {
      const [session, other] = [
        await openSession(server, 'alice', root),
        await openSession(server, 'alice', root),
      ];
      const answer = await session.call('DELETE', 'current-api-session');
      assert.deepEqual([answer.status, answer.json], [200, { data: {}, meta: {} }]);
      assertNoSession(await session.get('current-identity'));
      assertNoSession(await session.call('DELETE', 'current-api-session'));
      assert.equal((await other.get('current-identity')).status, 200);
    });

    test('does not open without a known method, and the field is named', async () => {
      for (const query of ['', '?method=', '?method=toString', '?method=__proto__', '?method=../x']) {
        const answer = await server.post(`${root}/authenticate${query}`, { json: {} });
        assertRefused(answer, 400, 'COULD_NOT_VALIDATE', 'method');
        assertDeprecated(answer);
      }
      const twice = await server.post(`${root}/authenticate?method=password&method=cert`, { json: {} });
      assertRefused(twice, 400, 'COULD_NOT_VALIDATE', 'method');
    });

    test('does not open for wrong credentials, and the reason is kept for administrators', async () => {
      for (const [name, secret] of [
        ['alice', 'wrong'],
        ['nobody', password],
      ] as const) {
        const answer = await authenticate(server, name, secret, root);
        assertRefused(answer, 401, 'INVALID_AUTH');
        assertDeprecated(answer);
        assert.equal(answer.headers['zt-session'], undefined);
        const reference = answer.headers['x-request-id'];
        await server.controller.services.attempts.flush();
        const [attempt] = await server.store.loginAttempts.findByReference(String(reference));
        assert.equal(attempt?.mechanism, 'legacy');
        assert.equal(attempt?.outcome, 'refused');
      }
      for (const method of ['cert', 'ext-jwt']) {
        const answer = await server.post(`${root}/authenticate?method=${method}`, { json: {} });
        assert.equal(answer.status, 401, answer.text);
      }
    });
  });
}

describe('a session token', () => {
  test('that is none of ours is refused with the challenge of the mechanism', async () => {
    const tokens = await login(server, 'alice', password);
    const session = await openSession(server, 'alice');
    const changed = `${session.token.slice(0, -1)}${session.token.endsWith('A') ? 'Q' : 'A'}`;
    const jwtLike = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.';
    for (const token of [
      tokens.access_token,
      tokens.refresh_token,
      session.id,
      changed,
      jwtLike,
      'x',
      '{}',
    ]) {
      for (const path of ['current-identity', 'current-api-session', 'current-identity/mfa']) {
        const headers = { 'zt-session': token };
        assertNoSession(await server.get(`${clientRoot}/${path}`, { headers }));
      }
      assertNoSession(
        await server.post(`${clientRoot}/authenticate/mfa`, {
          json: { code: '1' },
          headers: { 'zt-session': token },
        }),
      );
    }
    const twice = await server.get(`${clientRoot}/current-identity`, {
      headers: { 'zt-session': [session.token, session.token] },
    });
    assertNoSession(twice);
  });

  test('is nowhere in the database', async () => {
    const session = await openSession(server, 'alice');
    const stored = await server.store.apiSessions.find(session.id as never);
    assert.ok(!JSON.stringify(stored).includes(session.token));
    assert.ok(!JSON.stringify(server.log).includes(session.token));
  });
});

describe('administrators', () => {
  test('see legacy sessions among the others, without tokens, and end them', async () => {
    const session = await openSession(server, 'alice');
    const admin = await loggedIn(server, 'root');
    const listed = await admin.get(`api-sessions?filter=${encodeURIComponent(`id = "${session.id}"`)}`);
    assert.equal(listed.json.data.length, 1, listed.text);
    assert.equal(listed.json.data[0].mechanism, 'legacy');
    assert.ok(!listed.text.includes(session.token));
    assert.equal((await session.get('current-identity')).status, 200);
    assert.equal((await admin.call('DELETE', `api-sessions/${session.id}`)).status, 200);
    assertNoSession(await session.get('current-identity'));
  });

  test('end sessions by disabling the identity, and enabling it does not bring them back', async () => {
    const id = await server.createUser({ name: 'carol', password });
    const session = await openSession(server, 'carol');
    const admin = await loggedIn(server, 'root');
    assert.equal((await session.get('current-identity')).status, 200);
    assert.equal((await admin.call('POST', `identities/${id}/disable`, { durationMinutes: 0 })).status, 200);
    assertNoSession(await session.get('current-identity'));
    assertRefused(await authenticate(server, 'carol'), 401, 'INVALID_AUTH');
    await admin.call('POST', `identities/${id}/enable`);
    assertNoSession(await session.get('current-identity'));
    await openSession(server, 'carol');
  });

  test('grant rights that take effect at the next call', async () => {
    const id = await server.createUser({ name: 'dave', password });
    const session = await openSession(server, 'dave');
    assertRefused(await session.get(`${managementRoot}/identities`), 403, 'FORBIDDEN');
    const admin = await loggedIn(server, 'root');
    await admin.call('PATCH', `identities/${id}`, { isAdmin: true });
    assert.equal((await session.get(`${managementRoot}/identities`)).status, 200);
  });
});
