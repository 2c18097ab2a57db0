// The texts about managing people: their accounts, enrollments and sessions.

import { count, wordsOf } from '../../../parts/language.ts';

export const words = wordsOf({
  edit: ['Edit', 'Bearbeiten'],
  audit: ['Changes', 'Änderungen'],
  machine: ['Device, as it reported', 'Gerät, wie gemeldet'],
  editTitle: (name: string) => [`Edit ${name}`, `${name} bearbeiten`],
  who: ['Identity', 'Identität'],
  may: ['Sign-in and permission', 'Anmeldung und Berechtigung'],
  keptOut: ['Disable the account', 'Konto deaktivieren'],
  rights: {
    none: ['None: they only sign in', 'Keine: nur sich anmelden'],
    read: ['Read everything, change nothing', 'Alles lesen, nichts ändern'],
    helpdesk: ['Read, and help people sign in again', 'Lesen und Personen wieder Zugang geben'],
    all: ['Administer everything', 'Alles verwalten'],
  },
  endsDisabled: [
    'The account can no longer sign in. Its sessions and an open invitation end at once.',
    'Das Konto kann sich nicht mehr anmelden. Seine Sitzungen und eine offene Einladung enden sofort.',
  ],
  endsAdmin: [
    'They can no longer administer. This applies at once, also to open sessions.',
    'Die Person kann nichts mehr verwalten. Das gilt sofort, auch für offene Sitzungen.',
  ],
  byAttributes: ['By role attributes', 'Nach Rollenattributen'],
  endsPolicy: [
    'The rules of the other auth policy apply at once. If a session lacks a factor that it requires, they have to sign in again.',
    'Die Regeln der anderen Auth-Richtlinie gelten sofort. Fehlt einer Sitzung ein verlangter Faktor, muss sich die Person neu anmelden.',
  ],
  how: ['First sign-in', 'Erste Anmeldung'],
  ways: {
    invitation: [
      'An invitation: a link with which they choose a password or add a passkey',
      'Einladung: ein Link, mit dem sie ein Passwort wählt oder einen Passkey hinzufügt',
    ],
    device: [
      'A device: a file with which a program enrolls for a certificate',
      'Gerät: eine Datei, mit der ein Programm ein Zertifikat bekommt',
    ],
    none: [
      'Later, or with a token of another provider',
      'Später, oder mit einem Token eines anderen Anbieters',
    ],
  },
  createdTitle: (name: string) => [`${name} was added`, `${name} wurde hinzugefügt`],
  linkText: (time: string) => [
    `Give them this link. It works once, until ${time}.`,
    `Geben Sie diesen Link weiter. Er gilt einmal, bis ${time}.`,
  ],
  linkSent: (address: string, time: string) => [
    `A mail with the link is on its way to ${address}. The link works once, until ${time}.`,
    `Eine E-Mail mit dem Link ist unterwegs an ${address}. Der Link gilt einmal, bis ${time}.`,
  ],
  fileText: (time: string) => [
    `Give this to the device, for “overlay-auth enroll” or an SDK. It works once, until ${time}.`,
    `Geben Sie dies dem Gerät, für „overlay-auth enroll“ oder ein SDK. Es gilt einmal, bis ${time}.`,
  ],
  open: ['Open the person', 'Person öffnen'],
  another: ['Add another person', 'Noch eine Person hinzufügen'],
  deleteEnds: (sessions: number) => [
    `Everything they sign in with is deleted${sessions === 0 ? '' : `, and ${count(sessions, 'session ends', 'sessions end')} at once`}. This cannot be undone.`,
    `Alles, womit die Person sich anmeldet, wird gelöscht${sessions === 0 ? '' : `, und ${count(sessions, 'Sitzung endet', 'Sitzungen enden')} sofort`}. Das lässt sich nicht zurücknehmen.`,
  ],
  mustChangeYes: ['Asked for at the next sign-in', 'Wird bei der nächsten Anmeldung verlangt'],
  qr: ['Show as a QR code', 'Als QR-Code zeigen'],
  qrLabel: ['QR code', 'QR-Code'],
  qrLong: ['It is too long for a QR code.', 'Für einen QR-Code ist es zu lang.'],
  invited: ['Invited', 'Eingeladen'],
  invitedText: (time: string) => [`The link works until ${time}.`, `Der Link gilt bis ${time}.`],
  invitedEnds: ['Using it ends their sessions.', 'Wird er benutzt, enden die Sitzungen der Person.'],
  withdraw: ['Withdraw', 'Zurückziehen'],
  withdrawLink: ['Withdraw the link', 'Link zurückziehen'],
  withdrawLinkEnds: [
    'The link stops working. The account stays as it is.',
    'Der Link gilt nicht mehr. Das Konto bleibt, wie es ist.',
  ],
  withdrawTitle: ['Withdraw this enrollment?', 'Diese Registrierung zurückziehen?'],
  withdrawEnds: ['It can no longer be used to enroll.', 'Mit ihr ist keine Registrierung mehr möglich.'],
  withdrawn: ['Withdrawn', 'Zurückgezogen'],
  renew: ['Renew', 'Erneuern'],
  renewTitle: ['Renew this enrollment?', 'Diese Registrierung erneuern?'],
  renewEnds: [
    'It works for the configured time from now. The old token stops working.',
    'Sie gilt von jetzt an für die eingestellte Zeit. Das alte Token gilt nicht mehr.',
  ],
  renewed: ['Renewed', 'Erneuert'],
  handOut: ['Hand out', 'Ausgeben'],
  handOutTitle: (name: string) => [`Enrollment of ${name}`, `Registrierung von ${name}`],
  enrollments: ['Invitations and enrollments', 'Einladungen und Registrierungen'],
  noEnrollments: ['Nothing is open.', 'Es ist nichts offen.'],
  noEnrollmentsText: [
    'Invite them to choose a password, or enroll a device that gets a certificate.',
    'Laden Sie die Person ein, ein Passwort zu wählen, oder registrieren Sie ein Gerät, das ein Zertifikat bekommt.',
  ],
  enroll: ['Enroll a device', 'Gerät registrieren'],
  enrollTitle: (name: string) => [`Enroll a device of ${name}`, `Ein Gerät von ${name} registrieren`],
  enrollText: [
    'A token, valid once. The device makes its own key, which never leaves the device.',
    'Ein Token, das einmal gilt. Das Gerät erzeugt seinen Schlüssel selbst und gibt ihn nie heraus.',
  ],
  methods: {
    ott: ['Certificate issued here', 'Zertifikat dieses Servers'],
    ottca: ['Certificate of a third-party CA', 'Zertifikat einer externen CA'],
    updb: ['User name and password', 'Benutzername und Passwort'],
  },
  ca: ['Third-party CA', 'Externe CA'],
  make: ['Make the enrollment', 'Registrierung anlegen'],
  until: ['Works until', 'Gilt bis'],
  ended: (time: string) => [`ended ${time}`, `abgelaufen ${time}`],
  endsAt: (time: string) => [`ends ${time}`, `gilt bis ${time}`],
  remove: ['Remove', 'Entfernen'],
  removePassword: (name: string) => [
    `Remove the password of ${name}?`,
    `Das Passwort von ${name} entfernen?`,
  ],
  removeCertificate: (name: string) => [
    `Remove the certificate of ${name}?`,
    `Das Zertifikat von ${name} entfernen?`,
  ],
  removePasskey: (passkey: string, name: string) => [
    `Remove the passkey ${passkey} of ${name}?`,
    `Den Passkey ${passkey} von ${name} entfernen?`,
  ],
  passkeyOf: (name: string) => [`Passkey ${name}`, `Passkey ${name}`],
  passkeyUsed: (time: string) => [`last used ${time}`, `zuletzt benutzt ${time}`],
  passkeySynced: ['Synced between their devices.', 'Wird zwischen Geräten der Person synchronisiert.'],
  passkeyOfDevice: ['On one device or security key only.', 'Nur auf einem Gerät oder Sicherheitsschlüssel.'],
  passkeyCloned: (time: string) => [`A copy was refused ${time}`, `Eine Kopie wurde abgelehnt ${time}`],
  removeEnds: [
    'They can no longer sign in with it, and the sessions that it opened end at once.',
    'Damit kann sich die Person nicht mehr anmelden, und die Sitzungen daraus enden sofort.',
  ],
  removed: ['Removed', 'Entfernt'],
  replace: ['Ask for a new certificate', 'Neues Zertifikat verlangen'],
  replaceTitle: [
    'Ask the device to replace its certificate?',
    'Das Gerät auffordern, sein Zertifikat zu ersetzen?',
  ],
  replaceEnds: [
    'Nothing ends. Its program is told at its next call, and the old certificate works until it has the new one.',
    'Es endet nichts. Sein Programm erfährt es beim nächsten Aufruf, und das alte Zertifikat gilt, bis es das neue hat.',
  ],
  rollKeys: ['With a new key', 'Mit neuem Schlüssel'],
  replaceDone: ['The device is asked for a new certificate', 'Vom Gerät wird ein neues Zertifikat verlangt'],
  replaceAsked: ['Asked for a new certificate', 'Neues Zertifikat verlangt'],
  list: {
    enrollmentsText: [
      'Tokens that were handed out and not used yet. Each works once.',
      'Token, die ausgegeben und noch nicht benutzt sind. Jedes gilt einmal.',
    ],
    none: ['No enrollment matches.', 'Keine Registrierung passt dazu.'],
    noneText: [
      'Enroll a device on the page of a person.',
      'Registrieren Sie ein Gerät auf der Seite einer Person.',
    ],
    invitationsText: [
      'People who were invited and have not used their link yet. Each link works once.',
      'Personen, die eingeladen sind und ihren Link noch nicht benutzt haben. Jeder Link gilt einmal.',
    ],
    invitation: ['Invitations', 'Einladungen'],
    invitedBy: ['Invited by', 'Eingeladen von'],
    notRecorded: ['Not recorded', 'Nicht festgehalten'],
    noInvitations: ['No invitation matches.', 'Keine Einladung passt dazu.'],
    noInvitationsText: [
      'Invite a person on their page. They are listed here until they have chosen a password.',
      'Laden Sie eine Person auf ihrer Seite ein. Sie steht hier, bis sie ein Passwort gewählt hat.',
    ],
    personHint: ['Part of the name, or an id.', 'Ein Teil des Namens oder eine Id.'],
    sessionsText: [
      'All live sessions. Ending a session takes effect at once, on every node.',
      'Alle laufenden Sitzungen. Eine Sitzung zu beenden wirkt sofort, auf jedem Knoten.',
    ],
    kind: ['Kind', 'Art'],
    api: ['In an application', 'In einer Anwendung'],
    browser: ['In a browser', 'In einem Browser'],
    browsers: ['Browsers that stay signed in', 'Browser, die angemeldet bleiben'],
    programs: ['Programs used to sign in', 'Programme, mit denen die Person sich anmeldet'],
    firstAt: ['First on', 'Zuerst am'],
    lastAt: ['last on', 'zuletzt am'],
    noSessions: ['No session matches.', 'Keine Sitzung passt dazu.'],
    noSessionsText: [
      'Sessions are listed here from sign-in until they end.',
      'Sitzungen stehen hier von der Anmeldung, bis sie enden.',
    ],
    signedInFrom: ['Signed in from', 'Angemeldet von'],
    lastUsedFrom: ['Last used from', 'Zuletzt benutzt von'],
    notNamed: ['Not named', 'Nicht genannt'],
    programHint: ['Such as Firefox or curl.', 'Etwa Firefox oder curl.'],
    endBrowser: ['End this browser session?', 'Diese Browser-Sitzung beenden?'],
    endBrowserEnds: [
      'The next sign-in in that browser asks again. Sessions in applications continue.',
      'Die nächste Anmeldung in diesem Browser fragt wieder. Sitzungen in Anwendungen laufen weiter.',
    ],
  },
  permissions: {
    text: [
      'People with a permission on this server. Edit a person to change it.',
      'Personen mit einer Berechtigung auf diesem Server. Bearbeiten Sie eine Person, um sie zu ändern.',
    ],
    allows: ['Permissions in plain words', 'Die Berechtigungen in einfachen Worten'],
    noPersonText: [
      'Remove a filter. There is always an administrator.',
      'Entfernen Sie einen Filter. Einen Administrator gibt es immer.',
    ],
    meanings: {
      all: [
        'Everything: people, policies, signers, authorities, applications, and giving permissions.',
        'Alles: Personen, Richtlinien, Signer, CAs, Anwendungen und das Vergeben von Berechtigungen.',
      ],
      helpdesk: [
        'Reading, and helping people sign in again: unlock, invite, remove an authenticator app, end sessions. Not for people who have a permission themselves.',
        'Lesen und Personen wieder Zugang geben: entsperren, einladen, eine Authenticator-App entfernen, Sitzungen beenden. Nicht bei Personen, die selbst eine Berechtigung haben.',
      ],
      read: [
        'Reading everything except credentials. Changing nothing.',
        'Alles lesen außer Zugangsdaten. Nichts ändern.',
      ],
    },
  },
});
