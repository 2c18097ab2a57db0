// Deutsch.

import type { ErrorPageKind } from '../../errors/codes.ts';
import { type Html, html } from '../html.ts';
import { common } from './common.ts';
import type { ErrorText, Texts } from './en.ts';

const { de: words } = common;

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

const errors: Readonly<Record<ErrorPageKind, ErrorText>> = {
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

  newPassword: {
    repeated: 'Dasselbe Passwort noch einmal',
    atLeast: (shortest: number, contents: readonly string[]) =>
      `Mindestens ${shortest} Zeichen${contents.length > 0 ? `, mit ${contents.join(', ')}` : ''}.`,
    mixedCase: 'einem Groß- und einem Kleinbuchstaben',
    digit: 'einer Ziffer',
    special: 'einem Sonderzeichen',
    advice:
      'Kein verbreitetes und nicht Ihr Name. Einige Wörter zusammen sind leicht zu merken und schwer zu erraten.',
    tooShort: (least: number) => `Das Passwort hat zu wenige Zeichen, mindestens ${least} sind nötig.`,
    problems: {
      repeated: 'Die beiden Passwörter sind verschieden.',
      'too-long': 'Das Passwort ist zu lang.',
      'mixed-case': 'Das Passwort braucht einen Groß- und einen Kleinbuchstaben.',
      digit: 'Das Passwort braucht eine Ziffer.',
      special: 'Das Passwort braucht ein Sonderzeichen.',
      common: 'Das Passwort ist zu verbreitet.',
      same: 'Das ist Ihr jetziges Passwort.',
      'own-name': 'Das Passwort ist Ihrem Namen zu ähnlich.',
    },
  },

  setup: {
    heading: 'Administratorkonto einrichten',
    failedTitle: 'nicht angelegt',
    submit: 'Administratorkonto anlegen',
    notCreated: 'Das Administratorkonto wurde nicht angelegt:',
    problems: {
      username: 'Das kann kein Benutzername sein.',
      taken: 'Dieser Benutzername ist vergeben.',
      policy: 'Die Standardrichtlinie erlaubt keine Passwörter.',
    },
    doneTitle: 'Administratorkonto angelegt',
    doneHeading: 'Das Administratorkonto ist bereit',
    done: (username: Html) =>
      html`Sie können sich jetzt als ${username} anmelden. Dieser Link hat seinen Zweck erfüllt und kann nicht noch einmal verwendet werden.`,
    toConsole: 'Konsole öffnen',
    orInTerminal: 'Oder weiter in einem Terminal:',
    nextInTerminal: 'Weiter geht es in einem Terminal:',
    dead: {
      used: {
        heading: 'Dieser Link wurde schon verwendet',
        text: 'Mit ihm wurde ein Administratorkonto angelegt. Wenn Sie das nicht waren, informieren Sie die Betreiber dieses Servers.',
      },
      expired: {
        heading: 'Dieser Link gilt nicht mehr',
        text: 'Ein Einrichtungslink gilt 30 Minuten, oder bis ein neuerer angelegt wird.',
      },
      unknown: {
        heading: 'Das ist kein Einrichtungslink',
        text: 'Prüfen Sie, ob die ganze Adresse kopiert wurde und ob sie von diesem Server stammt.',
      },
    },
    another: 'Legen Sie auf dem Server einen neuen Link oder direkt ein Administratorkonto an:',
  },

  passwordChange: {
    heading: 'Wählen Sie ein neues Passwort',
    lead: 'Sie müssen ein neues Passwort wählen, bevor Sie fortfahren. Überall sonst werden Sie abgemeldet.',
    submit: 'Passwort ändern und weiter',
  },

  invite: {
    first: {
      heading: 'Wählen Sie Ihr Passwort',
      lead: (service: string) => `Sie sind zu ${service} eingeladen. Nur Sie werden dieses Passwort kennen.`,
    },
    reset: {
      heading: 'Wählen Sie ein neues Passwort',
      lead: (service: string) =>
        `Ein Administrator von ${service} lässt Sie Ihr Passwort ersetzen. Nur Sie werden das neue kennen.`,
    },
    forgotten: {
      heading: 'Wählen Sie ein neues Passwort',
      lead: (service: string) =>
        `Sie haben diesen Link bei ${service} angefordert. Mit dem alten Passwort enden alle Ihre Sitzungen; Ihre zweiten Faktoren bleiben.`,
    },
    onlyPasskey: {
      heading: 'Richten Sie Ihren Passkey ein',
      lead: (service: string) =>
        `Sie sind zu ${service} eingeladen. Dort melden Sie sich mit einem Passkey an.`,
    },
    withPasskey:
      'Mit einem Passkey melden Sie sich mit Fingerabdruck, Gesicht oder PIN an und müssen sich kein Passwort merken.',
    replacesPassword: 'Er ersetzt Ihr Passwort.',
    failedTitle: 'nicht gesetzt',
    password: 'Neues Passwort',
    submit: 'Passwort setzen und anmelden',
    submitOnly: 'Passwort setzen',
    notSet: 'Das Passwort wurde nicht gesetzt:',
    doneHeading: { password: 'Ihr Passwort ist gesetzt', passkey: 'Ihr Passkey ist bereit' },
    done: (username: Html) =>
      html`Sie können sich jetzt als ${username} anmelden. Dieser Link wurde verwendet und funktioniert nicht mehr.`,
    goOn: 'Gehen Sie zur Anwendung zurück und melden Sie sich an.',
    toAccount: 'Bei Ihrem Konto anmelden',
    dead: {
      expired: {
        heading: 'Dieser Link gilt nicht mehr',
        text: 'Er wurde nicht rechtzeitig verwendet.',
      },
      unknown: {
        heading: 'Dieser Link funktioniert nicht',
        text: 'Er wurde schon verwendet, es gibt einen neueren, oder die Adresse ist unvollständig. Wenn Sie ihn nicht selbst verwendet haben, informieren Sie einen Administrator.',
      },
    },
    another: 'Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
    askAgain: (link: Html) => html`Wenn Sie Ihr Passwort vergessen haben: ${link}.`,
  },

  forgotten: {
    link: 'Passwort vergessen?',
    heading: 'Neues Passwort wählen',
    lead: 'Sie bekommen eine E-Mail mit einem Link, mit dem Sie ein neues Passwort wählen.',
    name: 'Benutzername oder E-Mail-Adresse',
    submit: 'E-Mail senden',
    askAgain: 'neue E-Mail anfordern',
    doneHeading: 'Sehen Sie in Ihr Postfach',
    done: 'Wenn es zu diesem Namen ein Konto mit bekannter E-Mail-Adresse gibt, ist eine E-Mail dorthin unterwegs.',
    notThere:
      'Nach ein paar Minuten keine E-Mail? Sehen Sie in den Ordner für unerwünschte E-Mails, prüfen Sie Ihre Eingabe, oder fragen Sie Ihre Administratoren.',
  },

  error: {
    retryIn: (seconds: number) =>
      `Versuchen Sie es in ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} noch einmal.`,
    details: 'Einzelheiten für Administratoren',
    byKind: errors,
  },
};
