// Deutsch.

import { type Html, html } from '../html.ts';
import type { NewPasswordPages } from './new-password-en.ts';

export const newPasswordPages: NewPasswordPages = {
  newPassword: {
    repeated: 'Dasselbe Passwort noch einmal',
    atLeast: (shortest: number, contents: readonly string[]) =>
      `Mindestens ${shortest} Zeichen${contents.length > 0 ? `, mit ${contents.join(', ')}` : ''}.`,
    mixedCase: 'einem Groß- und einem Kleinbuchstaben',
    digit: 'einer Ziffer',
    special: 'einem Sonderzeichen',
    advice:
      'Kein verbreitetes und nicht Ihr Name. Einige Wörter zusammen sind leicht zu merken und schwer zu erraten.',
    tooShort: (least: number) => `Das Passwort hat zu wenige Zeichen, mindestens ${least} sind nötig.`,
    problems: {
      repeated: 'Die beiden Passwörter sind verschieden.',
      'too-long': 'Das Passwort ist zu lang.',
      'mixed-case': 'Das Passwort braucht einen Groß- und einen Kleinbuchstaben.',
      digit: 'Das Passwort braucht eine Ziffer.',
      special: 'Das Passwort braucht ein Sonderzeichen.',
      common: 'Das Passwort ist zu verbreitet.',
      same: 'Das ist Ihr jetziges Passwort.',
      'own-name': 'Das Passwort ist Ihrem Namen zu ähnlich.',
    },
  },

  setup: {
    heading: 'Administratorkonto einrichten',
    failedTitle: 'nicht angelegt',
    submit: 'Administratorkonto anlegen',
    notCreated: 'Das Administratorkonto wurde nicht angelegt:',
    problems: {
      username: 'Das kann kein Benutzername sein.',
      taken: 'Dieser Benutzername ist vergeben.',
      policy: 'Die Standardrichtlinie erlaubt keine Passwörter.',
    },
    doneTitle: 'Administratorkonto angelegt',
    doneHeading: 'Das Administratorkonto ist bereit',
    done: (username: Html) =>
      html`Sie können sich jetzt als ${username} anmelden. Dieser Link hat seinen Zweck erfüllt und kann nicht noch einmal verwendet werden.`,
    toConsole: 'Konsole öffnen',
    orInTerminal: 'Oder weiter in einem Terminal:',
    nextInTerminal: 'Weiter geht es in einem Terminal:',
    dead: {
      used: {
        heading: 'Dieser Link wurde schon verwendet',
        text: 'Mit ihm wurde ein Administratorkonto angelegt. Wenn Sie das nicht waren, informieren Sie die Betreiber dieses Servers.',
      },
      expired: {
        heading: 'Dieser Link gilt nicht mehr',
        text: 'Ein Einrichtungslink gilt 30 Minuten, oder bis ein neuerer angelegt wird.',
      },
      unknown: {
        heading: 'Das ist kein Einrichtungslink',
        text: 'Prüfen Sie, ob die ganze Adresse kopiert wurde und ob sie von diesem Server stammt.',
      },
    },
    another: 'Legen Sie auf dem Server einen neuen Link oder direkt ein Administratorkonto an:',
  },

  passwordChange: {
    heading: 'Wählen Sie ein neues Passwort',
    lead: 'Sie müssen ein neues Passwort wählen, bevor Sie fortfahren. Überall sonst werden Sie abgemeldet.',
    submit: 'Passwort ändern und weiter',
  },

  invite: {
    first: {
      heading: 'Wählen Sie Ihr Passwort',
      lead: (service: string) => `Sie sind zu ${service} eingeladen. Nur Sie werden dieses Passwort kennen.`,
    },
    reset: {
      heading: 'Wählen Sie ein neues Passwort',
      lead: (service: string) =>
        `Ein Administrator von ${service} lässt Sie Ihr Passwort ersetzen. Nur Sie werden das neue kennen.`,
    },
    forgotten: {
      heading: 'Wählen Sie ein neues Passwort',
      lead: (service: string) =>
        `Sie haben diesen Link bei ${service} angefordert. Mit dem alten Passwort enden alle Ihre Sitzungen; Ihre zweiten Faktoren bleiben.`,
    },
    onlyPasskey: {
      heading: 'Richten Sie Ihren Passkey ein',
      lead: (service: string) =>
        `Sie sind zu ${service} eingeladen. Dort melden Sie sich mit einem Passkey an.`,
    },
    withPasskey:
      'Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder PIN an und müssen sich kein Passwort merken.',
    replacesPassword: 'Er ersetzt Ihr Passwort.',
    failedTitle: 'nicht gesetzt',
    password: 'Neues Passwort',
    submit: 'Passwort setzen und anmelden',
    submitOnly: 'Passwort setzen',
    notSet: 'Das Passwort wurde nicht gesetzt:',
    doneHeading: { password: 'Ihr Passwort ist gesetzt', passkey: 'Ihr Passkey ist bereit' },
    done: (username: Html) =>
      html`Sie können sich jetzt als ${username} anmelden. Dieser Link wurde verwendet und funktioniert nicht mehr.`,
    goOn: 'Gehen Sie zur Anwendung zurück und melden Sie sich an.',
    toAccount: 'Bei Ihrem Konto anmelden',
    dead: {
      expired: {
        heading: 'Dieser Link gilt nicht mehr',
        text: 'Er wurde nicht rechtzeitig verwendet.',
      },
      unknown: {
        heading: 'Dieser Link funktioniert nicht',
        text: 'Er wurde schon verwendet, es gibt einen neueren, oder die Adresse ist unvollständig. Wenn Sie ihn nicht selbst verwendet haben, informieren Sie einen Administrator.',
      },
    },
    another: 'Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
    askAgain: (link: Html) => html`Wenn Sie Ihr Passwort vergessen haben: ${link}.`,
  },

  forgotten: {
    link: 'Passwort vergessen?',
    heading: 'Neues Passwort wählen',
    lead: 'Sie bekommen eine E-Mail mit einem Link, mit dem Sie ein neues Passwort wählen.',
    name: 'Benutzername oder E-Mail-Adresse',
    submit: 'E-Mail senden',
    askAgain: 'neue E-Mail anfordern',
    doneHeading: 'Sehen Sie in Ihr Postfach',
    done: 'Wenn es zu diesem Namen ein Konto mit bekannter E-Mail-Adresse gibt, ist eine E-Mail dorthin unterwegs.',
    notThere:
      'Nach ein paar Minuten keine E-Mail? Sehen Sie in den Ordner für unerwünschte E-Mails, prüfen Sie Ihre Eingabe, oder fragen Sie Ihre Administratoren.',
  },
};
