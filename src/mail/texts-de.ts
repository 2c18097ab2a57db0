import type { MailTexts } from './texts-en.ts';

export const de: MailTexts = {
  hello: (name) => `Hallo ${name},`,
  sentBy: (service) => `Diese E-Mail kommt von ${service}. Antworten darauf liest niemand.`,
  linkUntil: (time) => `Der Link gilt einmal, bis ${time}.`,
  orCopy: 'Oder kopieren Sie diese Adresse in Ihren Browser:',
  invitation: {
    ignore: 'Wenn Sie diese E-Mail nicht erwartet haben, ignorieren Sie sie: Es hat sich nichts geändert.',
    subject: (service) => `Ihr Zugang zu ${service}`,
    text: (service, username) =>
      `Sie wurden zu ${service} eingeladen. Ihr Benutzername ist ${username}. Wählen Sie, wie Sie sich anmelden:`,
    button: 'Zugang einrichten',
  },
  reset: {
    ignore: 'Wenn Sie das nicht wollten, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.',
    subject: (service) => `Neues Passwort für ${service} wählen`,
    text: (service, username) =>
      `Für Ihr Konto ${username} bei ${service} wurde ein neues Passwort angefordert. Wählen Sie es hier:`,
    button: 'Neues Passwort wählen',
  },
  notice: {
    subject: (service, what) => `${what} – ${service}`,
    byKind: {
      'password-changed': {
        subject: 'Ihr Passwort wurde geändert',
        text: 'Ihr Passwort wurde gesetzt oder geändert.',
      },
      'password-removed': { subject: 'Ihr Passwort wurde entfernt', text: 'Ihr Passwort wurde entfernt.' },
      'totp-added': {
        subject: 'Eine Authenticator-App wurde hinzugefügt',
        text: 'Für Ihr Konto wurde eine Authenticator-App eingerichtet.',
      },
      'totp-removed': {
        subject: 'Ihre Authenticator-App wurde entfernt',
        text: 'Die Authenticator-App Ihres Kontos wurde entfernt.',
      },
      'passkey-added': {
        subject: 'Ein Passkey wurde hinzugefügt',
        text: 'Ihrem Konto wurde ein Passkey hinzugefügt.',
      },
      'passkey-removed': {
        subject: 'Ein Passkey wurde entfernt',
        text: 'Ein Passkey Ihres Kontos wurde entfernt.',
      },
      'certificate-added': {
        subject: 'Ein Zertifikat wurde hinzugefügt',
        text: 'Ihrem Konto wurde ein Zertifikat hinzugefügt, mit dem man sich als Sie anmeldet.',
      },
      'certificate-removed': {
        subject: 'Ein Zertifikat wurde entfernt',
        text: 'Ein Zertifikat Ihres Kontos wurde entfernt.',
      },
      'email-changed': {
        subject: 'Ihre E-Mail-Adresse wurde geändert',
        text: 'Die E-Mail-Adresse Ihres Kontos wurde geändert oder entfernt, oder sie gilt nicht mehr als bestätigt. An diese Adresse bekommen Sie keine E-Mails mehr über Ihr Konto.',
      },
      'new-program': {
        subject: 'Anmeldung mit einem neuen Programm',
        text: 'Jemand hat sich bei Ihrem Konto mit einem Browser oder Programm angemeldet, das dort noch nicht verwendet wurde.',
      },
    },
    program: (program) => `Programm: ${program}`,
    programOn: (program, system) => `${program} unter ${system}`,
    unnamedProgram:
      'Programm: ohne einen Namen, der hier gezeigt werden kann; mehr steht auf Ihrer Kontoseite',
    when: (time) => `Wann: ${time}`,
    from: (address) => `Von der Adresse: ${address}`,
    notYou:
      'Wenn das weder Sie noch Ihre Administratoren waren, ändern Sie Ihr Passwort und sagen Sie es ihnen sofort.',
  },
  test: {
    subject: (service) => `Test-E-Mail von ${service}`,
    text: 'E-Mails des Anmeldedienstes kommen an.',
  },
};
