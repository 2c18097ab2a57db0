// What is run for each mutant: the test files that are named, with a folder for their files that goes with them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'overlay-auth-mutant-'));
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-isolation=none',
    '--test-timeout=60000',
    '--test-reporter=./mutants/stop-at-first-failure.mjs',
    '--test-reporter-destination=stdout',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', env: { ...process.env, TMPDIR: scratch } },
);
rmSync(scratch, { recursive: true, force: true });
process.exitCode = status ?? 1;
