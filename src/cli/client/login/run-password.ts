import { textField } from '../../../platform/formats/json-shape.ts';
import type { Texts } from '../../terminal/command.ts';
import { CliError, printResult, type Report, usageError } from '../../terminal/output.ts';
import { askHidden, canPrompt } from '../../terminal/prompt.ts';
import {
  isPrompted,
  readNewPassword,
  readSecretFile,
  type SecretOptions,
  withoutPresentPassword,
} from '../../terminal/secret-input.ts';
import { onServer } from '../connection/api-client.ts';

type PasswordOptions = SecretOptions & Texts<'currentPasswordFile'>;

/**
 * `password`: changes one's own password, and ends all other sessions. The current one may be in the environment, as for
 * `login`; the new one never is, so that a password that was set there for logins does not become it unseen.
 */
export const runPassword = onServer(async ({ report, api }, options: PasswordOptions) => {
  const path = '/current-identity/authenticators';
  const { rows } = await api.call({ api: 'client', method: 'GET', path });
  const own = rows.find(({ method }) => method === 'updb') ?? {};
  const id = textField(own, 'id');
  const username = textField(own, 'username');
  if (id === undefined || username === undefined)
    throw new CliError(`${api.login.name} has no user name and password.`, {
      code: 'NOT_FOUND',
      next: 'ask an administrator for one, if you need it',
    });
  const ports = withoutPresentPassword(report.ports);
  if (isPrompted(ports, options) && !canPrompt(ports))
    throw usageError(
      'The new password is needed, and there is no terminal to ask for it.',
      'add --password-stdin or --password-file FILE; OVERLAY_AUTH_PASSWORD is the current one',
    );
  const currentPassword = await readCurrentPassword(report, options, username);
  const password = await readNewPassword(ports, options, username);
  const json = { currentPassword, password };
  await api.call({ api: 'client', method: 'PATCH', path: `${path}/${encodeURIComponent(id)}`, json });
  printResult(
    report,
    { authenticatorId: id, username },
    () => `The password of ${username} is changed. All other sessions are ended.`,
  );
});

async function readCurrentPassword(
  { ports }: Report,
  { currentPasswordFile }: PasswordOptions,
  username: string,
): Promise<string> {
  if (currentPasswordFile !== undefined)
    return readSecretFile(ports, currentPasswordFile, 'file of the current password');
  const { OVERLAY_AUTH_PASSWORD: present } = ports.env;
  if (present !== undefined) return present;
  if (canPrompt(ports)) return askHidden(ports, `Current password of ${username}: `);
  throw usageError(
    'The current password is needed, and there is no terminal to ask for it.',
    'add --current-password-file FILE, or set OVERLAY_AUTH_PASSWORD',
  );
}
