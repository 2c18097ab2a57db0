import { cpuRatio, medianOf, type Result } from './load/rounds.ts';
import { renderTable } from './table.ts';

/** What an operation found. */
export interface Findings {
  readonly title: string;
  /** What was done, in a sentence or two. */
  readonly about: string;
  /** Measurements under load. */
  readonly results?: readonly Result[];
  /** Other figures: what, and how much. */
  readonly figures?: readonly (readonly [string, string])[];
  readonly verdicts: readonly Verdict[];
}

/** A budget beside what was measured. */
export interface Verdict {
  readonly what: string;
  readonly budget: string;
  readonly measured: string;
  readonly isKept: boolean;
  /** How many times what it is held against it costs: what a later run compares. Absent for limits in a unit. */
  readonly ratio?: number;
}

/** At most so many times the processor time of the floor. */
export function ratioVerdict(what: string, measured: Result, floor: Result, most: number): Verdict {
  const ratio = cpuRatio(measured, floor);
  return { what, budget: `≤ ${most} ×`, measured: `${ratio.toFixed(2)} ×`, isKept: ratio <= most, ratio };
}

/** The other one needs at least so many times the processor time. */
export function cheaperVerdict(what: string, measured: Result, other: Result, least: number): Verdict {
  const ratio = cpuRatio(other, measured);
  return {
    ratio: 1 / ratio,
    what,
    budget: `≥ ${least} × cheaper`,
    measured: `${ratio.toFixed(1)} × cheaper`,
    isKept: ratio >= least,
  };
}

/** At most so much of a unit. */
export function limitVerdict(what: string, measured: number, most: number, unit: string): Verdict {
  return {
    what,
    budget: `≤ ${most} ${unit}`,
    measured: `${measured < 10 ? measured.toFixed(2) : Math.round(measured)} ${unit}`,
    isKept: measured <= most,
  };
}

/** Markdown that is legible as it is, too. */
export function renderFindings(findings: readonly Findings[]): string {
  const verdicts = findings.flatMap((one) => one.verdicts);
  return [
    '## Budgets\n',
    renderTable(
      ['operation', 'budget', 'measured', 'ok'],
      verdicts.map(({ what, budget, measured, isKept }) => [
        what,
        budget,
        measured,
        isKept ? 'yes' : '**no**',
      ]),
    ),
    ...findings.map(renderOne),
  ].join('\n');
}

export function renderOne({ title, about, results = [], figures = [] }: Findings): string {
  const parts = [`## ${title}\n`, `${about}\n`];
  if (results.length > 0) {
    const heads = ['server', 'operations/s', 'p50 ms', 'p99 ms', 'CPU µs, median (min)', 'main thread'];
    const isCounted = results.some(({ rounds }) =>
      rounds.some(({ instructions }) => instructions !== undefined),
    );
    parts.push(
      isCounted
        ? renderTable(
            [...heads, 'instructions'],
            results.map((result) => [...resultRow(result), instructionsOf(result)]),
          )
        : renderTable(heads, results.map(resultRow)),
    );
  }
  if (figures.length > 0) parts.push(renderTable(['figure', 'value'], figures));
  return parts.join('\n');
}

function resultRow(result: Result): readonly string[] {
  const least = Math.min(...result.rounds.map(({ cpu }) => cpu));
  return [
    result.name,
    Math.round(medianOf(result, ({ rate }) => rate)).toLocaleString('en'),
    medianOf(result, ({ p50 }) => p50).toFixed(2),
    medianOf(result, ({ p99 }) => p99).toFixed(2),
    `${Math.round(medianOf(result, ({ cpu }) => cpu))} (${Math.round(least)})`,
    String(Math.round(medianOf(result, ({ mainThread }) => mainThread))),
  ];
}

function instructionsOf(result: Result): string {
  const count = medianOf(result, ({ instructions }) => instructions ?? Number.NaN);
  return Number.isNaN(count) ? '' : Math.round(count).toLocaleString('en');
}

export function megabytes(bytes: number): number {
  return bytes / 1_000_000;
}
