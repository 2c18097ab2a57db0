import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { postgresSettings, prepared } from './postgres-connection.ts';

function connectionString(url: string): string {
  return String(postgresSettings(url).client.connectionString);
}

describe('a database URL', () => {
  test('that asks for TLS means a server that proves who it is', () => {
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
      assert.match(connectionString(`postgres://u@h/x?sslmode=${mode}`), /\?sslmode=verify-full$/);
    }
    for (const query of ['sslmode=disable', 'sslmode=no-verify', 'uselibpqcompat=true&sslmode=require']) {
      assert.equal(connectionString(`postgres://u@h/x?${query}`), `postgres://u@h/x?${query}`);
    }
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
      assert.equal(connections(query), 16);
    }
    assert.doesNotMatch(connectionString('postgres://u@h/x?pool_max_conns=40'), /pool_max_conns/);
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
