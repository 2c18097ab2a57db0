// The texts of the error pages, by the kind of page.

import type { ErrorPageKind } from '../../errors/codes.ts';
import type { Both } from './both-languages.ts';

/** The cause and the remedy. */
type ErrorText = Readonly<Record<'heading' | 'text' | 'next', Both<string>>>;

const startAgain: Both<string> = [
  'Go back to the application and sign in again.',
  'Gehen Sie zur Anwendung zurück und melden Sie sich erneut an.',
];
const tell: Both<string> = [
  'If it happens again, give the reference below to an administrator.',
  'Wenn es wieder vorkommt, geben Sie die Kennung unten an einen Administrator weiter.',
];
const tryAgain: Both<string> = [`Try again. ${tell[0]}`, `Versuchen Sie es noch einmal. ${tell[1]}`];
const startAgainOrTell: Both<string> = [`${startAgain[0]} ${tell[0]}`, `${startAgain[1]} ${tell[1]}`];

const malformed: ErrorText = {
  heading: ['This request cannot be completed', 'Diese Anfrage kann nicht ausgeführt werden'],
  text: [
    'Something in the request is missing or malformed.',
    'In der Anfrage fehlt etwas, oder sie ist fehlerhaft.',
  ],
  next: [
    'The application that sent you here made a mistake. Go back to it, or tell the people who run it.',
    'Die Anwendung, die Sie hierher geschickt hat, hat einen Fehler gemacht. Gehen Sie zu ihr zurück, oder informieren Sie ihre Betreiber.',
  ],
};
const outage: ErrorText = {
  heading: ['Please try again later', 'Bitte versuchen Sie es später noch einmal'],
  text: ['The service cannot answer at the moment.', 'Der Dienst kann im Augenblick nicht antworten.'],
  next: ['Wait a moment, then try again.', 'Warten Sie einen Moment und versuchen Sie es dann noch einmal.'],
};
const defect: ErrorText = {
  heading: ['Something went wrong', 'Etwas ist schiefgegangen'],
  text: ['This is our mistake, not yours.', 'Das ist unser Fehler, nicht Ihrer.'],
  next: tryAgain,
};
const forbidden: ErrorText = {
  heading: ['Not allowed', 'Nicht erlaubt'],
  text: ['You may not do this.', 'Das dürfen Sie nicht tun.'],
  next: startAgainOrTell,
};
const notFound: ErrorText = {
  heading: ['Not found', 'Nicht gefunden'],
  text: ['There is nothing at this address.', 'Unter dieser Adresse gibt es nichts.'],
  next: [
    'Check the address, or go back to the application.',
    'Prüfen Sie die Adresse, oder gehen Sie zur Anwendung zurück.',
  ],
};
const changed: ErrorText = {
  heading: ['Already done', 'Schon erledigt'],
  text: [
    'This has already been done, or changed in another window.',
    'Das ist schon geschehen oder wurde in einem anderen Fenster geändert.',
  ],
  next: startAgain,
};

export const errors: Readonly<Record<ErrorPageKind, ErrorText>> = {
  malformed,
  outage,
  defect,
  forbidden,
  notFound,
  changed,
  invalid_client: {
    ...malformed,
    heading: ['Unknown application', 'Unbekannte Anwendung'],
    text: [
      'The application that sent you here is not known.',
      'Die Anwendung, die Sie hierher geschickt hat, ist nicht bekannt.',
    ],
  },
  client_not_allowed: {
    heading: ['Not allowed', 'Nicht erlaubt'],
    text: ['You may not use this application.', 'Sie dürfen diese Anwendung nicht benutzen.'],
    next: [
      'Give the reference below to an administrator, who can let you use it.',
      'Geben Sie die Kennung unten an einen Administrator weiter, der Ihnen den Zugang geben kann.',
    ],
  },
  redirect_uri_not_registered: {
    heading: ['This application may not be used here', 'Diese Anwendung darf hier nicht verwendet werden'],
    text: [
      'After signing in, it wants you to be sent to an address that is not registered. You were not sent there.',
      'Sie möchte, dass Sie nach der Anmeldung an eine Adresse geschickt werden, die nicht eingetragen ist. Sie wurden nicht dorthin geschickt.',
    ],
    next: [
      'If you trust the application, give the reference below to an administrator, who can allow its address.',
      'Wenn Sie der Anwendung vertrauen, geben Sie die Kennung unten an einen Administrator weiter, der ihre Adresse zulassen kann.',
    ],
  },
  invalid_auth: {
    heading: ['You are not signed in', 'Sie sind nicht angemeldet'],
    text: [
      'Your sign-in details were not accepted, or your account cannot sign in this way.',
      'Ihre Angaben wurden nicht angenommen, oder Ihr Konto darf sich so nicht anmelden.',
    ],
    next: startAgainOrTell,
  },
  invalid_totp_code: {
    heading: ['The code was not accepted', 'Der Code wurde nicht angenommen'],
    text: [
      'It may be mistyped, already used or too old.',
      'Vielleicht ist er vertippt, schon benutzt oder zu alt.',
    ],
    next: tryAgain,
  },
  invalid_passkey: {
    heading: ['The passkey was not accepted', 'Der Passkey wurde nicht angenommen'],
    text: [
      'It may be registered for another account or another site, or it took too long.',
      'Vielleicht gehört er zu einem anderen Konto oder einer anderen Seite, oder es hat zu lange gedauert.',
    ],
    next: tryAgain,
  },
  passkey_required: {
    heading: ['A passkey is needed', 'Ein Passkey ist nötig'],
    text: ['You must use a passkey to sign in.', 'Sie müssen sich mit einem Passkey anmelden.'],
    next: [
      'Sign in with a browser that has it, such as on your account page.',
      'Melden Sie sich in einem Browser an, der ihn hat, etwa auf Ihrer Kontoseite.',
    ],
  },
  password_change_required: {
    heading: ['A new password is needed', 'Ein neues Passwort ist nötig'],
    text: [
      'You must choose a new password before you can continue.',
      'Sie müssen ein neues Passwort wählen, bevor Sie fortfahren können.',
    ],
    next: [
      'Sign in on your account page, where you can choose a new one.',
      'Melden Sie sich auf Ihrer Kontoseite an; dort können Sie ein neues wählen.',
    ],
  },
  auth_request_unknown: {
    heading: ['This sign-in has expired', 'Diese Anmeldung ist abgelaufen'],
    text: [
      'It took too long, is already finished, or was started in another browser.',
      'Sie hat zu lange gedauert, ist schon abgeschlossen oder wurde in einem anderen Browser begonnen.',
    ],
    next: [
      `${startAgain[0]} If this happens every time, allow cookies for this site.`,
      `${startAgain[1]} Wenn das jedes Mal geschieht, erlauben Sie Cookies für diese Website.`,
    ],
  },
  rate_limited: {
    ...outage,
    text: ['There were too many attempts from here.', 'Von hier kamen zu viele Versuche.'],
  },
};
