import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { createKeyFile } from '../../src/platform/secrets/master-key.ts';
import { replaceSqlite } from '../../src/store/sqlite/restore.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { clientOfHome, sandbox, stopped, untilReady } from '../support/command.ts';
import { exits } from '../support/command-line.ts';
import { callWith, claimsOf, login, refresh } from '../support/flow.ts';
import { assertRefused, loggedIn, password } from '../support/management.ts';
import { addOwn, ownPath, tokensOf, usePasskey } from '../support/passkeys.ts';
import { fill, smallDisk } from '../support/small-disk.ts';
import { partialLogin, scan, submitCode } from '../support/totp.ts';
import { eventually } from '../support/until.ts';

const env = { OVERLAY_AUTH_HOME: 'h' };

const original = sandbox();
after(() => original.close());
await original.home('h', 'localhost:0');
await original.exits(0, ['admin', 'create', 'ana', '--password-stdin'], { env, input: password });
await original.exits(0, ['ops', 'db', 'backup', 'copy.db'], { env });

/** A home with the administrator ana, and its backup: copies of the same ones for each test. */
function backedUp() {
  const box = sandbox();
  cpSync(original.cwd, box.cwd, { recursive: true });
  const restore = (file = 'copy.db', ...more: string[]) =>
    box.run(['ops', 'db', 'restore', file, ...more], { env });
  return { ...box, restore, path: (name: string) => join(box.cwd, name) };
}

test('restore brings the backup back, keeps what it replaces, and is audited', async (t) => {
  await using home = backedUp();
  await home.exits(0, ['admin', 'create', 'bob', '--password-stdin'], { env, input: password });
  // As after a way over another machine.
  chmodSync(home.path('copy.db'), 0o644);
  const { stdout, stderr } = await exits(0, home.restore());
  assert.match(
    stdout,
    /^Restored h\/overlay\.db from copy\.db\.\nThe former database is h\/overlay\.db\.replaced-\S+;/,
  );
  assert.match(stdout, /All users must log in again/);
  assert.match(stderr, /check what was disabled, removed or changed since/);

  const names = (file: string) => {
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare('SELECT name FROM identities ORDER BY name').all();
    database.close();
    return rows.map(({ name }) => name);
  };
  assert.deepEqual(names(home.path('h/overlay.db')), ['ana']);
  const aside = readdirSync(home.path('h')).filter((name) => name.includes('replaced'));
  assert.equal(aside.length, 1);
  assert.deepEqual(names(home.path(`h/${aside[0]}`)), ['ana', 'bob']);
  assert.equal(statSync(home.path('h/overlay.db')).mode & 0o777, 0o600);
  assert.ok(!readdirSync(home.path('h')).some((name) => name.includes('partial')));
  assert.match(
    readFileSync(home.path('h/controller.log'), 'utf8'),
    /command="ops db restore".*database\.restored/,
  );

  const run = home.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
  const client = clientOfHome((await untilReady(run)).url, home.path('h'));
  t.after(() => client.closeConnections());
  const tokens = await login(client, 'ana', password);
  assert.equal((await refresh(client, tokens.refresh_token)).status, 200);
  await stopped(run);
});

test('a passkey of the backup opens logins after the restore, one that was added since does not', async (t) => {
  await using home = backedUp();
  const start = async () => {
    const run = home.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
    const { url } = await untilReady(run);
    const client = clientOfHome(url, home.path('h'));
    t.after(() => client.closeConnections());
    return { run, client, url };
  };
  const before = await start();
  const ana = await loggedIn(before.client, 'ana');
  const [kept, late] = [new SoftAuthenticator(before.url), new SoftAuthenticator(before.url)];
  await addOwn(ana, kept);
  await home.exits(0, ['ops', 'db', 'backup', 'with-passkey.db'], { env });
  await addOwn(ana, late);
  // The counter of the authenticator goes on, and that of the backup is behind.
  const opened = await tokensOf(before.client, await usePasskey(before.client, { authenticator: kept }));
  await stopped(before.run);
  await exits(0, home.restore('with-passkey.db'));

  // At another port, which is another origin.
  const { run, client, url: origin } = await start();
  const use = (authenticator: SoftAuthenticator) => usePasskey(client, { authenticator }, { origin });
  assertRefused(await use(late), 401, 'INVALID_AUTH');
  const tokens = await tokensOf(client, await use(kept));
  assert.equal(claimsOf(tokens.access_token).sub, claimsOf(opened.access_token).sub);
  assert.equal((await callWith(client, opened.access_token)).status, 401);
  const own = await callWith(client, tokens.access_token, ownPath);
  assert.deepEqual(
    own.json.data.map(({ clonedAt }: { clonedAt: string | null }) => clonedAt),
    [null],
  );
  await stopped(run);
});

