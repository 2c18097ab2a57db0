// Changes the modules that decide, one small thing at a time, and looks whether their tests notice. With one process and
// the lowest priority, since it takes hours: a module whose files and tests have not changed since its last run is not
// run again, so that it can be stopped and started at any time.
//   npm run mutants                    what has changed, then docs/mutation.md
//   npm run mutants -- redirect TOTP   only the modules whose names contain one of these

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { type DecidingModule, decidingModules } from './modules.ts';
import { type ModuleResult, readResult, writeReport } from './report.ts';

// Not in node_modules, which an installation empties.
const folder = '.mutation';
const tool = 'mutants/node_modules/@stryker-mutator/core/bin/stryker.js';
const leastImportant = 19;

setPriority(leastImportant);
mkdirSync(folder, { recursive: true });
if (!existsSync(tool))
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', 'mutants']);

const wanted = process.argv.slice(2);
const chosen = decidingModules.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);
for (const [at, module] of chosen.entries()) {
  const stored = resultFile(module);
  const isCurrent = existsSync(stored) && readResult(stored).fingerprint === fingerprintOf(module);
  process.stdout.write(`${at + 1} of ${chosen.length}: ${module.name}${isCurrent ? ', unchanged' : ''}\n`);
  if (!isCurrent) mutate(module);
}
const results = decidingModules.map(resultFile).filter(existsSync).map(readResult);
const page = 'docs/mutation.md';
writeFileSync(
  page,
  writeReport(decidingModules, results, existsSync(page) ? readFileSync(page, 'utf8') : ''),
);
process.stdout.write(`${page}\n`);

function mutate(module: DecidingModule): void {
  const report = join(folder, 'report.json');
  const config = join(folder, 'stryker.json');
  writeFileSync(
    config,
    JSON.stringify({
      mutate: module.files,
      testRunner: 'command',
      commandRunner: { command: `node_modules/.bin/node mutants/run-tests.mjs ${module.tests.join(' ')}` },
      concurrency: 1,
      // One of them may make the code wait for ever.
      timeoutMS: 60_000,
      reporters: ['progress-append-only', 'clear-text', 'json'],
      clearTextReporter: { allowColor: false, logTests: false },
      jsonReporter: { fileName: report },
      ignorePatterns: ['docs', 'mutants/node_modules', 'dist', 'screenshots'],
      // Not below node_modules, where types are not stripped.
      tempDirName: '.mutants',
      // Our TypeScript has no API that it could read the file with, and needs none.
      tsconfigFile: 'none.json',
      disableTypeChecks: false,
      plugins: [],
    }),
  );
  const startedAt = Date.now();
  // Somebody may change them meanwhile; those that were there at the beginning are what is measured.
  const fingerprint = fingerprintOf(module);
  run(process.execPath, [tool, 'run', config]);
  const { files } = JSON.parse(readFileSync(report, 'utf8')) as Pick<ModuleResult, 'files'>;
  const result: ModuleResult = {
    name: module.name,
    fingerprint,
    at: new Date(startedAt).toISOString(),
    minutes: (Date.now() - startedAt) / 60_000,
    files,
  };
  writeFileSync(resultFile(module), JSON.stringify(result));
}

function resultFile({ name }: DecidingModule): string {
  return join(folder, `${name.replaceAll(' ', '-')}.json`);
}

function fingerprintOf({ files, tests }: DecidingModule): string {
  const hash = createHash('sha256');
  for (const file of [...files, ...tests]) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
