// The texts of the page, in each language.

import type { LanguageTag } from '../../src/model/languages.ts';
import type { Both } from '../../src/pages/texts/both-languages.ts';
import { words, wordsOf } from '../parts/language.ts';

export const texts = {
  ...words,
  ...wordsOf({
    parts: ['Parts of your account', 'Teile Ihres Kontos'],
    applications: ['Applications', 'Anwendungen'],
    noApplications: ['No application is offered here.', 'Hier wird keine Anwendung angeboten.'],
    signedOutTitle: ['Account', 'Konto'],
    leftText: [
      'Your session on this page has ended. Other programs and devices stay signed in.',
      'Ihre Sitzung auf dieser Seite ist beendet. Andere Programme und Geräte bleiben angemeldet.',
    ],
    signedOutText: [
      'Sign in to change your password, set up an authenticator app and see where you are signed in.',
      'Melden Sie sich an, um Ihr Passwort zu ändern, eine Authenticator-App einzurichten und zu sehen, wo Sie angemeldet sind.',
    ],
    loginFailed: [
      'The sign-in did not finish. Try again.',
      'Die Anmeldung wurde nicht abgeschlossen. Versuchen Sie es noch einmal.',
    ],
    secondTokenTitle: ['Not from a browser', 'Nicht mit einem Browser'],
    secondToken: [
      [
        'The rules of your account ask for a second token of another provider with every request, and a page in a browser cannot send one. That is why this page cannot show or change your account.',
        'You are signed in, and nothing is wrong with your password or your app. Use the application that your organisation gave you, or ask an administrator to change your account for you.',
      ],
      [
        'Die Regeln Ihres Kontos verlangen bei jeder Anfrage ein zweites Token eines anderen Anbieters, und eine Seite im Browser kann keines senden. Deshalb kann diese Seite Ihr Konto nicht zeigen und nicht ändern.',
        'Sie sind angemeldet, und mit Ihrem Passwort und Ihrer App ist alles in Ordnung. Nutzen Sie die Anwendung, die Sie von Ihrer Organisation haben, oder bitten Sie einen Administrator, Ihr Konto für Sie zu ändern.',
      ],
    ],
    unreachable: [
      'The server could not be reached. Check your connection and try again.',
      'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
    ],
    tooMany: (reference: string) => [
      `Too many attempts. Wait a few minutes and try again; if it happens again, give this reference to an administrator: ${reference}`,
      `Zu viele Versuche. Warten Sie ein paar Minuten und versuchen Sie es noch einmal; wenn es wieder vorkommt, geben Sie diese Kennung an einen Administrator weiter: ${reference}`,
    ],
    busy: (reference: string) => [
      `The server cannot answer at the moment. Wait a little and try again; if it happens again, give this reference to an administrator: ${reference}`,
      `Der Server kann gerade nicht antworten. Warten Sie einen Moment und versuchen Sie es noch einmal; wenn es wieder vorkommt, geben Sie diese Kennung an einen Administrator weiter: ${reference}`,
    ],
    changed: [
      'This has changed meanwhile. The page shows how it is now.',
      'Das hat sich inzwischen geändert. Die Seite zeigt, wie es jetzt ist.',
    ],
    notShown: ['Your account cannot be shown', 'Ihr Konto kann nicht angezeigt werden'],
    failed: (reference: string) => [
      `That did not work. Try again; if it happens again, give this reference to an administrator: ${reference}`,
      `Das hat nicht geklappt. Versuchen Sie es noch einmal; wenn es wieder vorkommt, geben Sie diese Kennung an einen Administrator weiter: ${reference}`,
    ],
    signInMethods: ['How you sign in', 'Wie Sie sich anmelden'],
    who: ['Who you are', 'Wer Sie sind'],
    role: ['Role', 'Rolle'],
    noPassword: [
      'Your account has no password: you sign in with a certificate or through another provider.',
      'Ihr Konto hat kein Passwort: Sie melden sich mit einem Zertifikat oder über einen anderen Anbieter an.',
    ],
    certificate: (since: string) => [
      `Added ${since}. Fingerprint:`,
      `Hinzugefügt am ${since}. Fingerabdruck:`,
    ],
    currentPassword: ['Current password', 'Jetziges Passwort'],
    repeatPassword: ['New password again', 'Neues Passwort noch einmal'],
    rules: ['Rules for a new password:', 'Regeln für ein neues Passwort:'],
    ruleLength: (count: number) => [`at least ${count} characters`, `mindestens ${count} Zeichen`],
    ruleMixedCase: ['an upper-case and a lower-case letter', 'ein Groß- und ein Kleinbuchstabe'],
    ruleNumber: ['a digit', 'eine Ziffer'],
    ruleSpecial: ['a special character', 'ein Sonderzeichen'],
    ruleCommon: [
      'not a common password, not your name, not your current password',
      'kein verbreitetes Passwort, nicht Ihr Name, nicht Ihr jetziges Passwort',
    ],
    changePassword: ['Change password', 'Passwort ändern'],
    passwordChanged: [
      'Your password is changed. All other sessions are ended.',
      'Ihr Passwort ist geändert. Alle anderen Sitzungen sind beendet.',
    ],
    passwordsDiffer: ['The two new passwords differ.', 'Die beiden neuen Passwörter sind verschieden.'],
    passwordRefused: [
      'This password cannot be used. It breaks these rules:',
      'Dieses Passwort kann nicht verwendet werden. Es verletzt diese Regeln:',
    ],
    wrongPassword: [
      'The current password is not right. After too many failures it is locked for a while.',
      'Das jetzige Passwort stimmt nicht. Nach zu vielen Fehlversuchen ist es eine Weile gesperrt.',
    ],
    lockedUntil: (time: string) => [
      `Too many wrong passwords: yours is locked until ${time}.`,
      `Zu viele falsche Passwörter: Ihres ist bis ${time} gesperrt.`,
    ],
    appOff: [
      'Off. With an app, you also enter a code when you sign in, so that a stolen password is not enough.',
      'Aus. Mit einer App geben Sie beim Anmelden auch einen Code ein; ein gestohlenes Passwort genügt dann nicht.',
    ],
    appOn: [
      'On. You enter a code from the app when you sign in.',
      'Ein. Beim Anmelden geben Sie einen Code aus der App ein.',
    ],
    codesLeft: (count: number) => [
      count === 1 ? 'One recovery code is left.' : `${count} recovery codes are left.`,
      count === 1 ? 'Ein Wiederherstellungscode ist übrig.' : `${count} Wiederherstellungscodes sind übrig.`,
    ],
    fewCodes: ['Get new ones.', 'Holen Sie neue.'],
    beginSetUp: ['Set up an app', 'App einrichten'],
    proof: [
      'You signed in some time ago. Enter your current password to confirm that it is you.',
      'Ihre Anmeldung liegt etwas zurück. Geben Sie Ihr jetziges Passwort ein, um zu bestätigen, dass Sie es sind.',
    ],
    proofBySignIn: [
      'You signed in some time ago. Sign in again to confirm that it is you.',
      'Ihre Anmeldung liegt etwas zurück. Melden Sie sich noch einmal an, um zu bestätigen, dass Sie es sind.',
    ],
    signInAgain: ['Sign in again', 'Noch einmal anmelden'],
    recoveryCodes: ['Recovery codes', 'Wiederherstellungs\u00adcodes'],
    appCode: ['Code that the app shows now', 'Code, den die App jetzt anzeigt'],
    anyCode: ['Code from the app, or a recovery code', 'Code aus der App oder ein Wiederherstellungscode'],
    appReady: [
      'The app is set up. From now on, you enter a code when you sign in.',
      'Die App ist eingerichtet. Ab jetzt geben Sie beim Anmelden einen Code ein.',
    ],
    wrongCode: [
      'The code is not right, or was used before. Wait for the next one and try again.',
      'Der Code stimmt nicht oder wurde schon verwendet. Warten Sie auf den nächsten und versuchen Sie es noch einmal.',
    ],
    newCodes: ['Get new recovery codes', 'Neue Wiederherstellungscodes holen'],
    newCodesText: ['Your current codes stop working.', 'Die jetzigen Codes gelten dann nicht mehr.'],
    newCodesReady: [
      'Here are your new recovery codes. The old ones no longer work.',
      'Das sind Ihre neuen Wiederherstellungscodes. Die alten gelten nicht mehr.',
    ],
    done: ['Done', 'Fertig'],
    anotherApp: ['Set up another app', 'Eine andere App einrichten'],
    anotherAppText: [
      'If you have lost the app or have a new phone. A recovery code is enough. The present app and all recovery codes stop working.',
      'Wenn Sie die App verloren oder ein neues Telefon haben. Ein Wiederherstellungscode genügt. Die jetzige App und alle Wiederherstellungscodes gelten dann nicht mehr.',
    ],
    removeApp: ['Remove the app', 'App entfernen'],
    removeAppText: [
      'Signing in then needs no code, unless the rules of your account ask for one.',
      'Die Anmeldung braucht dann keinen Code, außer wenn die Regeln Ihres Kontos einen verlangen.',
    ],
    appRemoved: ['The app is removed.', 'Die App ist entfernt.'],
    passkeysText: [
      'With a passkey you sign in by fingerprint, face or PIN. It works on this website only: no other one can ask for it.',
      'Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder PIN an. Er funktioniert nur auf dieser Website: Keine andere kann nach ihm fragen.',
    ],
    noPasskeys: ['You have none.', 'Sie haben keine.'],
    passkeysNotAllowed: [
      'Passkeys are not used for this account. An administrator can change that.',
      'Für dieses Konto werden keine Passkeys verwendet. Ein Administrator kann das ändern.',
    ],
    passkeysNotHere: [
      'This browser has no passkeys. Use another browser to add a passkey.',
      'Dieser Browser hat keine Passkeys. Nehmen Sie einen anderen, um einen hinzuzufügen.',
    ],
    /** @param used null: never */
    passkeyLine: (added: string, used: string | null) => [
      `Added ${added}. ${used === null ? 'Never used.' : `Last used ${used}.`}`,
      `Hinzugefügt ${added}. ${used === null ? 'Noch nie verwendet.' : `Zuletzt verwendet ${used}.`}`,
    ],
    passkeySynced: ['Synced between your devices.', 'Wird zwischen Ihren Geräten synchronisiert.'],
    passkeyOfDevice: [
      'On one device or security key only.',
      'Nur auf einem Gerät oder Sicherheitsschlüssel.',
    ],
    passkeyCloned: (time: string) => [
      `A copy of this passkey was noticed on ${time} and refused. If you did not make it, remove the passkey and tell an administrator.`,
      `Eine Kopie dieses Passkeys wurde ${time} bemerkt und abgelehnt. Wenn Sie sie nicht gemacht haben, entfernen Sie den Passkey und sagen Sie es einem Administrator.`,
    ],
    addPasskey: ['Add a passkey', 'Passkey hinzufügen'],
    passkeyAdded: [
      'The passkey is added. You can sign in with it now.',
      'Der Passkey ist hinzugefügt. Sie können sich jetzt damit anmelden.',
    ],
    rename: ['Rename', 'Umbenennen'],
    passkeyRenamed: ['The passkey is renamed.', 'Der Passkey ist umbenannt.'],
    removePasskey: ['Remove', 'Entfernen'],
    removePasskeyText: [
      'It stops working here, and sessions that were opened with it end. Your device may go on offering it until you delete it there too.',
      'Hier funktioniert er dann nicht mehr, und Sitzungen, die damit geöffnet wurden, enden. Ihr Gerät bietet ihn vielleicht weiter an, bis Sie ihn auch dort löschen.',
    ],
    passkeyRemoved: ['The passkey is removed.', 'Der Passkey ist entfernt.'],
    lastPasskey: [
      'This is the last thing with which you can sign in. Without it, only an administrator can let you in again.',
      'Das ist das Letzte, womit Sie sich anmelden können. Ohne ihn kann Ihnen nur ein Administrator wieder Zugang geben.',
    ],
    removeLastPasskey: ['Remove it all the same', 'Trotzdem entfernen'],
    sessions: ['Where you are signed in', 'Wo Sie angemeldet sind'],
    thisSession: ['This session', 'Diese Sitzung'],
    /** @param address of the sign-in; null when it was not stored */
    sessionLine: (application: string, method: string, since: string, address: string | null) => [
      `${application}. Signed in ${since}${address === null ? '' : ` from ${address}`} (${method}).`,
      `${application}. Angemeldet am ${since}${address === null ? '' : ` von ${address}`} (${method}).`,
    ],
    ownApplications: ['Account page, console or command line', 'Kontoseite, Konsole oder Befehlszeile'],
    otherApplication: (id: string) => [`Application ${id}`, `Anwendung ${id}`],
    legacyApplication: ['Legacy session', 'Legacy-Sitzung'],
    sessionTimes: (active: string, address: string, end: string) => [
      `Last used ${active} from ${address}. Expires ${end} unless used before then.`,
      `Zuletzt benutzt am ${active} von ${address}. Läuft am ${end} ab, wenn sie bis dahin nicht benutzt wird.`,
    ],
    endSession: ['End this session', 'Diese Sitzung beenden'],
    sessionIsEnded: ['The session is ended.', 'Die Sitzung ist beendet.'],
    endOthers: ['End all other sessions', 'Alle anderen Sitzungen beenden'],
    othersEnded: (count: number) => [
      count === 1 ? 'One session is ended.' : `${count} sessions are ended.`,
      count === 1 ? 'Eine Sitzung ist beendet.' : `${count} Sitzungen sind beendet.`,
    ],
    noOtherSessions: ['You are signed in nowhere else.', 'Sie sind sonst nirgends angemeldet.'],
    programs: ['Programs used to sign in', 'Programme, mit denen Sie sich anmelden'],
    programsText: [
      'Also those that are signed out now. If you do not recognise one, change your password.',
      'Auch solche, die jetzt abgemeldet sind. Wenn Sie eines nicht kennen, ändern Sie Ihr Passwort.',
    ],
    programTimes: (first: string, last: string, address: string) => [
      `First used ${first}, last ${last} from ${address}.`,
      `Zuerst benutzt am ${first}, zuletzt am ${last} von ${address}.`,
    ],
    attempts: ['Recent sign-in attempts', 'Letzte Anmeldeversuche'],
    attemptsText: [
      'They include attempts by other people on your account. If you do not recognise a successful one, change your password.',
      'Darunter sind auch Versuche anderer Personen mit Ihrem Konto. Wenn Sie einen erfolgreichen nicht kennen, ändern Sie Ihr Passwort.',
    ],
    noAttempts: ['There are none.', 'Es gibt keine.'],
    passed: ['Succeeded', 'Gelungen'],
    attemptLine: (method: string, time: string, address: string) => [
      `${method}, ${time}, from ${address}`,
      `${method}, ${time}, von ${address}`,
    ],
    more: ['Show more', 'Mehr anzeigen'],
    language: ['Language', 'Sprache'],
    languageText: [
      'For this page, the sign-in pages and the console, in this browser.',
      'Für diese Seite, die Anmeldeseiten und die Konsole, in diesem Browser.',
    ],
    languages: {
      browser: ['As the browser prefers', 'Wie im Browser eingestellt'],
      en: 'English',
      de: 'Deutsch',
    } satisfies Readonly<Record<'browser' | LanguageTag, string | Both<string>>>,
    changeLanguage: ['Change language', 'Sprache ändern'],
    method: {
      password: ['password', 'Passwort'],
      cert: ['certificate', 'Zertifikat'],
      'ext-jwt': ['another provider', 'anderer Anbieter'],
      totp: ['authenticator app', 'Authenticator-App'],
      'secondary-ext-jwt': ['second token of another provider', 'zweites Token eines anderen Anbieters'],
      passkey: ['passkey', 'Passkey'],
      'secondary-passkey': ['passkey as second proof', 'Passkey als zweiter Nachweis'],
      uv: ['with PIN, finger or face', 'mit PIN, Finger oder Gesicht'],
      user: ['without PIN, finger or face', 'ohne PIN, Finger oder Gesicht'],
      enroll: ['enrollment', 'Registrierung'],
    },
  }),
};
