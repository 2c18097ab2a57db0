import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createWhole, removeAbandoned } from './create-whole.ts';

/** Creates a file and stops when it is half written. */
const half = `
  import { createWhole } from ${JSON.stringify(new URL('./create-whole.ts', import.meta.url))};
  import { writeFileSync } from 'node:fs';
  await createWhole(process.argv[1], (partial) => {
    writeFileSync(partial, 'half');
    process.stdout.write('half');
    return new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1));
  });`;

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-auth-whole-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function stopsHalfWay(t: TestContext, path: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', half, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  t.after(kill);
  await once(child.stdout, 'data');
  return kill;
}

const complete = (partial: string) => writeFileSync(partial, 'whole');

test('what a killed process left half written is removed by the next one, of whatever name', async (t) => {
  const folder = folderOf(t);
  const kill = await stopsHalfWay(t, join(folder, 'monday.db'));
  await kill();
  assert.match(readdirSync(folder).join(), /^monday\.db\.partial-/);
  assert.equal(await createWhole(join(folder, 'tuesday.db'), complete), true);
  assert.deepEqual(readdirSync(folder), ['tuesday.db']);
});

test('what a living process has half written stays', async (t) => {
  const folder = folderOf(t);
  await stopsHalfWay(t, join(folder, 'monday.db'));
  const before = readdirSync(folder);
  removeAbandoned(folder);
  assert.equal(await createWhole(join(folder, 'tuesday.db'), complete), true);
  assert.deepEqual(readdirSync(folder), [...before, 'tuesday.db']);
});

test('a process killed before it held the lock leaves nothing for ever, and another file of that name stays', async (t) => {
  const folder = folderOf(t);
  const others = ['a.partial-abcdef', 'b.partial-abcdef', 'c.partial-abcdef'];
  mkdirSync(join(folder, others[0] as string));
  mkdirSync(join(folder, others[1] as string));
  writeFileSync(join(folder, others[1] as string, 'work of another program'), '');
  writeFileSync(join(folder, others[2] as string), '');
  removeAbandoned(folder);
  assert.deepEqual(readdirSync(folder), others.slice(1));
});

test('many at once leave one whole file each and nothing else', async (t) => {
  const folder = folderOf(t);
  const kill = await stopsHalfWay(t, join(folder, 'z.db'));
  await kill();
  const names = Array.from({ length: 20 }, (_, n) => `file-${n + 10}`);
  const made = await Promise.all(names.map((name) => createWhole(join(folder, name), complete)));
  assert.deepEqual(new Set(made), new Set([true]));
  assert.deepEqual(readdirSync(folder), names);
});
