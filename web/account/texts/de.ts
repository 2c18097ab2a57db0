// Deutsch.

import { german } from '../../parts/words.ts';
import type { Texts } from './en.ts';

export const de: Texts = {
  ...german,
  parts: 'Teile Ihres Kontos',
  applications: 'Anwendungen',
  noApplications: 'Hier wird keine Anwendung angeboten.',
  signedOutTitle: 'Konto',
  leftText: 'Ihre Sitzung auf dieser Seite ist beendet. Andere Programme und Geräte bleiben angemeldet.',
  signedOutText:
    'Melden Sie sich an, um Ihr Passwort zu ändern, eine Authenticator-App einzurichten und zu sehen, wo Sie angemeldet sind.',
  sessionEnded:
    'Sie sind abgemeldet: Die Sitzung ist beendet, oder die Regeln Ihres Kontos haben sich geändert. Melden Sie sich erneut an, um fortzufahren.',
  loginFailed: 'Die Anmeldung wurde nicht abgeschlossen. Versuchen Sie es noch einmal.',
  secondTokenTitle: 'Nicht mit einem Browser',
  secondToken: [
    'Die Regeln Ihres Kontos verlangen bei jeder Anfrage ein zweites Token eines anderen Anbieters, und eine Seite im Browser kann keines senden. Deshalb kann diese Seite Ihr Konto nicht zeigen und nicht ändern.',
    'Sie sind angemeldet, und mit Ihrem Passwort und Ihrer App ist alles in Ordnung. Nutzen Sie die Anwendung, die Sie von Ihrer Organisation haben, oder bitten Sie einen Administrator, Ihr Konto für Sie zu ändern.',
  ],
  unreachable:
    'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  tooMany: (reference) =>
    `Zu viele Versuche. Warten Sie ein paar Minuten; wenn es wieder vorkommt, geben Sie diese Kennung an einen Administrator weiter: ${reference}`,
  busy: (reference) =>
    `Der Server kann gerade nicht antworten. Warten Sie einen Moment und versuchen Sie es noch einmal; wenn es wieder vorkommt, geben Sie diese Kennung an einen Administrator weiter: ${reference}`,
  notShown: 'Ihr Konto kann nicht angezeigt werden',
  failed: (reference) =>
    `Das hat nicht geklappt. Versuchen Sie es noch einmal; wenn es wieder vorkommt, geben Sie diese Kennung an einen Administrator weiter: ${reference}`,

  signInMethods: 'Wie Sie sich anmelden',
  who: 'Wer Sie sind',
  role: 'Rolle',
  noPassword:
    'Ihr Konto hat kein Passwort: Sie melden sich mit einem Zertifikat oder über einen anderen Anbieter an.',
  certificate: (since) => `Hinzugefügt am ${since}. Fingerabdruck:`,
  currentPassword: 'Jetziges Passwort',
  repeatPassword: 'Neues Passwort noch einmal',
  rules: 'Regeln für ein neues Passwort:',
  ruleLength: (count) => `mindestens ${count} Zeichen`,
  ruleMixedCase: 'ein Groß- und ein Kleinbuchstabe',
  ruleNumber: 'eine Ziffer',
  ruleSpecial: 'ein Sonderzeichen',
  ruleCommon: 'kein verbreitetes Passwort, nicht Ihr Name, nicht Ihr jetziges Passwort',
  changePassword: 'Passwort ändern',
  passwordChanged: 'Ihr Passwort ist geändert. Alle anderen Sitzungen sind beendet.',
  passwordsDiffer: 'Die beiden neuen Passwörter sind verschieden.',
  passwordRefused: 'Dieses Passwort kann nicht verwendet werden. Es verletzt diese Regeln:',
  wrongPassword:
    'Das jetzige Passwort stimmt nicht. Nach zu vielen Fehlversuchen ist es eine Weile gesperrt.',
  lockedUntil: (time) => `Zu viele falsche Passwörter: Ihres ist bis ${time} gesperrt.`,
  appOff:
    'Aus. Mit einer App geben Sie beim Anmelden auch einen Code ein; ein gestohlenes Passwort genügt dann nicht.',
  appOn: 'Ein. Beim Anmelden geben Sie einen Code aus der App ein.',
  codesLeft: (count) =>
    count === 1 ? 'Ein Wiederherstellungscode ist übrig.' : `${count} Wiederherstellungscodes sind übrig.`,
  fewCodes: 'Holen Sie neue, bevor sie ausgehen.',
  beginSetUp: 'App einrichten',
  proof:
    'Ihre Anmeldung liegt etwas zurück. Geben Sie Ihr jetziges Passwort ein, um zu bestätigen, dass Sie es sind.',
  proofBySignIn:
    'Ihre Anmeldung liegt etwas zurück. Melden Sie sich noch einmal an, um zu bestätigen, dass Sie es sind.',
  signInAgain: 'Noch einmal anmelden',
  recoveryCodes: 'Wiederherstellungscodes',
  appCode: 'Code, den die App jetzt anzeigt',
  anyCode: 'Code aus der App oder ein Wiederherstellungscode',
  appReady: 'Die App ist eingerichtet. Ab jetzt geben Sie beim Anmelden einen Code ein.',
  wrongCode:
    'Der Code stimmt nicht oder wurde schon verwendet. Warten Sie auf den nächsten und versuchen Sie es noch einmal.',
  newCodes: 'Neue Wiederherstellungscodes holen',
  newCodesText: 'Die jetzigen Codes gelten dann nicht mehr.',
  newCodesReady: 'Das sind Ihre neuen Wiederherstellungscodes. Die alten gelten nicht mehr.',
  done: 'Fertig',
  anotherApp: 'Eine andere App einrichten',
  anotherAppText:
    'Wenn Sie die App verloren oder ein neues Telefon haben. Ein Wiederherstellungscode genügt. Die jetzige App und alle Wiederherstellungscodes gelten dann nicht mehr.',
  removeApp: 'App entfernen',
  removeAppText:
    'Die Anmeldung braucht dann keinen Code, außer wenn die Regeln Ihres Kontos einen verlangen.',
  appRemoved: 'Die App ist entfernt.',

  passkeysText:
    'Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder PIN an. Er funktioniert nur auf dieser Website: Keine andere kann nach ihm fragen.',
  noPasskeys: 'Sie haben keine.',
  passkeysNotHere: 'Dieser Browser hat keine Passkeys. Nehmen Sie einen anderen, um einen hinzuzufügen.',
  passkeyLine: (added, used) =>
    `Hinzugefügt ${added}. ${used === null ? 'Noch nie verwendet.' : `Zuletzt verwendet ${used}.`}`,
  passkeySynced: 'Auf Ihren Geräten, über Ihr Konto dort kopiert.',
  passkeyOfDevice: 'Nur auf einem Gerät oder Sicherheitsschlüssel.',
  passkeyCloned: (time) =>
    `Eine Kopie dieses Passkeys wurde ${time} bemerkt und abgelehnt. Wenn Sie sie nicht gemacht haben, entfernen Sie den Passkey und sagen Sie es einem Administrator.`,
  addPasskey: 'Passkey hinzufügen',
  passkeyAdded: 'Der Passkey ist hinzugefügt. Sie können sich jetzt damit anmelden.',
  rename: 'Umbenennen',
  passkeyRenamed: 'Der Passkey ist umbenannt.',
  removePasskey: 'Entfernen',
  removePasskeyText:
    'Hier funktioniert er dann nicht mehr, und Sitzungen, die damit geöffnet wurden, enden. Ihr Gerät bietet ihn vielleicht weiter an, bis Sie ihn auch dort löschen.',
  passkeyRemoved: 'Der Passkey ist entfernt.',
  lastPasskey:
    'Das ist das Letzte, womit Sie sich anmelden können. Ohne ihn kann Ihnen nur ein Administrator wieder Zugang geben.',
  removeLastPasskey: 'Trotzdem entfernen',

  sessions: 'Wo Sie angemeldet sind',
  thisSession: 'Diese Sitzung',
  sessionLine: (application, method, since, address) =>
    `${application}. Angemeldet am ${since}${address === null ? '' : ` von ${address}`} (${method}).`,
  ownApplications: 'Kontoseite, Konsole oder Kommandozeile',
  legacyApplication: 'Legacy-Sitzung',
  sessionTimes: (active, address, end) =>
    `Zuletzt benutzt am ${active} von ${address}. Läuft am ${end} ab, wenn sie bis dahin nicht benutzt wird.`,
  endSession: 'Diese Sitzung beenden',
  sessionIsEnded: 'Die Sitzung ist beendet.',
  endOthers: 'Alle anderen Sitzungen beenden',
  othersEnded: (count) => (count === 1 ? 'Eine Sitzung ist beendet.' : `${count} Sitzungen sind beendet.`),
  noOtherSessions: 'Sie sind sonst nirgends angemeldet.',

  attempts: 'Letzte Anmeldeversuche',
  attemptsText:
    'Darunter sind auch Versuche anderer Personen mit Ihrem Konto. Wenn Sie einen erfolgreichen nicht kennen, ändern Sie Ihr Passwort.',
  noAttempts: 'Es gibt keine.',
  passed: 'Gelungen',
  attemptLine: (method, time, address) => `${method}, ${time}, von ${address}`,
  more: 'Mehr anzeigen',
  language: 'Sprache',
  languageText: 'Für diese Seite, die Anmeldeseiten und die Konsole, in diesem Browser.',
  languages: { browser: 'Wie im Browser eingestellt', en: 'English', de: 'Deutsch' },
  changeLanguage: 'Sprache ändern',

  method: {
    password: 'Passwort',
    cert: 'Zertifikat',
    'ext-jwt': 'anderer Anbieter',
    totp: 'Authenticator-App',
    'secondary-ext-jwt': 'zweites Token eines anderen Anbieters',
    passkey: 'Passkey',
    'secondary-passkey': 'Passkey als zweiter Nachweis',
    uv: 'mit PIN, Finger oder Gesicht',
    enroll: 'Registrierung',
  },
};
