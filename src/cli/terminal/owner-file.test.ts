import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeOwnerFile } from './owner-file.ts';
import type { CliPorts } from './ports.ts';

const cwd = mkdtempSync(join(tmpdir(), 'overlay-auth-owner-file-'));
after(() => rmSync(cwd, { recursive: true, force: true }));
// Sound because nothing else of them is used.
const ports = { cwd } as CliPorts;
const path = join(cwd, 'identity.json');

test('a file that cannot be written to its end is not there, so the name is free for another try', async (t) => {
  const handle = await open(join(cwd, 'any'), 'w');
  const { prototype } = handle.constructor as { readonly prototype: typeof handle };
  await handle.close();
  for (const method of ['writeFile', 'sync'] as const) {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const mocked = t.mock.method(prototype, method, () => Promise.reject(full));
    await assert.rejects(
      writeOwnerFile(ports, 'identity.json', async () => 'secret'),
      { code: 'file_not_written' },
    );
    mocked.mock.restore();
    assert.ok(!existsSync(path), method);
  }
  await writeOwnerFile(ports, 'identity.json', async () => 'secret');
  assert.equal(readFileSync(path, 'utf8'), 'secret');
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
