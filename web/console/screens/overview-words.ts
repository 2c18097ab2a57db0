// The texts of the overview.

import { wordsOf } from '../../parts/language.ts';

export const words = wordsOf({
  begin: ['Get started', 'Erste Schritte'],
  beginWays: {
    invite: [
      ['Invite a person', 'They get a link to choose a password or add a passkey.'],
      [
        'Person einladen',
        'Sie bekommt einen Link, um ein Passwort zu wählen oder einen Passkey hinzuzufügen.',
      ],
    ],
    connect: [
      ['Connect a provider', 'People sign in here with the account that they have there.'],
      ['Anbieter verbinden', 'Personen melden sich hier mit dem Konto an, das sie dort haben.'],
    ],
    register: [
      ['Register an application', 'Such as Grafana, GitLab or Nextcloud, so that people sign in to it here.'],
      [
        'Anwendung registrieren',
        'Zum Beispiel Grafana, GitLab oder Nextcloud: Personen melden sich dann hier dafür an.',
      ],
    ],
  },
  chartTitle: [
    'Sign-ins and refusals in the last 24 hours',
    'Anmeldungen und Ablehnungen der letzten 24 Stunden',
  ],
  asTable: ['Show as a table', 'Als Tabelle zeigen'],
  hour: ['Hour', 'Stunde'],
  issuers: ['Issuers', 'Aussteller'],
  issuersText: ['The addresses to enter in applications and SDKs.', 'Die Adressen für Anwendungen und SDKs.'],
  namers: [
    'Signers and CAs that can name an administrator',
    'Signer und CAs, die Administratoren benennen können',
  ],
  namersText: [
    'The operators of these signers and CAs can issue a token or certificate that is accepted as the first proof of an administrator.',
    'Die Betreiber dieser Signer und CAs können ein Token oder Zertifikat ausstellen, das als erster Nachweis eines Administrators gilt.',
  ],
  namersNone: [
    'No signer and no CA can name an administrator.',
    'Kein Signer und keine CA kann einen Administrator benennen.',
  ],
  namersOf: (names: string) => [`Such as ${names}`, `Zum Beispiel ${names}`],
  ends: ['Expires soon', 'Läuft bald ab'],
  endsText: [
    'Certificates, enrollments and invitations in the next 30 days, the overlay’s authorities in the next 180.',
    'Zertifikate, Registrierungen und Einladungen der nächsten 30 Tage, eigene Zertifizierungsstellen der nächsten 180.',
  ],
  certificateOf: (name: string) => [`Certificate of ${name}`, `Zertifikat von ${name}`],
  authority: (name: string) => [`Third-party CA ${name}`, `Externe CA ${name}`],
  ownCertificates: {
    server: (of: string) => [`Server certificate: ${of}`, `Serverzertifikat: ${of}`],
    authority: (of: string) => [`Authority: ${of}`, `Zertifizierungsstelle: ${of}`],
    'client-signing': (of: string) => [
      `Signs client certificates: ${of}`,
      `Signiert Client-Zertifikate: ${of}`,
    ],
  },
  invitationOf: (name: string) => [`Invitation of ${name}`, `Einladung von ${name}`],
  enrollmentOf: (name: string) => [`Enrollment of ${name}`, `Registrierung von ${name}`],
  endsNothing: ['Nothing expires in the next 30 days.', 'In den nächsten 30 Tagen läuft nichts ab.'],
  recentRefusals: ['Latest refusals', 'Letzte Ablehnungen'],
  noRefusals: ['No recent refusals.', 'In letzter Zeit gab es keine Ablehnungen.'],
  all: ['All sign-in attempts', 'Alle Anmeldeversuche'],
  noAttempts: [
    'No sign-in attempts yet. New ones appear here and under “Sign-in attempts”.',
    'Noch keine Anmeldeversuche. Neue erscheinen hier und unter „Anmeldeversuche“.',
  ],
});
