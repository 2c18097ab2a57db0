import { Refusal } from '../../../../packages/client/src/errors.ts';
import type {
  AskingForFirstTotp,
  AskingForTotpEnrollment,
  LoginState,
} from '../../../../packages/client/src/login/direct-login.ts';
import { CliError, exitCodes, printable, type Report } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { askLine, canPrompt, confirm } from '../../terminal/prompt.ts';
import { failure } from '../connection/answer-failure.ts';
import { terminalQrCode } from './terminal-qr-code.ts';

/** One less than would lock the factor, so that the next set-up can start at once. */
const mostTries = 4;
const usualColumns = 80;

/**
 * Sets up an authenticator app during a login (spec 3.2): shows the secret and the recovery codes at the terminal, once
 * only, and confirms with the first code.
 * @returns what is required after that code
 * @throws CliError exit 3 when there is no terminal, the person declines, or no code is right; nothing is set up then
 */
export async function enrollTotp(
  { report, origin }: { report: Report; origin: string },
  asked: AskingForTotpEnrollment,
): Promise<LoginState> {
  const { ports } = report;
  const question =
    'Your policy requires one-time codes, and you have not set them up yet.\n' +
    'Set up an authenticator app now?';
  if (!canPrompt(ports) || !(await confirm(ports, question))) throw notEnrolled(origin);
  const started = await asked.begin().catch((error) => {
    throw failure(error, { what: 'The set-up could not be started' });
  });
  await show(ports, started);
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const code = (await askLine(ports, 'Code that the app shows now: ')).replace(/[\s-]/g, '');
    try {
      return await started.confirm(code);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'INVALID_TOTP_CODE') throw error;
    }
    ports.stderr.write(
      'That code was not accepted. Wait for the next one, and check the clock of the phone.\n',
    );
  }
  // Always: without a code nothing is set up.
  await started.cancel().catch(() => undefined);
  throw new CliError('No code fitted, so the set-up was cancelled. Delete the new account from the app.', {
    exitCode: exitCodes.notAuthenticated,
    code: 'totp_refused',
    next: `overlay-auth login ${origin}`,
  });
}

async function show(ports: CliPorts, started: AskingForFirstTotp): Promise<void> {
  const { stderr } = ports;
  const { provisioningUrl: url, secret, recoveryCodes } = started;
  const picture = terminalQrCode(url, stderr.columns ?? usualColumns);
  if (picture !== undefined) stderr.write(`\nScan this with the app:\n\n${picture}\n`);
  const key = secret.match(/.{1,4}/g)?.join(' ') ?? '';
  stderr.write(
    `\n${picture === undefined ? 'Type' : 'Or type'} this key into the app:\n\n  ${printable(key)}\n`,
  );
  stderr.write('\nSave these recovery codes now. Each replaces the app once; they are not shown again.\n\n');
  for (const code of recoveryCodes) stderr.write(`  ${printable(code)}\n`);
  stderr.write('\n');
  while (!(await confirm(ports, 'Have you saved the recovery codes?')));
}

function notEnrolled(origin: string): CliError {
  return new CliError('Your policy requires one-time codes, and you have not set them up yet.', {
    exitCode: exitCodes.notAuthenticated,
    code: 'totp_not_enrolled',
    next: `overlay-auth login ${origin}   (the browser leads through the set-up)`,
  });
}