test('a backup is audited, one that was refused is not', async () => {
  await using home = backedUp();
  const log = () => readFileSync(home.path('h/controller.log'), 'utf8');
  const line =
    /command="ops db backup" operator=\S+ event=database\.copied from=\S+overlay\.db to=\S+copy\.db /g;
  assert.equal(log().match(line)?.length, 1, log());
  await home.exits(1, ['ops', 'db', 'backup', 'copy.db'], { env });
  assert.equal(log().match(line)?.length, 1);
});

test('a backup replaces no symbolic link, not even one to a file that does not exist', async () => {
  await using home = backedUp();
  symlinkSync('nowhere.db', home.path('link.db'));
  const refused = await home.exits(1, ['ops', 'db', 'backup', 'link.db'], { env });
  assert.match(refused.stderr, /link\.db exists already; a backup never replaces a file\./);
  assert.equal(existsSync(home.path('nowhere.db')), false);
});

test('restore works if the database is gone, and tells programs what it did', async () => {
  await using home = backedUp();
  const elsewhere = { ...env, OVERLAY_AUTH_DB: `sqlite:${home.path('new.db')}` };
  const { stdout } = await home.exits(0, ['ops', 'db', 'restore', 'copy.db', '-j'], { env: elsewhere });
  const { replaced, withdrawn, restoreId } = JSON.parse(stdout);
  assert.equal(replaced, null);
  assert.deepEqual(withdrawn, {
    sessions: 0,
    recoveryCodes: 0,
    setupLinks: 0,
    enrollments: 0,
    invitations: 0,
  });
  assert.equal(typeof restoreId, 'string');
  assert.ok(existsSync(home.path('new.db')));
});

test('a backup that ended well is noted, and one of another tool when that is told', async () => {
  await using box = sandbox();
  await box.home('h', 'localhost:0');
  const lastBackup = async () =>
    JSON.parse((await box.run(['status', '--config', 'h/controller.yml', '-j'])).stdout).lastBackup;
  assert.equal(await lastBackup(), null);
  await box.exits(1, ['ops', 'db', 'backup', 'nowhere/copy.db'], { env });
  assert.equal(await lastBackup(), null);
  await box.exits(0, ['ops', 'db', 'backup', 'copy.db'], { env });
  const first = await lastBackup();
  assert.match(first, /^20\d\d-/);
  const told = await box.run(['ops', 'db', 'backed-up'], { env });
  assert.match(told.stdout, /^Noted a backup of /);
  assert.ok((await lastBackup()) > first);
});

test('restore and restored are refused beside a running controller, which continues', async (t) => {
  await using home = backedUp();
  const run = home.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
  const client = clientOfHome((await untilReady(run)).url, home.path('h'));
  t.after(() => client.closeConnections());
  for (const refused of [await home.restore(), await home.run(['ops', 'db', 'restored'], { env })]) {
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^error: Another controller is running on .*: stop it first/);
  }
  assert.ok((await login(client, 'ana', password)).access_token);
  await stopped(run);
});

