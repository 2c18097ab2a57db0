// Lines that others cause. An attacker who repeats a refused request a thousand times a second must not fill a disk or
// hide other lines: a limited number is written in each period, of each kind and of all. The next line counts the rest.

import { type Clock, MINUTE, type Millis, SECOND } from '../clock.ts';
import type { LogFields } from './log-line.ts';

/** A line that may be omitted. */
export interface SampledLine {
  readonly level: 'info' | 'always';
  /** From a closed list, never from a client, because the number of omitted lines is kept for each. */
  readonly kind: string;
  readonly message: string;
  /** `unlogged`: how many lines of this kind were omitted before this one arrived here. */
  readonly fields: LogFields;
}

export type SampledLines = ReturnType<typeof sampledLines>;

export interface SamplingLimits {
  readonly period: Millis;
  /** Lines in a period. */
  readonly ofKind: number;
  readonly inAll: number;
}

/** Lines that anybody can cause. */
export const samplingDefaults: SamplingLimits = { period: SECOND, ofKind: 10, inAll: 30 };

/** Of lines that only logged-in callers cause: all are written, unless programs cause ten a second. */
export const samplingOfCallers: SamplingLimits = { period: MINUTE, ofKind: 600, inAll: 1800 };

/** The field `unlogged` of a line says how many of its kind were omitted since the previous one; absent for none. */
export function sampledLines(
  { clock, write }: { readonly clock: Pick<Clock, 'monotonic'>; readonly write: SampledLines['write'] },
  limits: SamplingLimits = samplingDefaults,
) {
  const kinds = new Map<string, { written: number; unlogged: number }>();
  let ends: Millis = 0;
  let inAll = 0;
  return {
    write(line: SampledLine) {
      const { kind: name, fields } = line;
      const now = clock.monotonic();
      if (now >= ends) {
        ends = now + limits.period;
        inAll = 0;
        for (const kind of kinds.values()) kind.written = 0;
      }
      const kind = kinds.get(name) ?? { written: 0, unlogged: 0 };
      kinds.set(name, kind);
      const unlogged = kind.unlogged + Number(fields.unlogged ?? 0);
      if (kind.written >= limits.ofKind || inAll >= limits.inAll) {
        kind.unlogged = unlogged + 1;
        return;
      }
      kind.written += 1;
      kind.unlogged = 0;
      inAll += 1;
      write(unlogged === 0 ? line : { ...line, fields: { ...fields, unlogged } });
    },
  };
}
