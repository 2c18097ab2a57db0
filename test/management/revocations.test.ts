import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MINUTE } from '../../src/platform/clock.ts';
import { openSession } from '../legacy/support.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { callWith, claimsOf, login, refresh, type Tokens } from '../support/flow.ts';
import { assertRefused, type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let admin: Caller;
const server = await serverOfFile({ clock });
admin = await rootOf(server);

const names = Array.from({ length: 100 }, (_value, at) => `user-${at}`).values();
async function user(): Promise<{ id: string; name: string; tokens: Tokens }> {
  const name = names.next().value ?? '';
  const id = await server.createUser({ name, password });
  return { id, name, tokens: await login(server, name, password) };
}
const revoke = (body: object) => admin.call('POST', 'revocations', body);
const statusOf = async ({ access_token }: Tokens) => (await callWith(server, access_token)).status;

describe('a revoked access token', () => {
  test('is refused from the next call on, and the others of its session are not', async () => {
    const { tokens } = await user();
    const { jti, z_asid } = claimsOf(tokens.access_token);
    const next = (await refresh(server, tokens.refresh_token)).json;
    assert.equal(createdId(await revoke({ id: jti, type: 'JTI' })), jti);
    const answer = await callWith(server, tokens.access_token);
    assert.equal(answer.status, 401);
    assert.match(String(answer.headers['www-authenticate']), /error="invalid"/);
    assert.equal(await statusOf(next), 200);
    assert.equal((await admin.get(`api-sessions/${z_asid}`)).status, 200);
    const introspected = await server.post('/oidc/introspect', {
      form: { token: tokens.access_token },
      headers: { authorization: `Bearer ${admin.accessToken}` },
    });
    assert.deepEqual(introspected.json, { active: false });
  });

  test('counts again when its entry is deleted', async () => {
    const { tokens } = await user();
    const { jti } = claimsOf(tokens.access_token);
    createdId(await revoke({ id: jti, type: 'JTI' }));
    assert.equal(await statusOf(tokens), 401);
    assert.equal((await admin.call('DELETE', `revocations/${jti}`)).status, 200);
    assert.equal(await statusOf(tokens), 200);
    assertRefused(await admin.call('DELETE', `revocations/${jti}`), 404, 'NOT_FOUND');
  });

  test('is refused after a restart too', async () => {
    let restarting = await startTestServer();
    const root = await rootOf(restarting);
    const { home } = restarting;
    await restarting.createUser({ name: 'alice', password });
    const alice = await loggedIn(restarting, 'alice');
    const { jti } = claimsOf(alice.accessToken);
    createdId(await root.call('POST', 'revocations', { id: jti, type: 'JTI' }));
    await restarting.stop();
    restarting = await startTestServer({ home });
    assert.equal(restarting.controller.services.view.revoked.has(jti), true);
    await restarting.close();
  });

  test('is refused by another process on the same database', async () => {
    const { tokens } = await user();
    const { jti } = claimsOf(tokens.access_token);
    const { view } = server.controller.services;
    const now = clock.now();
    const another = { id: jti, type: 'JTI' as const, issuedBefore: null, expiresAt: now + MINUTE, tags: {} };
    await server.store.revocations.revoke(another, now);
    await view.feed.catchUp();
    assert.equal(await statusOf(tokens), 401);
  });
});

describe('a revoked session', () => {
  test('is ended, with its refresh token', async () => {
    const { tokens } = await user();
    const { z_asid } = claimsOf(tokens.access_token);
    createdId(await revoke({ id: z_asid, type: 'API_SESSION' }));
    assert.equal(await statusOf(tokens), 401);
    assert.equal((await refresh(server, tokens.refresh_token)).status, 400);
    // A session ends for good.
    assert.equal((await admin.call('DELETE', `revocations/${z_asid}`)).status, 200);
    assert.equal(await statusOf(tokens), 401);
  });

  test('may be one of the legacy mechanism', async () => {
    const { name } = await user();
    const session = await openSession(server, name);
    createdId(await revoke({ id: session.id, type: 'API_SESSION' }));
    assert.equal((await session.get('current-identity')).status, 401);
  });
});

describe('a revoked identity', () => {
  test('loses the sessions it has, and may log in again', async () => {
    const { id, name, tokens } = await user();
    createdId(await revoke({ id, type: 'IDENTITY' }));
    assert.equal(await statusOf(tokens), 401);
    assert.equal(await statusOf(await login(server, name, password)), 200);
  });

  test('keeps those that were opened after the named time', async () => {
    const { id, name, tokens } = await user();
    const issuedBefore = new Date(clock.now()).toISOString();
    clock.advance(MINUTE);
    admin = await loggedIn(server, 'root');
    const later = await login(server, name, password);
    createdId(await revoke({ id, type: 'IDENTITY', issuedBefore }));
    assert.deepEqual([await statusOf(tokens), await statusOf(later)], [401, 200]);
    const { data } = (await admin.get(`revocations/${id}`)).json;
    assert.deepEqual([data.id, data.type, data.issuedBefore], [id, 'IDENTITY', issuedBefore]);
  });
});

describe('revocations', () => {
  test('are deleted when the last token they affect has expired', async () => {
    const { tokens } = await user();
    const { jti, exp } = claimsOf(tokens.access_token);
    createdId(await revoke({ id: jti, type: 'JTI', tags: { why: 'stolen' } }));
    const { data } = (await admin.get(`revocations/${jti}`)).json;
    assert.ok(Date.parse(data.expiresAt) >= exp * 1000);
    assert.deepEqual(data.tags, { why: 'stolen' });
    await server.store.expiry.deleteExpired(Date.parse(data.expiresAt), 1000);
    assertRefused(await admin.get(`revocations/${jti}`), 404, 'NOT_FOUND');
  });

  test('are listed and filtered', async () => {
    createdId(await revoke({ id: 'listed-1', type: 'JTI' }));
    createdId(await revoke({ id: 'listed-2', type: 'JTI' }));
    const filter = encodeURIComponent('type = "JTI" and id contains "listed-" sort by id desc limit 1');
    const { data, meta } = (await admin.get(`revocations?filter=${filter}`)).json;
    assert.deepEqual([data[0].id, meta.pagination.totalCount], ['listed-2', 2]);
  });

  test('of unknown entities or kinds are refused', async () => {
    const { id } = await user();
    const future = new Date(clock.now() + MINUTE).toISOString();
    createdId(await revoke({ id, type: 'IDENTITY' }));
    const refused: readonly (readonly [string, object])[] = [
      ['id', { type: 'JTI' }],
      ['id', { type: 'JTI', id: '' }],
      ['id', { type: 'JTI', id: 'a b' }],
      ['id', { type: 'JTI', id: 'a'.repeat(65) }],
      ['id', { type: 'JTI', id }],
      ['id', { type: 'IDENTITY', id: 'nobody' }],
      ['id', { type: 'API_SESSION', id }],
      ['type', { id }],
      ['type', { id, type: 'jti' }],
      ['issuedBefore', { id, type: 'IDENTITY', issuedBefore: 'yesterday' }],
      ['issuedBefore', { id, type: 'IDENTITY', issuedBefore: future }],
      ['issuedBefore', { id: 'x', type: 'JTI', issuedBefore: '2020-01-01T00:00:00Z' }],
      ['tags', { id, type: 'IDENTITY', tags: [] }],
    ];
    for (const [field, body] of refused) {
      assertRefused(await revoke(body), field);
    }
  });

  test('are made by administrators only, and are not changed', async () => {
    const { name } = await user();
    const caller = await loggedIn(server, name);
    assertRefused(await caller.call('POST', 'revocations', { id: 'x', type: 'JTI' }), 403, 'FORBIDDEN');
    createdId(await revoke({ id: 'fixed', type: 'JTI' }));
    for (const method of ['PUT', 'PATCH']) {
      assertRefused(await admin.call(method, 'revocations/fixed', {}), 405, 'METHOD_NOT_ALLOWED');
    }
  });
});
