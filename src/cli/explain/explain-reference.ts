import { withApi } from '../api-client.ts';
import { asList, asObject, type JsonObject, textField } from '../json-shape.ts';
import { printable, printResult, type Report } from '../output.ts';
import { withoutMilliseconds } from '../table.ts';

/**
 * Prints each step of the login with this reference id: what was checked, what it saw, and what to do.
 * @throws CliError exit 1 when no login has it
 */
export async function explainReference(
  report: Report,
  reference: string,
  server: string | undefined,
): Promise<void> {
  await withApi(report, server, async (api) => {
    const { data } = await api.call({
      method: 'GET',
      path: `/login-attempts/${encodeURIComponent(reference)}`,
    });
    const attempts = asList(asObject(data).attempts).map(asObject);
    printResult(report, data, () => printable(attempts.map(attemptText).join('\n\n')));
  });
}

function attemptText(attempt: JsonObject): string {
  const { at, step, outcome, ipAddress } = attempt;
  const who =
    textField(asObject(attempt.identity), 'name') ?? textField(attempt, 'subject') ?? 'somebody unknown';
  const { happened, remedy } = asObject(attempt.explanation);
  return [
    `${oneLine(who)}: ${step} ${outcome}, ${withoutMilliseconds(String(at))}, from ${ipAddress}`,
    ...asList(attempt.checks).map((check) => checkLine(asObject(check))),
    ...(happened === undefined ? [] : ['', `What happened: ${happened}`, `What to do:    ${remedy}`]),
  ].join('\n');
}

function checkLine(check: JsonObject): string {
  const mark = check.verdict === 'passed' ? '\u2713 passed' : '\u2717 failed';
  const saw = textField(check, 'saw');
  return `  ${mark}  ${oneLine(String(check.check))}${saw === undefined ? '' : `: ${oneLine(saw)}`}`;
}

/** What strangers typed must not look like lines of ours. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
