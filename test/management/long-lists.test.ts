// However long a list is, no other request waits for it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { atConsole } from '../pages/console-support.ts';
import { commandLine } from '../support/command-line.ts';
import { type Caller, password, rootOf } from '../support/management.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const count = 20_000;
let server: TestServer;
let admin: Caller;
before(async () => {
  server = await startTestServer({ db: 'sqlite:./overlay.db' });
  admin = await rootOf(server);
  const database = new DatabaseSync(`${server.home}/overlay.db`, { timeout: 5000 });
  database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO identities (id, name, type, auth_policy_id, is_admin, permissions, role_attributes, tags, created_at, updated_at)
    SELECT 'many-' || i, 'many ' || i, 'Device', 'default', 0, '[]', '["a","b"]', '{"site":"north"}', i % 1000, i FROM n`);
  database.close();
});
after(() => server.close());

describe('a list without a limit', () => {
  test('contains every entry once, in order, as JSON in the envelope', async () => {
    const answer = await admin.get('identities?limit=none&sort=createdAt%20desc,name');
    assert.equal(answer.status, 200);
    const { data, meta } = answer.json;
    assert.equal(data.length, count + 1);
    assert.deepEqual(meta.pagination, { limit: count + 1, offset: 0, totalCount: count + 1 });
    assert.equal(new Set(data.map(({ id }: { id: string }) => id)).size, count + 1);
    const created = data.map(({ createdAt }: { createdAt: string }) => createdAt);
    assert.deepEqual(created, created.toSorted().toReversed());
  });

  test('is not counted completely for one page, which says how many entries there are at least', async () => {
    const totalOf = async (parameters: string) =>
      (await admin.get(`identities?limit=10&${parameters}`)).json.meta.pagination;
    for (const [parameters, least] of [
      ['', 10_001],
      ['offset=15000', 15_011],
      ['filter=type%20%3D%20%22Device%22', 10_001],
      ['filter=name%20contains%20%22many%201%22', 10_001],
    ] as const) {
      const { totalCount, totalCountIsEstimate } = await totalOf(parameters);
      assert.deepEqual([totalCount, totalCountIsEstimate], [least, true], parameters);
    }
    // Where the list is short, or the page reaches its end, the number is exact as always.
    const short = await totalOf('filter=name%20contains%20%22many%20123%22');
    assert.deepEqual(short, { limit: 10, offset: 0, totalCount: 111 });
    const last = await totalOf(`offset=${count - 2}`);
    assert.deepEqual(last, { limit: 10, offset: count - 2, totalCount: count + 1 });
    const beyond = await totalOf(`offset=${count * 2}`);
    assert.ok(beyond.totalCount <= count * 2);
  });

  test('has the same entries on a page far behind as when it is read whole, in any order', async () => {
    for (const sort of ['name', 'name%20desc', 'createdAt', 'type%2CcreatedAt%20desc', 'externalId']) {
      const read = async (limit: number | 'none', offset: number): Promise<readonly string[]> =>
        (await admin.get(`identities?limit=${limit}&offset=${offset}&sort=${sort}`)).json.data.map(
          ({ id }: { id: string }) => id,
        );
      const whole = await read('none', 0);
      for (const offset of [999, 1000, 12_345, count - 2])
        assert.deepEqual(await read(7, offset), whole.slice(offset, offset + 7), `${sort} ${offset}`);
    }
  });

  test('shows that there are more in the console and on the command line', async () => {
    const guest = await atConsole(server, 'root', '/console/people?page=2');
    await guest.page.getByText('26 to 50 of more than 10000').waitFor();
    await guest.close();
    await using cli = commandLine();
    const ca = join(server.home, 'ca.pem');
    await cli.run(['login', server.url, '--ca', ca, '-u', 'root', '--password-stdin'], { input: password });
    const listed = await cli.run(['list', 'identities', '--limit', '1']);
    assert.equal(listed.stderr, '1 of more than 10000; all of them: --limit none\n');
  });

  test('has only the length when requested by HEAD', async () => {
    const answer = await admin.call('HEAD', 'identities?limit=none');
    assert.deepEqual([answer.status, answer.text], [200, '']);
  });
});
