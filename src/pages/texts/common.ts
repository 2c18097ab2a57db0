// Words that the pages share with the account page and the console (web/). Browsers read it.

import type { TextTable } from './both-languages.ts';

export const common = {
  errorTitle: (title: string) => [`Error: ${title}`, `Fehler: ${title}`],
  signIn: ['Sign in', 'Anmelden'],
  signOut: ['Sign out', 'Abmelden'],
  signedOut: ['You are signed out', 'Sie sind abgemeldet'],
  account: ['Your account', 'Ihr Konto'],
  console: ['Console', 'Konsole'],
  username: ['User name', 'Benutzername'],
  password: ['Password', 'Passwort'],
  showPassword: ['Show password', 'Passwort anzeigen'],
  capsLock: ['Caps Lock is on.', 'Die Feststelltaste ist aktiv.'],
  cancel: ['Cancel', 'Abbrechen'],
  keep: {
    copy: ['Copy', 'Kopieren'],
    copied: ['Copied', 'Kopiert'],
    notCopied: [
      'Your browser does not let this page copy. Select the text and copy it.',
      'Ihr Browser lässt diese Seite nicht kopieren. Markieren Sie den Text und kopieren Sie ihn.',
    ],
    download: ['Download', 'Herunterladen'],
    print: ['Print', 'Drucken'],
  },
  /** Setting up an authenticator app. */
  setUp: {
    scan: ['Scan this picture with the app.', 'Scannen Sie dieses Bild mit der App.'],
    picture: [
      'QR code for your authenticator app; the key below contains the same',
      'QR-Code für Ihre Authenticator-App; der Schlüssel darunter enthält dasselbe',
    ],
    orType: ['Or type this key into the app:', 'Oder tippen Sie diesen Schlüssel in die App:'],
    openApp: ['Open the app on this device', 'Die App auf diesem Gerät öffnen'],
    copyKey: ['Copy the key', 'Schlüssel kopieren'],
    codesWhy: (account: string, server: string) => [
      `Recovery codes for ${account} at ${server}. Each works once in place of the app if you lose it. They are not shown again.`,
      `Wiederherstellungscodes für ${account} bei ${server}. Jeder davon ersetzt einmal die App, falls Sie sie verlieren. Sie werden nicht noch einmal angezeigt.`,
    ],
    fileName: ['recovery-codes.txt', 'wiederherstellungscodes.txt'],
    saved: ['I have saved the recovery codes', 'Ich habe die Wiederherstellungscodes gespeichert'],
    confirm: ['Confirm', 'Bestätigen'],
  },
  passkey: {
    name: ['Name of the passkey', 'Name des Passkeys'],
    nameHint: [
      'By which you recognise it later, such as the device that keeps it.',
      'Daran erkennen Sie ihn später, etwa am Gerät, das ihn aufbewahrt.',
    ],
    /** Why the browser made or used no passkey. */
    problems: {
      cancelled: [
        'No passkey was used: it was cancelled, took too long, or there is none here for this site. Try again, or continue another way.',
        'Es wurde kein Passkey verwendet: Der Vorgang wurde abgebrochen, dauerte zu lange, oder hier gibt es keinen für diese Website. Versuchen Sie es noch einmal, oder gehen Sie einen anderen Weg.',
      ],
      cancelledFirst: [
        'No passkey was used: it was cancelled, took too long, or there is none here for this site. Try again; for a security key, type your user name first. Or sign in another way.',
        'Es wurde kein Passkey verwendet: Der Vorgang wurde abgebrochen, dauerte zu lange, oder hier gibt es keinen für diese Website. Versuchen Sie es noch einmal; geben Sie für einen Sicherheitsschlüssel zuerst Ihren Benutzernamen ein. Oder melden Sie sich anders an.',
      ],
      cancelledNew: [
        'No passkey was made: it was cancelled or took too long. Try again.',
        'Es wurde kein Passkey erstellt: Der Vorgang wurde abgebrochen oder dauerte zu lange. Versuchen Sie es noch einmal.',
      ],
      known: [
        'This device or security key already has a passkey of your account.',
        'Dieses Gerät oder dieser Sicherheitsschlüssel hat schon einen Passkey Ihres Kontos.',
      ],
      insecure: [
        'Passkeys do not work at this address, because its certificate or its name is not accepted by the browser. Tell an administrator.',
        'Unter dieser Adresse funktionieren Passkeys nicht, weil der Browser ihr Zertifikat oder ihren Namen nicht annimmt. Sagen Sie es einem Administrator.',
      ],
      failed: [
        'That did not work. Load this page again, then try once more.',
        'Das hat nicht funktioniert. Laden Sie diese Seite neu und versuchen Sie es noch einmal.',
      ],
    },
  },
} satisfies TextTable;
