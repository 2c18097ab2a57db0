import { type JsonObject, textField } from '../../../platform/formats/json-shape.ts';

/** One check. `unknown`: its answer could not be obtained. */
export interface ShownCheck {
  readonly check: string;
  readonly verdict: 'passed' | 'failed' | 'seen' | 'unknown';
  /** The finding; null if there is nothing to add. */
  readonly saw: string | null;
}

const marks = {
  passed: '\u2713 passed',
  failed: '\u2717 failed',
  seen: '\u00b7 seen',
  unknown: '? unknown',
} as const;

/** A check as one line, with its finding. */
export function checkLine({ check, verdict, saw }: ShownCheck): string {
  return `  ${marks[verdict].padEnd(9)} ${oneLine(check)}${saw === null ? '' : `: ${oneLine(saw)}`}`.trimEnd();
}

/** Text from strangers must not look like lines of ours. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** A check as the management API returns it. */
export function shownCheck(check: JsonObject): ShownCheck {
  return {
    check: String(check.check ?? check.name),
    verdict: check.verdict === 'passed' || check.verdict === 'seen' ? check.verdict : 'failed',
    saw: textField(check, 'saw') ?? null,
  };
}
