// No request that identities or devices make reads a whole table, nor does the start of a node, an administrator's
// work on one entity, or the deletion of what has expired. PostgreSQL counts how often a table was read as a whole.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asId } from '../../src/model/ids.ts';
import type { Filter } from '../../src/model/list-query.ts';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSession } from '../legacy/support.ts';
import { clientApi, enrollBy, invited } from '../support/enrollment.ts';
import { callWith, login, obtainCode, redeem, refresh } from '../support/flow.ts';
import { testBudget } from '../support/list-budget.ts';
import { createdId, loggedIn, password } from '../support/management.ts';
import { type Node, startNode } from '../support/nodes.ts';
import { postgresServer, query } from '../support/postgres.ts';
import { createTotpUser, enroll, partialLogin, submitCode, totpPolicy } from '../support/totp.ts';

const rows = 20_000;
/** Those that grow with identities, sessions or requests. */
const grown = [
  'identities',
  'authenticators',
  'api_sessions',
  'auth_requests',
  'login_attempts',
  'attempts',
  'enrollments',
  'totp_enrollments',
  'recovery_codes',
  'pending_totp',
  'session_certificates',
  'changes',
];

/** Copies of the rows that one identity's logins left, as those of many others. */
async function grow(db: string): Promise<void> {
  for (const table of grown) {
    const columns = await query(
      db,
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name = '${table}' AND is_identity = 'NO' ORDER BY ordinal_position`,
    );
    const unique = new Set([
      'id',
      'name',
      'username',
      'username_key',
      'token_hash',
      'thumbprint',
      'key',
      'flow',
      'code_hash',
      'reference',
    ]);
    const values = columns.map(({ name }) => {
      if (name === 'identity_id' && table !== 'identities') return `'grown-' || i`;
      if (name === 'session_id') return `'grown-' || i`;
      if (unique.has(String(name))) return `CASE WHEN ${name} IS NULL THEN NULL ELSE 'grown-' || i END`;
      return name === 'external_id' || name === 'successor_thumbprint' ? 'NULL' : String(name);
    });
    const names = columns.map(({ name }) => name).join(', ');
    const [made] = await query(
      db,
      `WITH added AS (INSERT INTO ${table} (${names})
         SELECT ${values.join(', ')} FROM generate_series(1, ${rows}) AS i, (SELECT * FROM ${table} LIMIT 1) AS one RETURNING 1)
       SELECT count(*) AS count FROM added`,
    );
    assert.equal(Number(made?.count), rows, `there was nothing to copy in ${table}`);
  }
  await query(db, 'VACUUM ANALYZE');
}

/** What identities, devices and administrators do. @param name of users who are not there yet */
async function everythingOnce(node: Node, name: string): Promise<void> {
  const { server } = node;
  const at = { ...server, ...node };
  await server.createUser({ name: `${name}-admin`, password, isAdmin: true });
  const admin = await loggedIn(node, `${name}-admin`);
  const id = await server.createUser({ name, password });
  const code = await obtainCode(node, name, password);
  const tokens = (await redeem(node, code)).json;
  assert.equal((await callWith(node, tokens.access_token)).status, 200);
  assert.equal((await callWith(node, tokens.access_token, '/oidc/userinfo')).status, 200);
  assert.equal((await refresh(node, tokens.refresh_token)).status, 200);
  assert.equal((await refresh(node, tokens.refresh_token)).status, 400);
  assert.equal((await redeem(node, code)).status, 400);
  const legacy = await openSession(node, name);
  assert.equal((await legacy.get('current-api-session')).status, 200);
  await server.controller.services.view.legacy.flush();
  assert.equal((await legacy.call('DELETE', 'current-api-session')).status, 200);
  await createTotpUser(server, await totpPolicy(server), `${name}-totp`);
  const enrolled = await enroll(at, { ...systemClock, advance() {}, set() {} } as never, `${name}-totp`);
  const partial = await partialLogin(node, `${name}-totp`);
  assert.equal((await submitCode(node, partial, enrolled.recoveryCodes[0])).status, 302);
  const { token } = await invited(admin, { updb: `${name}-enrolled` });
  assert.equal((await enrollBy(node, 'updb', token, { json: { password: 'nine calm rivers' } })).status, 200);
  const open = await invited(admin, { ott: true });
  assert.equal((await admin.get(`enrollments/${open.enrollmentId}`)).status, 200);
  const { refresh_token, access_token } = await login(node, name, password);
  await node.post('/oidc/revoke', { form: { token: refresh_token, client_id: 'overlay' } });
  assert.equal((await callWith(node, access_token)).status, 401);
  for (const [method, path, json] of [
    ['GET', `identities/${id}`, undefined],
    ['GET', `identities?filter=${encodeURIComponent(`name = "${name}"`)}`, undefined],
    ['GET', `identities/${id}/authenticators`, undefined],
    ['PATCH', `identities/${id}`, { tags: { a: 1 } }],
    ['POST', `identities/${id}/disable`, { durationMinutes: 0 }],
    ['POST', `identities/${id}/enable`, {}],
    ['DELETE', `identities/${id}`, undefined],
  ] as const) {
    const answer = await admin.call(method, path, json);
    assert.ok([200, 404].includes(answer.status), `${method} ${path}: ${answer.text}`);
  }
  assert.equal(
    createdId(await admin.call('POST', 'identities', { name: `${name}-made`, type: 'User', isAdmin: false }))
      .length,
    36,
  );
  assert.equal((await node.get(`${clientApi}/version`)).status, 200);
  await server.store.expiry.deleteExpired(systemClock.now(), 500);
  await server.store.loginAttempts.deleteBefore(systemClock.now() - 60 * MINUTE, 500);
  await server.controller.services.attempts.flush();
  assert.equal(await server.store.identities.find(asId('absent')), null);
}

test('no request reads a whole table that grows', async () => {
  const db = await (await postgresServer()).createDatabase();
  const first = await startNode(db, { signing: true });
  await everythingOnce(first, 'first');
  await query(
    db,
    `INSERT INTO pending_totp SELECT 'flow', id, 'x', '[]', 9999999999999 FROM identities LIMIT 1;
     INSERT INTO session_certificates SELECT 'cert', id, 'PEM', 't', 0, 9999999999999 FROM api_sessions LIMIT 1;
     INSERT INTO attempts VALUES ('some', 1, 0, 0, 9999999999999)`,
  );
  await first.server.stop();
  await grow(db);

  const scans = async () => {
    const found = await query(db, 'SELECT relname AS name, seq_scan AS count FROM pg_stat_user_tables');
    return new Map(found.map(({ name, count }) => [String(name), Number(count)]));
  };
  await assertSearchReadsNoTable(db, scans);
  const before = await scans();
  const second = await startNode(db, { home: first.server.home, signing: true });
  await everythingOnce(second, 'second');
  // Connections report what they have counted at their end.
  second.closeConnections();
  await second.server.stop();
  const after = await scans();
  const scanned = grown.filter((table) => (after.get(table) ?? 0) > (before.get(table) ?? 0));
  assert.deepEqual(scanned, []);
  await assertLongListsAreNotCounted(db);
});

/** A few of many are found by a part of a name, a role attribute, a right or a time, and the first in an order by an index. */
async function assertSearchReadsNoTable(
  url: string,
  scans: () => Promise<ReadonlyMap<string, number>>,
): Promise<void> {
  await query(
    url,
    `UPDATE identities SET name = 'Grown ' || id, name_lower = 'grown ' || id WHERE id LIKE 'grown-1%';
     UPDATE identities SET last_login_at = substr(id, 7)::bigint, updated_at = substr(id, 7)::bigint WHERE id LIKE 'grown-%';
     INSERT INTO passkeys (id, identity_id, name, rp_id, credential_id, public_key, counter, aaguid, transports,
         is_discoverable, is_backup_eligible, is_backed_up, created_at)
       VALUES ('key', 'grown-3', 'key', 'rp', 'credential', 'key', 0, '', '[]', 1, 0, 0, 0);
     UPDATE identities SET email = 'Grown-' || id WHERE id LIKE 'grown-1%';
     UPDATE identities SET email = 'Grown-12345@example.com', email_lower = 'grown-12345@example.com' WHERE id = 'grown-12345';
     UPDATE identities SET disabled_at = 1, password_must_change = 1 WHERE id = 'grown-3';
     UPDATE authenticators SET username = 'Grown ' || id WHERE id LIKE 'grown-%'`,
  );
  await query(url, 'VACUUM ANALYZE');
  const identities = ['name', 'externalId', 'email'] as const;
  const before = await scans();
  const store = await openPostgresStore({ url });
  try {
    const page = {
      sort: [{ field: 'createdAt', descending: true }],
      limit: 10,
      offset: 0,
      budget: testBudget,
    };
    const named = (field: string, value: string) =>
      (['contains', 'icontains'] as const).map((op): Filter => ({ op, field, value }));
    const attribute = (field: string): Filter => ({ op: 'contains', field, value: 'none has it' });
    const found: number[] = [];
    for (const filter of [
      ...identities.flatMap((field) => named(field, 'ROWN GROWN-12345')),
      { op: 'or', terms: identities.flatMap((field) => named(field, 'rown grown-12345')) },
      { op: 'or', terms: [attribute('permissions'), attribute('roleAttributes')] },
      attribute('roleAttributes'),
    ] as const satisfies readonly Filter[])
      found.push((await store.identities.list({ ...page, filter })).items.length);
    assert.deepEqual(found, [0, 1, 0, 0, 0, 0, 1, 0, 0]);
    for (const filter of named('identity', 'rown grown-12345'))
      assert.equal((await store.apiSessions.list({ ...page, filter }, 0)).items.length, 1);
    for (const [op, value] of [
      ['icontains', 'grown-12345'],
      ['contains', 'Grown grown-12345'],
    ] as const) {
      const filter: Filter = { op, field: 'username', value };
      assert.equal((await store.authenticators.list({ ...page, filter })).items.length, 1);
    }
    for (const [field, value] of [
      ['lastLoginAt', 4],
      ['updatedAt', 4],
    ] as const)
      assert.equal(
        (await store.identities.list({ ...page, filter: { op: '<', field, value } })).items.length,
        3,
      );
    for (const filter of [
      { op: '=', field: 'hasPasskey', value: true },
      { op: '!=', field: 'disabledAt', value: null },
      { op: '=', field: 'passwordMustChange', value: true },
    ] as const satisfies readonly Filter[])
      assert.deepEqual(
        (await store.identities.list({ ...page, filter })).items.map(({ id }) => id),
        ['grown-3'],
        filter.field,
      );
    const address: Filter = { op: '=', field: 'email', value: 'Grown-12345@example.com' };
    assert.equal((await store.identities.list({ ...page, filter: address })).items.length, 1);
    const none: Filter = { op: '=', field: 'type', value: 'Router' };
    assert.equal((await store.identities.list({ ...page, filter: none })).items.length, 0);
    for (const [field, descending] of [
      ['lastLoginAt', true],
      ['lastLoginAt', false],
      ['updatedAt', true],
      ['type', false],
    ] as const)
      await store.identities.list({ ...page, filter: { op: 'true' }, sort: [{ field, descending }] });
    const byActivity = [{ field: 'lastActivityAt', descending: true }];
    const ofPerson = (text: string): Filter => ({
      op: 'or',
      terms: [
        { op: 'icontains', field: 'identity', value: text },
        { op: '=', field: 'identityId', value: text },
      ],
    });
    for (const text of ['rown grown-12345', 'grown-12345'])
      assert.equal(
        (await store.apiSessions.list({ ...page, filter: ofPerson(text), sort: byActivity }, 0)).items.length,
        1,
        text,
      );
  } finally {
    await store.close();
  }
  const after = await scans();
  for (const table of ['identities', 'authenticators', 'api_sessions'])
    assert.equal(after.get(table), before.get(table), table);
}

/** The list of a large table is not counted to its end for one page. */
async function assertLongListsAreNotCounted(url: string): Promise<void> {
  const store = await openPostgresStore({ url });
  try {
    const page = { sort: [], limit: 10, offset: 0, budget: testBudget } as const;
    const ofType: Filter = { op: '=', field: 'type', value: 'User' };
    const ofUnknownName: Filter = { op: '=', field: 'name', value: 'nobody' };
    for (const filter of [{ op: 'true' }, ofType] as const) {
      const found = await store.identities.list({ ...page, filter });
      assert.deepEqual([found.totalCount, found.totalCountIsEstimate], [10_001, true]);
    }
    const byName = {
      ...page,
      filter: { op: 'true' },
      sort: [{ field: 'identity', descending: false }],
    } as const;
    const whole = await store.apiSessions.list({ ...byName, limit: rows + 1000 }, 0);
    const far = await store.apiSessions.list({ ...byName, offset: 5000 }, 0);
    assert.deepEqual(far.items, whole.items.slice(5000, 5010));
    const none = await store.identities.list({ ...page, filter: ofUnknownName });
    assert.deepEqual(none, { items: [], totalCount: 0, totalCountIsEstimate: false });
    const all = await store.identities.list({ ...page, filter: { op: 'true' }, limit: rows + 1000 });
    assert.deepEqual([all.totalCount, all.totalCountIsEstimate], [all.items.length, false]);
  } finally {
    await store.close();
  }
}
