import { asList, asObject, type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { asTypedHere, CliError, printResult, type Report } from '../../terminal/output.ts';
import { withoutMilliseconds } from '../../terminal/table.ts';
import { type ApiAnswer, type ApiClient, onServer } from '../connection/api-client.ts';
import { checkLine, oneLine, shownCheck } from './check-lines.ts';

/**
 * Prints each step of the login with this reference id: the check, its finding, and the remedy.
 * @throws CliError exit 1 when no login has it
 */
export const explainReference = onServer<object, readonly [string]>(
  async ({ report, api }, _options, [reference]) => {
    const { data, document } = await attemptsOf(api, reference);
    const attempts = asList(document.attempts).map(asObject);
    printResult(report, data, () => attempts.map((attempt) => attemptText(report, attempt)).join('\n\n'));
  },
);

async function attemptsOf(api: ApiClient, reference: string): Promise<ApiAnswer> {
  try {
    return await api.call({ method: 'GET', path: `/login-attempts/${encodeURIComponent(reference)}` });
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'NOT_FOUND') throw error;
    throw error.inOtherWords(error.message, 'overlay-auth list login-attempts');
  }
}

function attemptText(report: Report, attempt: JsonObject): string {
  const { at, step, outcome, ipAddress } = attempt;
  const who =
    textField(asObject(attempt.identity), 'name') ?? textField(attempt, 'subject') ?? 'an unknown identity';
  const { happened, remedy, command } = asObject(attempt.explanation);
  return [
    `${oneLine(who)}: ${step} ${outcome}, ${withoutMilliseconds(String(at))}, from ${ipAddress}`,
    ...asList(attempt.checks).map((check) => checkLine(shownCheck(asObject(check)))),
    ...(happened === undefined ? [] : ['', `What happened: ${happened}`, `What to do:    ${remedy}`]),
    ...(typeof command === 'string' ? [`               ${oneLine(asTypedHere(report, command))}`] : []),
  ].join('\n');
}
