// The texts of the overview.

import { wordsOf } from '../texts/texts.ts';

const en = {
  begin: 'Get started',
  beginWays: {
    invite: ['Invite a person', 'They get a link to choose a password or add a passkey.'],
    connect: ['Connect a provider', 'People sign in here with the account that they have there.'],
    register: [
      'Register an application',
      'Such as Grafana, GitLab or Nextcloud, so that people sign in to it here.',
    ],
  },
  chartTitle: 'Sign-ins and refusals in the last 24 hours',
  asTable: 'Show as a table',
  hour: 'Hour',
  issuers: 'Issuers',
  issuersText: 'The addresses to enter in applications and SDKs.',
  namers: 'Signers and CAs that can name an administrator',
  namersText:
    'The operators of these signers and CAs can issue a token or certificate that is accepted as the first proof of an administrator.',
  namersNone: 'No signer and no CA can name an administrator.',
  namersOf: (names: string) => `Such as ${names}`,
  ends: 'Expires soon',
  endsText: 'Certificates, enrollments and invitations in the next 30 days, own authorities in the next 180.',
  certificateOf: (name: string) => `Certificate of ${name}`,
  authority: (name: string) => `Third-party CA ${name}`,
  ownCertificates: {
    server: (of: string) => `Server certificate: ${of}`,
    authority: (of: string) => `Authority: ${of}`,
    'client-signing': (of: string) => `Signs client certificates: ${of}`,
  },
  invitationOf: (name: string) => `Invitation of ${name}`,
  enrollmentOf: (name: string) => `Enrollment of ${name}`,
  endsNothing: 'Nothing expires in the next 30 days.',
  recentRefusals: 'Latest refusals',
  noRefusals: 'No recent refusals.',
  all: 'All sign-in attempts',
  nobody: 'No sign-in attempts yet. New ones appear here and under “Sign-in attempts”.',
};

const de: typeof en = {
  begin: 'Erste Schritte',
  beginWays: {
    invite: [
      'Person einladen',
      'Sie bekommt einen Link, um ein Passwort zu wählen oder einen Passkey hinzuzufügen.',
    ],
    connect: ['Anbieter verbinden', 'Personen melden sich hier mit dem Konto an, das sie dort haben.'],
    register: [
      'Anwendung registrieren',
      'Zum Beispiel Grafana, GitLab oder Nextcloud: Personen melden sich dann hier dafür an.',
    ],
  },
  chartTitle: 'Anmeldungen und Ablehnungen der letzten 24 Stunden',
  asTable: 'Als Tabelle zeigen',
  hour: 'Stunde',
  issuers: 'Aussteller',
  issuersText: 'Die Adressen für Anwendungen und SDKs.',
  namers: 'Signer und CAs, die Administratoren benennen können',
  namersText:
    'Die Betreiber dieser Signer und CAs können ein Token oder Zertifikat ausstellen, das als erster Nachweis eines Administrators gilt.',
  namersNone: 'Kein Signer und keine CA kann einen Administrator benennen.',
  namersOf: (names) => `Zum Beispiel ${names}`,
  ends: 'Läuft bald ab',
  endsText:
    'Zertifikate, Registrierungen und Einladungen der nächsten 30 Tage, eigene Zertifizierungsstellen der nächsten 180.',
  certificateOf: (name) => `Zertifikat von ${name}`,
  authority: (name) => `Externe CA ${name}`,
  ownCertificates: {
    server: (of) => `Serverzertifikat: ${of}`,
    authority: (of) => `Zertifizierungsstelle: ${of}`,
    'client-signing': (of) => `Signiert Client-Zertifikate: ${of}`,
  },
  invitationOf: (name) => `Einladung von ${name}`,
  enrollmentOf: (name) => `Registrierung von ${name}`,
  endsNothing: 'In den nächsten 30 Tagen läuft nichts ab.',
  recentRefusals: 'Letzte Ablehnungen',
  noRefusals: 'In letzter Zeit gab es keine Ablehnungen.',
  all: 'Alle Anmeldeversuche',
  nobody: 'Noch keine Anmeldeversuche. Neue erscheinen hier und unter „Anmeldeversuche“.',
};

export const words = wordsOf(en, de);
