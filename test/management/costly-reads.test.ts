// What a list may cost, and what a caller who asks for much costs other callers.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { ListQuery } from '../../src/model/list-query.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, type Caller, createdId, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestServer, type TestServer, usualThreads } from '../support/test-server.ts';
import { eventually } from '../support/until.ts';

const count = 8_000;
const mostOfReaders = 500;

let server: TestServer;
let root: Caller;
let reader: Caller;
before(async () => {
  server = await startTestServer();
  takeYourTime(server);
  root = await rootOf(server);
  const id = await server.createUser({ name: 'reader', password });
  await root.call('PATCH', `identities/${id}`, { permissions: ['read'] });
  reader = await loggedIn(server, 'reader');
  const database = new DatabaseSync(`${server.home}/overlay.db`, { timeout: 5000 });
  database.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO identities (id, name, type, auth_policy_id, is_admin, permissions, role_attributes, tags, created_at, updated_at)
    SELECT 'many-' || i, 'Many ' || i, 'Device', 'default', 0, '[]', '[]', '{}', i % 1000, i FROM n`);
  database.close();
});
after(() => server.close());

/** Turns and comparisons are what these tests count. How long a list takes depends on the machine. */
function takeYourTime({ store: { identities } }: TestServer): void {
  const list = identities.list.bind(identities);
  Object.assign(identities, {
    list: (query: ListQuery) => list({ ...query, budget: { ...query.budget, time: 10 * MINUTE } }),
  });
}

const terms = (most: number, comparison = 'name icontains') =>
  Array.from({ length: most }, (_, at) => `${comparison} "zz${at}"`).join(' or ');
const filtered = (caller: Caller, filter: string, rest = '') =>
  caller.get(`identities?filter=${encodeURIComponent(filter)}${rest}`);

describe('a filter', () => {
  test('may cost as many comparisons as its budget has for the entries of the table', async () => {
    for (const caller of [reader, root]) {
      const refused = await filtered(caller, terms(99, 'roleAttributes contains'));
      assertRefused(refused, 400, 'INVALID_FILTER', 'filter');
      assert.match(
        refused.json.error.message,
        /costs 792 comparisons for each of about 8002 entries, and 624/,
      );
      // A text is folded once, however many terms compare it.
      assert.equal((await filtered(caller, terms(99))).status, 200);
    }
  });

  test('finds names in any case, also of rows that another program wrote', async () => {
    for (const filter of [
      'name icontains "MANY 77"',
      `name icontains "MANY 77" and not name icontains "Y 770"`,
    ]) {
      const found = await filtered(reader, filter);
      const others = (await filtered(reader, filter.replaceAll('icontains "MANY', 'contains "Many'))).json;
      assert.equal(found.json.meta.pagination.totalCount, others.meta.pagination.totalCount);
      assert.ok(found.json.data.length > 5);
    }
  });

  test('of a short list may have as many terms as can be written', async () => {
    const answer = await reader.get(`auth-policies?filter=${encodeURIComponent(terms(99))}`);
    assert.deepEqual([answer.status, answer.json.data], [200, []]);
  });
});

describe('thirty of the worst filters of a reader at once', () => {
  test('leave a list of an administrator its turn, and are told when to come again', async () => {
    const order: string[] = [];
    const worst = Array.from({ length: 30 }, async () => {
      const answer = await filtered(reader, `${terms(99)} sort by name desc`);
      order.push('worst');
      return answer;
    });
    const own = root.get('identities?limit=1').then((answer) => {
      order.push('administrator');
      return answer;
    });
    const answers = await Promise.all(worst);
    assert.equal((await own).status, 200);
    const busy = answers.filter(({ status }) => status === 503);
    assert.equal(answers.filter(({ status }) => status === 200).length + busy.length, 30);
    assert.ok(busy.length >= 5, `${busy.length} were refused`);
    for (const answer of busy) {
      assertRefused(answer, 503, 'SERVER_BUSY');
      assert.equal(answer.headers['retry-after'], '5');
    }
    const before = order.slice(0, order.indexOf('administrator')).length;
    assert.ok(before - busy.length <= 5, `${before - busy.length} lists of the reader came first`);
  });
});

describe('reads of whole tables', () => {
  test('is for administrators, and refused in words to those who may only read', async () => {
    assertRefused(await reader.get('state'), 'kinds');
    const part = await reader.get('state?kinds=auth-policy,ca');
    assert.deepEqual(Object.keys(part.json.data), ['auth-policy', 'ca']);
    const policies = await reader.get('auth-policies?limit=1');
    const policy = policies.json.data[0];
    assertRefused(await reader.call('POST', 'auth-policies/preview', policy), 'id');
    const seen = await root.call('POST', 'auth-policies/preview', policy);
    assert.equal(seen.json.data.touched.count, count + 2);
    assert.equal((await reader.get('identities?limit=none')).json.data.length, mostOfReaders);
  });

  test('a preview tries no policy out for a reader, who may not save it', async () => {
    const id = createdId(await root.call('POST', 'auth-policies', { name: 'unused' }));
    const renamed = { id, name: 'renamed' };
    const seen = await reader.call('POST', 'auth-policies/preview', renamed);
    assert.equal(seen.json.data.touched.count, 0);
    const saved = await reader.call('PATCH', `auth-policies/${id}`, { name: 'renamed' });
    assert.equal(saved.status, 403);
    assert.equal(seen.json.data.objection, saved.json.error.message);
    assert.equal((await root.call('POST', 'auth-policies/preview', renamed)).json.data.objection, null);
    assert.equal((await root.call('DELETE', `auth-policies/${id}`)).status, 200);
  });

  test('has every entity once, in the order of names, for every size', async () => {
    const { data } = (await root.get('state')).json;
    const names: string[] = data.identity.map(({ name }: { name: string }) => name);
    assert.equal(names.length, count + 2);
    assert.deepEqual(names, [...new Set(names)].sort());
    assert.deepEqual(data.ca, []);
  });

  test('in every order and from every offset is what pages of the list say', async () => {
    for (const sort of ['', 'name desc', 'id desc', 'type, createdAt desc', 'externalId, name']) {
      const order = sort === '' ? '' : `&sort=${encodeURIComponent(sort)}`;
      const filter = `&filter=${encodeURIComponent('name contains "7"')}`;
      const whole = await root.get(`identities?limit=none&offset=13${order}${filter}`);
      const ids = (answer: Answer) => answer.json.data.map(({ id }: { id: string }) => id);
      const found = ids(whole);
      for (const offset of [0, 250, found.length - 20]) {
        const page = await root.get(`identities?limit=20&offset=${offset + 13}${order}${filter}`);
        assert.deepEqual(ids(page), found.slice(offset, offset + 20), `${sort} ${offset}`);
      }
      const { pagination } = whole.json.meta;
      assert.deepEqual(pagination, { limit: found.length, offset: 13, totalCount: found.length + 13 });
    }
    const beyond = await root.get('identities?limit=none&offset=30000');
    assert.equal(beyond.json.meta.pagination.totalCount, count + 2);
  });

  test('breaks off where it fails after its head was sent, which one line of the log says', async () => {
    const database = new DatabaseSync(`${server.home}/overlay.db`, { timeout: 5000 });
    const change = (sql: string) => database.exec(sql);
    change(`INSERT INTO identities (id, name, type, auth_policy_id, is_admin, role_attributes, tags, created_at, updated_at)
      SELECT 'zzz', 'zzz', 'Device', 'default', 0, '[]', 'no JSON', 0, 0`);
    const lines = () => server.log.entries.filter(({ fields }) => fields.errorCode === 'server_error');
    const already = lines().length;
    for (const [at, path] of ['identities?limit=none&sort=id', 'state'].entries()) {
      await assert.rejects(root.get(path), { code: 'ECONNRESET' });
      // With several threads, lines come after the answer.
      await server.controller.services.attempts.flush();
      const added = lines().slice(already + at);
      assert.deepEqual(
        added.map(({ level, message }) => [level, message]),
        [['error', 'answer broken off']],
      );
      assert.match(String(added[0]?.fields.path), /identities|state/);
      assert.match(JSON.stringify(added[0]?.fields.error), /JSON/);
    }
    // A client that goes away is no failure.
    await givenUp('identities?limit=none&sort=name');
    change(`DELETE FROM identities WHERE id = 'zzz'`);
    database.close();
    assert.equal((await root.get('identities?limit=none')).status, 200);
    await server.controller.services.attempts.flush();
    assert.equal(lines().length, already + 2);
  });

  test('is one at a time for a caller, who gets the next turn when a reading ends or is given up', async () => {
    // Answers that are not read to their end.
    for (let at = 0; at < 5; at += 1) {
      assert.equal((await root.call('HEAD', 'identities?limit=none')).status, 200);
      await givenUp('identities?limit=none');
    }
    const unread = await begun('identities?limit=none');
    let answered = 0;
    const calls = Array.from({ length: 7 }, async () => {
      const { status } = await root.get('auth-policies?limit=none');
      answered += 1;
      return status;
    });
    await eventually(
      () => answered,
      (now) => now >= 3,
    );
    unread.destroy();
    const statuses = (await Promise.all(calls)).sort();
    // Each thread has turns of its own, and the system chooses the thread.
    if (usualThreads === 1) assert.deepEqual(statuses, [200, 200, 200, 200, 503, 503, 503]);
    else assert.ok(statuses.filter((status) => status === 200).length >= 4);
    assert.equal((await root.get('state')).status, 200);
  });
});

/** Reads the first bytes of an answer and closes the connection. */
async function givenUp(path: string): Promise<void> {
  const answer = await begun(path);
  await once(answer, 'data');
  answer.destroy();
}

/** An answer that nobody reads: its caller keeps the turn. */
async function begun(path: string): Promise<IncomingMessage> {
  const sent = request(`${server.url}/edge/management/v1/${path}`, {
    ...{ rejectUnauthorized: false, agent: false },
    headers: { authorization: `Bearer ${root.accessToken}` },
  }).end();
  const [answer] = await once(sent, 'response');
  return answer;
}
