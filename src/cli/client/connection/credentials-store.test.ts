import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, beforeEach, test } from 'node:test';
import { fileErrorReason, isFileError } from '../../../platform/file-error-reason.ts';
import { CliError } from '../../terminal/output.ts';
import { type Credentials, configDirectory, credentialsStore } from './credentials-store.ts';

const root = mkdtempSync(join(tmpdir(), 'overlay-auth-credentials-'));
let directory = root;
beforeEach((t) => {
  directory = join(root, t.name.replace(/\W+/g, '-').slice(0, 40));
});
after(() => rmSync(root, { recursive: true, force: true }));

const store = () => credentialsStore({ env: { OVERLAY_AUTH_CONFIG_DIR: directory }, platform: 'linux' });
const counted = ({ current, ...rest }: Credentials): Credentials => ({
  ...rest,
  current: String(Number(current) + 1),
});

test('the folder follows the conventions of the system unless it is named', () => {
  const on = (platform: NodeJS.Platform, env: Record<string, string>) => configDirectory({ platform, env });
  assert.equal(on('linux', { HOME: '/h' }), '/h/.config/overlay-auth');
  assert.equal(on('linux', { HOME: '/h', XDG_CONFIG_HOME: '/x' }), '/x/overlay-auth');
  assert.equal(on('linux', { HOME: '/h', XDG_CONFIG_HOME: '/x', OVERLAY_AUTH_CONFIG_DIR: '/o' }), '/o');
});

test('changes at the same time are made one after the other', async () => {
  await Promise.all(
    Array.from({ length: 8 }, () => store().update(async (before) => [counted(before), undefined])),
  );
  assert.equal((await store().read()).current, '8');
});

test('a change that fails changes nothing, leaves no file behind and frees the lock', async () => {
  await store().update(async (before) => [counted(before), undefined]);
  await assert.rejects(
    store().update(() => Promise.reject(new Error('no'))),
    /no/,
  );
  await store().update(async (before) => [counted(before), undefined]);
  assert.equal((await store().read()).current, '2');
  assert.deepEqual(readdirSync(directory).sort(), ['credentials.json', 'credentials.lock']);
});

test('only the owner can read the file, even after its mode was loosened', async () => {
  await store().update(async (before) => [counted(before), undefined]);
  const file = join(directory, 'credentials.json');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  chmodSync(file, 0o644);
  await store().read();
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a lock file that cannot be written is named with the reason', async () => {
  mkdirSync(directory);
  const lock = join(directory, 'credentials.lock');
  // An ordinary user meets this where `sudo` made the file; a test may run as root, who may write any file.
  symlinkSync(join(directory, 'gone', 'credentials.lock'), lock);
  const error: Error = await store()
    .update(async (before) => [counted(before), undefined])
    .then(assert.fail, (refused) => refused);
  assert.ok(isFileError(error), String(error));
  assert.deepEqual([error.path, fileErrorReason(error)], [lock, 'it does not exist']);
});

test('a damaged file is refused with advice, and is not overwritten', async () => {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'credentials.json');
  for (const text of ['', '{', '[]', '{"v":2}', 'null']) {
    writeFileSync(file, text);
    const attempt = store().update(async (before) => [counted(before), undefined]);
    await assert.rejects(
      attempt,
      (error) => error instanceof CliError && error.next?.startsWith('rm ') === true,
    );
    assert.equal(readFileSync(file, 'utf8'), text);
  }
});

test('the lock of a process that was killed is free', async () => {
  const script = `import { credentialsStore } from ${JSON.stringify(new URL('./credentials-store.ts', import.meta.url).href)};
    const ports = { env: ${JSON.stringify({ OVERLAY_AUTH_CONFIG_DIR: directory })}, platform: 'linux', random: {} };
    await credentialsStore(ports).update(() => {
      console.log('held');
      return new Promise((never) => setInterval(never, 1e9).ref());
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')]);
  assert.equal(String(said), 'held\n');
  const second = new DatabaseSync(join(directory, 'credentials.lock'));
  assert.throws(() => second.exec('BEGIN EXCLUSIVE'), /locked/);
  second.close();
  const waiting = store().update(async (before) => [counted(before), undefined]);
  holder.kill('SIGKILL');
  await waiting;
  assert.equal((await store().read()).current, '1');
});
