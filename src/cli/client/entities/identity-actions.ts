// Actions of an administrator on one identity: unlock, disable, enable, reset-mfa, passkeys, set-password,
// end-sessions.

import { textField } from '../../../platform/formats/json-shape.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import type { Flags, Texts } from '../../terminal/command.ts';
import { CliError, printResult, usageError } from '../../terminal/output.ts';
import { readNewPassword, type SecretOptions } from '../../terminal/secret-input.ts';
import { printTable } from '../../terminal/table.ts';
import { changed } from './change.ts';
import { onEntity } from './on-entity.ts';

type DisableOptions = Texts<'minutes' | 'until'> & Flags<'force'>;

/** `identity disable NAME [--minutes N | --until TIME] [--force]` */
export const disableIdentity = onEntity(
  'identity',
  async ({ report, api, id, name, path }, { minutes, until, force }: DisableOptions) => {
    // The server judges times: the clock of this machine may be wrong.
    const json =
      until !== undefined ? { until } : minutes === undefined ? {} : { durationMinutes: Number(minutes) };
    await changed(api, { method: 'POST', path: `${path}/disable`, json }, { force });
    const end = minutes === undefined ? `until ${until ?? 'it is enabled'}` : `for ${minutes} minutes`;
    printResult(report, { id, name }, () => `Disabled ${name} ${end}; its sessions are ended.`);
  },
  async (_report, { minutes }) => {
    if (minutes !== undefined && !/^[1-9]\d{0,6}$/.test(minutes))
      throw usageError(`--minutes needs a whole number, not "${minutes}".`);
  },
);

/** `identity enable NAME` */
export const enableIdentity = simply('enable', 'Enabled');

/** `identity unlock NAME` */
export const unlockIdentity = simply('unlock', 'Unlocked');

/** An action about which nothing has to be said. */
function simply(action: string, done: string) {
  return onEntity('identity', async ({ report, api, id, name, path }) => {
    await api.call({ method: 'POST', path: `${path}/${action}`, json: {} });
    printResult(report, { id, name }, () => `${done} ${name}.`);
  });
}

/** `identity reset-mfa NAME` */
export const resetMfa = onEntity('identity', async ({ report, api, id, name, path }) => {
  if ((await api.find({ method: 'DELETE', path: `${path}/mfa` })) === undefined)
    throw new CliError(`${name} has no authenticator app.`, {
      code: 'NOT_FOUND',
      next: `overlay-auth get identity ${shellWord(name)}`,
    });
  printResult(report, { id, name }, () => `Removed the authenticator app of ${name}.`);
});

type PasskeyOptions = Texts<'remove'> & Flags<'force'>;

/** `identity passkeys NAME [--remove ID [--force]]` */
export const passkeys = onEntity(
  'identity',
  async ({ report, api, id, name, path }, { remove, force }: PasskeyOptions) => {
    if (remove !== undefined) {
      const one = `${path}/passkeys/${encodeURIComponent(remove)}`;
      await changed(api, { method: 'DELETE', path: one }, { force });
      printResult(report, { id, name, removed: remove }, () => `Removed a passkey of ${name}.`);
      return;
    }
    const { rows } = await api.call({ method: 'GET', path: `${path}/passkeys` });
    const columns = ['id', 'name', 'createdAt', 'lastUsedAt', 'isBackedUp', 'clonedAt'];
    printTable(report, rows, { value: rows, columns, nothing: `${name} has no passkeys.` });
  },
);

/** `identity set-password NAME` */
export const setPassword = onEntity(
  'identity',
  async ({ report, api, id, name, path }, options: SecretOptions) => {
    const { rows } = await api.call({ method: 'GET', path: `${path}/authenticators` });
    const authenticatorId = textField(rows.find(({ method }) => method === 'updb') ?? {}, 'id');
    if (authenticatorId === undefined)
      throw new CliError(`${name} has no user name and password.`, {
        code: 'NOT_FOUND',
        next: `overlay-auth create authenticator updb ${shellWord(name)} ${shellWord(name)}`,
      });
    const password = await readNewPassword(report.ports, options, name);
    const authenticator = `/authenticators/${encodeURIComponent(authenticatorId)}`;
    await api.call({ method: 'PATCH', path: authenticator, json: { password } });
    printResult(report, { id, name, authenticatorId }, () => `The password of ${name} is changed.`);
  },
);

/** `identity end-sessions NAME` */
export const endSessions = onEntity('identity', async ({ report, api, id, name, path }) => {
  const open = await api.call({ method: 'GET', path: `${path}/api-sessions`, query: { limit: '1' } });
  const ended = open.total;
  await api.call({ method: 'DELETE', path: `${path}/api-sessions` });
  const sessions = ended === 1 ? '1 session' : `${ended} sessions`;
  printResult(report, { id, name, ended }, () => `Ended ${sessions} of ${name}.`);
});
