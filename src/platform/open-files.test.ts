import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { memoryLogger } from '../../test/support/memory-logger.ts';
import { warnOfOpenFiles } from './open-files.ts';

const program = `
  const { openFiles } = await import(${JSON.stringify(new URL('./open-files.ts', import.meta.url))});
  const { openSync } = await import('node:fs');
  const before = openFiles();
  try {
    for (;;) openSync('/dev/null');
  } catch {}
  process._rawDebug(JSON.stringify([before.open < before.most, openFiles()]));
`;

test('the count of open files is known when all of them are used up', {
  skip: !existsSync('/proc/self'),
}, () => {
  const limited = 'ulimit -n 64; exec "$0" --input-type=module -e "$1"';
  const { stderr } = spawnSync('sh', ['-c', limited, process.execPath, program], { encoding: 'utf8' });
  assert.deepEqual(JSON.parse(stderr), [true, { open: 64, most: 64 }]);
});

test('a process that has most of its files open says so, and what to raise', () => {
  const log = memoryLogger();
  for (const open of [79, 81, 100]) warnOfOpenFiles(log, () => ({ open, most: 100 }));
  warnOfOpenFiles(log, () => null);
  assert.deepEqual(
    log.entries.map(({ level, fields }) => [level, fields]),
    [81, 100].map((open) => ['warn', { event: 'files.near-limit', open, most: 100 }]),
  );
  assert.match(log.entries[0]?.message ?? '', /LimitNOFILE.*ulimit -n/);
});
