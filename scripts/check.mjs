// Every check of the project in one run: lint and format, types, tests.
//   node scripts/check.mjs                 everything
//   node scripts/check.mjs --only PATTERN… only the test files whose path contains one of them
//   node scripts/check.mjs --apart         every test file in a process of its own
//   node scripts/check.mjs --all           shows what passed, too
// Test files run in groups, several groups at once; a group in which something failed shows what it has written, and
// the end shows every failure again. The last line is `N passed, N failed`; the exit code is 1 when anything failed.
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sharedPostgres } from './shared-postgres.mjs';
import { useTemporaryFolder } from './temporary-folder.mjs';
import { groupsOf, runGroup } from './test-groups.mjs';

const { values: flags, positionals } = parseArgs({
  options: { only: { type: 'string' }, apart: { type: 'boolean' }, all: { type: 'boolean' } },
  allowPositionals: true,
});
if (flags.only === undefined && positionals.length > 0) {
  process.stdout.write('for some of the tests: npm run test:only PATTERN…\n');
  process.exit(2);
}
const only = flags.only === undefined ? undefined : [flags.only, ...positionals];
const totals = { passed: 0, failed: 0, skipped: 0 };
/** What failed, each with the reason. */
const failures = [];

/** These begin first, because the run would wait for them at its end. */
const longestFirst = [
  'test/cluster/faults',
  'test/cluster/standby-away',
  'test/pages',
  'test/cli',
  'test/http',
  'test/oidc',
  'test/postgres',
  'test/model',
  'test/store',
];
/**
 * Files that are a group each. Those of the cluster have whole servers of their own, wait more than they work, and gain
 * nothing from being together. One collects garbage again and again, which costs the more the more is in memory.
 */
const apart = ['test/cluster', 'test/http/what-strangers-cost.test.ts'];
/** As one group, the folder would take longer than all others together. */
const wings = ['test/pages/console'];
/** A process loads the whole controller and makes keys before its first test, which takes longer than many of these. */
const together = [
  [
    ...['test/edge', 'test/legacy', 'test/enrollment', 'test/sessions', 'test/compatibility', 'test/config'],
    ...['test/certificates', 'test/platform', 'test/support', 'test/bench', 'src', 'test'],
  ],
  ['test/management', 'test/login'],
  ['test/import', 'test/ops'],
];
const isFullSize = process.env.OVERLAY_AUTH_TEST_SIZE === 'full';
/**
 * As many groups as there are cores. What mostly waits runs beside them, two at once: one after another, it would take
 * longer than all others. A worker that finishes early takes files from other groups.
 * What measures runs alone.
 */
const [atOnce, atOnceWaiting] = isFullSize ? [1, 0] : [availableParallelism(), 2];
const mostlyWaits = (name) => !isFullSize && name.startsWith('test/cluster/');
/** In full size a single test may take most of an hour. */
const limits = isFullSize ? { silence: 3_600_000 } : {};

/** Files that cost more are named at the end. Seconds of CPU. */
const notable = 4;

