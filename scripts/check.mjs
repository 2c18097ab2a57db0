// Every check of the project in one run: lint and format, types, tests.
//   node scripts/check.mjs                 everything
//   node scripts/check.mjs --only PATTERN  only the test files whose path contains PATTERN
// The last line is `N passed, N failed`; the exit code is 1 when anything failed.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const onlyIndex = process.argv.indexOf('--only');
const only = onlyIndex === -1 ? undefined : (process.argv[onlyIndex + 1] ?? '');
const totals = { passed: 0, failed: 0, skipped: 0 };

function run(command, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    });
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

async function step(name, command, args) {
  process.stdout.write(`\n== ${name}\n`);
  const code = await run(command, args);
  if (code === 0) totals.passed += 1;
  else totals.failed += 1;
}

if (only === undefined) {
  await step('lint and format', 'node_modules/.bin/biome', ['check', '--error-on-warnings', '.']);
  await step('types', 'node_modules/.bin/tsc', ['--noEmit']);
  await step('types of the scripts in web/', 'node_modules/.bin/tsc', ['-p', 'tsconfig.web.json']);
}

process.stdout.write('\n== tests\n');
const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => only === undefined || file.includes(only))
  .sort();
if (files.length === 0) {
  process.stdout.write(`no test file matches ${JSON.stringify(only)}\n`);
  totals.failed += 1;
} else {
  const scratch = mkdtempSync(join(tmpdir(), 'overlay-auth-check-'));
  const counts = join(scratch, 'counts.json');
  const code = await run(
    process.execPath,
    [
      '--test',
      '--test-concurrency=2',
      '--test-timeout=240000',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-reporter=./scripts/count-reporter.mjs',
      '--test-reporter-destination=stderr',
      ...files,
    ],
    { OVERLAY_AUTH_TEST_COUNTS: counts, NODE_COMPILE_CACHE: 'node_modules/.cache/compile' },
  );
  try {
    const seen = JSON.parse(readFileSync(counts, 'utf8'));
    totals.passed += seen.passed;
    totals.failed += seen.failed;
    totals.skipped += seen.skipped;
    if (code !== 0 && seen.failed === 0) totals.failed += 1;
  } catch {
    totals.failed += 1;
  }
  rmSync(scratch, { recursive: true, force: true });
}

const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed${skipped}\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;
