import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PostgresTlsError } from '../../platform/network/postgres-tls.ts';
import { postgresSettings, prepared, readOnlyState } from './connection.ts';

function connectionString(url: string): string {
  return String(postgresSettings(url).server.all[0]);
}

describe('a database URL', () => {
  test('that asks for TLS requires a server that proves who it is, however pg interprets it', () => {
    const settings = (query: string, env = {}) => postgresSettings(`postgres://u@h/x${query}`, env);
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
      assert.deepEqual(settings(`?sslmode=${mode}`).tls(), { rejectUnauthorized: true });
      assert.deepEqual(settings('', { PGSSLMODE: mode }).tls(), { rejectUnauthorized: true });
    }
    assert.deepEqual(settings('?sslmode=no-verify').tls(), { rejectUnauthorized: false });
    for (const query of ['', '?sslmode=disable']) assert.equal(settings(query).tls(), false);
    for (const query of ['sslmode=verify_full', 'uselibpqcompat=true&sslmode=require']) {
      assert.throws(() => settings(`?${query}`), PostgresTlsError);
    }
    assert.equal(connectionString('postgres://u@h/x?sslmode=require'), 'postgres://u@h/x');
  });

  test('says how many connections there are; nonsense is the default', () => {
    const connections = (query: string) => postgresSettings(`postgres://u@h/x${query}`).maxConnections;
    assert.equal(connections('?pool_max_conns=40'), 40);
    for (const query of [
      '',
      '?pool_max_conns=',
      '?pool_max_conns=1',
      '?pool_max_conns=-3',
      '?pool_max_conns=x',
    ]) {
      assert.equal(connections(query), 24);
    }
    assert.doesNotMatch(connectionString('postgres://u@h/x?pool_max_conns=40'), /pool_max_conns/);
  });

  test('that names a pooler leaves limits to the role, and has a connection of its own for sessions', () => {
    const pooled = postgresSettings(
      'postgres://u@pooler:6432/x?pooler=transaction&direct=db:5432&pool_max_conns=4',
    );
    assert.equal(pooled.server.all[0], 'postgres://u@pooler:6432/x');
    assert.deepEqual([pooled.client.statement_timeout, pooled.client.lock_timeout], [undefined, undefined]);
    assert.equal(pooled.session?.server.all[0], 'postgres://u@db:5432/x');
    assert.equal(pooled.session?.client.statement_timeout, 15_000);
    assert.equal(postgresSettings('postgres://u@pooler/x?pooler=transaction').session, null);
    assert.equal(postgresSettings('postgres://u@h/x').session?.server.all[0], 'postgres://u@h/x');
  });

  test('with several hosts leads to the first that is the primary, and again after that was lost', async () => {
    const { server } = postgresSettings('postgres://u:p%40@a:5433/x?hosts=b,[::1]:5434&pool_max_conns=4');
    const all = ['postgres://u:p%40@a:5433/x', 'postgres://u:p%40@b/x', 'postgres://u:p%40@[::1]:5434/x'];
    assert.deepEqual(server.all, all);
    let primary = 1;
    const asked: string[] = [];
    const probe = async (one: string) => {
      asked.push(one);
      if (one !== all[primary])
        throw Object.assign(new Error(`${one} is a replica`), { code: readOnlyState });
    };
    assert.deepEqual(await Promise.all([server.find(probe), server.find(probe)]), [all[1], all[1]]);
    assert.equal(await server.find(probe), all[1]);
    assert.deepEqual(asked, all.slice(0, 2));
    primary = 2;
    server.lost();
    assert.equal(await server.find(probe), all[2]);
    primary = 3;
    server.lost();
    await assert.rejects(server.find(probe), /5434\/x is a replica/);
  });

  test('with several hosts says what an operator can mend, rather than that the other one is away or a replica', async () => {
    const { server } = postgresSettings('postgres://u@a/x?hosts=b,c');
    const refusing = (codes: readonly string[]) => async (one: string) => {
      throw Object.assign(new Error(one), { code: codes[server.all.indexOf(one)] });
    };
    const wrongPassword = '28P01';
    const away = 'ECONNREFUSED';
    for (const [codes, said] of [
      [[wrongPassword, away, readOnlyState], 'a'],
      [[readOnlyState, wrongPassword, away], 'b'],
      [[readOnlyState, away, readOnlyState], 'b'],
      [[away, readOnlyState, readOnlyState], 'a'],
      [[readOnlyState, readOnlyState, readOnlyState], 'c'],
    ] as const) {
      await assert.rejects(server.find(refusing(codes)), { message: `postgres://u@${said}/x` }, codes.join());
    }
  });

  test('keeps its password as it is', () => {
    const url = 'postgres://u:p%40%2F%3A%25@h/x?pool_max_conns=4&application_name=a';
    assert.match(connectionString(url), /^postgres:\/\/u:p%40%2F%3A%25@h\/x\?application_name=a$/);
  });
});

test('placeholders are numbered, and a text keeps its name', () => {
  const statement = { sql: 'SELECT ? AS a, ? AS b', params: ['x\0y', 1] };
  const { name, text, values } = prepared(statement);
  assert.deepEqual([text, values], ['SELECT $1 AS a, $2 AS b', ['x\ufffdy', 1]]);
  assert.equal(prepared(statement).name, name);
  assert.notEqual(prepared({ sql: 'SELECT 1', params: [] }).name, name);
});
