// Every text of the mails, in English. The other languages have the type of this catalogue.

import type { NoticeKind } from '../model/mail.ts';

const notices: Readonly<Record<NoticeKind, { readonly subject: string; readonly text: string }>> = {
  'password-changed': { subject: 'Your password was changed', text: 'Your password was set or changed.' },
  'password-removed': { subject: 'Your password was removed', text: 'Your password was removed.' },
  'totp-added': {
    subject: 'An authenticator app was added',
    text: 'An authenticator app was set up for your account.',
  },
  'totp-removed': {
    subject: 'Your authenticator app was removed',
    text: 'The authenticator app of your account was removed.',
  },
  'passkey-added': { subject: 'A passkey was added', text: 'A passkey was added to your account.' },
  'passkey-removed': { subject: 'A passkey was removed', text: 'A passkey of your account was removed.' },
  'certificate-added': {
    subject: 'A certificate was added',
    text: 'A certificate that signs in as you was added to your account.',
  },
  'certificate-removed': {
    subject: 'A certificate was removed',
    text: 'A certificate of your account was removed.',
  },
  'email-changed': {
    subject: 'Your email address was changed',
    text: 'The email address of your account was changed or removed, or no longer counts as verified. You get no more mails about your account at this address.',
  },
  'new-program': {
    subject: 'A new program signed in',
    text: 'Someone signed in to your account with a browser or program that had not been used there before.',
  },
};

export const en = {
  hello: (name: string) => `Hello ${name},`,
  /** @param service the operator's name for it */
  sentBy: (service: string) => `${service} sent this mail. Answers to it are not read.`,
  linkUntil: (time: string) => `The link works once, until ${time}.`,
  orCopy: 'Or copy this address into your browser:',
  invitation: {
    ignore: 'If you did not expect this mail, ignore it: nothing has changed.',
    subject: (service: string) => `Your access to ${service}`,
    text: (service: string, username: string) =>
      `You have been invited to ${service}. Your user name is ${username}. Choose how you sign in:`,
    button: 'Set up your access',
  },
  reset: {
    ignore: 'If you did not ask for this, ignore this mail: your password stays as it is.',
    subject: (service: string) => `Choose a new password for ${service}`,
    text: (service: string, username: string) =>
      `Someone asked for a new password for your account ${username} at ${service}. Choose it here:`,
    button: 'Choose a new password',
  },
  notice: {
    subject: (service: string, what: string) => `${what} – ${service}`,
    byKind: notices,
    program: (program: string) => `Program: ${program}`,
    programOn: (program: string, system: string) => `${program} on ${system}`,
    unnamedProgram: 'Program: without a name that can be shown here; your account page has more',
    when: (time: string) => `When: ${time}`,
    from: (address: string) => `From the address: ${address}`,
    notYou:
      'If this was neither you nor your administrator, change your password and tell your administrator at once.',
  },
  test: {
    subject: (service: string) => `Test mail of ${service}`,
    text: 'Mails of the authentication service arrive.',
  },
};

export type MailTexts = typeof en;
