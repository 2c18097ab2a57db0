import type { Round, Target } from './targets.ts';

/** A round that has ended. */
export interface Finished {
  readonly commit: string;
  readonly at: string;
  readonly seconds: number;
  /** Tests and groups of tests. */
  readonly passed: number;
  /** Names of tests. */
  readonly failed: readonly string[];
  /** What the tests have measured. */
  readonly said: readonly string[];
}

/** @param earlier the report as it is: what it says of targets of which no round is kept here stands */
export function writeReport(
  targets: readonly Target[],
  finishedOf: (id: string) => readonly Finished[],
  earlier: string,
): string {
  const earlierLines = earlier.split('\n');
  const rows = targets.map((target) => {
    const row = rowOf(target, finishedOf(target.id));
    const isKeptHere = target.round === undefined || finishedOf(target.id).length > 0;
    return (isKeptHere ? undefined : earlierLines.find((line) => line.startsWith(`| ${target.id} `))) ?? row;
  });
  const measured = targets.flatMap(({ id }) => {
    const kept = finishedOf(id).at(-1);
    const lines =
      kept === undefined ? measuredEarlier(earlierLines, id) : kept.said.map((line) => `- ${line}`);
    return lines.length === 0 ? [] : [`**${id}**`, '', ...lines, ''];
  });
  return `# Assurance

Written by \`npm run assurance\`. It repeats the tests of the project at full size, in rounds, at the lowest priority.
\`assurance/targets.ts\` says what each target runs. The runs had one night on two cores: where a target needs longer, the table
says how much was done. A target that was not run says why.

| Target | Aim | Done | Result | Last round | Command |
|---|---|---|---|---|---|
${rows.join('\n')}

## What the last rounds measured

${measured.length === 0 ? 'Nothing yet.\n' : measured.join('\n')}
## Planted faults

Which faults the model of the login (M-01) finds, and after how many runs: [planted-faults.md](planted-faults.md).
`;
}

/** The list below the name of a target. */
function measuredEarlier(lines: readonly string[], id: string): readonly string[] {
  const below = lines.slice(lines.indexOf(`**${id}**`) + 1);
  if (below.length === lines.length) return [];
  const end = below.findIndex((line) => line.startsWith('**') || line.startsWith('## '));
  return below.slice(0, end).filter((line) => line !== '');
}

function rowOf({ id, what, aim, round, why }: Target, finished: readonly Finished[]): string {
  const head = `| ${id} ${what} | ${aim} |`;
  if (round === undefined) return `${head} nothing | not run: ${why} | | |`;
  const command = `\`npm run assurance -- --only ${id}\``;
  const last = finished.at(-1);
  if (last === undefined) return `${head} nothing of ${amount(round)} | **not run yet** | | ${command} |`;
  const failed = [...new Set(finished.flatMap((one) => one.failed))];
  const seconds = finished.reduce((sum, one) => sum + one.seconds, 0);
  const result =
    failed.length === 0
      ? 'held'
      : `**did not hold**: ${failed.map((name) => name.replaceAll('|', '/')).join('; ')}`;
  return `${head} ${finished.length} of ${amount(round)} | ${result} | ${last.at.slice(0, 10)}, ${last.commit}; ${minutes(seconds)} in all | ${command} |`;
}

function amount({ rounds, does }: Round): string {
  return rounds === 1 ? `1 round: ${does}` : `${rounds} rounds, each: ${does}`;
}

function minutes(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
