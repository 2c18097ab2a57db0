import assert from 'node:assert/strict';
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { ourSchema, schemaVersion } from '../../src/store/migrations/migrate.ts';
import { withPostgres } from '../../src/store/postgres/open.ts';
import { clientOfHome, sandbox, stopped, untilReady } from '../support/command.ts';
import { login, refresh } from '../support/flow.ts';
import { query, startPostgres } from '../support/postgres.ts';
import { isFullSize } from '../support/size.ts';

const config = ['--config', 'h/controller.yml'];
const adminPassword = 'correct horse battery';

// One that syncs: the check of a database looks at that too.
const server = await startPostgres();
after(() => server.close());

describe('the commands on PostgreSQL', () => {
  test('set up, run, and care for a database', async (t) => {
    const db = await server.createDatabase();
    const box = sandbox();
    t.after(() => box.close());
    const init = await box.run(['init', '--home', 'h', '--address', 'localhost:0', '--db', db, '-j']);
    assert.equal(init.code, 0, init.stderr);
    const made = JSON.parse(init.stdout).steps.find((step: { what: string }) => step.what === 'database');
    assert.deepEqual([made.made, made.detail.split(',')[0], made.path], ['created', 'PostgreSQL', null]);
    assert.equal(existsSync(join(box.cwd, 'h', 'overlay.db')), false);
    assert.equal(statSync(join(box.cwd, 'h', 'controller.yml')).mode & 0o077, 0);
    const outputs = [init];

    for (const [args, input, said] of [
      [['admin', 'create', 'ana', '--password-stdin', ...config], `${adminPassword}\n`, /ana/],
      [['keys', 'list', ...config], '', /ES256/],
      [['ops', 'db', 'migrate', ...config], '', /schema version \d+/],
      [['ops', 'db', 'check', ...config], '', /is sound/],
      [['config', 'show', 'h/controller.yml'], '', /:\*\*\*@localhost/],
      [['run', 'controller', 'h/controller.yml', '--check', '-j'], '', /:\*\*\*@localhost/],
    ] as const) {
      const done = await box.run(args, { input });
      assert.equal(done.code, 0, `${args.join(' ')}: ${done.stderr}`);
      assert.match(done.stdout, said);
      outputs.push(done);
    }
    const risky = await box.exits(1, ['ops', 'db', 'check', ...config], {
      env: { OVERLAY_AUTH_DB: `${db}&options=${encodeURIComponent('-c synchronous_commit=off')}` },
    });
    assert.match(risky.stderr, /synchronous_commit is off.*\nnext: correct this on the database server/);
    const check = ['run', 'controller', 'h/controller.yml', '--check'];
    const name = new URL(db).pathname.slice(1);
    const admin = db.replace(name, 'postgres');
    for (const schema of ['public', 'nothing']) {
      await query(admin, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await query(admin, `ALTER DATABASE ${name} SET search_path = ${schema}`);
      const readOnly = await box.exits(5, check);
      assert.match(
        readOnly.stderr,
        /only read: default_transaction_read_only is on\.\nnext: name the primary/,
      );
    }
    await query(admin, `ALTER DATABASE ${name} RESET ALL`);
    const standby = await server.startStandby();
    t.after(() => standby.close());
    const file = join(box.cwd, 'h', 'controller.yml');
    const yaml = readFileSync(file, 'utf8');
    writeFileSync(file, yaml.replace(/^db: .*$/m, `db: ${JSON.stringify(standby.urlOf(name))}`));
    const replica = await box.exits(5, check);
    assert.match(replica.stderr, /the server is a replica: .*\nnext: name the primary/);
    writeFileSync(file, yaml);

    for (const [args, said] of [
      [
        ['backup', 'copy'],
        /use pg_dump.*\nnext: when one is complete, run: overlay-auth ops db backed-up --config h\/controller\.yml\n/,
      ],
      [
        ['restore', 'copy', '--yes'],
        /pg_restore\.\nnext: stop all controllers, .*: overlay-auth ops db restored --config h\/controller\.yml\n/,
      ],
      [['move', '--to', db], /is on PostgreSQL already\.\nnext: .* pg_dump and pg_restore, and correct db/],
    ] as const) {
      const { stderr } = await box.exits(1, ['ops', 'db', ...args, ...config]);
      assert.match(stderr, said);
    }

    // Two on one home and one database: nothing refuses the second.
    const runs = [1, 2].map(() =>
      box.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']),
    );
    for (const run of runs) {
      const { url } = await untilReady(run);
      const client = clientOfHome(url, join(box.cwd, 'h'));
      assert.ok((await login(client, 'ana', adminPassword)).refresh_token);
      client.closeConnections();
    }
    // To a release that knows no database older than its own, these two are of the release before.
    await query(db, `UPDATE schema_version SET version = ${ourSchema.usableBy - 1}`);
    const inTheWay = await box.run(['ops', 'db', 'migrate', ...config]);
    await query(db, `UPDATE schema_version SET version = ${schemaVersion}`);
    assert.equal(inTheWay.code, 1);
    assert.match(inTheWay.stderr, /controllers run on it: \S+ \(.*\), \S+ \(.*\)\.\nnext: stop all of them/);
    for (const run of runs) {
      const ended = await stopped(run);
      assert.equal(ended.code, 0);
      outputs.push(ended);
    }
    for (const { stdout, stderr } of outputs) assert.ok(!`${stdout}${stderr}`.includes(server.password));
    const log = readFileSync(join(box.cwd, 'h', 'controller.log'), 'utf8');
    assert.ok(!log.includes(server.password));
  });

  test('a second home needs the key of the first', async (t) => {
    const db = await server.createDatabase();
    const box = sandbox();
    t.after(() => box.close());
    const first = await box.exits(0, ['init', '--home', 'h', '--db', db]);
    assert.match(
      first.stderr,
      /^h\/controller\.yml contains the password of the database; only its owner can/m,
    );
    const second = await box.run(['init', '--home', 'other', '--db', db]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, /not the key it was sealed with .*\nnext: copy the folder secrets/);
  });

  test('a database that cannot be used is reported in one sentence with exit code 5', async (t) => {
    const box = sandbox();
    t.after(() => box.close());
    await box.home('h');
    for (const [url, reason] of [
      [
        'postgres://overlay:hunter2@127.0.0.1:1/x',
        /ECONNREFUSED 127\.0\.0\.1:1\.\nnext: check that its server/,
      ],
      [`${server.urlOf('absent')}`, /database "absent" does not exist\.\n/],
    ] as const) {
      for (const args of [
        ['run', 'controller', 'h/controller.yml'],
        ['ops', 'db', 'check', ...config],
        ['init', '--home', 'fresh'],
      ]) {
        const { code, stdout, stderr } = await box.run(args, { env: { OVERLAY_AUTH_DB: url } });
        assert.equal(code, 5, stderr);
        assert.match(stderr, /^error: The database cannot be used: /);
        assert.match(stderr, reason);
        assert.ok(!`${stdout}${stderr}`.includes('hunter2') && !stderr.includes(server.password));
      }
    }
    const foreign = await server.createDatabase();
    await query(foreign, 'CREATE TABLE theirs (id int)');
    const refused = await box.run(['ops', 'db', 'migrate', ...config], { env: { OVERLAY_AUTH_DB: foreign } });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /belongs to another program.*\nnext: do what it says, or name another/);
    await query(foreign, `CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`);
    const encoded = await box.exits(1, ['ops', 'db', 'migrate', ...config], {
      env: { OVERLAY_AUTH_DB: server.urlOf('ascii') },
    });
    assert.match(encoded.stderr, /is SQL_ASCII: create it with ENCODING 'UTF8'\.\nnext: do what it says, or/);

    // Created, and nothing in it: perhaps not the one that was meant.
    const empty = await box.exits(1, ['ops', 'db', 'check', ...config], {
      env: { OVERLAY_AUTH_DB: await server.createDatabase() },
    });
    assert.match(empty.stderr, /There is no database at postgres:.*\nnext: correct db in the configuration/);
    const misspelt = await box.exits(1, ['ops', 'db', 'check', ...config], {
      env: { OVERLAY_AUTH_DB: 'postgress://a/b' },
    });
    assert.match(misspelt.stderr, /OVERLAY_AUTH_DB: db: .*\n.*\nnext: correct the variable, or unset it/);
  });

  test('work for as long as they need, whatever limits the role, the database or the URL has', async () => {
    const db = await server.createDatabase();
    // Older servers lack one of them.
    const found = await query(
      db,
      `SELECT name FROM pg_settings WHERE name IN
         ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`,
    );
    const limits = found.map(({ name }) => String(name));
    for (const limit of limits)
      await query(db, `ALTER DATABASE ${new URL(db).pathname.slice(1)} SET ${limit} = '7s'`);
    const url = `${db}&statement_timeout=9000&query_timeout=9000`;
    await withPostgres(url, async (client) => {
      for (const limit of limits) {
        const { rows } = await client.query(`SHOW ${limit}`);
        assert.deepEqual(rows, [{ [limit]: '0' }]);
      }
    });
  });
});

