// Servers that speak the protocol and do not do what they answer are refused at the start, by name. Poolers that do so are
// judged by `npm run judges:postgres`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { postgresServer } from '../support/postgres.ts';

/** What some engines do: they know the function, and it does nothing. @returns the URL of a database that does so */
async function databaseWithout(pretended: string, instead = 'SELECT'): Promise<string> {
  const url = new URL(await (await postgresServer()).createDatabase());
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query('CREATE SCHEMA pretending');
  await client.query(`CREATE FUNCTION pretending.${pretended} RETURNS void LANGUAGE sql AS '${instead}'`);
  await client.end();
  url.searchParams.set('options', '-csearch_path=pretending,pg_catalog,public');
  return url.href;
}

test('a server whose advisory locks exclude no other connection is refused', async () => {
  const url = await databaseWithout('pg_advisory_xact_lock(int, int)');
  await assert.rejects(openPostgresStore({ url }), /held the same advisory lock.*one server/);
});

test('a server that delivers no notification is refused', async () => {
  const url = await databaseWithout('pg_notify(text, text)');
  await assert.rejects(openPostgresStore({ url }), /no notification arrives.*pooler=transaction/);
});

test('a server that ends the listening connection is refused, and nothing else of the process fails', async () => {
  const others = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  const ending = `SELECT pg_terminate_backend(pid, 5000) ${others}; SELECT`;
  const url = await databaseWithout('pg_notify(text, text)', ending);
  await assert.rejects(openPostgresStore({ url }), /no notification arrives/);
});
