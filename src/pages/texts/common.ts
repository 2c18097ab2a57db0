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
  passkey: {
    name: 'Name of the passkey',
    nameHint: 'By which you recognise it later, such as the device that keeps it.',
    /** Why the browser made or used no passkey. */
    problems: {
      cancelled:
        'No passkey was used: it was cancelled, took too long, or there is none here for this site. Try again, or continue another way.',
      cancelledFirst:
        'No passkey was used: it was cancelled, took too long, or there is none here for this site. Try again; for a security key, type your user name first. Or sign in another way.',
      cancelledNew: 'No passkey was made: it was cancelled or took too long. Try again.',
      known: 'This device or security key already has a passkey of your account.',
      insecure:
        'Passkeys do not work at this address, because its certificate or its name is not accepted by the browser. Tell an administrator.',
      failed: 'That did not work. Load this page again, then try once more.',
    },
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
  passkey: {
    name: 'Name des Passkeys',
    nameHint: 'Daran erkennen Sie ihn später, etwa am Gerät, das ihn aufbewahrt.',
    problems: {
      cancelled:
        'Es wurde kein Passkey verwendet: Der Vorgang wurde abgebrochen, dauerte zu lange, oder hier gibt es keinen für diese Website. Versuchen Sie es noch einmal, oder gehen Sie einen anderen Weg.',
      cancelledFirst:
        'Es wurde kein Passkey verwendet: Der Vorgang wurde abgebrochen, dauerte zu lange, oder hier gibt es keinen für diese Website. Versuchen Sie es noch einmal; geben Sie für einen Sicherheitsschlüssel zuerst Ihren Benutzernamen ein. Oder melden Sie sich anders an.',
      cancelledNew:
        'Es wurde kein Passkey erstellt: Der Vorgang wurde abgebrochen oder dauerte zu lange. Versuchen Sie es noch einmal.',
      known: 'Dieses Gerät oder dieser Sicherheitsschlüssel hat schon einen Passkey Ihres Kontos.',
      insecure:
        'Unter dieser Adresse funktionieren Passkeys nicht, weil der Browser ihr Zertifikat oder ihren Namen nicht annimmt. Sagen Sie es einem Administrator.',
      failed: 'Das hat nicht funktioniert. Laden Sie diese Seite neu und versuchen Sie es noch einmal.',
    },
  },
};

export const common = { en: english, de: german };