function run(command, args, env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
    }
    child.on('error', (error) => resolve({ code: 127, text: `${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, text }));
  });
}

async function step(name, command, args, env = {}) {
  const began = performance.now();
  const { code, text } = await run(command, args, env);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`\n== ${name}: ${code === 0 ? 'passed' : 'failed'}, ${seconds} s\n${text}`);
  if (code === 0) totals.passed += 1;
  else {
    totals.failed += 1;
    failures.push(`${name}\n${text}`);
  }
}

/**
 * The compiler is a Go program that lives for seconds: its garbage collector would take a third of its time. It
 * collects only if it needs more than this, which is twice what it needs now.
 */
const collectsLate = { GOGC: 'off', GOMEMLIMIT: '1500MiB' };

/** What is not a test. */
async function otherChecks() {
  await step('lint and format', 'node_modules/.bin/biome', ['check', '--error-on-warnings', '.']);
  const types = (name, args) => step(name, 'node_modules/.bin/tsc', args, collectsLate);
  await types('types', ['--noEmit']);
  await types('types of the scripts in web/', ['-p', 'tsconfig.web.json']);
  await types('types of the console', ['-p', 'tsconfig.console.json']);
}

/**
 * Builds what is published, for the tests that start the program: it starts with a quarter less CPU than the sources,
 * and it is what people run. With `--only` the sources run, so that it needs no build.
 */
async function buildProgram() {
  // Always at the same place, where Node finds what it has compiled before, and the dependencies.
  const folder = resolve('node_modules/.cache/program');
  await step('build', process.execPath, ['scripts/build.mjs', folder]);
  return { OVERLAY_AUTH_PROGRAM: join(folder, 'src', 'main.js') };
}

/** Does the jobs of the first list, then those of the next. Several may work at the same lists. */
async function worker(...lists) {
  for (const jobs of lists) {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job();
  }
}

/** @param before what runs beside the first of the tests */
async function tests(files, before) {
  const groups = flags.apart
    ? files.map((file) => ({ name: file, files: [file] }))
    : groupsOf(files, { apart, together, wings, longestFirst });
  const postgres = sharedPostgres();
  const serve = async (need) => {
    if (need !== 'postgres') throw new Error(`nobody has ${need}`);
    return { postgres: await postgres.get() };
  };
  // Absolute: tests start processes in other folders.
  const cache = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/compile') };
  const env = only === undefined ? { ...cache, ...(await buildProgram()) } : cache;
  const outcomes = [];
  const jobOf = (group) => async () => {
    const outcome = await runGroup(group, { serve, env, limits });
    process.stdout.write(`\n== ${described(outcome)}\n`);
    if (outcome.failed > 0 || flags.all) process.stdout.write(outcome.output);
    for (const problem of outcome.problems) process.stdout.write(`✖ ${problem}\n`);
    outcomes.push(outcome);
  };
  const beside = groups.filter(({ name }) => mostlyWaits(name)).map(jobOf);
  const others = [...before, ...groups.filter(({ name }) => !mostlyWaits(name)).map(jobOf)];
  const workers = (count, ...lists) => Array.from({ length: count }, () => worker(...lists));
  await Promise.all([...workers(atOnceWaiting, beside, others), ...workers(atOnce, others)]);
  await postgres.close();
  return outcomes;
}

function described({ name, files, passed, failed, skipped, seconds, cpu }) {
  const count = files.length === 1 ? '' : `, ${files.length} files`;
  const times = `${seconds.toFixed(1)} s, CPU ${cpu.toFixed(1)} s`;
  return `${name}${count}: ${counted({ passed, failed, skipped })}, ${times}`;
}

function counted({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
  .filter((file) => only === undefined || only.some((pattern) => file.includes(pattern)))
  .sort();
if (files.length === 0) {
  process.stdout.write(`no test file matches ${only?.join(' ')}\n`);
  totals.failed += 1;
}
// In full size, syncing is part of what is looked at.
if (!isFullSize) useTemporaryFolder();
const outcomes = await tests(files, only === undefined ? [otherChecks] : []);
process.stdout.write('\n== groups\n');
for (const outcome of outcomes.sort((a, b) => b.seconds - a.seconds)) {
  process.stdout.write(`${described(outcome)}\n`);
  for (const [file, cpu] of Object.entries(outcome.cpuOf).sort((a, b) => b[1] - a[1])) {
    if (cpu >= notable) process.stdout.write(`  ${file}: CPU ${cpu.toFixed(1)} s\n`);
  }
  for (const kind of ['passed', 'failed', 'skipped']) totals[kind] += outcome[kind];
  failures.push(...outcome.failures, ...outcome.problems);
}
if (failures.length > 0)
  process.stdout.write(`\n== failed\n${failures.map((failure) => `✖ ${failure}\n`).join('')}`);

process.stdout.write(`\n${counted(totals)}\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;
