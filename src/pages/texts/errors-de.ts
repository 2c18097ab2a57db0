// Deutsch.

import type { ErrorPageKind } from '../../errors/codes.ts';
import type { ErrorText } from './errors-en.ts';

const startAgain = 'Gehen Sie zur Anwendung zurück und melden Sie sich erneut an.';
const toAdministrator = 'Wenn es wieder vorkommt, geben Sie die Kennung unten an einen Administrator weiter.';
const tryAgain = `Versuchen Sie es noch einmal. ${toAdministrator}`;

const malformed: ErrorText = {
  heading: 'Diese Anfrage kann nicht ausgeführt werden',
  text: 'In der Anfrage fehlt etwas, oder sie ist fehlerhaft.',
  next: 'Die Anwendung, die Sie hierher geschickt hat, hat einen Fehler gemacht. Gehen Sie zu ihr zurück, oder informieren Sie ihre Betreiber.',
};
const outage: ErrorText = {
  heading: 'Bitte versuchen Sie es später noch einmal',
  text: 'Der Dienst kann im Augenblick nicht antworten.',
  next: 'Warten Sie einen Moment und versuchen Sie es dann noch einmal.',
};
const defect: ErrorText = {
  heading: 'Etwas ist schiefgegangen',
  text: 'Das ist unser Fehler, nicht Ihrer.',
  next: tryAgain,
};
const forbidden: ErrorText = {
  heading: 'Nicht erlaubt',
  text: 'Das dürfen Sie nicht tun.',
  next: `${startAgain} ${toAdministrator}`,
};
const notFound: ErrorText = {
  heading: 'Nicht gefunden',
  text: 'Unter dieser Adresse gibt es nichts.',
  next: 'Prüfen Sie die Adresse, oder gehen Sie zur Anwendung zurück.',
};
const changed: ErrorText = {
  heading: 'Schon erledigt',
  text: 'Das ist schon geschehen oder wurde in einem anderen Fenster geändert.',
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
    heading: 'Unbekannte Anwendung',
    text: 'Die Anwendung, die Sie hierher geschickt hat, ist nicht bekannt.',
  },
  client_not_allowed: {
    heading: 'Nicht erlaubt',
    text: 'Sie dürfen diese Anwendung nicht benutzen.',
    next: 'Geben Sie die Kennung unten an einen Administrator weiter, der Ihnen den Zugang geben kann.',
  },
  redirect_uri_not_registered: {
    heading: 'Diese Anwendung darf hier nicht verwendet werden',
    text: 'Sie möchte, dass Sie nach der Anmeldung an eine Adresse geschickt werden, die nicht eingetragen ist. Sie wurden nicht dorthin geschickt.',
    next: 'Wenn Sie der Anwendung vertrauen, geben Sie die Kennung unten an einen Administrator weiter, der ihre Adresse zulassen kann.',
  },
  invalid_auth: {
    heading: 'Sie sind nicht angemeldet',
    text: 'Ihre Angaben wurden nicht angenommen, oder Ihr Konto darf sich so nicht anmelden.',
    next: `${startAgain} ${toAdministrator}`,
  },
  invalid_totp_code: {
    heading: 'Der Code wurde nicht angenommen',
    text: 'Vielleicht ist er vertippt, schon benutzt oder zu alt.',
    next: tryAgain,
  },
  invalid_passkey: {
    heading: 'Der Passkey wurde nicht angenommen',
    text: 'Vielleicht gehört er zu einem anderen Konto oder einer anderen Seite, oder die Frage war zu alt.',
    next: tryAgain,
  },
  passkey_required: {
    heading: 'Ein Passkey ist nötig',
    text: 'Sie müssen sich mit einem Passkey anmelden.',
    next: 'Melden Sie sich in einem Browser an, der ihn hat, etwa auf Ihrer Kontoseite.',
  },
  password_change_required: {
    heading: 'Ein neues Passwort ist nötig',
    text: 'Sie müssen ein neues Passwort wählen, bevor Sie fortfahren können.',
    next: 'Melden Sie sich auf Ihrer Kontoseite an; dort können Sie ein neues wählen.',
  },
  auth_request_unknown: {
    heading: 'Diese Anmeldung ist abgelaufen',
    text: 'Sie hat zu lange gedauert, ist schon abgeschlossen oder wurde in einem anderen Browser begonnen.',
    next: 'Beginnen Sie neu, oder gehen Sie zur Anwendung zurück. Wenn das jedes Mal geschieht, erlauben Sie Cookies für diese Seite.',
  },
  rate_limited: {
    heading: 'Bitte versuchen Sie es später noch einmal',
    text: 'Von hier kamen zu viele Versuche.',
    next: 'Warten Sie einen Moment und versuchen Sie es dann noch einmal.',
  },
};