describe('ops db move', () => {
  test('keeps every session: what was issued before works afterwards, once', async (t) => {
    const db = await server.createDatabase();
    const box = sandbox();
    t.after(() => box.close());
    await box.home('h', 'localhost:0');
    await box.run(['admin', 'create', 'ana', '--password-stdin', ...config], {
      input: `${adminPassword}\n`,
    });
    const start = async () => {
      const run = box.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
      return { run, client: clientOfHome((await untilReady(run)).url, join(box.cwd, 'h')) };
    };
    const move = (to = db) => box.run(['ops', 'db', 'move', '--to', to, ...config]);

    const before = await start();
    const first = await login(before.client, 'ana', adminPassword);
    const second = (await refresh(before.client, first.refresh_token)).json;
    const other = await login(before.client, 'ana', adminPassword);
    const busy = await move();
    assert.equal(busy.code, 1);
    assert.match(busy.stderr, /Another controller is running/);
    before.client.closeConnections();
    await stopped(before.run);

    const occupied = await server.createDatabase();
    await query(occupied, 'CREATE TABLE theirs (id int)');
    const refused = await move(occupied);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /target database is not empty/);
    assert.equal((await move('sqlite:other.db')).code, 2);
    const nowhere = await move(db.replace(/t_[0-9a-f]+/, 'nowhere'));
    assert.equal(nowhere.code, 5);
    assert.match(nowhere.stderr, /"nowhere" does not exist\.\nnext: .* or correct its name\n$/);
    assert.equal(existsSync(join(box.cwd, 'h', 'overlay.db')), true);

    const configuration = join(box.cwd, 'h', 'controller.yml');
    chmodSync(configuration, 0o644);
    const url = new URL(db);
    url.searchParams.set('password', server.password);
    url.password = '';
    // Stands for a folder or a disk that cannot be written to.
    mkdirSync(`${configuration}.partial`);
    assert.equal((await move(url.href)).code, 1);
    rmdirSync(`${configuration}.partial`);
    const moved = await move(url.href);
    assert.equal(moved.code, 0, moved.stderr);
    assert.equal(statSync(configuration).mode & 0o777, 0o600, 'it contains the password now');
    assert.match(moved.stderr, /copied and compared api_sessions: 2\n/);
    assert.doesNotMatch(moved.stderr, /: 0\n/, 'an empty table needs no line');
    const [, tables, rows] = /copied and compared (\d+) tables: (\d+) rows\n/.exec(moved.stderr) ?? [];
    assert.ok(Number(tables) > moved.stderr.split('copied and compared').length);
    assert.match(moved.stdout, new RegExp(`^Moved ${rows} rows to postgres:`));
    assert.match(moved.stdout, /^Moved \d+ rows to postgres:\/\/overlay@.*password=\*\*\*/);
    assert.ok(!`${moved.stdout}${moved.stderr}`.includes(server.password));
    assert.equal(existsSync(join(box.cwd, 'h', 'overlay.db')), false);
    assert.equal(existsSync(join(box.cwd, 'h', 'overlay.db.moved')), true);
    const log = readFileSync(join(box.cwd, 'h', 'controller.log'), 'utf8');
    assert.match(log, /command="ops db move" operator=\S+ event=database\.moved from=\S+overlay\.db to=/);
    assert.equal(log.split('event=database.moved').length, 2, 'the refused ones moved nothing');
    assert.ok(!log.includes(server.password));

    // The issuer names the port, which the system chooses anew: the sessions belong to the old address.
    const [{ issuer }] = (await query(db, 'SELECT DISTINCT issuer FROM api_sessions')) as [
      { issuer: string },
    ];
    const port = new URL(issuer).port;
    const file = join(box.cwd, 'h', 'controller.yml');
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replaceAll('localhost:0', `localhost:${port}`)
        .replace('127.0.0.1:0', `127.0.0.1:${port}`),
    );
    const after = await start();
    t.after(() => after.client.closeConnections());
    const third = await refresh(after.client, second.refresh_token);
    assert.equal(third.status, 200, third.text);
    const again = await refresh(after.client, first.refresh_token);
    assert.equal(again.status, 400);
    assert.equal((await refresh(after.client, third.json.refresh_token)).status, 400, 'the family has ended');
    const rotated = await refresh(after.client, other.refresh_token);
    assert.equal(rotated.status, 200, 'the other session lives');
    await stopped(after.run);

    const twice = await move(await server.createDatabase());
    assert.equal(twice.code, 1);
    assert.match(twice.stderr, /is on PostgreSQL already/);
  });

  test('holds the old file until it is put aside: no command that waited for it writes there', {
    // Looks on between two calls of the command.
    skip: isFullSize,
  }, async (t) => {
    const db = await server.createDatabase();
    const box = sandbox();
    t.after(() => box.close());
    await box.home('h', 'localhost:0');
    const rename = fs.renameSync;
    const tries: string[] = [];
    const mocked = t.mock.method(fs, 'renameSync', (from: string, to: string) => {
      if (to.endsWith('overlay.db.moved')) {
        const other = new DatabaseSync(from, { timeout: 0 });
        try {
          other.exec('BEGIN IMMEDIATE');
          tries.push('could write');
        } catch (error) {
          tries.push(String((error as { readonly errstr?: unknown }).errstr));
        }
        other.close();
      }
      rename(from, to);
    });
    syncBuiltinESMExports();
    t.after(() => {
      mocked.mock.restore();
      syncBuiltinESMExports();
    });
    // As after a controller that was killed, the last changes are in the log only.
    const killed = new DatabaseSync(join(box.cwd, 'h', 'overlay.db'));
    t.after(() => killed.close());
    killed.exec('UPDATE schema_version SET usable_by = usable_by');
    await box.exits(0, ['ops', 'db', 'move', '--to', db, ...config]);
    assert.deepEqual(tries, ['database is locked']);
    const old = join(box.cwd, 'h', 'overlay.db.moved');
    assert.equal(statSync(`${old}-wal`).size, 0, 'everything is in the file itself');
    const aside = new DatabaseSync(old, { readOnly: true });
    assert.deepEqual({ ...aside.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    aside.close();
  });

  test('read the password from the file that PGPASSFILE names, and warn of nothing', async (t) => {
    const db = new URL(await server.createDatabase());
    const box = sandbox();
    t.after(() => box.close());
    const file = join(box.cwd, 'pgpass');
    writeFileSync(file, `*:*:*:${db.username}:${decodeURIComponent(db.password)}\n`, { mode: 0o600 });
    const init = ['init', '--home', 'h', '--address', 'localhost:0'];
    const { finished } = box.start([...init, '--db', Object.assign(db, { password: '' }).href], {
      env: { PGPASSFILE: file },
    });
    const { code, stdout, stderr } = await finished;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /PostgreSQL/);
    assert.doesNotMatch(stderr, /warning|pgpass support/i);
  });

  test('say in words that a password is missing, wrong, or that there is no such database', async (t) => {
    const db = new URL(await server.createDatabase());
    const box = sandbox();
    t.after(() => box.close());
    const initWith = (change: { readonly [Part in 'password' | 'pathname']?: string }) => {
      const url = Object.assign(new URL(db), change);
      return box.run(['init', '--home', 'h', '--address', 'localhost:0', '--db', url.href], {
        env: { PGPASSFILE: join(box.cwd, 'nothing') },
      });
    };
    for (const [change, said, next] of [
      [{ password: '' }, /asks for a password, and none was given/, /PGPASSWORD/],
      [{ password: 'wrong' }, /password authentication failed/, /PGPASSWORD/],
      [{ pathname: '/nowhere' }, /"nowhere" does not exist/, /create the database/],
    ] as const) {
      const { code, stderr } = await initWith(change);
      assert.notEqual(code, 0);
      assert.match(stderr, said);
      assert.match(stderr.split('next: ')[1] ?? '', next);
      assert.doesNotMatch(stderr, /SASL|SCRAM/);
    }
  });
});
