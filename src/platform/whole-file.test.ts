import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyPrivately } from './whole-file.ts';

const program = `
  process.on('SIGXFSZ', () => {});
  const { writeWhole } = await import(${JSON.stringify(new URL('./whole-file.ts', import.meta.url))});
  const [path, length] = process.argv.slice(1);
  writeWhole(path, 'x'.repeat(length), 0o600);
`;

test('a file for which there is room in part only is not written, and the one before stays', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-write-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'server.cert.pem');
  writeFileSync(path, 'before');
  // Like a disk that fills up: the system writes as much as fits, and says how much that was.
  const limited = 'ulimit -f 2; exec "$0" --input-type=module -e "$@"';
  const write = (length: number) =>
    spawnSync('sh', ['-c', limited, process.execPath, program, path, String(length)], {
      encoding: 'utf8',
      // Compiled code would meet the same limit when the process ends, where nothing handles the signal any more.
      env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    });
  const refused = write(5000);
  assert.match(refused.stderr, /EFBIG/);
  assert.equal(readFileSync(path, 'utf8'), 'before');
  assert.equal(write(900).status, 0, 'the leftover is replaced');
  assert.equal(readFileSync(path, 'utf8'), 'x'.repeat(900));
});

test('a private copy that cannot be made leaves neither a file nor an open one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'private-'));
  const [from, to] = [join(folder, 'original'), join(folder, 'copy')];
  const open = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);
  const before = open();
  assert.throws(() => copyPrivately(from, to), { code: 'ENOENT' });
  assert.ok(!existsSync(to));
  writeFileSync(from, 'text', { mode: 0o644 });
  assert.equal(copyPrivately(from, to), statSync(from).uid);
  assert.equal(readFileSync(to, 'utf8'), 'text');
  assert.equal(statSync(to).mode & 0o777, 0o600);
  assert.throws(() => copyPrivately(from, to), { code: 'EEXIST' });
  assert.equal(open(), before);
  rmSync(folder, { recursive: true });
});
