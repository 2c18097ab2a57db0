// The words of the screens about what runs: nodes, and certificates that end.

import { wordsOf } from '../texts/texts.ts';

const en = {
  nodes: {
    text: 'The nodes that share this database. Each says every ten seconds that it runs.',
    online: 'Online',
    offline: 'Not seen',
    version: 'Version',
    started: 'Started',
    seen: 'Last seen',
    nothing: 'No node has announced itself.',
    health: 'Health of the node that answers',
    notServed: 'This listener does not serve the health checks.',
    passes: 'Works',
    fails: 'Fails',
  },
  certificates: {
    text: 'Certificates that people and devices sign in with.',
    keys: 'The keys that sign tokens are replaced by themselves; “overlay-auth keys list” shows on the host until when each signs. Third-party CAs that end soon are on the overview.',
    person: 'Person',
    ends: 'Ends',
    asked: 'New one asked for',
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
    passes: 'Geht',
    fails: 'Geht nicht',
  },
  certificates: {
    text: 'Zertifikate, mit denen sich Personen und Geräte anmelden.',
    keys: 'Die Schlüssel, die Token signieren, werden von selbst ersetzt; „overlay-auth keys list“ zeigt auf dem Rechner, bis wann jeder signiert. CAs von Dritten, die bald enden, stehen im Überblick.',
    person: 'Person',
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
