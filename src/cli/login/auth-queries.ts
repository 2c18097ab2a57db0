// Answers the queries that remain after the primary login. A new kind of factor is one entry in `answerers`.

import { answerError, failureOf } from '../answer-failure.ts';
import { CliError } from '../cli-error.ts';
import type { HttpsAnswer, HttpsClient } from '../client/https-client.ts';
import { asList, asObject, type JsonObject, textField } from '../client/json-shape.ts';
import { exitCodes } from '../exit-codes.ts';
import { notice, type Report } from '../terminal/output.ts';
import { askLine, canPrompt } from '../terminal/prompt.ts';

export interface QueryNeeds {
  readonly report: Report;
  readonly http: HttpsClient;
  /** Origin of the server. */
  readonly origin: string;
  readonly authRequestId: string;
  /** From `--totp-code`. */
  readonly totpCode: string | undefined;
}

type Answerer = (needs: QueryNeeds, query: JsonObject) => Promise<HttpsAnswer>;

const answerers: Readonly<Record<string, Answerer>> = { MFA: answerTotp, TOTP: answerTotp };

const mostQueries = 8;
const mostTries = 3;

/**
 * Satisfies queries until the server redirects with a code.
 * @param answer what the primary login was answered with
 * @returns where the redirect leads
 * @throws CliError exit 3 when the login is refused or a query cannot be answered here
 */
export async function satisfyQueries(needs: QueryNeeds, answer: HttpsAnswer): Promise<URL> {
  let current = answer;
  for (let asked = 0; asked < mostQueries; asked += 1) {
    const { location } = current.headers;
    if (current.status >= 300 && current.status < 400 && location !== undefined) {
      return new URL(location, needs.origin);
    }
    if (current.status !== 200) throw refused(needs, current);
    const queries = asList(asObject(current.body).authQueries).map(asObject);
    const query = queries.find(
      ({ typeId }) => typeof typeId === 'string' && Object.hasOwn(answerers, typeId),
    );
    const answerer = answerers[String(query?.typeId)];
    if (query === undefined || answerer === undefined) throw notAnswerable(needs, queries);
    current = await answerer(needs, query);
  }
  throw new CliError('The server keeps asking for more; the login was given up.', {
    exitCode: exitCodes.notAuthenticated,
    code: 'too_many_queries',
    next: `overlay-auth login ${needs.origin}`,
  });
}

async function answerTotp(needs: QueryNeeds, query: JsonObject): Promise<HttpsAnswer> {
  const { report, origin } = needs;
  if (query.isTotpEnrolled === false) {
    const { enrollTotp } = await import('./totp-enrollment.ts');
    return enrollTotp(needs);
  }
  const url = new URL(textField(query, 'httpUrl') ?? '/oidc/login/totp', origin);
  if (url.origin !== origin) throw new CliError(`${origin} asks to send the code to ${url.origin}.`);
  for (let tries = 1; ; tries += 1) {
    const code = await totpCode(needs);
    const answer = await needs.http.send({ method: 'POST', url, json: { id: needs.authRequestId, code } });
    const { code: refusal, message, reference } = failureOf(answer);
    if (refusal !== 'INVALID_TOTP_CODE') return answer;
    if (needs.totpCode !== undefined || tries === mostTries) {
      throw new CliError(`The one-time code was refused: ${message}.`, {
        exitCode: exitCodes.notAuthenticated,
        code: 'totp_refused',
        ...(reference === undefined ? {} : { reference }),
        next: `overlay-auth login ${origin}   (with the code that the app shows then)`,
      });
    }
    notice(report, 'That code was not accepted. Wait for the next one, or use a recovery code.');
  }
}

async function totpCode({ report, totpCode: given, origin }: QueryNeeds): Promise<string> {
  if (given !== undefined) return given.replace(/[\s-]/g, '');
  if (!canPrompt(report.ports)) {
    throw new CliError('A one-time code is needed, and there is no terminal to ask for it.', {
      exitCode: exitCodes.notAuthenticated,
      code: 'totp_required',
      next: `overlay-auth login ${origin} … --totp-code CODE`,
    });
  }
  return (await askLine(report.ports, 'One-time code: ')).replace(/[\s-]/g, '');
}

function refused(needs: QueryNeeds, answer: HttpsAnswer): CliError {
  return answerError(answer, {
    what: 'The login was refused',
    // A request that cannot go on (400) ends the same way as credentials that are wrong (401).
    ...(answer.status === 400 ? { exitCode: exitCodes.notAuthenticated } : {}),
    ...(answer.status === 401
      ? { next: 'check what you typed; an administrator can look up the reason with the reference' }
      : answer.status === 404
        ? { next: `overlay-auth login ${needs.origin}   (this way of logging in is not offered here)` }
        : {}),
  });
}

function notAnswerable(needs: QueryNeeds, queries: readonly JsonObject[]): CliError {
  const external = queries.find(({ typeId }) => typeId === 'EXT-JWT');
  if (external === undefined) {
    return new CliError('The server asks for something that this version cannot answer.', {
      exitCode: exitCodes.notAuthenticated,
      code: 'query_unknown',
      next: `overlay-auth login ${needs.origin}   (in the browser)`,
    });
  }
  const issuer = textField(external, 'issuer') ?? textField(external, 'httpUrl') ?? 'another provider';
  return new CliError(`Your policy also requires a token from ${issuer}.`, {
    exitCode: exitCodes.notAuthenticated,
    code: 'external_token_required',
    next: `overlay-auth login ${needs.origin} -u USER -e JWTFILE`,
  });
}
