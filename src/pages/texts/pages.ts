// Every text on the pages.

import { type Html, html } from '../html.ts';
import type { TextTable } from './both-languages.ts';
import { common } from './common.ts';
import { errors } from './errors.ts';
import { newPasswordPages } from './new-password.ts';
import { signInPages } from './sign-in.ts';

export const pages = {
  /** The state comes before the page's title: "Error: …". */
  errorTitle: common.errorTitle,
  reference: (id: Html) => [html`Reference: ${id}`, html`Kennung: ${id}`],
  again: (id: Html) => [
    html`If it happens again, give this reference to an administrator: ${id}`,
    html`Wenn es wieder vorkommt, geben Sie diese Kennung an einen Administrator weiter: ${id}`,
  ],
  or: ['or', 'oder'],
  signInAsSomeoneElse: ['Sign in as someone else', 'Als jemand anderes anmelden'],
  startAgain: ['Start again', 'Neu beginnen'],
  backToLogin: ['Go back to signing in', 'Zurück zur Anmeldung'],

  device: {
    heading: ['Connect a device', 'Gerät verbinden'],
    lead: ['Enter the code that your device shows.', 'Geben Sie den Code ein, den Ihr Gerät zeigt.'],
    label: 'Code',
    hint: ['Eight letters, such as BCDF-GHJK.', 'Acht Buchstaben, zum Beispiel BCDF-GHJK.'],
    submit: ['Continue', 'Weiter'],
    failedTitle: ['unknown code', 'unbekannter Code'],
    unknown: ['No device is waiting with this code.', 'Mit diesem Code wartet kein Gerät.'],
    checkIt: [
      'Check the letters. A code works for ten minutes; after that, start again on the device.',
      'Prüfen Sie die Buchstaben. Ein Code gilt zehn Minuten; danach beginnen Sie am Gerät von vorn.',
    ],
    confirmHeading: ['Sign in on this device?', 'Auf diesem Gerät anmelden?'],
    confirmLead: [
      'Compare this with what your device shows.',
      'Vergleichen Sie das mit dem, was Ihr Gerät zeigt.',
    ],
    code: 'Code',
    client: ['Application', 'Anwendung'],
    place: ['Requested from', 'Angefragt von'],
    time: ['Requested at', 'Angefragt um'],
    warning: [
      'Continue only if you have just started this yourself and your device shows this code. If you got the code from another person, that person wants to sign in as you.',
      'Fahren Sie nur fort, wenn Sie das gerade selbst begonnen haben und Ihr Gerät diesen Code zeigt. Wenn Sie den Code von einer anderen Person haben, will sie sich als Sie anmelden.',
    ],
    confirm: ['Yes, sign in', 'Ja, anmelden'],
    deny: ['No, this is not my device', 'Nein, das ist nicht mein Gerät'],
    finishHeading: ['Sign in the device?', 'Das Gerät anmelden?'],
    finishLead: [
      'You have signed in for a device. It is not signed in yet.',
      'Sie haben sich für ein Gerät angemeldet. Es ist noch nicht angemeldet.',
    ],
    finishWarning: [
      'Continue only if you have just started this yourself on that device. Otherwise another person wants to use it with your account.',
      'Fahren Sie nur fort, wenn Sie das gerade selbst an diesem Gerät begonnen haben. Sonst will eine andere Person es mit Ihrem Konto benutzen.',
    ],
    finish: ['Yes, sign in the device', 'Ja, das Gerät anmelden'],
    outcomes: {
      approved: {
        heading: ['Your device is signed in', 'Ihr Gerät ist angemeldet'],
        text: [
          'Go back to the device; it continues within a few seconds. You can close this window.',
          'Gehen Sie zum Gerät zurück; es macht in wenigen Sekunden weiter. Sie können dieses Fenster schließen.',
        ],
      },
      denied: {
        heading: ['The device was refused', 'Das Gerät wurde abgelehnt'],
        text: [
          'It is not signed in. You can close this window.',
          'Es ist nicht angemeldet. Sie können dieses Fenster schließen.',
        ],
      },
      gone: {
        heading: ['The device is no longer waiting', 'Das Gerät wartet nicht mehr'],
        text: [
          'Its code has expired, or was used or refused in another window. Start again on the device.',
          'Sein Code ist abgelaufen oder wurde in einem anderen Fenster benutzt oder abgelehnt. Beginnen Sie am Gerät von vorn.',
        ],
      },
    },
  },

  signedIn: {
    heading: ['You are signed in', 'Sie sind angemeldet'],
    as: (name: Html) => [
      html`You are signed in here as ${name}.`,
      html`Sie sind hier als ${name} angemeldet.`,
    ],
    submit: ['Continue', 'Weiter'],
    other: ['Use another account', 'Ein anderes Konto verwenden'],
  },

  formPost: {
    heading: ['Going back to the application', 'Zurück zur Anwendung'],
    text: [
      'If nothing happens within a few seconds, press the button.',
      'Wenn in einigen Sekunden nichts geschieht, wählen Sie die Schaltfläche.',
    ],
    submit: ['Continue', 'Weiter'],
  },

  signedOut: {
    heading: common.signedOut,
    text: [
      'The session has ended. You can close this window.',
      'Die Sitzung ist beendet. Sie können dieses Fenster schließen.',
    ],
    nothingHeading: ['You are not signed in here', 'Sie sind hier nicht angemeldet'],
    nothing: [
      'The application did not say which session to end, and this server keeps none in your browser. Sign out in the application.',
      'Die Anwendung hat nicht gesagt, welche Sitzung enden soll, und dieser Server hat keine in Ihrem Browser. Melden Sie sich in der Anwendung ab.',
    ],
    toAccount: ['See where else you are signed in', 'Sehen, wo Sie sonst noch angemeldet sind'],
  },

  signOutQuestion: {
    heading: ['Sign out?', 'Abmelden?'],
    text: [
      'The application asks you to sign out here before you continue.',
      'Die Anwendung bittet Sie, sich hier abzumelden, bevor es weitergeht.',
    ],
    submit: ['Sign out and continue', 'Abmelden und weiter'],
    plainText: [
      'You are signed in in this browser. Applications may continue without asking you.',
      'Sie sind in diesem Browser angemeldet. Anwendungen können ohne Rückfrage fortfahren.',
    ],
    plainSubmit: common.signOut,
  },

  home: {
    title: 'Start',
    heading: ['Welcome', 'Willkommen'],
    text: (name: string) => [`This is where you sign in to ${name}.`, `Hier melden Sie sich bei ${name} an.`],
    toAccount: ['Sign in to your account', 'Bei Ihrem Konto anmelden'],
    toApplications: ['Your applications', 'Ihre Anwendungen'],
    yourAccount: common.account,
    forAdministrators: ['For administrators:', 'Für Administratoren:'],
    toConsole: ['open the console', 'Konsole öffnen'],
  },

  /** The shell only; the script's texts are in `web/account/texts.ts`. */
  account: {
    title: common.account,
    withoutScripts: [
      'This page needs JavaScript. Allow it for this site, or ask an administrator to change your password, remove your authenticator app or end your sessions.',
      'Diese Seite braucht JavaScript. Erlauben Sie es für diese Website, oder bitten Sie einen Administrator, Ihr Passwort zu ändern, Ihre Authenticator-App zu entfernen oder Ihre Sitzungen zu beenden.',
    ],
  },

  console: {
    title: common.console,
    withoutScripts: [
      'The console needs JavaScript. Allow it for this site, or use the command "overlay-auth" in a terminal.',
      'Die Konsole braucht JavaScript. Erlauben Sie es für diese Website, oder nutzen Sie den Befehl „overlay-auth“ in einem Terminal.',
    ],
  },

  ...signInPages,
  ...newPasswordPages,

  error: {
    retryIn: (seconds: number) => [
      `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      `Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} noch einmal.`,
    ],
    details: ['Details for an administrator', 'Einzelheiten für Administratoren'],
    byKind: errors,
  },
} satisfies TextTable;
