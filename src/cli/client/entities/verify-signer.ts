import { asList, asObject, type JsonObject, textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { CliError } from '../../terminal/cli-error.ts';
import { printResult, type Report } from '../../terminal/output.ts';
import { externalJwt } from '../../terminal/secret-input.ts';
import { withApi } from '../connection/api-client.ts';
import { readJwt } from '../connection/jwt-text.ts';
import { checkLine, shownCheck } from '../explain/check-lines.ts';
import { entityNamed } from './entities.ts';
import { findEntity } from './lookup.ts';

/**
 * `verify ext-jwt-signer NAME FILE|-`: asks the server what a login with this token would decide. Logs nobody in.
 * @throws CliError exit 1 when the token is refused, after the checks were printed
 */
export async function verifySigner(
  report: Report,
  nameOrId: string,
  { file, server }: { readonly file: string; readonly server: string | undefined },
): Promise<void> {
  const token = await externalJwt(report.ports, file);
  await withApi(report, server, async (api) => {
    const { id } = await findEntity(api, entityNamed('ext-jwt-signer'), nameOrId);
    const path = `/external-jwt-signers/${encodeURIComponent(id)}/verify`;
    const tried = asObject((await api.call({ method: 'POST', path, json: { token } })).data);
    const { header = null, payload = null } = readJwt(token) ?? {};
    printResult(report, { header, payload, ...tried }, () =>
      [
        JSON.stringify({ header, payload }, null, 2),
        '',
        ...asList(tried.checks).map((check) => checkLine(shownCheck(asObject(check)))),
        ...(tried.isAccepted === true ? ['', acceptance(tried)] : []),
      ].join('\n'),
    );
    if (tried.isAccepted !== true) throw refusal(tried);
  });
}

function acceptance({ use, identity }: JsonObject): string {
  const name = textField(asObject(identity), 'name') ?? '';
  const what = use === 'secondary' ? 'as the second proof of' : 'as a login of';
  return `The server accepts this token ${what} ${name}. What ${name} must prove besides: overlay-auth explain policy ${shellWord(name)}`;
}

function refusal({ reason, explanation }: JsonObject): CliError {
  const { happened, remedy } = asObject(explanation);
  return new CliError(`This token is refused. ${happened ?? ''}`.trim(), {
    code: String(reason),
    ...(typeof remedy === 'string' ? { next: remedy } : {}),
  });
}
