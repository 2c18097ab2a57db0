// The texts of the screens about operation: nodes, and certificates that expire.

import { wordsOf } from '../texts/texts.ts';

const en = {
  nodes: {
    text: 'The nodes that share this database. Each reports every ten seconds.',
    online: 'Online',
    offline: 'Not seen',
    version: 'Version',
    started: 'Started',
    seen: 'Last seen',
    nothing: 'No node has reported yet.',
    health: 'Health of the node that answers',
    notServed: 'This listener does not serve the health checks.',
    passes: 'Works',
    fails: 'Fails',
  },
  certificates: {
    text: 'Certificates that people and devices sign in with.',
    ownTitle: 'Certificates of the node that answers',
    own: 'What it presents to browsers and programs, the authorities that it trusts for people and devices, and what signs their certificates.',
    ownUses: {
      server: 'Server certificate',
      authority: 'Authority',
      'client-signing': 'Signs client certificates',
    },
    ownSigns: { server: 'Signs the server certificate', clients: 'Signs client certificates' },
    ownSignsNothing: 'Trusted, signs nothing at present',
    copyPem: 'Copy as PEM',
    keysTitle: 'Signing keys',
    keys: 'They sign tokens and rotate automatically.',
    uses: { next: 'Next', signing: 'Signs', verifying: 'Verifies only', unused: 'Not used' },
    signs: (from: string, until: string) => `Signs from ${from} until ${until}.`,
    removed: (at: string) => `Removed ${at}.`,
    ends: 'Ends',
    asked: 'New one requested',
    since: 'Since',
    over: 'Ended',
    soon: 'Soon',
    nothing: 'No certificate matches.',
    nothingText: 'Enroll a device on the page of a person: it then signs in with a certificate.',
  },
};

const de: typeof en = {
  nodes: {
    text: 'Die Knoten, die sich diese Datenbank teilen. Jeder meldet sich alle zehn Sekunden.',
    online: 'Läuft',
    offline: 'Nicht gesehen',
    version: 'Version',
    started: 'Gestartet',
    seen: 'Zuletzt gesehen',
    nothing: 'Kein Knoten hat sich gemeldet.',
    health: 'Zustand des Knotens, der antwortet',
    notServed: 'Unter dieser Adresse gibt es keine Zustandsprüfungen.',
    passes: 'Funktioniert',
    fails: 'Fehler',
  },
  certificates: {
    text: 'Zertifikate, mit denen sich Personen und Geräte anmelden.',
    ownTitle: 'Zertifikate des Knotens, der antwortet',
    own: 'Was er Browsern und Programmen vorlegt, welchen Zertifizierungsstellen er bei Personen und Geräten vertraut, und was deren Zertifikate signiert.',
    ownUses: {
      server: 'Serverzertifikat',
      authority: 'Zertifizierungsstelle',
      'client-signing': 'Signiert Client-Zertifikate',
    },
    ownSigns: { server: 'Signiert das Serverzertifikat', clients: 'Signiert Client-Zertifikate' },
    ownSignsNothing: 'Vertraut, signiert zurzeit nichts',
    copyPem: 'Als PEM kopieren',
    keysTitle: 'Signaturschlüssel',
    keys: 'Sie signieren Token und werden automatisch ersetzt.',
    uses: { next: 'Der nächste', signing: 'Signiert', verifying: 'Prüft nur noch', unused: 'Unbenutzt' },
    signs: (from: string, until: string) => `Signiert von ${from} bis ${until}.`,
    removed: (at: string) => `Entfernt: ${at}.`,
    ends: 'Gilt bis',
    asked: 'Neues verlangt',
    since: 'Seit',
    over: 'Abgelaufen',
    soon: 'Bald',
    nothing: 'Kein Zertifikat passt dazu.',
    nothingText:
      'Registrieren Sie ein Gerät auf der Seite einer Person: Es meldet sich dann mit einem Zertifikat an.',
  },
};

export const words = wordsOf(en, de);
