import { type JsonObject, textField } from '../client/json-shape.ts';

/** One thing that was looked at. `unknown`: nobody could be asked. */
export interface ShownCheck {
  readonly check: string;
  readonly verdict: 'passed' | 'failed' | 'unknown';
  /** What was seen; null when there is nothing to add. */
  readonly saw: string | null;
}

const marks = { passed: '\u2713 passed', failed: '\u2717 failed', unknown: '? unknown' } as const;

/** A check as one line, with what was seen. */
export function checkLine({ check, verdict, saw }: ShownCheck): string {
  return `  ${marks[verdict].padEnd(9)} ${oneLine(check)}${saw === null ? '' : `: ${oneLine(saw)}`}`.trimEnd();
}

/** What strangers typed must not look like lines of ours. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** A check as the management API tells it. */
export function shownCheck(check: JsonObject): ShownCheck {
  return {
    check: String(check.check ?? check.name),
    verdict: check.verdict === 'passed' ? 'passed' : 'failed',
    saw: textField(check, 'saw') ?? null,
  };
}
