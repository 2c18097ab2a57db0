import { createAdministrator } from '../../admin/administrators.ts';
import { findAdministrator, recoverAdministrator } from '../../admin/recover-administrator.ts';
import { createSetupLink, withdrawSetupLinks } from '../../admin/setup.ts';
import { issuerOf } from '../../config/addresses.ts';
import type { Config } from '../../config/config.ts';
import { passwordHasher } from '../../login/password/password.ts';
import type { Factor } from '../../model/login.ts';
import { shellWord } from '../../platform/formats/shell-word.ts';
import type { Flags, Texts, Work } from '../terminal/command.ts';
import { CliError, notice, printResult, type Report, usageError } from '../terminal/output.ts';
import { readNewPassword, type SecretOptions } from '../terminal/secret-input.ts';
import { type ConfigOptions, configPath, shownPath } from './load-config.ts';
import { withHost } from './open-host.ts';
import { setupUrl } from './setup/setup-url.ts';
import { readAuthority } from './trust/authority.ts';

type RecoverOptions = SecretOptions & Texts<'config'> & Flags<'resetTotp' | 'ownPolicy'>;

type AdminOptions = SecretOptions & Texts<'config'> & Flags<'link'>;

/** `admin create NAME` */
export const createAdmin: Work<AdminOptions, readonly [string | undefined]> = async (
  report,
  options,
  [name],
) => {
  if (options.link === true) return createLink(report, options);
  if (name === undefined) throw usageError('The name of the administrator is missing.');
  const { ports } = report;
  const created = await withHost(report, options, async ({ foundations, audit }) => {
    if ((await findAdministrator(foundations, name)) !== null)
      throw new CliError(`There is an identity with the name ${JSON.stringify(name)} already.`, {
        code: 'conflict',
        next: `overlay-auth admin recover ${shellWord(name)}`,
      });
    const password = await readNewPassword(ports, options, name);
    const needs = { ...foundations, audit, hasher: passwordHasher(foundations.hashPool) };
    const identity = await createAdministrator(needs, { username: name, password });
    await withdrawSetupLinks(foundations);
    return { id: identity.id, name: identity.name, url: urlOf(foundations.config) };
  });
  printResult(report, created, () => `Created the administrator ${created.name}.`);
  notice(
    report,
    `next: overlay-auth login ${created.url} -u ${shellWord(created.name)}${caOption(report, options)}`,
  );
};

async function createLink(report: Report, options: AdminOptions): Promise<void> {
  const link = await withHost(report, options, async ({ foundations, audit }) => {
    const { token, expiresAt } = await createSetupLink({ ...foundations, audit });
    const url = setupUrl(issuerOf(foundations.config.edge.api.address), token);
    return { url, expiresAt: new Date(expiresAt).toISOString() };
  });
  printResult(report, link, () => link.url);
  notice(
    report,
    'The link works once, for 30 minutes, while a controller runs. Earlier ones stopped working.',
  );
}

/** `admin recover NAME` */
export const recoverAdmin: Work<RecoverOptions, readonly [string]> = async (report, options, [name]) => {
  const { ports } = report;
  const removeTotp = options.resetTotp === true;
  const ownPolicy = options.ownPolicy === true;
  const recovered = await withHost(report, options, async ({ foundations, audit }) => {
    const identity = await findAdministrator(foundations, name);
    if (identity === null)
      throw new CliError(`There is no identity with the name ${JSON.stringify(name)}.`, {
        code: 'not_found',
        next: `overlay-auth admin create ${shellWord(name)}`,
      });
    if (!identity.isAdmin)
      throw new CliError(
        `${JSON.stringify(name)} is not an administrator; only administrators are recovered here.`,
        {
          code: 'not_an_administrator',
          next: 'overlay-auth admin create NAME, then set the password of the other identity as that administrator',
        },
      );
    const password = await readNewPassword(ports, options, name);
    const needs = { ...foundations, audit, hasher: passwordHasher(foundations.hashPool) };
    const wanted = { password, removeTotp, ownPolicy };
    const { further, username, policy } = await recoverAdministrator(needs, identity, wanted);
    return {
      id: identity.id,
      name: identity.name,
      username,
      ...(policy && { authPolicy: policy.name }),
      url: urlOf(foundations.config),
      furtherFactors: further.map(wordsFor),
    };
  });
  printResult(
    report,
    recovered,
    () =>
      `${recovered.name} has a new password, is enabled and was signed out everywhere. The user name is ${recovered.username}.`,
  );
  if (recovered.authPolicy !== undefined)
    notice(
      report,
      `${recovered.name} has the auth policy ${JSON.stringify(recovered.authPolicy)} now, which allows passwords and requires nothing more. Name another one later, and delete it.`,
    );
  for (const factor of recovered.furtherFactors) notice(report, `The next login also asks for ${factor}.`);
  const ca = caOption(report, options);
  notice(report, `next: overlay-auth login ${recovered.url} -u ${shellWord(recovered.username)}${ca}`);
};

function wordsFor(factor: Factor): string {
  switch (factor.type) {
    case 'totp':
      return factor.isEnrolled
        ? 'a code of the authenticator app; if that is lost, recover again with --reset-totp'
        : 'an authenticator app, to be set up then';
    case 'passkey':
      return factor.isEnrolled
        ? 'a passkey; without it, recover again with --own-policy'
        : 'a passkey, to be added then; without one, recover again with --own-policy';
    case 'ext-jwt':
      return 'a token of an external JWT signer; if that gives none, recover again with --own-policy';
    case 'password-change':
      return 'yet another password';
  }
}

function urlOf(config: Config): string {
  return new URL(issuerOf(config.edge.api.address)).origin;
}

/** `--ca` of a login, if it would not find the own authority of this home by itself. */
function caOption({ ports }: Report, { config }: ConfigOptions): string {
  if (configPath(ports, { config }) === configPath(ports, {})) return '';
  try {
    const { file } = readAuthority(ports, { file: undefined, config });
    return ` --ca ${shellWord(shownPath(ports.cwd, file))}`;
  } catch {
    // Its server certificate comes from elsewhere.
    return '';
  }
}