test('a backup that cannot be used is refused in a sentence, and nothing is changed', async () => {
  await using home = backedUp();
  const before = readFileSync(home.path('h/overlay.db'));
  copyFileSync(home.path('copy.db'), home.path('newer.db'));
  const newer = new DatabaseSync(home.path('newer.db'));
  newer.exec('UPDATE schema_version SET version = 999');
  newer.close();
  const foreign = new DatabaseSync(home.path('songs.db'));
  foreign.exec('CREATE TABLE songs (title TEXT)');
  foreign.close();
  copyFileSync(home.path('copy.db'), home.path('short.db'));
  truncateSync(home.path('short.db'), statSync(home.path('short.db')).size / 2);
  writeFileSync(home.path('text.db'), 'these are the words of a letter\n'.repeat(200));
  const refusals: readonly (readonly [string, RegExp])[] = [
    ['none.db', /^error: There is no file .*none\.db\.\nnext: name another backup/],
    ['newer.db', /schema version 999, this release knows \d+/],
    ['songs.db', /belongs to another program/],
    ['short.db', /short\.db (is damaged|cannot be read as a database)/],
    ['text.db', /text\.db cannot be read as a database: file is not a database/],
    ['.', /^error: There is no file .*\.\nnext: name another backup/],
    ['h/overlay.db', /is the database itself/],
  ];
  for (const [file, pattern] of refusals) {
    const refused = await home.restore(file);
    assert.equal(refused.code, 1, file);
    assert.match(refused.stderr, pattern);
    assert.doesNotMatch(refused.stderr, /unexpected/);
  }
  assert.deepEqual(readFileSync(home.path('h/overlay.db')), before);
  assert.ok(!readdirSync(home.path('h')).some((name) => /partial|replaced/.test(name)));
});

test('a log that another user has put beside the backup does not become part of the database', {
  skip: process.getuid?.() !== 0,
}, async () => {
  await using home = backedUp();
  const before = readFileSync(home.path('h/overlay.db'));
  copyFileSync(home.path('copy.db'), home.path('theirs.db'));
  const theirs = new DatabaseSync(home.path('theirs.db'));
  theirs.exec(`PRAGMA journal_mode = WAL; UPDATE identities SET name = 'mallory'`);
  copyFileSync(home.path('theirs.db-wal'), home.path('copy.db-wal'));
  theirs.close();
  chownSync(home.path('copy.db-wal'), 65_534, 65_534);
  const refused = await exits(1, home.restore());
  assert.match(refused.stderr, /^error: .*copy\.db-wal belongs to another user than .*copy\.db\.\nnext: /);
  assert.deepEqual(readFileSync(home.path('h/overlay.db')), before);
  assert.ok(!readdirSync(home.path('h')).some((name) => /partial|replaced/.test(name)));
  // A log that belongs to the backup is taken along.
  chownSync(home.path('copy.db-wal'), 0, 0);
  await exits(0, home.restore());
});

test('root leaves the files of a home to the user whose home it is', {
  skip: process.getuid?.() !== 0,
}, async () => {
  await using home = backedUp();
  const files = () => readdirSync(home.path('h'), { recursive: true }).map((name) => home.path(`h/${name}`));
  for (const file of ['controller.log', 'overlay.db.lock']) rmSync(home.path(`h/${file}`));
  for (const file of [home.path('h'), ...files()]) chownSync(file, 65_534, 65_534);
  await home.exits(0, ['admin', 'recover', 'ana', '--password-stdin'], { env, input: password });
  await home.exits(0, ['pki', 'renew', '--new-key'], { env });
  await home.exits(0, ['pki', 'rotate', 'client-ca'], { env });
  await home.exits(0, ['keys', 'rekey'], { env });
  await home.exits(0, ['ops', 'db', 'backup', 'rekeyed.db'], { env });
  await exits(0, home.restore('rekeyed.db'));
  for (const name of ['overlay.db.lock', 'secrets/master.key.previous', 'pki/client-ca.key.pem'])
    assert.ok(files().includes(home.path(`h/${name}`)), name);
  assert.deepEqual(
    files().filter((file) => statSync(file).uid !== 65_534),
    [],
  );
  assert.equal(statSync(home.path('rekeyed.db')).uid, 0);
});

