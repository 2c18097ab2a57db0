// Actions of an administrator on one identity: unlock, disable, enable, reset-mfa, set-password, end-sessions.

import {
  asList,
  asObject,
  type JsonObject,
  numberField,
  textField,
} from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { CliError, usageError } from '../../terminal/cli-error.ts';
import { printResult, type Report } from '../../terminal/output.ts';
import { readNewPassword, type SecretOptions } from '../../terminal/secret-input.ts';
import { type ApiClient, withApi } from '../connection/api-client.ts';
import { changed } from './change.ts';
import { entityNamed } from './entities.ts';
import { findEntity } from './lookup.ts';

export interface IdentityOptions {
  readonly server?: string;
}

interface Target {
  readonly api: ApiClient;
  readonly id: string;
  readonly name: string;
  /** Path of the identity below the management API. */
  readonly path: string;
}

/** `identity disable NAME [--minutes N | --until TIME] [--force]` */
export async function disableIdentity(
  report: Report,
  nameOrId: string,
  options: IdentityOptions & { readonly minutes?: string; readonly until?: string; readonly force?: boolean },
): Promise<void> {
  const { minutes, until } = options;
  if (minutes !== undefined && until !== undefined) {
    throw usageError('--minutes and --until exclude each other.', 'overlay-auth identity disable --help');
  }
  if (minutes !== undefined && !/^[1-9]\d{0,6}$/.test(minutes)) {
    throw usageError(
      `--minutes needs a whole number, not "${minutes}".`,
      'overlay-auth identity disable --help',
    );
  }
  await withIdentity(report, { nameOrId, options }, async ({ api, id, name, path }) => {
    // The server judges times: the clock of this machine may be wrong.
    const json =
      until !== undefined ? { until } : minutes === undefined ? {} : { durationMinutes: Number(minutes) };
    const { force } = options;
    await changed(api, { method: 'POST', path: `${path}/disable`, json }, { force });
    const end = minutes === undefined ? `until ${until ?? 'it is enabled'}` : `for ${minutes} minutes`;
    printResult(report, { id, name }, () => `Disabled ${name} ${end}; its sessions are ended.`);
  });
}

/** `identity enable NAME` */
export async function enableIdentity(
  report: Report,
  nameOrId: string,
  options: IdentityOptions,
): Promise<void> {
  await withIdentity(report, { nameOrId, options }, async ({ api, id, name, path }) => {
    await api.call({ method: 'POST', path: `${path}/enable`, json: {} });
    printResult(report, { id, name }, () => `Enabled ${name}.`);
  });
}

/** `identity unlock NAME` */
export async function unlockIdentity(
  report: Report,
  nameOrId: string,
  options: IdentityOptions,
): Promise<void> {
  await withIdentity(report, { nameOrId, options }, async ({ api, id, name, path }) => {
    await api.call({ method: 'POST', path: `${path}/unlock`, json: {} });
    printResult(report, { id, name }, () => `Unlocked ${name}.`);
  });
}

/** `identity reset-mfa NAME` */
export async function resetMfa(report: Report, nameOrId: string, options: IdentityOptions): Promise<void> {
  await withIdentity(report, { nameOrId, options }, async ({ api, id, name, path }) => {
    if ((await api.find({ method: 'DELETE', path: `${path}/mfa` })) === undefined) {
      throw new CliError(`${name} has no authenticator app.`, {
        code: 'NOT_FOUND',
        next: `overlay-auth get identity ${id}`,
      });
    }
    printResult(report, { id, name }, () => `Removed the authenticator app of ${name}.`);
  });
}

/** `identity set-password NAME` */
export async function setPassword(
  report: Report,
  nameOrId: string,
  options: IdentityOptions & SecretOptions,
): Promise<void> {
  await withIdentity(report, { nameOrId, options }, async ({ api, id, name, path }) => {
    const { data } = await api.call({ method: 'GET', path: `${path}/authenticators` });
    const updb = asList(data)
      .map(asObject)
      .find(({ method }) => method === 'updb');
    const authenticatorId = textField(updb ?? {}, 'id');
    if (authenticatorId === undefined) {
      throw new CliError(`${name} has no user name and password.`, {
        code: 'NOT_FOUND',
        next: `overlay-auth create authenticator updb ${id} ${shellWord(name)}`,
      });
    }
    const password = await readNewPassword(report.ports, options, name);
    await api.call({
      method: 'PATCH',
      path: `/authenticators/${encodeURIComponent(authenticatorId)}`,
      json: { password },
    });
    printResult(report, { id, name, authenticatorId }, () => `The password of ${name} is changed.`);
  });
}

/** `identity end-sessions NAME` */
export async function endSessions(report: Report, nameOrId: string, options: IdentityOptions): Promise<void> {
  await withIdentity(report, { nameOrId, options }, async ({ api, id, name, path }) => {
    const { meta } = await api.call({ method: 'GET', path: `${path}/api-sessions`, query: { limit: '1' } });
    const ended = numberField(asObject(meta.pagination), 'totalCount') ?? 0;
    await api.call({ method: 'DELETE', path: `${path}/api-sessions` });
    const sessions = ended === 1 ? '1 session' : `${ended} sessions`;
    printResult(report, { id, name, ended }, () => `Ended ${sessions} of ${name}.`);
  });
}

async function withIdentity(
  report: Report,
  { nameOrId, options: { server } }: { readonly nameOrId: string; readonly options: IdentityOptions },
  action: (target: Target) => Promise<void>,
): Promise<void> {
  await withApi(report, server, async (api) => {
    const found: JsonObject & { readonly id: string } = await findEntity(
      api,
      entityNamed('identity'),
      nameOrId,
    );
    const name = textField(found, 'name') ?? nameOrId;
    await action({ api, id: found.id, name, path: `/identities/${encodeURIComponent(found.id)}` });
  });
}
