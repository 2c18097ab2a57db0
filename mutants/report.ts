import { readFileSync } from 'node:fs';
import type { DecidingModule } from './modules.ts';
import { reasonFor } from './survivors.ts';

interface Mutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status:
    | 'Killed'
    | 'Survived'
    | 'Timeout'
    | 'NoCoverage'
    | 'RuntimeError'
    | 'CompileError'
    | 'Ignored';
  readonly location: { readonly start: Place; readonly end: Place };
}

/** Both count from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** What came of a module, with the files as they were then. */
export interface ModuleResult {
  readonly name: string;
  /** Of its files and tests. */
  readonly fingerprint: string;
  readonly at: string;
  readonly minutes: number;
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

export function readResult(file: string): ModuleResult {
  return JSON.parse(readFileSync(file, 'utf8')) as ModuleResult;
}

/**
 * The page that says what was noticed, and why the rest may go unnoticed.
 * @param earlier the page as it is: what it says of modules that were run elsewhere stays
 */
export function writeReport(
  modules: readonly DecidingModule[],
  results: readonly ModuleResult[],
  earlier: string,
): string {
  const earlierRows = earlier.split('\n');
  const rowOf = ({ name, tests }: DecidingModule): string => {
    const result = results.find((one) => one.name === name);
    if (result === undefined) {
      const kept = earlierRows.find(
        (row) => row.startsWith(`| ${name} | `) && !row.startsWith(`| ${name} | not run `),
      );
      return kept ?? `| ${name} | not run | | | | ${testsCell(tests)} |`;
    }
    const counts = `${score(result)} | ${mutantsOf(result).length} | ${survivorsOf(result).length}`;
    const when = `${result.at.slice(0, 10)}, ${result.minutes.toFixed(0)} min`;
    return `| ${name} | ${counts} | ${when} | ${testsCell(tests)} |`;
  };
  const survivorsIn = ({ name, files }: DecidingModule): readonly string[] => {
    const result = results.find((one) => one.name === name);
    if (result !== undefined) return survivorsOf(result).map(survivorRow);
    return earlierRows.filter((row) => files.some((file) => row.startsWith(`| \`${file}\` line `)));
  };
  const rows = modules.map(rowOf);
  const survivors = modules.flatMap(survivorsIn);
  return `# Mutation tests

Written by \`npm run mutants\`. A mutant is one small change in a module that makes decisions: an inverted condition, a shifted
bound, an emptied block or text. The tests notice it when one of them fails or never finishes. The aim is 90 % in each module.

| Module | Noticed | Mutants | Not noticed | Run | Tests |
|---|---|---|---|---|---|
${rows.join('\n')}

## What no test notices

${survivors.length === 0 ? 'Nothing.' : `| Where | Instead of | Stands | Why |\n|---|---|---|---|\n${survivors.join('\n')}`}
`;
}

function testsCell(tests: readonly string[]): string {
  return tests.map((test) => `\`${test}\``).join(', ');
}

function mutantsOf({ files }: ModuleResult): readonly Mutant[] {
  return Object.values(files).flatMap(({ mutants }) =>
    // Those that are no program at all prove nothing.
    mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError'),
  );
}

interface Survivor {
  readonly file: string;
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
}

function survivorsOf({ files }: ModuleResult): readonly Survivor[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ location, replacement = '' }) => ({
        file,
        line: location.start.line,
        original: textAt(source, location),
        replacement,
      })),
  );
}

function score(result: ModuleResult): string {
  const all = mutantsOf(result).length;
  return all === 0 ? 'none' : `${((100 * (all - survivorsOf(result).length)) / all).toFixed(1)} %`;
}

function survivorRow({ file, line, original, replacement }: Survivor): string {
  const reason = reasonFor(file, original, replacement) ?? '**no reason yet**';
  return `| \`${file}\` line ${line} | ${cell(original)} | ${cell(replacement)} | ${reason} |`;
}

function textAt(source: string, { start, end }: Mutant['location']): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, at) => line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined))
    .join('\n');
}

const longestCell = 90;

function cell(text: string): string {
  const flat = text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('`', "'");
  return flat === ''
    ? 'nothing'
    : `\`${flat.length > longestCell ? `${flat.slice(0, longestCell)}…` : flat}\``;
}