test('a restore is refused while another program reads the database, whose last changes are in its log', async () => {
  await using home = backedUp();
  using database = new DatabaseSync(home.path('h/overlay.db'));
  database.exec('BEGIN; SELECT * FROM identities');
  await home.exits(0, ['admin', 'create', 'bob', '--password-stdin'], { env, input: password });
  const refused = await exits(1, home.restore());
  assert.match(
    refused.stderr,
    /^error: .*overlay\.db is in use\.\nnext: another program holds the file; run the command again/,
  );
  assert.ok(!readdirSync(home.path('h')).some((name) => /partial|replaced/.test(name)));
  database.exec('COMMIT');
  await exits(0, home.restore());
});

test('what a killed restore has copied is removed at the next start', async (t) => {
  await using home = backedUp();
  // It ends only when its writer does.
  execFileSync('mkfifo', [home.path('endless.db')]);
  const writer = openSync(home.path('endless.db'), 'r+');
  t.after(() => closeSync(writer));
  writeSync(writer, 'half of a backup');
  const restore = home.start(['ops', 'db', 'restore', 'endless.db', '--yes'], { env });
  const all = () => readdirSync(home.path('h'), { recursive: true }).map((name) => home.path(`h/${name}`));
  const copies = () =>
    all().filter((file) => statSync(file).isFile() && readFileSync(file, 'latin1') === 'half of a backup');
  await eventually(copies, (found) => found.length === 1);
  restore.child.kill('SIGKILL');
  await restore.finished;
  assert.equal(copies().length, 1);
  await home.exits(0, ['ops', 'db', 'migrate'], { env });
  assert.deepEqual(copies(), []);
});

test('a database that cannot be kept stays as it is, with its log', async () => {
  await using box = sandbox();
  const path = (name: string) => join(box.cwd, name);
  // Damaged, so that its log stays beside it.
  for (const name of ['db', 'db-wal', 'aside', 'working']) writeFileSync(path(name), name);
  assert.throws(() => replaceSqlite(path('working'), path('db'), path('aside')), { code: 'EEXIST' });
  assert.deepEqual(
    [readFileSync(path('db'), 'utf8'), readFileSync(path('db-wal'), 'utf8')],
    ['db', 'db-wal'],
  );
});

test('a key file that does not open the database is noticed by a backup, which stays, and by a check', async () => {
  await using home = backedUp();
  await home.exits(0, ['ops', 'db', 'check'], { env });
  const status = async () =>
    JSON.parse((await home.run(['status', '--config', 'h/controller.yml', '-j'])).stdout).lastBackup;
  const before = await status();
  const keyFile = home.path('h/secrets/master.key');
  renameSync(keyFile, home.path('right.key'));
  createKeyFile(keyFile);
  const backup = await home.exits(1, ['ops', 'db', 'backup', 'sealed.db'], { env });
  assert.match(
    backup.stderr,
    /^error: Copied the database to sealed\.db, but the key file .*master\.key does not open it\./,
  );
  assert.match(backup.stderr, /\nnext: put back the key file that belongs to it/);
  assert.ok(existsSync(home.path('sealed.db')));
  assert.equal(await status(), before);
  const check = await home.exits(1, ['ops', 'db', 'check'], { env });
  assert.match(check.stderr, /^error: The database is sound, but the key file .* does not open it\./);
  // A host without the key file may still copy the database.
  rmSync(keyFile);
  await home.exits(0, ['ops', 'db', 'backup', 'unknown.db'], { env });
  renameSync(home.path('right.key'), keyFile);
  await home.exits(0, ['ops', 'db', 'check'], { env });
});

test('a backup that another key sealed is refused', async () => {
  await using home = backedUp();
  rmSync(home.path('h/secrets/master.key'));
  createKeyFile(home.path('h/secrets/master.key'));
  const refused = await exits(1, home.restore());
  assert.match(refused.stderr, /was sealed with another key-encryption key: put back the key file/);
});

