import type { Config } from '../../config/config.ts';
import { jsonSchema, renderShow } from '../../config/explain.ts';
import { toFileShape } from '../../config/file-shape.ts';
import type { SettingChange } from '../../config/reload.ts';
import { MailNotSent, type SmtpStage } from '../../platform/network/smtp.ts';
import type { Work } from '../terminal/command.ts';
import { CliError, notice, printResult, type Report } from '../terminal/output.ts';
import { askController } from './ask-controller.ts';
import { type ConfigOptions, configPath, loadConfigFile, reloadCommand, shownPath } from './load-config.ts';
import { checkedConfig, saidOf } from './run/check.ts';
import { passkeysThatEnd } from './run/check-database.ts';

/** @throws CliError with every problem of the file, or with what went wrong with the test mail */
export const validateConfig: Work<{ sendTest?: string }, readonly [string]> = async (
  report,
  { sendTest },
  [file],
) => {
  const { loaded, notes } = await checkedConfig(report.ports, file);
  const { adjustments } = loaded;
  const warnings = [...loaded.warnings, ...notes, ...(await passkeysThatEnd(loaded.config))];
  const mail = sendTest === undefined ? {} : { mail: await triedMail(loaded.config, sendTest) };
  printResult(report, { valid: true, adjustments, warnings, ...mail }, () =>
    [
      `${file} is valid.`,
      ...(mail.mail === undefined ? [] : [`A test mail for ${sendTest} was taken: ${mail.mail}`]),
      ...saidOf({ adjustments, warnings }),
    ].join('\n'),
  );
};

/** @returns the answer of the mail server. @throws CliError in words for the operator */
async function triedMail({ mail, branding }: Config, to: string): Promise<string> {
  if (mail === null)
    throw new CliError('The configuration names no mail server.', {
      code: 'config',
      next: 'add the section mail, with smtp and from',
    });
  // Loaded only by a command that sends mail.
  const { sendTestMail } = await import('../../controller/mail.ts');
  try {
    return await sendTestMail({ mail, branding }, to);
  } catch (error) {
    if (!(error instanceof MailNotSent)) throw error;
    throw new CliError(`The test mail was not sent: ${error.message}`, {
      code: `mail-${error.stage}`,
      next: nextAfter[error.stage],
    });
  }
}

const nextAfter: Readonly<Record<SmtpStage, string>> = {
  name: 'correct mail.smtp.host',
  connect: 'check mail.smtp.host and mail.smtp.port, and that a firewall lets the connection through',
  greeting: 'check mail.smtp.port, and mail.smtp.tls: a port for implicit TLS answers nothing else',
  tls: 'check mail.smtp.tls; name the authority of its certificate in mail.smtp.trustedRoots',
  login: 'check mail.smtp.user and mail.smtp.passwordFile; for a server without a login, leave both out',
  sender: 'check mail.from, and whether the server wants mail.smtp.user',
  recipient: 'check the address, and whether the server wants mail.smtp.user',
  message: 'ask the operator of the mail server',
};

/** @throws CliError with every problem of the file */
export const showConfig: Work<{ origin?: boolean }, readonly [string]> = async (
  report,
  { origin = false },
  [file],
) => {
  const { config, origins } = loadConfigFile(report.ports, file);
  const value = origin
    ? { config: toFileShape(config), origins: Object.fromEntries(origins) }
    : toFileShape(config);
  printResult(report, value, () => renderShow(config, origins, { origin }));
};

/** Always JSON. */
export async function printConfigSchema({ ports }: Report): Promise<void> {
  ports.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
}

/**
 * `config reload`: makes the running controller of a configuration file read it again.
 * @throws CliError none is running, or it refused the file; then nothing has changed
 */
export async function reloadConfig(report: Report, options: ConfigOptions): Promise<void> {
  const { ports } = report;
  const file = configPath(ports, options);
  const answer = await askController({ ports, file, word: 'reload' });
  if (answer.outcome === 'refused')
    throw new CliError(answer.reason, {
      code: 'config',
      next: `correct what is named, then run: ${reloadCommand(ports, file)}`,
    });
  const { outcome: _, sameAuthority, ...result } = answer;
  const { changed, needsRestart, newCertificates, formerCertificates, warnings } = result;
  const presented = new Map(newCertificates.toReversed().map((each) => [each.file, each]));
  const nowShown = newCertificates.filter(
    (each) => each.use !== 'server' || presented.get(each.file) === each,
  );
  const nowInUse = nowShown.map(({ use, subject, file, fingerprint, notAfter }) => {
    const what = use === 'server' ? '' : `${subject}, `;
    const words = sameAuthority.includes(fingerprint) ? newCertificateFor : newUse;
    return `${words[use]}: ${what}${shownPath(ports.cwd, file)}, valid until ${notAfter.slice(0, 10)}.`;
  });
  // The next one of a listener stands above. An authority with another certificate is as trusted as before.
  const former = formerCertificates.filter(
    ({ use, fingerprint }) => use !== 'server' && !sameAuthority.includes(fingerprint),
  );
  printResult(report, result, () =>
    [
      changed.length === 0 ? 'Read again; no setting has changed.' : 'Read again. In use from now on:',
      ...changed.map(lineOf),
      ...nowInUse,
      ...former.map(({ use, subject }) => `${formerUse[use]}: ${subject}.`),
      ...(needsRestart.length === 0 ? [] : ['In use after a restart:', ...needsRestart.map(lineOf)]),
      ...warnings.map((warning) => `warning: ${warning}`),
    ].join('\n'),
  );
  if (needsRestart.length > 0) notice(report, 'next: restart the controller');
}

const newCertificateFor = {
  server: 'A new certificate is presented',
  authority: 'A new certificate of a trusted authority is used',
  'client-signing': 'The authority that signs client certificates has a new certificate',
} as const;
const newUse = {
  server: newCertificateFor.server,
  authority: 'Another authority is trusted',
  'client-signing': 'Another authority signs client certificates',
} as const;
const formerUse = {
  server: 'No longer presented',
  authority: 'No longer trusted',
  'client-signing': 'No longer signs client certificates',
} as const;

function lineOf({ path, before, after }: SettingChange): string {
  return `  ${path}: ${shown(before)} -> ${shown(after)}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  return value === null ? 'none' : String(value);
}
