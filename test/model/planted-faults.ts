// Plants faults in a copy of the source and lets the model of the login, or the tests that a fault names, look for them.
// Run it with `npm run planted-faults`; it writes docs/planted-faults.md. With words of names as arguments, it plants
// only these and prints the tables.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isoTime, MINUTE, systemClock } from '../../src/platform/clock.ts';
import { edited, editsOf, type Fault, faults } from './faults.ts';
import { faultsOfRequests } from './faults-of-requests.ts';

const root = resolve(import.meta.dirname, '../..');
const copied = ['src', 'test', 'web', 'packages', 'bin', 'scripts', 'package.json', 'tsconfig.json'];

function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'overlay-auth-faults-'));
  for (const name of copied) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** @returns removes the fault */
function plant(copy: string, fault: Fault): () => void {
  const before = new Map<string, string>();
  for (const edit of editsOf(fault)) {
    const path = join(copy, edit.file);
    const text = readFileSync(path, 'utf8');
    if (!before.has(path)) before.set(path, text);
    writeFileSync(path, edited(text, edit));
  }
  return () => {
    for (const [path, text] of before) writeFileSync(path, text);
  };
}

interface Found {
  /** Null: the model found nothing. */
  readonly runs: number | null;
  readonly seconds: number;
  readonly broken: string;
}

/** @returns the exit code of the file of tests, and what it printed */
async function runTests(
  copy: string,
  file: string,
  timeout = 15 * MINUTE,
): Promise<{ status: number | null; output: string }> {
  const env = { OVERLAY_AUTH_MODEL_SHRINK: '0', OVERLAY_AUTH_MODEL_HOUSES: '4', ...process.env };
  const child = spawn(process.execPath, ['--test', '--test-force-exit', `--test-timeout=${timeout}`, file], {
    cwd: copy,
    env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const status = await new Promise<number | null>((done) => child.on('close', done));
  return { status, output };
}

const ofModel = 'test/model/login.test.ts';
const passing = new Set<string>();

/** What fails anyway would take each fault for found. @throws if it fails without one */
async function requirePassing(copy: string, { soughtBy: file = ofModel }: Fault): Promise<void> {
  if (passing.has(file)) return;
  const { status, output } = await runTests(copy, file);
  if (status !== 0)
    throw new Error(`${file} fails without a fault, so it finds none:\n${output.slice(-3000)}`);
  passing.add(file);
}

async function search(copy: string, { soughtBy }: Fault): Promise<Found> {
  const began = systemClock.monotonic();
  const { status, output } = await (soughtBy === undefined
    ? runTests(copy, ofModel)
    : runTests(copy, soughtBy, 2 * MINUTE));
  const seconds = (systemClock.monotonic() - began) / 1000;
  if (status === 0) return { runs: null, seconds, broken: '' };
  if (soughtBy !== undefined) return { runs: 1, seconds, broken: firstFailure(output) };
  const after = /Property failed after (\d+) tests/.exec(output)?.[1];
  const broken = /Broken: ([^\n]+)/.exec(output)?.[1];
  if (after === undefined || broken === undefined) {
    throw new Error(`the model failed without having found anything:\n${output.slice(0, 3000)}`);
  }
  const earlier = [...output.matchAll(/(\d+) of \d+ runs, seed/g)].at(-1)?.[1] ?? 0;
  return { runs: Number(earlier) + Number(after), seconds, broken };
}

/** The name of the first test that failed, without those around it. */
function firstFailure(output: string): string {
  const failed = /✖ failing tests:\n+[^\n]*\n✖ (.+?) \([\d.]+ms\)/.exec(output)?.[1];
  if (failed === undefined) throw new Error(`no test failed, but the file did:\n${output.slice(-3000)}`);
  return failed;
}

type Row = Found & Pick<Fault, 'name' | 'soughtBy'>;

function tables(rows: readonly Row[]): { readonly ofModel: string; readonly ofTests: string } {
  const lineOf = ({ name, soughtBy, runs, seconds, broken }: Row) => {
    const by = soughtBy === undefined ? String(runs) : `\`${soughtBy}\``;
    return `| ${name} | ${runs === null ? '**not found**' : by} | ${seconds.toFixed(0)} s | ${broken} |`;
  };
  const table = (titles: readonly string[], of: readonly Row[]) =>
    [`| ${titles.join(' | ')} |`, '|---|---|---|---|', ...of.map(lineOf)].join('\n');
  return {
    ofModel: table(
      ['Planted fault', 'Runs until it was found', 'Time', 'What the model says'],
      rows.filter(({ soughtBy }) => soughtBy === undefined),
    ),
    ofTests: table(
      ['Planted fault', 'Found by', 'Time', 'The test that fails'],
      rows.filter(({ soughtBy }) => soughtBy !== undefined),
    ),
  };
}

const filters = process.argv.slice(2);
const copy = copyOfTree();
const rows: Row[] = [];
try {
  for (const fault of [...faults, ...faultsOfRequests]) {
    if (filters.length > 0 && !filters.some((part) => fault.name.includes(part))) continue;
    await requirePassing(copy, fault);
    const takeBack = plant(copy, fault);
    const found = await search(copy, fault);
    takeBack();
    rows.push({ ...fault, ...found });
    const { runs, seconds, broken } = found;
    process.stdout.write(`${runs ?? 'NOT FOUND'} runs, ${seconds.toFixed(0)} s: ${fault.name} (${broken})\n`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
const table = tables(rows);
if (filters.length > 0) process.stdout.write(`${table.ofModel}\n\n${table.ofTests}\n`);
else {
  const page = `# Planted faults

\`npm run planted-faults\` plants each fault in a copy of the source. The model of the login (\`test/model/\`) then looks for it,
with the seeds of \`npm test\`: the first 1,000 runs are the same. What looks for a fault must pass without one first. The
number of runs changes whenever a step of the model changes. The times include the start of the server, on two cores that
were also doing other work. Last run: ${isoTime(systemClock.now()).slice(0, 10)}.

${table.ofModel}

The model knows nothing of costs, other origins and several nodes. Faults there are looked for by the tests that they name.

${table.ofTests}
`;
  writeFileSync(join(root, 'docs/planted-faults.md'), page);
}
process.exitCode = rows.every(({ runs }) => runs !== null) ? 0 : 1;