test('a backup from before keys rekey needs the earlier key for the restore only', async (t) => {
  await using home = backedUp();
  const start = async () => {
    const run = home.start(['run', 'controller', 'h/controller.yml', '--log-format', 'json']);
    const client = clientOfHome((await untilReady(run)).url, home.path('h'));
    t.after(() => client.closeConnections());
    return { run, client };
  };
  const before = await start();
  const mfa = '/edge/client/v1/current-identity/mfa';
  const ana = await loggedIn(before.client, 'ana');
  assert.equal((await ana.call('POST', mfa)).status, 201);
  const app = scan(systemClock, (await ana.get(mfa)).json.data.provisioningUrl);
  assert.equal((await ana.call('POST', `${mfa}/verify`, { code: app.code() })).status, 200);
  await stopped(before.run);
  await home.exits(0, ['ops', 'db', 'backup', 'earlier.db'], { env });
  await home.exits(0, ['keys', 'rekey'], { env });
  const earlier = home.path('h/secrets/master.key.previous');
  renameSync(earlier, home.path('away'));
  const database = readFileSync(home.path('h/overlay.db'));
  const refused = await exits(1, home.restore('earlier.db'));
  assert.match(refused.stderr, /another key-encryption key: put back .*, or copy it to \S+\.previous, /);
  assert.deepEqual(readFileSync(home.path('h/overlay.db')), database);

  renameSync(home.path('away'), earlier);
  await exits(0, home.restore('earlier.db'));
  rmSync(earlier);
  const { run, client } = await start();
  const answer = await submitCode(client, await partialLogin(client, 'ana'), app.wrongCode());
  assertRefused(answer, 400, 'INVALID_TOTP_CODE');
  await home.exits(0, ['keys', 'rekey'], { env });
  await stopped(run);
});

test('a backup from before several rekeys is restored with the key that the refusal names', async () => {
  await using home = backedUp();
  const key = (suffix: string) => home.path(`h/secrets/master.key${suffix}`);
  await home.exits(0, ['ops', 'db', 'backup', 'oldest.db'], { env });
  for (let time = 0; time < 2; time += 1) await home.exits(0, ['keys', 'rekey'], { env });
  const { stderr } = await exits(1, home.restore('oldest.db'));
  const [, kept = ''] =
    /older keys \(master\.key(\.previous-[\w-]+)\); before .* master\.key\.previous, rename it/.exec(
      stderr,
    ) ?? assert.fail(stderr);
  renameSync(key('.previous'), key('.later'));
  renameSync(key(kept), key('.previous'));
  await exits(0, home.restore('oldest.db'));
});

test('an emptied database is refused in a sentence that says how to continue', async () => {
  await using home = backedUp();
  truncateSync(home.path('h/overlay.db'));
  for (const args of [
    ['run', 'controller', 'h/controller.yml'],
    ['run', 'controller', 'h/controller.yml', '--check'],
    ['admin', 'create', 'eve', '--link'],
    ['ops', 'db', 'migrate'],
  ]) {
    const refused = await home.run(args, { env });
    assert.equal(refused.code, 1, `${args.join(' ')} ${refused.stdout}`);
    assert.match(refused.stderr, /^error: .*overlay\.db is empty: its contents are gone\.$/m);
    assert.match(
      refused.stderr,
      /^next: overlay-auth ops db restore (--config h\/controller\.yml )?BACKUP {3}\(without a backup: remove the file/m,
    );
  }
  assert.equal(statSync(home.path('h/overlay.db')).size, 0);
  const check = await home.run(['ops', 'db', 'check'], { env });
  assert.match(check.stderr, /the file is empty/);
  await exits(0, home.restore());
  const names = new DatabaseSync(home.path('h/overlay.db'), { readOnly: true });
  assert.deepEqual(
    names
      .prepare('SELECT name FROM identities')
      .all()
      .map(({ name }) => name),
    ['ana'],
  );
  names.close();
});

test('commands name a full disk where the database cannot even be opened', async (t) => {
  const disk = smallDisk('8m');
  if (disk === null) return t.skip('it may not mount a file system');
  t.after(() => disk.remove());
  await using box = sandbox();
  await box.home('h');
  cpSync(join(box.cwd, 'h'), disk.folder, { recursive: true });
  const makeRoom = fill(disk.folder);
  const check = ['ops', 'db', 'check', '--config', join(disk.folder, 'controller.yml')];
  assert.match((await box.exits(1, check)).stderr, /next: free space on the disk/);
  makeRoom();
  assert.match((await box.exits(0, check)).stdout, /is sound/);
});
