// The texts of the pages on which a person proves who they are, and sets up what proves it.

import { type Html, html } from '../html.ts';
import type { TextTable } from './both-languages.ts';
import { common } from './common.ts';

export const signInPages = {
  signIn: {
    title: common.signIn,
    to: (application: Html) => [html`to continue to ${application}`, html`weiter zu ${application}`],
    toOwn: {
      account: ['to continue to your account', 'weiter zu Ihrem Konto'],
      console: ['to continue to the console', 'weiter zur Konsole'],
    },
    toThisDevice: [
      'to continue to an application on this device',
      'weiter zu einer Anwendung auf diesem Gerät',
    ],
    toDevice: (application: Html) => [
      html`to sign in ${application} on another device`,
      html`zur Anmeldung von ${application} auf einem anderen Gerät`,
    ],
    toAnotherDevice: ['to sign in on another device', 'zur Anmeldung auf einem anderen Gerät'],
    toHere: (application: Html) => [
      html`to continue to ${application} on this device`,
      html`weiter zu ${application} auf diesem Gerät`,
    ],
    username: common.username,
    password: common.password,
    showPassword: common.showPassword,
    capsLock: common.capsLock,
    submit: common.signIn,
    failedTitle: ['not signed in', 'nicht angemeldet'],
    wrongPassword: [
      'The user name or the password is not right, or this account cannot sign in this way.',
      'Benutzername oder Passwort stimmen nicht, oder dieses Konto darf sich so nicht anmelden.',
    ],
    withPassword: ['Sign in with user name and password', 'Mit Benutzername und Passwort anmelden'],
    withCertificate: ['Sign in with a certificate', 'Mit einem Zertifikat anmelden'],
    cancel: ['Cancel and go back to the application', 'Abbrechen und zurück zur Anwendung'],
    withProvider: (name: string) => [`Continue with ${name}`, `Weiter mit ${name}`],
    noProvider: [
      'No provider is set up here that people can sign in with.',
      'Hier ist kein Anbieter eingerichtet, mit dem man sich anmelden kann.',
    ],
  },

  certificate: {
    lead: [
      'Your browser proves who you are with a certificate.',
      'Ihr Browser weist mit einem Zertifikat nach, wer Sie sind.',
    ],
    submit: ['Continue with your certificate', 'Weiter mit Ihrem Zertifikat'],
    refused: [
      'Your browser has no certificate for this service, or it was not accepted.',
      'Ihr Browser hat kein Zertifikat für diesen Dienst, oder es wurde nicht angenommen.',
    ],
    another: [
      'To choose another certificate, close the browser and open it again.',
      'Um ein anderes Zertifikat zu wählen, schließen Sie den Browser und öffnen ihn neu.',
    ],
    notAskedFor: [
      'At this address, browsers are not asked for a certificate.',
      'Unter dieser Adresse werden Browser nicht nach einem Zertifikat gefragt.',
    ],
    elsewhere: [
      'Sign in another way, or ask an administrator for the address where certificates are used.',
      'Melden Sie sich anders an, oder fragen Sie einen Administrator nach der Adresse, die Zertifikate annimmt.',
    ],
  },

  provider: {
    refused: (name: string) => [
      `The sign-in with ${name} did not succeed, or that account cannot sign in here.`,
      `Die Anmeldung mit ${name} ist nicht gelungen, oder dieses Konto darf sich hier nicht anmelden.`,
    ],
    cancelled: (name: string) => [
      `The sign-in with ${name} was cancelled or refused there.`,
      `Die Anmeldung mit ${name} wurde dort abgebrochen oder abgelehnt.`,
    ],
    unreachable: (name: string) => [
      `${name} cannot be reached, or does not answer as expected.`,
      `${name} ist nicht erreichbar oder antwortet nicht wie erwartet.`,
    ],
    tryAgain: [
      'Try again, or sign in another way.',
      'Versuchen Sie es noch einmal, oder melden Sie sich anders an.',
    ],
  },

  providerReturn: {
    heading: ['Continue to this application?', 'Weiter zu dieser Anwendung?'],
    address: ['Address', 'Adresse'],
    warning: [
      'Continue only if you have just started this yourself in that application. Otherwise close this window: another program wants to use your account.',
      'Fahren Sie nur fort, wenn Sie das gerade selbst in dieser Anwendung begonnen haben. Sonst schließen Sie dieses Fenster: Ein anderes Programm will Ihr Konto benutzen.',
    ],
    submit: ['Yes, continue', 'Ja, weiter'],
  },

  secondProvider: {
    heading: ['One more proof is needed', 'Ein weiterer Nachweis ist nötig'],
    lead: (name: string) => [
      `Your account also has to be confirmed by ${name}.`,
      `Ihr Konto muss außerdem von ${name} bestätigt werden.`,
    ],
    byProgram: (issuer: string) => [
      `Your account also has to show a token of ${issuer}, and a browser cannot get it from this page.`,
      `Ihr Konto muss außerdem ein Token von ${issuer} vorweisen, und ein Browser kann es von dieser Seite aus nicht bekommen.`,
    ],
    useProgram: [
      'Sign in with the application or command that has such a token.',
      'Melden Sie sich mit der Anwendung oder dem Befehl an, der ein solches Token hat.',
    ],
    unknown: ['another provider', 'einem anderen Anbieter'],
  },

  code: {
    title: ['One-time code', 'Einmalcode'],
    heading: ['Enter your one-time code', 'Geben Sie Ihren Einmalcode ein'],
    label: ['Code from your authenticator app', 'Code aus Ihrer Authenticator-App'],
    hint: [
      'Six digits that change every half minute. Each code works once.',
      'Sechs Ziffern, alle halbe Minute neu. Jeder Code gilt einmal.',
    ],
    submit: ['Continue', 'Weiter'],
    failedTitle: ['wrong code', 'falscher Code'],
    wrong: [
      'That code was not accepted. It may be mistyped, already used or too old, or there were too many attempts.',
      'Dieser Code wurde nicht angenommen. Vielleicht ist er vertippt, schon benutzt oder zu alt, oder es gab zu viele Versuche.',
    ],
    whatNext: [
      'Wait for the next code and try again. If it does not help, check the clock of your phone.',
      'Warten Sie auf den nächsten Code und versuchen Sie es noch einmal. Wenn das nicht hilft, prüfen Sie die Uhr Ihres Telefons.',
    ],
    useRecovery: ['Use a recovery code instead', 'Stattdessen einen Wiederherstellungscode verwenden'],
    recoveryLabel: ['Recovery code', 'Wiederherstellungscode'],
    recoveryHint: [
      'One of the codes that you saved when you set up the app, such as ABCDE-FGHIJ. Each works once.',
      'Einer der Codes, die Sie beim Einrichten der App gespeichert haben, etwa ABCDE-FGHIJ. Jeder gilt einmal.',
    ],
    neither: [
      'Neither the app nor a code? An administrator can remove the lost app from your account.',
      'Weder App noch Code? Ein Administrator kann die verlorene App aus Ihrem Konto entfernen.',
    ],
    recoverySubmit: ['Continue with a recovery code', 'Weiter mit einem Wiederherstellungscode'],
    recoveryNewApp: [
      'I have lost the app: continue and set it up anew',
      'Ich habe die App verloren: weiter und neu einrichten',
    ],
  },

  keep: common.keep,

  passkey: {
    use: ['Sign in with a passkey', 'Mit einem Passkey anmelden'],
    title: 'Passkey',
    heading: ['Confirm with your passkey', 'Bestätigen Sie mit Ihrem Passkey'],
    lead: [
      'Your account needs a second step when you sign in: your passkey, which is in this device, in your phone or in a security key.',
      'Ihr Konto verlangt bei der Anmeldung einen zweiten Schritt: Ihren Passkey, der in diesem Gerät, in Ihrem Telefon oder in einem Sicherheitsschlüssel ist.',
    ],
    confirm: ['Use your passkey', 'Passkey verwenden'],
    failedTitle: ['passkey not accepted', 'Passkey nicht angenommen'],
    refused: [
      'This passkey was not accepted, or this account cannot sign in with it.',
      'Dieser Passkey wurde nicht angenommen, oder das Konto darf sich damit nicht anmelden.',
    ],
    another: [
      'Use another passkey, or sign in another way.',
      'Verwenden Sie einen anderen Passkey, oder melden Sie sich anders an.',
    ],
    setUpHeading: ['Set up a passkey', 'Einen Passkey einrichten'],
    why: [
      'Your account needs a passkey. You sign in with it by fingerprint, face or PIN: there is nothing to remember, and no other website can use it.',
      'Ihr Konto verlangt einen Passkey. Damit melden Sie sich mit Fingerabdruck, Gesicht oder PIN an: Sie müssen sich nichts merken, und keine andere Website kann ihn verwenden.',
    ],
    create: ['Create a passkey', 'Passkey erstellen'],
    notSetUp: [
      'The passkey was not added. Try again.',
      'Der Passkey wurde nicht hinzugefügt. Versuchen Sie es noch einmal.',
    ],
    ...common.passkey,
    needsScript: [
      'This needs a browser with passkeys and JavaScript. Allow JavaScript for this site, use another browser, or ask an administrator.',
      'Dafür ist ein Browser mit Passkeys und JavaScript nötig. Erlauben Sie JavaScript für diese Website, nehmen Sie einen anderen Browser, oder fragen Sie einen Administrator.',
    ],
  },

  enrollment: {
    ...common.setUp,
    heading: ['Set up an authenticator app', 'Eine Authenticator-App einrichten'],
    step: (step: number) => [`Step ${step} of 3`, `Schritt ${step} von 3`],
    why: [
      'Your account needs a second step when you sign in: a code that an app on your phone shows.',
      'Ihr Konto braucht beim Anmelden einen zweiten Schritt: einen Code, den eine App auf Ihrem Telefon anzeigt.',
    ],
    install: [
      'If you have no authenticator app, install one. Any app that shows one-time codes works.',
      'Installieren Sie eine Authenticator-App, falls Sie noch keine haben. Jede App, die Einmalcodes anzeigt, ist geeignet.',
    ],
    start: ['I have an app: continue', 'Ich habe eine App: weiter'],
    add: ['Add this account to the app', 'Dieses Konto zur App hinzufügen'],
    type: ['Type this key into the app:', 'Tippen Sie diesen Schlüssel in die App:'],
    saveCodes: ['Save your recovery codes', 'Speichern Sie Ihre Wiederherstellungs\u00adcodes'],
    verify: ['Confirm and sign in', 'Bestätigen und anmelden'],
    cancel: common.cancel,
    confirmHeading: ['Confirm the authenticator app', 'Authenticator-App bestätigen'],
    confirmLead: [
      'You have begun to set up an app. If the account is in the app, enter the code that it shows now.',
      'Sie haben begonnen, eine App einzurichten. Wenn das Konto in der App ist, geben Sie den Code ein, den sie jetzt anzeigt.',
    ],
    confirmElse: [
      'If the account is not in the app, or you did not save the recovery codes, start again: you get a new picture and new codes.',
      'Wenn das Konto nicht in der App ist oder Sie die Wiederherstellungscodes nicht gespeichert haben, beginnen Sie neu: Sie bekommen ein neues Bild und neue Codes.',
    ],
    goneTitle: ['start again', 'neu beginnen'],
    gone: [
      'This set-up is no longer open: it was cancelled, or finished in another window.',
      'Diese Einrichtung ist nicht mehr offen: Sie wurde abgebrochen oder in einem anderen Fenster abgeschlossen.',
    ],
  },

  /** After a recovery code, in place of an app that was lost. */
  newApp: {
    heading: ['Set up your authenticator app anew', 'Ihre Authenticator-App neu einrichten'],
    why: [
      'The new app replaces the one that you have lost, and you get new recovery codes. Until you have confirmed it, nothing changes.',
      'Die neue App ersetzt die verlorene, und Sie bekommen neue Wiederherstellungscodes. Bis Sie sie bestätigt haben, ändert sich nichts.',
    ],
    another: ['Another recovery code', 'Ein weiterer Wiederherstellungscode'],
    anotherHint: [
      'One that you have not used yet. A single stolen code must not be enough to replace your app.',
      'Einer, den Sie noch nicht benutzt haben. Ein einzelner gestohlener Code darf nicht genügen, um Ihre App zu ersetzen.',
    ],
    wrong: [
      'That code was not accepted. It may be mistyped or already used, or there were too many attempts.',
      'Dieser Code wurde nicht angenommen. Vielleicht ist er vertippt oder schon benutzt, oder es gab zu viele Versuche.',
    ],
    start: ['Set up the app', 'App einrichten'],
    later: ['Not now, continue', 'Jetzt nicht, weiter'],
    noneLeft: [
      'That was your last recovery code, and it takes another one to replace the app. Ask an administrator to remove the lost app from your account. Then set up a new one on your account page.',
      'Das war Ihr letzter Wiederherstellungscode, und um die App zu ersetzen, ist ein weiterer nötig. Bitten Sie einen Administrator, die verlorene App aus Ihrem Konto zu entfernen. Richten Sie danach auf Ihrer Kontoseite eine neue ein.',
    ],
  },
} satisfies TextTable;
