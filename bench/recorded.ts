// The ratios of an earlier run, and what has become dearer since. Ratios in one run hold on other machines too; times do not.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Verdict } from './report.ts';

/** By what the verdict says. */
export type RecordedRatios = Readonly<Record<string, number>>;

const file = fileURLToPath(new URL('./recorded-ratios.json', import.meta.url));
/** Runs on one machine differ by so much. */
const tolerance = 0.15;

export function readRecorded(): RecordedRatios {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Takes the ratios of these verdicts in place of the earlier ones; those of other operations stay. */
export function record(verdicts: readonly Verdict[]): void {
  const fresh = verdicts.flatMap(({ what, ratio }) =>
    ratio === undefined || !Number.isFinite(ratio) ? [] : [[what, Math.round(ratio * 1000) / 1000] as const],
  );
  const all = { ...readRecorded(), ...Object.fromEntries(fresh) };
  const sorted = Object.fromEntries(Object.entries(all).sort(([one], [other]) => one.localeCompare(other)));
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 2)}\n`);
}

/** One sentence for each ratio that is beyond what was recorded, or that nothing was recorded for. */
export function dearerThanRecorded(
  verdicts: readonly Verdict[],
  recorded: RecordedRatios,
): readonly string[] {
  return verdicts.flatMap(({ what, ratio }) => {
    if (ratio === undefined) return [];
    const before = recorded[what];
    if (before === undefined) return [`${what}: nothing is recorded; run with --record on a quiet machine`];
    // NaN is no measurement, and passes nothing.
    if (ratio <= before * (1 + tolerance)) return [];
    return [`${what}: ${ratio.toFixed(2)} × where ${before.toFixed(2)} × is recorded`];
  });
}
