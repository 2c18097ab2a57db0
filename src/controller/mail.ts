// The configured mail server, with the files that the configuration names.

import { domainToASCII } from 'node:url';
import type { BrandingConfig, MailConfig } from '../config/config.ts';
import { readNamed, readRoots, refusedFile } from '../config/named-roots.ts';
import { letterOf } from '../mail/letter.ts';
import { systemClock } from '../platform/clock.ts';
import { trustingContext } from '../platform/network/outbound-client.ts';
import { type SmtpServer, sendBySmtp } from '../platform/network/smtp.ts';
import { systemRandom } from '../platform/random.ts';

const usualPorts = { required: 587, implicit: 465, none: 25 } as const;

/** @throws ConfigError a file cannot be read, or its contents are wrong */
export function smtpServerOf({ smtp }: MailConfig): SmtpServer {
  const { host, tls, user, passwordFile, timeout } = smtp;
  const roots = smtp.trustedRoots.map((file) => readRoots('mail.smtp.trustedRoots', file));
  const login =
    user === null || passwordFile === null ? null : { user, password: readPassword(passwordFile) };
  const port = smtp.port ?? usualPorts[tls];
  return { host, port, tls, login, timeout, secureContext: trustingContext(roots) };
}

function readPassword(file: string): string {
  const path = 'mail.smtp.passwordFile';
  const password = readNamed(path, file).replace(/\r?\n$/, '');
  if (password === '' || /[\r\n\0]/.test(password)) throw refusedFile(path, `${file} is not one line`);
  return password;
}

/**
 * Sends a mail now, to try the configuration.
 * @returns what the server said
 * @throws ConfigError as `smtpServerOf`; MailNotSent
 */
export async function sendTestMail(
  { mail, branding }: { readonly mail: MailConfig; readonly branding: BrandingConfig },
  to: string,
): Promise<string> {
  const server = smtpServerOf(mail);
  const letter = letterOf(branding, { person: null, language: mail.language }, { kind: 'test' });
  const messageId = `${systemRandom.id()}@${domainOf(mail)}`;
  return sendBySmtp(server, { ...letter, from: mail.from, to, messageId, date: new Date(systemClock.now()) });
}

/** Of the sender, for ids of mails. */
export function domainOf({ from }: Pick<MailConfig, 'from'>): string {
  return domainToASCII(from.address.slice(from.address.lastIndexOf('@') + 1)) || 'localhost';
}
