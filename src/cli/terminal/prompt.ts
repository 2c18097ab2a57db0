import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CliError, exitCodes, printable, type Report } from './output.ts';
import type { CliPorts } from './ports.ts';

/** Whether there is a terminal to ask a question on. */
export function canPrompt(ports: CliPorts): boolean {
  return ports.stdin.isTTY === true && ports.stderr.isTTY === true;
}

/** Asks for one line; the typed text shows. The caller has checked `canPrompt`. */
export function askLine(ports: CliPorts, question: string): Promise<string> {
  return ask(ports, question, true);
}

/** Asks for a secret: the typed text does not show. The caller has checked `canPrompt`. */
export function askHidden(ports: CliPorts, question: string): Promise<string> {
  return ask(ports, question, false);
}

/** Asks a question that only an explicit yes confirms. The caller has checked `canPrompt`. */
export async function confirm(ports: CliPorts, question: string): Promise<boolean> {
  return /^(y|yes)$/i.test((await askLine(ports, `${question} [y/N] `)).trim());
}

/**
 * Asks before something irreversible, if a person can answer: not under `-j`, nor without a terminal.
 * @param isSure `--yes`
 * @throws CliError the answer is not yes
 */
export async function confirmAtTerminal(report: Report, question: string, isSure: boolean): Promise<void> {
  if (isSure || report.json || !canPrompt(report.ports)) return;
  await requireYes(report, question, 'add --yes to do it without being asked');
}

/** The caller has checked `canPrompt`. @param next what to do after another answer. @throws CliError it is not yes */
export async function requireYes({ ports }: Report, question: string, next: string): Promise<void> {
  if (!(await confirm(ports, question)))
    throw new CliError('Nothing was changed.', { code: 'cancelled', next });
}

async function ask(ports: CliPorts, text: string, echo: boolean): Promise<string> {
  const question = printable(text);
  // The line editor draws everything itself, so for a secret its output is dropped.
  const screen = new Writable({
    write(chunk, _encoding, done) {
      if (echo) ports.stderr.write(String(chunk));
      done();
    },
  });
  const lines = createInterface({ input: ports.stdin, output: screen, terminal: true, historySize: 0 });
  // After the terminal's own echo is off, so that nothing typed in response to the question shows.
  if (!echo) ports.stderr.write(question);
  const cancelled = new AbortController();
  lines.once('SIGINT', () => cancelled.abort());
  lines.once('close', () => cancelled.abort());
  try {
    return await lines.question(echo ? question : '', { signal: cancelled.signal });
  } catch (error) {
    throw new CliError('Cancelled.', { exitCode: exitCodes.failed, code: 'cancelled', cause: error });
  } finally {
    lines.close();
    if (!echo || cancelled.signal.aborted) ports.stderr.write('\n');
  }
}
