// What is run for each mutant: the test files that are named, one after the other until one of them notices it, with a
// folder for their files that goes with them. The quick ones are named first: a file whose tests share a server starts it
// before any of them. The code is the same for all mutants, of which a variable chooses one, and is compiled once.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'overlay-auth-mutant-'));
const noticedBy = process.argv.slice(2).find((file) => {
  const { status } = spawnSync(
    process.execPath,
    [
      '--test',
      '--test-isolation=none',
      '--test-timeout=60000',
      '--test-reporter=./mutants/stop-at-first-failure.mjs',
      '--test-reporter-destination=stdout',
      file,
    ],
    { stdio: 'inherit', env: { ...process.env, TMPDIR: scratch, NODE_COMPILE_CACHE: '.mutation/compiled' } },
  );
  return status !== 0;
});
rmSync(scratch, { recursive: true, force: true });
process.exitCode = noticedBy === undefined ? 0 : 1;
