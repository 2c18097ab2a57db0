// Runs the targets of targets.ts, round after round, and writes docs/assurance.md. Every round that has ended is kept with
// the commit that it was of, so that it can be stopped at any time and goes on where it was; rounds of an older commit
// are done again.
//   npm run assurance                            everything that is left, for a night
//   npm run assurance -- --minutes 90            no round begins after that
//   npm run assurance -- --only T-18 --only T-22
//   npm run assurance -- --rounds 1              at most so many of each target

import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finished, writeReport } from './report.ts';
import { type Round, targets } from './targets.ts';

const folder = '.assurance';
const leastImportant = 19;
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    minutes: { type: 'string' },
    rounds: { type: 'string' },
  },
});

setPriority(leastImportant);
mkdirSync(folder, { recursive: true });
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const begun = Date.now();
const lastBegin = begun + Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000;

for (const { id, what, round } of targets) {
  if (round === undefined || (values.only !== undefined && !values.only.includes(id))) continue;
  const file = join(folder, `${id}.json`);
  const done = finishedIn(file).filter((one) => one.commit === commit);
  const wanted = Math.min(round.rounds, Number(values.rounds ?? round.rounds));
  for (let number = done.length + 1; number <= wanted && Date.now() < lastBegin; number += 1) {
    say(`${id} ${what}: round ${number} of ${wanted}`);
    done.push(await run(round));
    writeFileSync(file, JSON.stringify(done, null, 1));
    const last = done.at(-1);
    say(`${id} ${last?.failed.length === 0 ? 'held' : 'DID NOT HOLD'} after ${last?.seconds} s`);
    writeFileSync('docs/assurance.md', report());
  }
}
writeFileSync('docs/assurance.md', report());
say('docs/assurance.md');

function report(): string {
  const finishedOf = (id: string) => finishedIn(join(folder, `${id}.json`));
  return writeReport(targets, finishedOf, readFileSync('docs/assurance.md', 'utf8'));
}

function finishedIn(file: string): Finished[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Finished[];
  } catch {
    return [];
  }
}

function argumentsOf({ tests = [], pattern }: Round): readonly string[] {
  const files = tests.flatMap((path) =>
    statSync(path).isDirectory() ? globSync(`${path}/**/*.test.ts`) : [path],
  );
  const named = pattern === undefined ? [] : [`--test-name-pattern=${pattern}`];
  return [
    '--test',
    '--test-concurrency=1',
    '--test-timeout=7200000',
    '--test-reporter=spec',
    ...named,
    ...files.sort(),
  ];
}

/** Runs a round and reads what its reporter says. */
async function run(round: Round): Promise<Finished> {
  const startedAt = Date.now();
  const [command, args] =
    round.script === undefined
      ? [process.execPath, argumentsOf(round)]
      : ['npm', ['run', '--silent', ...round.script]];
  const env = { ...process.env, OVERLAY_AUTH_TEST_SIZE: 'full', ...round.env };
  const child = spawn(command, [...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    process.stdout.write(part);
  });
  const code = await new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? 1)));
  const lines = text.split('\n').map((line) => line.trim());
  const failed = [...new Set(lines.filter((line) => line.startsWith('✖')))]
    .map((line) => line.replace(/^✖ | \([\d.]+ms\)$/g, ''))
    .filter((name) => name !== 'failing tests:');
  // A table of measurements says of each bound whether it was kept.
  const measured = round.script === undefined ? [] : lines.filter((line) => line.startsWith('|'));
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
  const bounds = measured
    .map(cells)
    .filter((row) => row.length === 4 && /^\**(yes|no)\**$/.test(row[3] ?? ''));
  for (const [what, bound, value, isKept] of bounds) {
    if (isKept !== 'yes') failed.push(`${what}: ${value} instead of ${bound}`);
  }
  return {
    commit,
    at: new Date(startedAt).toISOString(),
    seconds: Math.round((Date.now() - startedAt) / 1000),
    passed: lines.filter((line) => line.startsWith('✔')).length,
    failed: code !== 0 && failed.length === 0 ? [`ended with ${code}`] : failed,
    said: bounds
      .map(([what, bound, value]) => `${what}: ${value} (${bound})`)
      .concat(
        lines
          .filter(
            (line) =>
              line.startsWith('ℹ') &&
              !/^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(line),
          )
          .map((line) => line.slice(2)),
      ),
  };
}

function say(line: string): void {
  process.stdout.write(`== ${new Date().toISOString()} ${line}\n`);
}
