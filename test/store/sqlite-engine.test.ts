// What the SQLite engine promises beyond the contracts: shared syncs, and an answer for every intent, even after failures.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { hostFailure } from '../../src/cli/host/failures.ts';
import { CliError } from '../../src/cli/terminal/output.ts';
import type { ApiSessionId } from '../../src/model/ids.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { StoreUnavailable } from '../../src/store/contracts/store.ts';
import { OutOfTime } from '../../src/store/sql/engine.ts';
import { forced } from '../../src/store/sql/intent.ts';
import { sqlStore } from '../../src/store/sql/store.ts';
import {
  openSqliteEngine,
  type SqliteEngine,
  type SqliteEngineOptions,
} from '../../src/store/sqlite/engine.ts';
import { startWriter } from '../../src/store/sqlite/writer-thread.ts';
import { testBudget } from '../support/list-budget.ts';
import { promised } from '../support/until.ts';
import { createUser, newIdentity, newPassword, openSession, t0 } from './fixtures.ts';
import type { LimitedWriterSettings } from './limited-writer.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

describe('the SQLite engine', () => {
  let database: Awaited<ReturnType<typeof openSqliteDatabase>>;
  let engines: SqliteEngine[];

  beforeEach(async () => {
    database = await openSqliteDatabase();
    engines = [];
  });
  afterEach(async () => {
    for (const engine of engines) await engine.close();
    await database.drop();
  });

  function open(options: Partial<SqliteEngineOptions> = {}): SqliteEngine {
    const engine = openSqliteEngine({ path: database.path, ...options });
    engines.push(engine);
    return engine;
  }

  const create = (engine: SqliteEngine, identity = newIdentity(), password = newPassword()) =>
    engine.write('identities.create', [identity, password, t0]);

  async function countIdentities(engine: SqliteEngine): Promise<unknown> {
    return (await engine.read('SELECT count(*) AS total FROM identities'))[0]?.total;
  }

  const outcomesOf = async (writes: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(writes)).map((outcome) =>
      outcome.status === 'fulfilled' ? 'done' : (outcome.reason as Error).name,
    );

  describe('shares a sync', () => {
    test('intents of one moment share a commit', async () => {
      const engine = open();
      await create(engine);
      const { commits, intents } = { ...engine.counts };
      await Promise.all(Array.from({ length: 64 }, () => create(engine)));
      assert.equal(engine.counts.intents - intents, 64);
      assert.equal(engine.counts.commits - commits, 1);
    });

    test('intents of several requests in one turn of the event loop share a commit', async () => {
      const engine = open();
      await create(engine);
      const { commits } = { ...engine.counts };
      // Each callback ends with its own microtasks, like the requests of several connections.
      const request = () => new Promise((resolve) => setImmediate(() => resolve(create(engine))));
      await Promise.all(Array.from({ length: 64 }, request));
      assert.equal(engine.counts.commits - commits, 1);
    });

    test('intents that arrive during a commit share the next one', async () => {
      const engine = open();
      await create(engine);
      const { commits } = { ...engine.counts };
      const clients = Array.from({ length: 32 }, async () => {
        for (let round = 0; round < 20; round += 1) await create(engine);
      });
      await Promise.all(clients);
      const used = engine.counts.commits - commits;
      assert.ok(used < (32 * 20) / 4, `${used} commits for ${32 * 20} intents`);
    });

    test('one that fails undoes only its own changes', async () => {
      const engine = open();
      const taken = newPassword();
      await create(engine, newIdentity(), taken);
      const identities = Array.from({ length: 9 }, () => newIdentity());
      const { commits } = { ...engine.counts };
      const outcomes = await outcomesOf(
        identities.map((identity, at) => create(engine, identity, at % 3 === 1 ? taken : newPassword())),
      );
      assert.equal(engine.counts.commits - commits, 1);
      const failed = 'AlreadyTaken';
      assert.deepEqual(outcomes, ['done', failed, 'done', 'done', failed, 'done', 'done', failed, 'done']);
      for (const [at, { id }] of identities.entries()) {
        const rows = await engine.read('SELECT id FROM identities WHERE id = ?', id);
        assert.equal(rows.length, outcomes[at] === 'done' ? 1 : 0);
      }
    });

    test('a defect of one intent affects only its caller', async () => {
      const engine = open();
      const broken = [null, null, t0];
      const uncloneable = [newIdentity({ tags: { f: (() => 1) as never } }), null, t0];
      const writes = [
        create(engine),
        engine.write('identities.create', broken),
        engine.write('identities.create', uncloneable),
        engine.write('no.intent', broken),
        create(engine),
      ];
      const outcomes = await outcomesOf(writes);
      assert.deepEqual(outcomes, ['done', 'Error', 'CallFailed', 'Error', 'done']);
      assert.equal(await countIdentities(engine), 2);
    });
  });

  describe('when the disk is full', () => {
    async function limited() {
      const { port1, port2 } = new MessageChannel();
      const engine = open({
        startWriter: (settings) =>
          new Worker(new URL('./limited-writer.ts', import.meta.url), {
            workerData: { ...settings, limits: port2 } satisfies LimitedWriterSettings,
            transferList: [port2],
          }),
      });
      return {
        engine,
        async limit(pages: number) {
          port1.postMessage(pages);
          await once(port1, 'message');
        },
        close: () => port1.close(),
      };
    }

    test('whole batches fail, what was acknowledged stays, and it works again when there is space', async () => {
      const { engine, limit, close } = await limited();
      await create(engine);
      await limit(1);
      let acknowledged = 1;
      let refused = 0;
      for (let round = 0; round < 60 && refused === 0; round += 1) {
        const outcomes = await outcomesOf(Array.from({ length: 16 }, () => create(engine)));
        assert.equal(new Set(outcomes).size, 1, 'a batch is one commit');
        if (outcomes[0] === 'done') acknowledged += outcomes.length;
        else {
          assert.equal(outcomes[0], 'StoreUnavailable');
          refused += outcomes.length;
        }
      }
      assert.ok(refused > 0);
      assert.equal(await countIdentities(engine), acknowledged);
      // A command says the same as if it had written by itself.
      const again = Promise.all(Array.from({ length: 16 }, () => create(engine)));
      await assert.rejects(again, (error) => {
        const failure = hostFailure(error);
        assert.ok(failure instanceof CliError);
        assert.match(String(failure.next), /^free space on the disk/);
        return true;
      });
      await limit(100_000);
      await create(engine);
      assert.equal(await countIdentities(engine), acknowledged + 1);
      close();
    });
  });

  describe('when its thread ends', () => {
    test('a pending intent fails as unavailable, and the next intent starts another thread', async () => {
      const workers: Worker[] = [];
      const engine = open({
        startWriter(settings) {
          const worker = startWriter(settings);
          workers.push(worker);
          return worker;
        },
      });
      await create(engine);
      for (let round = 1; round <= 3; round += 1) {
        const before = Number(await countIdentities(engine));
        const writes = Array.from({ length: 64 }, () => create(engine));
        const settled = outcomesOf(writes);
        await Promise.resolve();
        await workers.at(-1)?.terminate();
        const outcomes = await settled;
        const done = outcomes.filter((outcome) => outcome === 'done').length;
        assert.equal(outcomes.filter((outcome) => outcome === 'StoreUnavailable').length, 64 - done);
        // A commit whose answer was lost may have taken effect; a commit is all or nothing.
        const added = Number(await countIdentities(engine)) - before;
        assert.ok(added === 64 || added === done, `${added} added, ${done} acknowledged`);
        await create(engine);
        assert.equal(workers.length, round + 1);
        assert.equal(Number(await countIdentities(engine)), before + added + 1);
      }
    });

    test('a thread that cannot start fails each intent and is not started over and over', async () => {
      let started = 0;
      const engine = open({
        startWriter(settings) {
          started += 1;
          return startWriter({ ...settings, path: `${settings.path}/nowhere` });
        },
      });
      await assert.rejects(create(engine), StoreUnavailable);
      await assert.rejects(create(engine), StoreUnavailable);
      assert.equal(started, 2);
      assert.equal(await countIdentities(engine), 0);
    });
  });

  /** A session of an identity of its own. @returns its id */
  async function addSession(engine: SqliteEngine): Promise<ApiSessionId> {
    const store = sqlStore(engine);
    return openSession(store, await createUser(store));
  }

  describe('beside the engine of another thread', () => {
    /** As another thread opens it; the engines share the thread that writes. */
    function beside(first: SqliteEngine): SqliteEngine {
      return open({
        joinWriter() {
          const { port1, port2 } = new MessageChannel();
          first.letWrite(port1);
          return port2;
        },
      });
    }

    test('simultaneous writes are synced together, and each gets its own answers', async () => {
      const first = open();
      const second = beside(first);
      await Promise.all([create(first), create(second)]);
      // Holds the writer, so that everything sent meanwhile becomes one batch.
      const other = new DatabaseSync(database.path);
      other.exec('BEGIN IMMEDIATE');
      const held = create(first);
      const commits = first.counts.commits;
      await nextTurn();
      const writes = [first, second, first, second].map((engine) => create(engine));
      const uncloneable = newIdentity({ tags: { f: (() => 1) as never } });
      await assert.rejects(create(second, uncloneable), { thrown: 'DataCloneError' });
      await nextTurn();
      other.close();
      assert.deepEqual(await outcomesOf([held, ...writes]), Array(5).fill('done'));
      // The writer may have begun with the first one before the others were sent.
      assert.ok(first.counts.commits <= commits + 2, `${first.counts.commits - commits} commits`);
      assert.equal(await countIdentities(second), 7);
    });

    test('only its own commits are announced as such', async () => {
      const first = open();
      const second = beside(first);
      const notices: string[] = [];
      for (const [name, engine] of Object.entries({ first, second })) {
        engine.onChange(async (notice) => void (notice === 'own' && notices.push(name)));
      }
      const forget = async (engine: SqliteEngine) => {
        const identity = newIdentity();
        await create(engine, identity);
        await engine.write('identities.delete', [identity.id, t0], { how: forced });
      };
      await forget(second);
      assert.deepEqual(notices, ['second']);
      await forget(first);
      assert.deepEqual(notices, ['second', 'first']);
    });

    test('when the writer thread ends, both continue with another one', async () => {
      const workers: Worker[] = [];
      const first = open({
        startWriter(settings) {
          workers.push(startWriter(settings));
          return workers.at(-1) as Worker;
        },
      });
      const second = beside(first);
      await Promise.all([create(first), create(second)]);
      const pending = outcomesOf([create(second)]);
      await Promise.resolve();
      await workers[0]?.terminate();
      assert.match((await pending)[0] ?? '', /done|StoreUnavailable/);
      await create(second);
      await create(first);
      assert.equal(workers.length, 2);
    });

    test('both see the version of a session rise before a change of it is acknowledged', async () => {
      const first = open();
      const second = beside(first);
      await create(second);
      for (const engine of [first, second, first]) {
        const id = await addSession(engine);
        const before = [first, second].map((each) => each.sessionVersion(id));
        assert.ok(typeof before[0] === 'number' && before[0] === before[1]);
        assert.equal(await engine.write('apiSessions.end', [id, 'logout', t0]), true);
        const after = [first, second].map((each) => each.sessionVersion(id));
        assert.equal(after[0], after[1]);
        assert.notEqual(after[0], before[0]);
      }
    });

    test('a new writer thread raises every version: the one before may have died after its commit', async () => {
      const workers: Worker[] = [];
      const first = open({
        startWriter(settings) {
          workers.push(startWriter(settings));
          return workers.at(-1) as Worker;
        },
      });
      const second = beside(first);
      await Promise.all([create(first), create(second)]);
      const id = await addSession(first);
      const before = first.sessionVersion(id);
      await workers[0]?.terminate();
      await create(first);
      assert.equal(workers.length, 2);
      for (const engine of [first, second]) assert.notEqual(engine.sessionVersion(id), before);
    });

    test('closing one does not affect the other', async () => {
      const first = open();
      const second = beside(first);
      const write = create(second);
      await second.close();
      await write;
      await create(first);
      assert.equal(await countIdentities(first), 2);
    });
  });

  test('a list ends when its time is over, and the next one is read as usual', async () => {
    const engine = open();
    await create(engine);
    const list = (time: number, sql: string) =>
      engine.inTurn({ ...testBudget, time }, (read) => read({ sql, params: [] }));
    const numbers =
      'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS total';
    const endless = `${numbers} FROM n, identities WHERE within_time(identities.rowid)`;
    await assert.rejects(list(20, endless), OutOfTime);
    assert.deepEqual(
      (await list(1000, 'SELECT 1 AS one FROM identities WHERE within_time(rowid)')).map(({ one }) => one),
      [1],
    );
  });

  describe('when another process writes', () => {
    test('waits for it', async () => {
      const engine = open();
      const other = new DatabaseSync(database.path);
      other.exec('BEGIN IMMEDIATE');
      const write = create(engine);
      assert.equal(
        await Promise.race([write, new Promise((resolve) => setTimeout(resolve, 50, 'waits'))]),
        'waits',
      );
      assert.equal(await countIdentities(engine), 0);
      other.exec('COMMIT');
      other.close();
      await write;
      assert.equal(await countIdentities(engine), 1);
    });

    test('gives up after a time, and works again when the other is done', async () => {
      const engine = open({ writeBusyTimeout: 60 });
      await create(engine);
      const other = new DatabaseSync(database.path);
      other.exec('BEGIN IMMEDIATE');
      const begun = systemClock.monotonic();
      assert.deepEqual(await outcomesOf([create(engine), create(engine)]), [
        'StoreUnavailable',
        'StoreUnavailable',
      ]);
      assert.ok(systemClock.monotonic() - begun < promised(2000));
      other.close();
      await create(engine);
    });

    test('lets a limited number wait', async () => {
      const engine = open();
      await create(engine);
      const other = new DatabaseSync(database.path);
      other.exec('BEGIN IMMEDIATE');
      const clear = () => engine.write('attempts.clear', [[]]);
      const waiting = Array.from({ length: 10_000 }, clear);
      await assert.rejects(clear(), { name: 'StoreUnavailable', message: 'too many writes are waiting' });
      other.close();
      await Promise.all(waiting);
      await clear();
    });
  });

  describe('when it closes', () => {
    test('settles what is under way, then refuses, and leaves one file', async () => {
      await database.store.close();
      const engine = open();
      const writes = Array.from({ length: 200 }, () => create(engine));
      const closed = engine.close();
      await assert.rejects(create(engine), StoreUnavailable);
      await closed;
      assert.deepEqual(new Set(await outcomesOf(writes)), new Set(['done']));
      await assert.rejects(countIdentities(engine), StoreUnavailable);
      await assert.rejects(create(engine), StoreUnavailable);
      await engine.close();
      assert.equal(existsSync(`${database.path}-wal`), false);
      assert.equal(await countIdentities(open()), 200);
    });

    test('ends also when its thread has died, or nothing was ever written', async () => {
      const workers: Worker[] = [];
      const engine = open({
        startWriter(settings) {
          workers.push(startWriter(settings));
          return workers.at(-1) as Worker;
        },
      });
      await workers[0]?.terminate();
      await engine.close();
      await open().close();
    });
  });
});
