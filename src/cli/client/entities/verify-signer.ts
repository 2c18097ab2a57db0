import { asList, asObject, type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { asTypedHere, CliError, printResult, type Report } from '../../terminal/output.ts';
import { externalJwt, readJwt } from '../../terminal/secret-input.ts';
import { checkLine, shownCheck } from '../explain/check-lines.ts';
import { onEntity } from './on-entity.ts';

/**
 * `verify ext-jwt-signer NAME FILE|-`: asks the server for its verdict on a login with this token. It opens no session.
 * @throws CliError exit 1 when the token is refused, after the checks were printed
 */
export const verifySigner = onEntity(
  'ext-jwt-signer',
  async ({ report, api, path }, _options, token: string) => {
    const call = { method: 'POST', path: `${path}/verify`, json: { token } } as const;
    const { document: tried } = await api.call(call);
    const { header = null, payload = null } = readJwt(token) ?? {};
    printResult(report, { header, payload, ...tried }, () =>
      [
        JSON.stringify({ header, payload }, null, 2),
        '',
        ...asList(tried.checks).map((check) => checkLine(shownCheck(asObject(check)))),
        ...(tried.isAccepted === true ? ['', acceptance(report, tried)] : []),
      ].join('\n'),
    );
    if (tried.isAccepted !== true) throw refusal(tried);
  },
  ({ ports }, _options, [, file = '']) => externalJwt(ports, file),
);

function acceptance(report: Report, { use, identity }: JsonObject): string {
  const name = textField(asObject(identity), 'name') ?? '';
  const what = use === 'secondary' ? 'as the second proof of' : 'as a login of';
  const next = asTypedHere(report, `overlay-auth explain policy ${shellWord(name)}`);
  return `The server accepts this token ${what} ${name}. What ${name} must prove besides: ${next}`;
}

function refusal({ reason, explanation }: JsonObject): CliError {
  const { happened, remedy } = asObject(explanation);
  return new CliError(`This token is refused. ${happened ?? ''}`.trim(), {
    code: String(reason),
    ...(typeof remedy === 'string' ? { next: remedy } : {}),
  });
}
