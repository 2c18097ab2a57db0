// Words that the pages share with the account page and the console (web/). Imports nothing, because browsers read it.

const english = {
  errorTitle: (title: string) => `Error: ${title}`,
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedOut: 'You are signed out',
  account: 'Your account',
  console: 'Console',
  username: 'User name',
  password: 'Password',
  cancel: 'Cancel',
  keep: {
    copy: 'Copy',
    copied: 'Copied',
    notCopied: 'Your browser does not let this page copy. Select the text and copy it.',
    download: 'Download',
    print: 'Print',
  },
  /** Setting up an authenticator app. */
  setUp: {
    scan: 'Scan this picture with the app.',
    picture: 'QR code for your authenticator app; the key below contains the same',
    orType: 'Or type this key into the app:',
    openApp: 'Open the app on this device',
    copyKey: 'Copy the key',
    codesWhy: 'Each works once in place of the app if you lose it. They are not shown again.',
    fileName: 'recovery-codes.txt',
    saved: 'I have saved the recovery codes',
    confirm: 'Confirm',
  },
};

const german: typeof english = {
  errorTitle: (title) => `Fehler: ${title}`,
  signIn: 'Anmelden',
  signOut: 'Abmelden',
  signedOut: 'Sie sind abgemeldet',
  account: 'Ihr Konto',
  console: 'Konsole',
  username: 'Benutzername',
  password: 'Passwort',
  cancel: 'Abbrechen',
  keep: {
    copy: 'Kopieren',
    copied: 'Kopiert',
    notCopied: 'Ihr Browser lässt diese Seite nicht kopieren. Markieren Sie den Text und kopieren Sie ihn.',
    download: 'Herunterladen',
    print: 'Drucken',
  },
  setUp: {
    scan: 'Scannen Sie dieses Bild mit der App.',
    picture: 'QR-Code für Ihre Authenticator-App; der Schlüssel darunter enthält dasselbe',
    orType: 'Oder tippen Sie diesen Schlüssel in die App:',
    openApp: 'Die App auf diesem Gerät öffnen',
    copyKey: 'Schlüssel kopieren',
    codesWhy:
      'Jeder davon ersetzt einmal die App, falls Sie sie verlieren. Sie werden nicht noch einmal angezeigt.',
    fileName: 'wiederherstellungscodes.txt',
    saved: 'Ich habe die Wiederherstellungscodes gespeichert',
    confirm: 'Bestätigen',
  },
};

export const common = { en: english, de: german };
