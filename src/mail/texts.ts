// Every text of the mails.

import type { TextTable } from '../pages/texts/both-languages.ts';

export const mailTexts = {
  hello: (name: string) => [`Hello ${name},`, `Hallo ${name},`],
  /** @param service the operator's name for it */
  sentBy: (service: string) => [
    `${service} sent this mail. Answers to it are not read.`,
    `Diese E-Mail kommt von ${service}. Antworten darauf liest niemand.`,
  ],
  linkUntil: (time: string) => [`The link works once, until ${time}.`, `Der Link gilt einmal, bis ${time}.`],
  orCopy: ['Or copy this address into your browser:', 'Oder kopieren Sie diese Adresse in Ihren Browser:'],
  invitation: {
    ignore: [
      'If you did not expect this mail, ignore it: nothing has changed.',
      'Wenn Sie diese E-Mail nicht erwartet haben, ignorieren Sie sie: Es hat sich nichts geändert.',
    ],
    subject: (service: string) => [`Your access to ${service}`, `Ihr Zugang zu ${service}`],
    text: (service: string, username: string) => [
      `You have been invited to ${service}. Your user name is ${username}. Choose how you sign in:`,
      `Sie wurden zu ${service} eingeladen. Ihr Benutzername ist ${username}. Wählen Sie, wie Sie sich anmelden:`,
    ],
    button: ['Set up your access', 'Zugang einrichten'],
  },
  reset: {
    ignore: [
      'If you did not ask for this, ignore this mail: your password stays as it is.',
      'Wenn Sie das nicht wollten, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.',
    ],
    subject: (service: string) => [
      `Choose a new password for ${service}`,
      `Neues Passwort für ${service} wählen`,
    ],
    text: (service: string, username: string) => [
      `Someone asked for a new password for your account ${username} at ${service}. Choose it here:`,
      `Für Ihr Konto ${username} bei ${service} wurde ein neues Passwort angefordert. Wählen Sie es hier:`,
    ],
    button: ['Choose a new password', 'Neues Passwort wählen'],
  },
  notice: {
    subject: (service: string, what: string) => [`${what} – ${service}`, `${what} – ${service}`],
    byKind: {
      'password-changed': {
        subject: ['Your password was changed', 'Ihr Passwort wurde geändert'],
        text: ['Your password was set or changed.', 'Ihr Passwort wurde gesetzt oder geändert.'],
      },
      'password-removed': {
        subject: ['Your password was removed', 'Ihr Passwort wurde entfernt'],
        text: ['Your password was removed.', 'Ihr Passwort wurde entfernt.'],
      },
      'totp-added': {
        subject: ['An authenticator app was added', 'Eine Authenticator-App wurde hinzugefügt'],
        text: [
          'An authenticator app was set up for your account.',
          'Für Ihr Konto wurde eine Authenticator-App eingerichtet.',
        ],
      },
      'totp-removed': {
        subject: ['Your authenticator app was removed', 'Ihre Authenticator-App wurde entfernt'],
        text: [
          'The authenticator app of your account was removed.',
          'Die Authenticator-App Ihres Kontos wurde entfernt.',
        ],
      },
      'passkey-added': {
        subject: ['A passkey was added', 'Ein Passkey wurde hinzugefügt'],
        text: ['A passkey was added to your account.', 'Ihrem Konto wurde ein Passkey hinzugefügt.'],
      },
      'passkey-removed': {
        subject: ['A passkey was removed', 'Ein Passkey wurde entfernt'],
        text: ['A passkey of your account was removed.', 'Ein Passkey Ihres Kontos wurde entfernt.'],
      },
      'certificate-added': {
        subject: ['A certificate was added', 'Ein Zertifikat wurde hinzugefügt'],
        text: [
          'A certificate that signs in as you was added to your account.',
          'Ihrem Konto wurde ein Zertifikat hinzugefügt, mit dem man sich als Sie anmeldet.',
        ],
      },
      'certificate-removed': {
        subject: ['A certificate was removed', 'Ein Zertifikat wurde entfernt'],
        text: ['A certificate of your account was removed.', 'Ein Zertifikat Ihres Kontos wurde entfernt.'],
      },
      'email-changed': {
        subject: ['Your email address was changed', 'Ihre E-Mail-Adresse wurde geändert'],
        text: [
          'The email address of your account was changed or removed, or no longer counts as verified. You get no more mails about your account at this address.',
          'Die E-Mail-Adresse Ihres Kontos wurde geändert oder entfernt, oder sie gilt nicht mehr als bestätigt. An diese Adresse bekommen Sie keine E-Mails mehr über Ihr Konto.',
        ],
      },
      'new-program': {
        subject: ['A new program signed in', 'Anmeldung mit einem neuen Programm'],
        text: [
          'Someone signed in to your account with a browser or program that had not been used there before.',
          'Jemand hat sich bei Ihrem Konto mit einem Browser oder Programm angemeldet, das dort noch nicht verwendet wurde.',
        ],
      },
    },
    program: (program: string) => [`Program: ${program}`, `Programm: ${program}`],
    programOn: (program: string, system: string) => [`${program} on ${system}`, `${program} unter ${system}`],
    unnamedProgram: [
      'Program: without a name that can be shown here; your account page has more',
      'Programm: ohne einen Namen, der hier gezeigt werden kann; mehr steht auf Ihrer Kontoseite',
    ],
    when: (time: string) => [`When: ${time}`, `Wann: ${time}`],
    from: (address: string) => [`From the address: ${address}`, `Von der Adresse: ${address}`],
    notYou: [
      'If this was neither you nor your administrator, change your password and tell your administrator at once.',
      'Wenn das weder Sie noch Ihre Administratoren waren, ändern Sie Ihr Passwort und sagen Sie es ihnen sofort.',
    ],
  },
  test: {
    subject: (service: string) => [`Test mail of ${service}`, `Test-E-Mail von ${service}`],
    text: ['Mails of the authentication service arrive.', 'E-Mails des Anmeldedienstes kommen an.'],
  },
} satisfies TextTable;
