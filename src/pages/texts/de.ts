// Deutsch.

import { type Html, html } from '../html.ts';
import { common } from './common.ts';
import type { Texts } from './en.ts';
import { errors } from './errors-de.ts';
import { newPasswordPages } from './new-password-de.ts';

const { de: words } = common;

export const de: Texts = {
  errorTitle: words.errorTitle,
  reference: (id: Html) => html`Kennung: ${id}`,
  again: (id: Html) =>
    html`Wenn es wieder vorkommt, geben Sie diese Kennung an einen Administrator weiter: ${id}`,
  or: 'oder',
  signInAsSomeoneElse: 'Als jemand anderes anmelden',
  startAgain: 'Neu beginnen',
  backToLogin: 'Zurück zur Anmeldung',

  signIn: {
    title: words.signIn,
    to: (application: Html) => html`weiter zu ${application}`,
    toOwn: { account: 'weiter zu Ihrem Konto', console: 'weiter zur Konsole' },
    toThisDevice: 'weiter zu einer Anwendung auf diesem Gerät',
    toDevice: (application: Html) => html`zur Anmeldung von ${application} auf einem anderen Gerät`,
    toAnotherDevice: 'zur Anmeldung auf einem anderen Gerät',
    toHere: (application: Html) => html`weiter zu ${application} auf diesem Gerät`,
    username: words.username,
    password: words.password,
    showPassword: 'Passwort anzeigen',
    submit: words.signIn,
    failedTitle: 'nicht angemeldet',
    wrongPassword: 'Benutzername oder Passwort stimmen nicht, oder dieses Konto darf sich so nicht anmelden.',
    capsLock: 'Die Feststelltaste ist aktiv.',
    withPassword: 'Mit Benutzername und Passwort anmelden',
    withCertificate: 'Mit einem Zertifikat anmelden',
    cancel: 'Abbrechen und zurück zur Anwendung',
    withProvider: (name: string) => `Weiter mit ${name}`,
    noProvider: 'Hier ist kein Anbieter eingerichtet, mit dem man sich anmelden kann.',
  },

  certificate: {
    lead: 'Ihr Browser weist mit einem Zertifikat nach, wer Sie sind.',
    submit: 'Weiter mit Ihrem Zertifikat',
    refused: 'Ihr Browser hat kein Zertifikat für diesen Dienst, oder es wurde nicht angenommen.',
    another: 'Um ein anderes Zertifikat zu wählen, schließen Sie den Browser und öffnen ihn neu.',
    notAskedFor: 'Unter dieser Adresse werden Browser nicht nach einem Zertifikat gefragt.',
    elsewhere:
      'Melden Sie sich anders an, oder fragen Sie einen Administrator nach der Adresse, die Zertifikate annimmt.',
  },

  provider: {
    refused: (name: string) =>
      `Die Anmeldung mit ${name} ist nicht gelungen, oder dieses Konto darf sich hier nicht anmelden.`,
    cancelled: (name: string) => `Die Anmeldung mit ${name} wurde dort abgebrochen oder abgelehnt.`,
    unreachable: (name: string) => `${name} ist nicht erreichbar oder antwortet nicht wie erwartet.`,
    tryAgain: 'Versuchen Sie es noch einmal, oder melden Sie sich anders an.',
  },

  providerReturn: {
    heading: 'Weiter zu dieser Anwendung?',
    address: 'Adresse',
    warning:
      'Fahren Sie nur fort, wenn Sie das gerade selbst in dieser Anwendung begonnen haben. Sonst schließen Sie dieses Fenster: Ein anderes Programm will Ihr Konto benutzen.',
    submit: 'Ja, weiter',
  },

  secondProvider: {
    heading: 'Ein weiterer Nachweis ist nötig',
    lead: (name: string) => `Ihr Konto muss außerdem von ${name} bestätigt werden.`,
    byProgram: (issuer: string) =>
      `Ihr Konto muss außerdem ein Token von ${issuer} vorweisen, und ein Browser kann es von dieser Seite aus nicht bekommen.`,
    useProgram: 'Melden Sie sich mit der Anwendung oder dem Befehl an, der ein solches Token hat.',
    unknown: 'einem anderen Anbieter',
  },

  code: {
    title: 'Einmalcode',
    heading: 'Geben Sie Ihren Einmalcode ein',
    label: 'Code aus Ihrer Authenticator-App',
    hint: 'Sechs Ziffern, alle halbe Minute neu. Jeder Code gilt einmal.',
    submit: 'Weiter',
    failedTitle: 'falscher Code',
    wrong:
      'Dieser Code wurde nicht angenommen. Vielleicht ist er vertippt, schon benutzt oder zu alt, oder es gab zu viele Versuche.',
    whatNext:
      'Warten Sie auf den nächsten Code und versuchen Sie es noch einmal. Wenn das nicht hilft, prüfen Sie die Uhr Ihres Telefons.',
    useRecovery: 'Stattdessen einen Wiederherstellungscode verwenden',
    recoveryLabel: 'Wiederherstellungscode',
    recoveryHint:
      'Einer der Codes, die Sie beim Einrichten der App gespeichert haben, etwa ABCDE-FGHIJ. Jeder gilt einmal. Wenn Sie die App verloren haben, richten Sie nach der Anmeldung auf Ihrer Kontoseite eine andere ein.',
    recoverySubmit: 'Weiter mit einem Wiederherstellungscode',
  },

  keep: words.keep,

  passkey: {
    use: 'Mit einem Passkey anmelden',
    title: 'Passkey',
    heading: 'Bestätigen Sie mit Ihrem Passkey',
    lead: 'Ihr Konto verlangt bei der Anmeldung einen zweiten Schritt: Ihren Passkey, der in diesem Gerät, in Ihrem Telefon oder in einem Sicherheitsschlüssel ist.',
    confirm: 'Passkey verwenden',
    failedTitle: 'Passkey nicht angenommen',
    refused: 'Dieser Passkey wurde nicht angenommen, oder das Konto darf sich damit nicht anmelden.',
    another: 'Verwenden Sie einen anderen Passkey, oder melden Sie sich anders an.',
    setUpHeading: 'Einen Passkey einrichten',
    why: 'Ihr Konto verlangt einen Passkey. Damit melden Sie sich mit Fingerabdruck, Gesicht oder PIN an: Sie müssen sich nichts merken, und keine andere Website kann ihn verwenden.',
    create: 'Passkey erstellen',
    notSetUp: 'Der Passkey wurde nicht hinzugefügt. Versuchen Sie es noch einmal.',
    ...words.passkey,
    needsScript:
      'Dafür ist ein Browser mit Passkeys und JavaScript nötig. Erlauben Sie JavaScript für diese Seite, nehmen Sie einen anderen Browser, oder fragen Sie einen Administrator.',
  },

  enrollment: {
    ...words.setUp,
    heading: 'Eine Authenticator-App einrichten',
    step: (step: number) => `Schritt ${step} von 3`,
    why: 'Ihr Konto braucht beim Anmelden einen zweiten Schritt: einen Code, den eine App auf Ihrem Telefon anzeigt.',
    install:
      'Installieren Sie eine Authenticator-App, falls Sie noch keine haben. Jede App, die Einmalcodes anzeigt, ist geeignet.',
    start: 'Ich habe eine App: weiter',
    add: 'Dieses Konto zur App hinzufügen',
    type: 'Tippen Sie diesen Schlüssel in die App:',
    saveCodes: 'Speichern Sie Ihre Wiederherstellungscodes',
    fileHeading: (name: string, account: string) =>
      `Wiederherstellungscodes für ${account} bei ${name}. Jeder gilt einmal.`,
    verify: 'Bestätigen und anmelden',
    cancel: words.cancel,
    confirmHeading: 'Authenticator-App bestätigen',
    confirmLead:
      'Sie haben begonnen, eine App einzurichten. Wenn das Konto in der App ist, geben Sie den Code ein, den sie jetzt anzeigt.',
    confirmElse:
      'Wenn das Konto nicht in der App ist oder Sie die Wiederherstellungscodes nicht gespeichert haben, beginnen Sie neu: Sie bekommen ein neues Bild und neue Codes.',
    goneTitle: 'neu beginnen',
    gone: 'Diese Einrichtung ist nicht mehr offen: Sie wurde abgebrochen oder in einem anderen Fenster abgeschlossen.',
  },

  device: {
    heading: 'Gerät verbinden',
    lead: 'Geben Sie den Code ein, den Ihr Gerät zeigt.',
    label: 'Code',
    hint: 'Acht Buchstaben, zum Beispiel BCDF-GHJK.',
    submit: 'Weiter',
    failedTitle: 'unbekannter Code',
    unknown: 'Mit diesem Code wartet kein Gerät.',
    checkIt: 'Prüfen Sie die Buchstaben. Ein Code gilt zehn Minuten; danach beginnen Sie am Gerät von vorn.',
    confirmHeading: 'Auf diesem Gerät anmelden?',
    confirmLead: 'Vergleichen Sie das mit dem, was Ihr Gerät zeigt.',
    code: 'Code',
    client: 'Anwendung',
    place: 'Angefragt von',
    time: 'Angefragt um',
    warning:
      'Fahren Sie nur fort, wenn Sie das gerade selbst begonnen haben und Ihr Gerät diesen Code zeigt. Wenn Sie den Code von einer anderen Person haben, will sie sich als Sie anmelden.',
    confirm: 'Ja, anmelden',
    deny: 'Nein, das ist nicht mein Gerät',
    finishHeading: 'Das Gerät anmelden?',
    finishLead: 'Sie haben sich für ein Gerät angemeldet. Es ist noch nicht angemeldet.',
    finishWarning:
      'Fahren Sie nur fort, wenn Sie das gerade selbst an diesem Gerät begonnen haben. Sonst will eine andere Person es mit Ihrem Konto benutzen.',
    finish: 'Ja, das Gerät anmelden',
    outcomes: {
      approved: {
        heading: 'Ihr Gerät ist angemeldet',
        text: 'Gehen Sie zum Gerät zurück; es macht in wenigen Sekunden weiter. Sie können dieses Fenster schließen.',
      },
      denied: {
        heading: 'Das Gerät wurde abgelehnt',
        text: 'Es ist nicht angemeldet. Sie können dieses Fenster schließen.',
      },
      gone: {
        heading: 'Das Gerät wartet nicht mehr',
        text: 'Sein Code ist abgelaufen oder wurde in einem anderen Fenster benutzt oder abgelehnt. Beginnen Sie am Gerät von vorn.',
      },
    },
  },

  signedIn: {
    heading: 'Sie sind angemeldet',
    as: (name: Html) => html`Sie sind hier als ${name} angemeldet.`,
    submit: 'Weiter',
    other: 'Ein anderes Konto verwenden',
  },

  formPost: {
    heading: 'Zurück zur Anwendung',
    text: 'Wenn in einigen Sekunden nichts geschieht, wählen Sie die Schaltfläche.',
    submit: 'Weiter',
  },

  signedOut: {
    heading: words.signedOut,
    text: 'Die Sitzung ist beendet. Sie können dieses Fenster schließen.',
    nothingHeading: 'Sie sind hier nicht angemeldet',
    nothing:
      'Die Anwendung hat nicht gesagt, welche Sitzung enden soll, und dieser Server hat keine in Ihrem Browser. Melden Sie sich in der Anwendung ab.',
    toAccount: 'Sehen, wo Sie sonst noch angemeldet sind',
  },

  signOutQuestion: {
    heading: 'Abmelden?',
    text: 'Die Anwendung bittet Sie, sich hier abzumelden, bevor es weitergeht.',
    submit: 'Abmelden und weiter',
    plainText: 'Sie sind in diesem Browser angemeldet. Anwendungen können ohne Rückfrage fortfahren.',
    plainSubmit: words.signOut,
  },

  home: {
    title: 'Start',
    heading: 'Willkommen',
    text: (name: string) => `Hier melden Sie sich bei ${name} an.`,
    toAccount: 'Bei Ihrem Konto anmelden',
    toApplications: 'Ihre Anwendungen',
    yourAccount: words.account,
    forAdministrators: 'Für Administratoren:',
    toConsole: 'Konsole öffnen',
  },

  account: {
    title: words.account,
    withoutScripts:
      'Diese Seite braucht JavaScript. Erlauben Sie es für diese Adresse, oder bitten Sie einen Administrator, Ihr Passwort zu ändern, Ihre Authenticator-App zu entfernen oder Ihre Sitzungen zu beenden.',
  },

  console: {
    title: words.console,
    withoutScripts:
      'Die Konsole braucht JavaScript. Erlauben Sie es für diese Adresse, oder nutzen Sie den Befehl „overlay-auth“ in einem Terminal.',
  },

  ...newPasswordPages,

  error: {
    retryIn: (seconds: number) =>
      `Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} noch einmal.`,
    details: 'Einzelheiten für Administratoren',
    byKind: errors,
  },
};
