import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../src/config/load.ts';
import { openStore } from '../../src/controller/database.ts';
import type { ListQuery } from '../../src/model/list-query.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/contracts/store.ts';
import { testBudget } from '../../test/support/list-budget.ts';
import { openConnection } from '../load/connection.ts';
import type { OverlayHome } from '../overlay/home.ts';
import { openSeed } from '../overlay/seed.ts';
import type { SeedDatabase } from '../overlay/seed-database.ts';
import type { Findings } from '../report.ts';
import type { Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import { overlayLogin } from './code-flow-steps.ts';
import type { Operation } from './operation.ts';

const tables = ['identities', 'authenticators', 'api_sessions', 'auth_requests', 'login_attempts'] as const;

/** Bytes of a table and of its indexes. */
async function sizeOf(database: SeedDatabase, table: string): Promise<readonly [number, number]> {
  const [row] =
    database.engine === 'postgres'
      ? await database.rows(
          `SELECT pg_table_size('${table}') AS rows, pg_indexes_size('${table}') AS indexes`,
        )
      : await database.rows(
          `SELECT sum(CASE WHEN name = '${table}' THEN pgsize ELSE 0 END) AS rows,
             sum(CASE WHEN name <> '${table}' THEN pgsize ELSE 0 END) AS indexes
           FROM dbstat WHERE aggregate = TRUE AND name IN
             (SELECT name FROM sqlite_schema WHERE tbl_name = '${table}')`,
        );
  return [Number(row?.rows), Number(row?.indexes)];
}

const everything: ListQuery = { filter: { op: 'true' }, sort: [], limit: 10, offset: 0, budget: testBudget };

/** What an administrator looks at, in words and as the store is asked. */
function lists(store: Store, count: number): readonly (readonly [string, () => Promise<unknown>])[] {
  const now = systemClock.now();
  const named = `filled-${Math.floor(count / 2)}`;
  const by = (changes: Partial<ListQuery>): ListQuery => ({ ...everything, ...changes });
  const newestFirst = [{ field: 'createdAt', descending: true }];
  return [
    ['identities, first page', () => store.identities.list(everything)],
    [
      'identities, one by name',
      () => store.identities.list(by({ filter: { op: '=', field: 'name', value: named } })),
    ],
    [
      'identities, name contains',
      () => store.identities.list(by({ filter: { op: 'contains', field: 'name', value: named } })),
    ],
    ['identities, page in the middle', () => store.identities.list(by({ offset: Math.floor(count / 2) }))],
    ['identities, newest first', () => store.identities.list(by({ sort: newestFirst }))],
    ['API sessions, first page', () => store.apiSessions.list(everything, now)],
    [
      'API sessions of an identity by name',
      () => store.apiSessions.list(by({ filter: { op: '=', field: 'identity', value: named } }), now),
    ],
    ['API sessions, newest first', () => store.apiSessions.list(by({ sort: newestFirst }), now)],
    ['authenticators, first page', () => store.authenticators.list(everything)],
    ['login attempts, first page', () => store.loginAttempts.list(everything)],
    [
      'login attempts, latest first',
      () => store.loginAttempts.list(by({ sort: [{ field: 'at', descending: true }] })),
    ],
    ['ended sessions at start', () => readAll(store.apiSessions.listEnded(now, now - 3_600_000))],
  ];
}

async function readAll(parts: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of parts);
}

async function openStoreOf(home: OverlayHome): Promise<Store> {
  const readFile = (path: string) => readFileSync(path, 'utf8');
  return openStore(loadConfig(home.configFile, { readFile, env: {} }).config);
}

/** The record of a login is written behind the answer. */
async function untilRecorded(database: SeedDatabase): Promise<void> {
  while ((await database.rows('SELECT 1 FROM login_attempts')).length === 0) await sleep(50);
}

/** How long a call takes, of three the median; or why it fails. */
async function duration(ask: () => Promise<unknown>): Promise<string> {
  const taken: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const begun = performance.now();
    try {
      await ask();
    } catch (error) {
      return String(error);
    }
    taken.push(performance.now() - begun);
  }
  return `${median(taken).toFixed(1)} ms`;
}

/** How large a database becomes, and how long its lists take then. */
export const databaseSize: Operation = {
  name: 'database-size',
  async run(stage: Stage): Promise<Findings> {
    const home = await stage.newHome('size');
    const process = await stage.start(home);
    const seed = await openSeed(home);
    const figures: (readonly [string, string])[] = [];
    const [user = ''] = await seed.users(1);
    const connection = await openConnection(process.port);
    await overlayLogin(connection, user)();
    connection.close();
    await untilRecorded(seed.database);
    await process.stop();
    const empty = new Map<string, readonly [number, number]>();
    for (const table of tables) empty.set(table, await sizeOf(seed.database, table));
    await seed.fill(stage.sessions);
    await seed.fillLogins(user);
    const each = (bytes: number) => `${Math.round(bytes / stage.sessions)} bytes`;
    for (const table of tables) {
      const [rows, indexes] = await sizeOf(seed.database, table);
      const [rowsBefore, indexesBefore] = empty.get(table) ?? [0, 0];
      figures.push([
        `a row of ${table}`,
        `${each(rows - rowsBefore)}, its index entries ${each(indexes - indexesBefore)}`,
      ]);
    }
    const store = await openStoreOf(home);
    for (const [what, ask] of lists(store, stage.sessions)) figures.push([what, await duration(ask)]);
    await store.close();
    await seed.close();
    return {
      title: `Size of the database, ${stage.engine}`,
      about: `With ${stage.sessions.toLocaleString('en')} identities, each with a password, a session and one login: what a row takes, and how long lists take.`,
      figures,
      verdicts: [],
    };
  },
};
