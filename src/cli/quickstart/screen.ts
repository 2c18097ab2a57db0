// What the quickstart shows to a person: three things to do, and where everything is.

import type { Millis } from '../../platform/clock.ts';
import type { ReadyFacts } from '../run/ready-line.ts';
import type { SetupStep } from '../setup/prepare-home.ts';
import { printable } from '../terminal/output.ts';

export interface Screen {
  readonly version: string;
  /** The home as the person would type it. */
  readonly home: string;
  readonly isEphemeral: boolean;
  /** What to type for this program: `overlay-auth`, or `npx overlay-auth` in a clone. */
  readonly program: string;
  /** ` --config FILE` for commands on the host, when the home is not the one that they find by themselves. */
  readonly configOption: string;
  /** The same for ` --ca FILE` of the login. */
  readonly caOption: string;
}

export function headline({ version, home, isEphemeral }: Screen): string {
  const fate = isEphemeral ? 'discarded at the end' : 'kept; --ephemeral to discard';
  return `overlay-auth ${version} · quickstart · data in ${printable(home)} (${fate})\n`;
}

/** One line for each thing that was made, one for all that was there. */
export function setupLines(steps: readonly SetupStep[]): string {
  const shown = steps.filter(({ what }) => what !== 'configuration');
  const made = shown.filter((step) => step.made !== 'found');
  const found = [...new Set(shown.filter((step) => step.made === 'found').map(({ what }) => what))];
  const width = Math.max(0, ...made.map(({ detail }) => shortened(detail).length));
  const lines = made.map(({ made: how, what, detail, note }) =>
    `  ${how.padEnd(8)}  ${what.padEnd(18)}  ${shortened(detail).padEnd(width)}   ${note}`.trimEnd(),
  );
  if (found.length > 0) lines.push(`  ${'found'.padEnd(8)}  ${found.join(', ')}`);
  return `\n${lines.map(printable).join('\n')}\n`;
}

/** Fingerprints and key ids: long enough to compare, short enough for a line. */
function shortened(detail: string): string {
  return detail
    .replace(/((?:[0-9A-F]{2}:){3})(?:[0-9A-F]{2}:){24,}((?:[0-9A-F]{2}:){3}[0-9A-F]{2})/, '$1…:$2')
    .replace(/(kid [\w-]{8})[\w-]{8,}/, '$1…');
}

export interface ReadyScreen {
  readonly ready: ReadyFacts;
  /** Null when there is an administrator. */
  readonly setup: { readonly url: string; readonly expiresAt: Millis } | null;
  readonly rootCa: string;
  readonly config: string;
  readonly log: string;
}

/** Everything after the set-up. */
export function readyLines(screen: Screen, { ready, setup, rootCa, config, log }: ReadyScreen): string {
  const { program, configOption, caOption } = screen;
  const steps: [string, string][] = [];
  if (setup !== null) {
    steps.push([
      'Set up an administrator',
      `${setup.url}   (valid until ${clockTime(setup.expiresAt)}, once)`,
    ]);
    steps.push(['or in a terminal', `${program} admin create NAME${configOption}`]);
  }
  steps.push(['Get a token', `${program} login ${ready.url} -u NAME${caOption}`]);
  steps.push(['See who you are', `${program} whoami`]);
  let number = 0;
  const numbered = steps.map(([what, how]) => {
    const isAlternative = what.startsWith('or ');
    if (!isAlternative) number += 1;
    const mark = isAlternative ? ' ' : String(number);
    return `  ${mark}  ${what.padEnd(24)}  ${how}`;
  });
  const seconds = (ready.readyAfterMs / 1000).toFixed(1);
  const lines = [
    '',
    `  Ready at ${ready.url}   ${seconds} s`,
    '',
    ...numbered,
    '',
    `  Issuer   ${ready.issuers.join('  ')}`,
    `  Root CA  ${rootCa}   (browsers do not know it yet; curl: --cacert)`,
    `  Config   ${config}`,
    `  Log      ${log}`,
    `  Ctrl-C stops.${screen.isEphemeral ? '' : ' Run again to continue where you left off.'}`,
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

/** The time of day where the person is. */
function clockTime(time: Millis): string {
  return new Date(time).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}
