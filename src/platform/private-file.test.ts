import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyPrivately } from './private-file.ts';

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
