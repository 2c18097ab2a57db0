// The configured mail server, with the files that the configuration names.

import { domainToASCII } from 'node:url';
import type { BrandingConfig, Config, MailConfig } from '../config/config.ts';
import { readRoots, readSecretLine } from '../config/named-roots.ts';
import { letterOf } from '../mail/letter.ts';
import { noticesBy } from '../mail/notices.ts';
import type { MailInUse } from '../mail/send-mail.ts';
import type { Mailing } from '../model/mail.ts';
import { systemClock } from '../platform/clock.ts';
import { trustingContext } from '../platform/network/outbound-trust.ts';
import { type SmtpServer, sendBySmtp } from '../platform/network/smtp.ts';
import { systemRandom } from '../platform/random.ts';

const usualPorts = { required: 587, implicit: 465, none: 25 } as const;

/** The configuration of mails for the rules. */
export function mailingOf(mail: MailConfig | null): Mailing | null {
  if (mail === null) return null;
  const { language, passwordReset } = mail;
  return { language, passwordReset };
}

/** Notices to people about audit events of a command on the host. */
export const noticesOf = ({ mail }: Pick<Config, 'mail'>) => noticesBy(() => mail);

/** The mail services, by the configuration in use. */
export function openMail(config: Config) {
  let inUse = mailInUse(config);
  return {
    inUse: () => inUse,
    /** @returns what begins to use the other configuration @throws ConfigError as at the start */
    prepare(fresh: Config): () => void {
      const next = mailInUse(fresh);
      return () => {
        inUse = next;
      };
    },
  };
}

/** @throws ConfigError as `smtpServerOf` */
function mailInUse({ mail, branding }: Config): MailInUse | null {
  if (mail === null) return null;
  const { language, passwordReset, from } = mail;
  const server = smtpServerOf(mail);
  return { language, passwordReset, from, server, domain: domainOf(mail), look: branding };
}

/** @throws ConfigError a file cannot be read, or its contents are wrong */
export function smtpServerOf({ smtp }: MailConfig): SmtpServer {
  const { host, tls, user, passwordFile, timeout } = smtp;
  const roots = smtp.trustedRoots.map((file) => readRoots('mail.smtp.trustedRoots', file));
  const login =
    user === null || passwordFile === null
      ? null
      : { user, password: readSecretLine('mail.smtp.passwordFile', passwordFile) };
  const port = smtp.port ?? usualPorts[tls];
  return { host, port, tls, login, timeout, secureContext: trustingContext(roots) };
}

/**
 * Sends a mail now, to try the configuration.
 * @returns the server's answer
 * @throws ConfigError as `smtpServerOf`; MailNotSent
 */
export async function sendTestMail(
  { mail, branding }: { mail: MailConfig; branding: BrandingConfig },
  to: string,
): Promise<string> {
  const server = smtpServerOf(mail);
  const letter = letterOf(branding, { person: null, language: mail.language }, { kind: 'test' });
  const messageId = `${systemRandom.id()}@${domainOf(mail)}`;
  return sendBySmtp(server, { ...letter, from: mail.from, to, messageId, date: new Date(systemClock.now()) });
}

/** Of the sender, for ids of mails. */
function domainOf({ from }: Pick<MailConfig, 'from'>): string {
  return domainToASCII(from.address.slice(from.address.lastIndexOf('@') + 1)) || 'localhost';
}
