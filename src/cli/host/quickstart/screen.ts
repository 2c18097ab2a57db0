// The screen of quickstart: three steps for the person, and all addresses and paths.

import type { Millis } from '../../../platform/clock.ts';
import { printable } from '../../terminal/output.ts';
import type { ReadyFacts } from '../run/run-controller.ts';
import type { SetupStep } from '../setup/prepare-home.ts';

export interface Screen {
  readonly version: string;
  /** The home as the person would type it. */
  readonly home: string;
  readonly isEphemeral: boolean;
  /** The program as typed: `overlay-auth`, or `./overlay-auth` in a clone. */
  readonly program: string;
  /** ` --config FILE` for commands on the host, if they would not find this home by themselves. */
  readonly configOption: string;
  /** The same for ` --ca FILE` of the login. */
  readonly caOption: string;
}

export function headline({ version, home, isEphemeral }: Screen): string {
  const fate = isEphemeral ? 'discarded at the end' : 'kept; --ephemeral to discard';
  return `overlay-auth ${version} · quickstart · data in ${printable(home)} (${fate})\n`;
}

const indent = 2;
const madeWidth = 8;
const whatWidth = 18;

/**
 * One line for each thing that was created, and one for all that existed.
 * @param columns of the terminal; what does not fit continues on the next line
 */
export function setupLines(steps: readonly SetupStep[], columns?: number): string {
  const width = widthOf(columns);
  const shown = steps.filter(({ what }) => what !== 'configuration');
  const made = shown.filter((step) => step.made !== 'found');
  const found = [...new Set(shown.filter((step) => step.made === 'found').map(({ what }) => what))];
  const detailWidth = Math.max(0, ...made.map(({ detail }) => shortened(detail).length));
  const noteWidth = Math.max(0, ...made.map(({ note }) => note.length));
  const before = indent + madeWidth + 2 + whatWidth + 2;
  const fits = before + detailWidth + 3 + noteWidth <= width;
  const lines = made.flatMap(({ made: how, what, detail, note }) => {
    const head = `${' '.repeat(indent)}${how.padEnd(madeWidth)}  ${what.padEnd(whatWidth)}  `;
    const rest = fits
      ? [`${shortened(detail).padEnd(detailWidth)}   ${note}`]
      : besideOrBelow([shortened(detail), note], width - before);
    return rest.map((text, at) => `${at === 0 ? head : ' '.repeat(before)}${text}`.trimEnd());
  });
  if (found.length > 0) lines.push(`${' '.repeat(indent)}${'found'.padEnd(madeWidth)}  ${found.join(', ')}`);
  return `\n${lines.map(printable).join('\n')}\n`;
}

/** A terminal of unknown size says that it has 0 columns. */
function widthOf(columns: number | undefined): number {
  return columns || Number.POSITIVE_INFINITY;
}

/** Fingerprints and key ids: long enough to compare, short enough for a line. */
function shortened(detail: string): string {
  return detail
    .replace(/((?:[0-9A-F]{2}:){3})(?:[0-9A-F]{2}:){24,}((?:[0-9A-F]{2}:){3}[0-9A-F]{2})/, '$1…:$2')
    .replace(/(kid [\w-]{8})[\w-]{8,}/, '$1…');
}

interface ReadyScreen {
  readonly ready: ReadyFacts;
  /** Null when there is an administrator. */
  readonly setup: { readonly url: string; readonly expiresAt: Millis } | null;
  readonly rootCa: string;
  readonly config: string;
  readonly log: string;
}

/** Everything after the set-up. */
export function readyLines(
  screen: Screen,
  { ready, setup, rootCa, config, log }: ReadyScreen,
  columns?: number,
): string {
  const width = widthOf(columns);
  const { program, configOption, caOption } = screen;
  const steps: [what: string, how: string, note: string][] = [];
  if (setup !== null) {
    steps.push(['Set up an administrator', setup.url, `(valid until ${clockTime(setup.expiresAt)}, once)`]);
    steps.push(['or in a terminal', `${program} admin create NAME${configOption}`, '']);
  }
  steps.push(['Open the console', `${ready.url}/console`, '']);
  steps.push(['Get a token', `${program} login ${ready.url} -u NAME${caOption}`, '']);
  steps.push(['See who you are', `${program} whoami`, '']);
  let number = 0;
  const numbered = steps.flatMap(([what, how, note]) => {
    const isAlternative = what.startsWith('or ');
    if (!isAlternative) number += 1;
    const head = `  ${isAlternative ? ' ' : String(number)}  ${what.padEnd(24)}  `;
    const whole = `${head}${note === '' ? how : `${how}   ${note}`}`;
    // A link or a command stays in one piece, because people copy it.
    return whole.length <= width
      ? [whole]
      : [head.trimEnd(), `     ${how}`, ...(note === '' ? [] : [`     ${note}`])];
  });
  const seconds = (ready.readyAfterMs / 1000).toFixed(1);
  const lines = [
    '',
    `  Ready at ${ready.url}   ${seconds} s`,
    '',
    ...numbered,
    '',
    `  Issuer   ${ready.issuers.join('  ')}`,
    ...besideOrBelow([`Root CA  ${rootCa}`, '(curl: --cacert)'], width - 11).map(
      (text, at) => `${at === 0 ? '  ' : '           '}${text}`,
    ),
    '           Browsers warn until they trust it:',
    `           ${program} pki trust${configOption}`,
    `  Config   ${config}`,
    `  Log      ${log}`,
    `  Ctrl-C stops.${screen.isEphemeral ? '' : ' Run again to continue where you left off.'}`,
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

/** The time of day in the person's time zone. */
function clockTime(time: Millis): string {
  return new Date(time).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

/**
 * Lines of at most `width` characters, broken between words. A longer word, such as an address that has to be copied as
 * it is, gets its own line.
 */
export function wrapWords(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Puts `parts` side by side if they fit into `width`, otherwise below each other, wrapped. */
export function besideOrBelow(parts: readonly string[], width: number): readonly string[] {
  const whole = parts.filter((part) => part !== '').join('   ');
  return whole.length <= width
    ? [whole]
    : parts.filter((part) => part !== '').flatMap((part) => wrapWords(part, width));
}
