// The texts of the screens about operation: nodes, and certificates that expire.

import { wordsOf } from '../../parts/language.ts';

export const words = wordsOf({
  nodes: {
    text: [
      'The nodes that share this database. Each reports every ten seconds.',
      'Die Knoten, die sich diese Datenbank teilen. Jeder meldet sich alle zehn Sekunden.',
    ],
    online: ['Online', 'Läuft'],
    offline: ['Not seen', 'Nicht gesehen'],
    version: 'Version',
    started: ['Started', 'Gestartet'],
    seen: ['Last seen', 'Zuletzt gesehen'],
    nothing: ['No node has reported yet.', 'Kein Knoten hat sich gemeldet.'],
    health: ['Health of the node that answers', 'Zustand des Knotens, der antwortet'],
    notServed: [
      'This listener does not serve the health checks.',
      'Unter dieser Adresse gibt es keine Zustandsprüfungen.',
    ],
    passes: ['Works', 'Funktioniert'],
    fails: ['Fails', 'Fehler'],
  },
  certificates: {
    text: [
      'Certificates that people and devices sign in with.',
      'Zertifikate, mit denen sich Personen und Geräte anmelden.',
    ],
    ownTitle: ['Certificates of the node that answers', 'Zertifikate des Knotens, der antwortet'],
    own: [
      'The certificates that it presents to browsers and programs, the authorities that it trusts for people and devices, and those that sign their certificates.',
      'Die Zertifikate, die er Browsern und Programmen vorlegt, die Zertifizierungsstellen, denen er bei Personen und Geräten vertraut, und die, mit denen er deren Zertifikate signiert.',
    ],
    ownUses: {
      server: ['Server certificate', 'Serverzertifikat'],
      authority: ['Authority', 'Zertifizierungsstelle'],
      'client-signing': ['Signs client certificates', 'Signiert Client-Zertifikate'],
    },
    ownSigns: {
      server: ['Signs the server certificate', 'Signiert das Serverzertifikat'],
      clients: ['Signs client certificates', 'Signiert Client-Zertifikate'],
    },
    ownSignsNothing: ['Trusted, signs nothing at present', 'Vertraut, signiert zurzeit nichts'],
    copyPem: ['Copy as PEM', 'Als PEM kopieren'],
    keysTitle: ['Signing keys', 'Signaturschlüssel'],
    keys: [
      'They sign tokens and rotate automatically.',
      'Sie signieren Token und werden automatisch ersetzt.',
    ],
    uses: {
      next: ['Next', 'Der nächste'],
      signing: ['Signs', 'Signiert'],
      verifying: ['Verifies only', 'Prüft nur noch'],
      unused: ['Not used', 'Unbenutzt'],
    },
    signs: (from: string, until: string) => [
      `Signs from ${from} until ${until}.`,
      `Signiert von ${from} bis ${until}.`,
    ],
    removed: (at: string) => [`Removed ${at}.`, `Entfernt: ${at}.`],
    ends: ['Ends', 'Gilt bis'],
    asked: ['New one requested', 'Neues verlangt'],
    since: ['Since', 'Seit'],
    over: ['Ended', 'Abgelaufen'],
    soon: ['Soon', 'Bald'],
    nothing: ['No certificate matches.', 'Kein Zertifikat passt dazu.'],
    nothingText: [
      'Enroll a device on the page of a person: it then signs in with a certificate.',
      'Registrieren Sie ein Gerät auf der Seite einer Person: Es meldet sich dann mit einem Zertifikat an.',
    ],
  },
});
