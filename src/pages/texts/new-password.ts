// The texts of the pages on which a person chooses a password.

import { type Html, html } from '../html.ts';
import type { TextTable } from './both-languages.ts';

const listed = (before: string, contents: readonly string[]) =>
  contents.length > 0 ? `${before}${contents.join(', ')}` : '';

export const newPasswordPages = {
  /** On each page with a new password. */
  newPassword: {
    repeated: ['The same password again', 'Dasselbe Passwort noch einmal'],
    atLeast: (shortest: number, contents: readonly string[]) => [
      `At least ${shortest} characters${listed(', with ', contents)}.`,
      `Mindestens ${shortest} Zeichen${listed(', mit ', contents)}.`,
    ],
    mixedCase: ['an upper-case and a lower-case letter', 'einem Groß- und einem Kleinbuchstaben'],
    digit: ['a digit', 'einer Ziffer'],
    special: ['a special character', 'einem Sonderzeichen'],
    advice: [
      'Not a common one, and not your name. A few words together are easy to remember and hard to guess.',
      'Kein verbreitetes und nicht Ihr Name. Einige Wörter zusammen sind leicht zu merken und schwer zu erraten.',
    ],
    tooShort: (least: number) => [
      `The password has too few characters, at least ${least} are needed.`,
      `Das Passwort hat zu wenige Zeichen, mindestens ${least} sind nötig.`,
    ],
    problems: {
      repeated: ['The two passwords differ.', 'Die beiden Passwörter sind verschieden.'],
      'too-long': ['The password is too long.', 'Das Passwort ist zu lang.'],
      'mixed-case': [
        'The password needs an upper-case and a lower-case letter.',
        'Das Passwort braucht einen Groß- und einen Kleinbuchstaben.',
      ],
      digit: ['The password needs a digit.', 'Das Passwort braucht eine Ziffer.'],
      special: ['The password needs a special character.', 'Das Passwort braucht ein Sonderzeichen.'],
      common: ['The password is too common.', 'Das Passwort ist zu verbreitet.'],
      same: ['This is your current password.', 'Das ist Ihr jetziges Passwort.'],
      'own-name': ['The password is too similar to your name.', 'Das Passwort ist Ihrem Namen zu ähnlich.'],
    },
  },

  setup: {
    heading: ['Set up an administrator', 'Administratorkonto einrichten'],
    failedTitle: ['not created', 'nicht angelegt'],
    submit: ['Create the administrator', 'Administratorkonto anlegen'],
    notCreated: ['The administrator was not created:', 'Das Administratorkonto wurde nicht angelegt:'],
    problems: {
      username: ['This cannot be a user name.', 'Das kann kein Benutzername sein.'],
      taken: ['This user name is already taken.', 'Dieser Benutzername ist vergeben.'],
      policy: [
        'The default auth policy does not allow passwords.',
        'Die Standardrichtlinie erlaubt keine Passwörter.',
      ],
    },
    doneTitle: ['Administrator created', 'Administratorkonto angelegt'],
    doneHeading: ['The administrator is ready', 'Das Administratorkonto ist bereit'],
    done: (username: Html) => [
      html`You can sign in as ${username} now. This link has been used and no longer works.`,
      html`Sie können sich jetzt als ${username} anmelden. Dieser Link hat seinen Zweck erfüllt und kann nicht noch einmal verwendet werden.`,
    ],
    toConsole: ['Open the console', 'Konsole öffnen'],
    orInTerminal: ['Or go on in a terminal:', 'Oder weiter in einem Terminal:'],
    nextInTerminal: ['Next, in a terminal:', 'Weiter geht es in einem Terminal:'],
    dead: {
      used: {
        heading: ['This link has been used', 'Dieser Link wurde schon verwendet'],
        text: [
          'An administrator was created with it. If that was not you, tell the people who run this server.',
          'Mit ihm wurde ein Administratorkonto angelegt. Wenn Sie das nicht waren, informieren Sie die Betreiber dieses Servers.',
        ],
      },
      expired: {
        heading: ['This link is no longer valid', 'Dieser Link gilt nicht mehr'],
        text: [
          'A set-up link works for 30 minutes and stops working when a newer one is made.',
          'Ein Einrichtungslink gilt 30 Minuten, oder bis ein neuerer angelegt wird.',
        ],
      },
      unknown: {
        heading: ['This is not a set-up link', 'Das ist kein Einrichtungslink'],
        text: [
          'Check that the whole address was copied, or that it is from this server.',
          'Prüfen Sie, ob die ganze Adresse kopiert wurde und ob sie von diesem Server stammt.',
        ],
      },
    },
    another: [
      'On the server, make a new link or create an administrator directly:',
      'Legen Sie auf dem Server einen neuen Link oder direkt ein Administratorkonto an:',
    ],
  },

  passwordChange: {
    heading: ['Choose a new password', 'Wählen Sie ein neues Passwort'],
    lead: [
      'You have to choose a new password before you continue. You will be signed out everywhere else.',
      'Sie müssen ein neues Passwort wählen, bevor Sie fortfahren. Überall sonst werden Sie abgemeldet.',
    ],
    submit: ['Change the password and continue', 'Passwort ändern und weiter'],
  },

  invite: {
    first: {
      heading: ['Choose your password', 'Wählen Sie Ihr Passwort'],
      lead: (service: string) => [
        `You have been invited to ${service}. Only you will know this password.`,
        `Sie sind zu ${service} eingeladen. Nur Sie werden dieses Passwort kennen.`,
      ],
    },
    reset: {
      heading: ['Choose a new password', 'Wählen Sie ein neues Passwort'],
      lead: (service: string) => [
        `An administrator of ${service} lets you replace your password. Only you will know the new one.`,
        `Ein Administrator von ${service} lässt Sie Ihr Passwort ersetzen. Nur Sie werden das neue kennen.`,
      ],
    },
    forgotten: {
      heading: ['Choose a new password', 'Wählen Sie ein neues Passwort'],
      lead: (service: string) => [
        `You asked for this link at ${service}. When you set the new password, you are signed out everywhere. Your authenticator app and passkeys stay.`,
        `Sie haben diesen Link bei ${service} angefordert. Wenn Sie das neue Passwort setzen, werden Sie überall abgemeldet. Authenticator-App und Passkeys bleiben.`,
      ],
    },
    onlyPasskey: {
      heading: ['Set up your passkey', 'Richten Sie Ihren Passkey ein'],
      lead: (service: string) => [
        `You have been invited to ${service}. You sign in there with a passkey.`,
        `Sie sind zu ${service} eingeladen. Dort melden Sie sich mit einem Passkey an.`,
      ],
    },
    withPasskey: [
      'With a passkey you sign in by fingerprint, face or PIN, and have no password to remember.',
      'Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder PIN an und müssen sich kein Passwort merken.',
    ],
    replacesPassword: ['It replaces your password.', 'Er ersetzt Ihr Passwort.'],
    failedTitle: ['not set', 'nicht gesetzt'],
    password: ['New password', 'Neues Passwort'],
    submit: ['Set the password and sign in', 'Passwort setzen und anmelden'],
    submitOnly: ['Set the password', 'Passwort setzen'],
    notSet: ['The password was not set:', 'Das Passwort wurde nicht gesetzt:'],
    doneHeading: {
      password: ['Your password is set', 'Ihr Passwort ist gesetzt'],
      passkey: ['Your passkey is ready', 'Ihr Passkey ist bereit'],
    },
    done: (username: Html) => [
      html`You can sign in as ${username} now. This link has been used and no longer works.`,
      html`Sie können sich jetzt als ${username} anmelden. Dieser Link wurde verwendet und funktioniert nicht mehr.`,
    ],
    goOn: [
      'Go back to the application and sign in.',
      'Gehen Sie zur Anwendung zurück und melden Sie sich an.',
    ],
    toAccount: ['Sign in to your account', 'Bei Ihrem Konto anmelden'],
    dead: {
      expired: {
        heading: ['This link is no longer valid', 'Dieser Link gilt nicht mehr'],
        text: ['It was not used in time.', 'Er wurde nicht rechtzeitig verwendet.'],
      },
      unknown: {
        heading: ['This link does not work', 'Dieser Link funktioniert nicht'],
        text: [
          'It has been used, a newer one was made, or the address is incomplete. If you did not use it yourself, tell an administrator.',
          'Er wurde schon verwendet, es gibt einen neueren, oder die Adresse ist unvollständig. Wenn Sie ihn nicht selbst verwendet haben, informieren Sie einen Administrator.',
        ],
      },
    },
    usedIt: [
      'If you used it yourself, sign in with the password or passkey that you chose then.',
      'Wenn Sie ihn selbst verwendet haben, melden Sie sich so an, wie Sie es dabei gewählt haben: mit Passwort oder Passkey.',
    ],
    another: [
      'The person who sent it can make a new one.',
      'Einen neuen bekommen Sie von der Person, die ihn geschickt hat.',
    ],
    askAgain: (link: Html) => [
      html`If you have forgotten your password: ${link}.`,
      html`Wenn Sie Ihr Passwort vergessen haben: ${link}.`,
    ],
  },

  forgotten: {
    link: ['Forgotten your password?', 'Passwort vergessen?'],
    heading: ['Choose a new password', 'Neues Passwort wählen'],
    lead: [
      'You get a mail with a link, with which you choose a new password.',
      'Sie bekommen eine E-Mail mit einem Link, mit dem Sie ein neues Passwort wählen.',
    ],
    name: ['User name or email address', 'Benutzername oder E-Mail-Adresse'],
    submit: ['Send the mail', 'E-Mail senden'],
    askAgain: ['ask for a new mail', 'neue E-Mail anfordern'],
    doneHeading: ['Check your mailbox', 'Prüfen Sie Ihr Postfach'],
    done: [
      'If there is an account for this name, and its email address is known, a mail is on its way to it.',
      'Wenn es zu diesem Namen ein Konto mit bekannter E-Mail-Adresse gibt, ist eine E-Mail dorthin unterwegs.',
    ],
    notThere: [
      'No mail after a few minutes? Look into the spam folder, check what you typed, or ask your administrator.',
      'Nach ein paar Minuten keine E-Mail? Sehen Sie in den Spam-Ordner, prüfen Sie Ihre Eingabe, oder fragen Sie Ihre Administratoren.',
    ],
  },
} satisfies TextTable;
