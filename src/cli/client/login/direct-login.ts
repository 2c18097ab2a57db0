// Login without a browser: presents the credentials, and answers the next questions, as the client library names them.

import { Refusal } from '../../../../packages/client/src/errors.ts';
import {
  type AskingForCredentials,
  type AskingForExternalJwt,
  type AskingForNewPassword,
  type AskingForTotp,
  type LoginState,
  startDirectLogin,
} from '../../../../packages/client/src/login/direct-login.ts';
import type { Provider } from '../../../../packages/client/src/oidc/provider.ts';
import type { Tokens } from '../../../../packages/client/src/oidc/tokens.ts';
import { CliError, exitCodes, notice, type Report } from '../../terminal/output.ts';
import { askLine, canPrompt } from '../../terminal/prompt.ts';
import { readNewPassword, withoutPresentPassword } from '../../terminal/secret-input.ts';
import { failure } from '../connection/answer-failure.ts';

/** The credentials of the primary login. An external token with a password or a certificate is the second factor. */
export type DirectCredentials =
  | {
      readonly method: 'password';
      readonly username: string;
      readonly password: string;
      readonly externalJwt?: string;
    }
  | { readonly method: 'cert'; readonly externalJwt?: string }
  | { readonly method: 'ext-jwt'; readonly externalJwt: string };

interface DirectNeeds {
  readonly report: Report;
  /** From `--totp-code`. */
  readonly totpCode: string | undefined;
  /** Origin of the server. */
  readonly origin: string;
}

const mostQueries = 8;
const mostTries = 3;

/**
 * Logs in without a browser (spec 5.2).
 * @param provider reached over connections with the client certificate, for the method `cert`
 * @throws CliError exit 3 when the login is refused or something cannot be answered here
 */
export async function directLogin(
  needs: DirectNeeds,
  provider: Provider,
  credentials: DirectCredentials,
): Promise<Tokens> {
  const asked = await startDirectLogin(provider, { method: credentials.method }).catch((error) => {
    throw failure(error, { what: 'The login could not be started' });
  });
  let state = await present(asked, credentials).catch((error) => {
    throw refused(needs, error);
  });
  for (let answered = 0; answered < mostQueries; answered += 1) {
    if (state.kind === 'done') return state.tokens;
    state = await answer(needs, state).catch((error) => {
      throw refused(needs, error);
    });
  }
  throw new CliError('The server keeps asking for more; the login was given up.', {
    exitCode: exitCodes.notAuthenticated,
    code: 'too_many_queries',
    next: `overlay-auth login ${needs.origin}`,
  });
}

function present(asked: AskingForCredentials, credentials: DirectCredentials): Promise<LoginState> {
  switch (credentials.method) {
    case 'password':
      return asked.password(credentials);
    case 'cert':
      return asked.certificate(credentials);
    case 'ext-jwt':
      return asked.externalJwt(credentials.externalJwt);
  }
}

async function answer(needs: DirectNeeds, state: LoginState): Promise<LoginState> {
  switch (state.kind) {
    case 'totp':
      return answerTotp(needs, state);
    case 'totp-enrollment': {
      const { enrollTotp } = await import('./totp-enrollment.ts');
      return enrollTotp(needs, state);
    }
    case 'new-password':
      return replacePassword(needs, state);
    case 'external-jwt':
      throw externalTokenRequired(needs, state);
    case 'passkey':
    case 'passkey-set-up':
      throw new CliError('Your policy also requires a passkey, and only a browser can use one.', {
        exitCode: exitCodes.notAuthenticated,
        code: 'passkey_required',
        next: `overlay-auth login ${needs.origin}   (in the browser)`,
      });
    default:
      throw new CliError('The server asks for something that this version cannot answer.', {
        exitCode: exitCodes.notAuthenticated,
        code: 'query_unknown',
        next: `overlay-auth login ${needs.origin}   (in the browser)`,
      });
  }
}

async function answerTotp(needs: DirectNeeds, state: AskingForTotp): Promise<LoginState> {
  for (let tries = 1; ; tries += 1) {
    const code = await totpCode(needs);
    try {
      return await state.submit(code);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'INVALID_TOTP_CODE') throw error;
      if (needs.totpCode !== undefined || tries === mostTries)
        throw new CliError(`The one-time code was refused: ${error.message}.`, {
          exitCode: exitCodes.notAuthenticated,
          code: 'totp_refused',
          reference: error.requestId,
          next: `overlay-auth login ${needs.origin}   (with the code that the app shows then)`,
        });
    }
    notice(needs.report, 'That code was not accepted. Wait for the next one, or use a recovery code.');
  }
}

/** Only at a terminal: the password that a script has would no longer work afterwards. */
async function replacePassword(
  { report, origin }: DirectNeeds,
  state: AskingForNewPassword,
): Promise<LoginState> {
  const ports = withoutPresentPassword(report.ports);
  if (!canPrompt(ports))
    throw new CliError('The password has to be replaced, and there is no terminal to ask for a new one.', {
      exitCode: exitCodes.notAuthenticated,
      code: 'password_change_required',
      next: `overlay-auth login ${origin}   (in a terminal, or in the browser)`,
    });
  notice(report, 'You have to choose a new password before you continue.');
  for (let tries = 1; ; tries += 1) {
    const password = await readNewPassword(ports, {}, 'this login');
    try {
      return await state.submit(password);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'INVALID_FIELD' || tries === mostTries) throw error;
      notice(report, `${error.message}.`);
    }
  }
}

async function totpCode({ report, totpCode: given, origin }: DirectNeeds): Promise<string> {
  if (given !== undefined) return given.replace(/[\s-]/g, '');
  if (!canPrompt(report.ports))
    throw new CliError('A one-time code is needed, and there is no terminal to ask for it.', {
      exitCode: exitCodes.notAuthenticated,
      code: 'totp_required',
      next: `overlay-auth login ${origin} … --totp-code CODE`,
    });
  return (await askLine(report.ports, 'One-time code: ')).replace(/[\s-]/g, '');
}

function refused({ origin }: DirectNeeds, error: unknown): unknown {
  if (!(error instanceof Refusal)) return failure(error);
  // The last step redeems the code. OAuth's words are lower case.
  if (error.status !== 302 && /^[a-z]/.test(error.code))
    return failure(error, { what: 'No tokens were issued' });
  return failure(error, {
    what: 'The login was refused',
    // A request that cannot continue (400) ends like wrong credentials (401).
    ...(error.status === 400 ? { exitCode: exitCodes.notAuthenticated } : {}),
    ...(error.status === 401
      ? { next: 'check what you typed; an administrator can look up the reason with the reference' }
      : error.status === 404
        ? { next: `overlay-auth login ${origin}   (this way of logging in is not offered here)` }
        : {}),
  });
}

function externalTokenRequired({ origin }: DirectNeeds, state: AskingForExternalJwt): CliError {
  const issuer = state.issuer ?? state.authorizationUrl ?? 'another provider';
  return new CliError(`Your policy also requires a token from ${issuer}.`, {
    exitCode: exitCodes.notAuthenticated,
    code: 'external_token_required',
    next: `overlay-auth login ${origin} -u USER -e JWTFILE`,
  });
}
