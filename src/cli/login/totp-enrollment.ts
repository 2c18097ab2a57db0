import { answerError, failureOf } from '../answer-failure.ts';
import { CliError } from '../cli-error.ts';
import type { HttpsAnswer } from '../client/https-client.ts';
import { asList, asObject, textField } from '../client/json-shape.ts';
import { exitCodes } from '../exit-codes.ts';
import { printable } from '../terminal/output.ts';
import { askLine, canPrompt, confirm } from '../terminal/prompt.ts';
import type { QueryNeeds } from './auth-queries.ts';
import { terminalQrCode } from './terminal-qr-code.ts';

const enrollPath = '/oidc/login/totp/enroll';
/** One less than locks the factor, so that the next set-up begins unhindered. */
const mostTries = 4;
const usualColumns = 80;

/**
 * Sets up an authenticator app in the middle of a login (spec 3.2): shows the secret and the recovery codes on
 * the terminal, this once, and confirms with the first code.
 * @returns the answer to that code
 * @throws CliError exit 3 when there is no terminal, the person does not want to, or no code fits; nothing is set
 *   up then
 */
export async function enrollTotp(needs: QueryNeeds): Promise<HttpsAnswer> {
  const { ports } = needs.report;
  const question =
    'Your policy requires one-time codes, and you have not set them up yet.\n' +
    'Set up an authenticator app now?';
  if (!canPrompt(ports) || !(await confirm(ports, question))) throw notEnrolled(needs);
  await start(needs);
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const code = (await askLine(ports, 'Code that the app shows now: ')).replace(/[\s-]/g, '');
    const answer = await send(needs, 'POST', `${enrollPath}/verify`, { code });
    if (failureOf(answer).code !== 'INVALID_TOTP_CODE') return answer;
    ports.stderr.write(
      'That code was not accepted. Wait for the next one, and check the clock of the phone.\n',
    );
  }
  await send(needs, 'DELETE', enrollPath);
  throw new CliError('No code fitted, so the set-up was cancelled. Delete the new account from the app.', {
    exitCode: exitCodes.notAuthenticated,
    code: 'totp_refused',
    next: `overlay-auth login ${needs.origin}`,
  });
}

async function start(needs: QueryNeeds): Promise<void> {
  const { stderr } = needs.report.ports;
  const answer = await send(needs, 'POST', enrollPath);
  const enrollment = asObject(answer.body);
  const url = textField(enrollment, 'provisioningUrl');
  const secret = url === undefined ? null : URL.parse(url)?.searchParams.get('secret');
  if (answer.status !== 201 || url === undefined || typeof secret !== 'string') {
    throw answerError(answer, { what: 'The set-up could not be started' });
  }
  const picture = terminalQrCode(url, stderr.columns ?? usualColumns);
  if (picture !== undefined) stderr.write(`\nScan this with the app:\n\n${picture}\n`);
  const key = secret.match(/.{1,4}/g)?.join(' ') ?? '';
  stderr.write(
    `\n${picture === undefined ? 'Type' : 'Or type'} this key into the app:\n\n  ${printable(key)}\n`,
  );
  const recoveryCodes = asList(enrollment.recoveryCodes).filter((code) => typeof code === 'string');
  stderr.write('\nSave these recovery codes now. Each replaces the app once; they are not shown again.\n\n');
  for (const code of recoveryCodes) stderr.write(`  ${printable(code)}\n`);
  stderr.write('\n');
  while (!(await confirm(needs.report.ports, 'Have you saved the recovery codes?')));
}

function send(
  { http, origin, authRequestId }: QueryNeeds,
  method: 'POST' | 'DELETE',
  path: string,
  more: { readonly code?: string } = {},
): Promise<HttpsAnswer> {
  return http.send({ method, url: new URL(path, origin), json: { authRequestId, ...more } });
}

function notEnrolled({ origin }: QueryNeeds): CliError {
  return new CliError('Your policy requires one-time codes, and you have not set them up yet.', {
    exitCode: exitCodes.notAuthenticated,
    code: 'totp_not_enrolled',
    next: `overlay-auth login ${origin}   (the browser leads through the set-up)`,
  });
}
