// The texts about many people at once.

import { wordsOf } from '../../../parts/language.ts';

const people = (count: number) => (count === 1 ? '1 person' : `${count} people`);

const persons = (count: number) => (count === 1 ? '1 Person' : `${count} Personen`);

export const words = wordsOf({
  people: [people, persons],
  change: ['Change or delete', 'Ändern oder löschen'],
  title: (count: number) => [`Change ${people(count)}`, `${persons(count)} ändern`],
  text: [
    'For all of them, or for none if it is not possible for one of them.',
    'Für alle, oder für keine, wenn es für eine nicht möglich ist.',
  ],
  what: ['What to do', 'Was geschehen soll'],
  works: {
    policy: ['Set the auth policy', 'Auth-Richtlinie setzen'],
    attributes: ['Add or remove role attributes', 'Rollenattribute hinzufügen oder entfernen'],
    disable: ['Disable', 'Deaktivieren'],
    enable: ['Enable', 'Aktivieren'],
    invite: ['Invite', 'Einladen'],
    'end-sessions': ['End all sessions', 'Alle Sitzungen beenden'],
    delete: ['Delete', 'Löschen'],
  },
  policy: ['Auth policy', 'Auth-Richtlinie'],
  choose: ['Choose', 'Bitte wählen'],
  add: ['Add role attributes', 'Rollenattribute hinzufügen'],
  remove: ['Remove role attributes', 'Rollenattribute entfernen'],
  commas: ['Several with commas between them.', 'Mehrere mit Kommas dazwischen.'],
  check: ['Check first', 'Erst prüfen'],
  doIt: (count: number) => [`Do it for ${people(count)}`, `Für ${persons(count)} ausführen`],
  working: (count: number) => [`Working on ${people(count)}`, `${persons(count)} werden bearbeitet`],
  checkedSoFar: (count: number, all: number) => [
    `${count} of ${people(all)} checked`,
    `${count} von ${persons(all)} geprüft`,
  ],
  doneSoFar: (count: number, all: number) => [
    `${count} of ${people(all)} done`,
    `${count} von ${persons(all)} erledigt`,
  ],
  touched: (count: number) => [`${people(count)}: `, `${persons(count)}: `],
  noPerson: ['The selection is empty now.', 'Die Auswahl ist jetzt leer.'],
  administrators: (count: number) => [
    count === 1 ? 'One of them is an administrator.' : `${count} of them are administrators.`,
    count === 1 ? 'Eine davon ist Administrator.' : `${count} davon sind Administratoren.`,
  ],
  more: (count: number) => [`and ${count} more`, `und ${count} weitere`],
  refused: (count: number) => [
    `It is not possible for ${people(count)}:`,
    `Nicht möglich für ${persons(count)}:`,
  ],
  ends: {
    policy: [
      'Its rules apply at once. Sessions that lack a factor that it requires have to sign in again.',
      'Ihre Regeln gelten sofort. Fehlt einer Sitzung ein verlangter Faktor, ist eine neue Anmeldung nötig.',
    ],
    attributes: ['Other role attributes stay.', 'Andere Rollenattribute bleiben.'],
    disable: [
      'They can no longer sign in. Their sessions and open invitations end at once.',
      'Die Personen können sich nicht mehr anmelden. Ihre Sitzungen und offenen Einladungen enden sofort.',
    ],
    enable: ['They can sign in again.', 'Die Personen können sich wieder anmelden.'],
    invite: [
      'Each gets a link, valid once. Older links stop working.',
      'Jede bekommt einen Link, der einmal gilt. Ältere Links gelten nicht mehr.',
    ],
    'end-sessions': [
      'They have to sign in again, in every application.',
      'Die Personen müssen sich in jeder Anwendung neu anmelden.',
    ],
    delete: [
      'Everything that they sign in with is deleted, and their sessions end. This cannot be undone.',
      'Alles, womit sie sich anmelden, wird gelöscht, und ihre Sitzungen enden. Das lässt sich nicht zurücknehmen.',
    ],
  },
  done: (count: number) => [`Done for ${people(count)}.`, `Ausgeführt für ${persons(count)}.`],
  trail: ['Show in the audit trail', 'In den Änderungen zeigen'],
  links: [
    'Each link works once and is shown only here.',
    'Jeder Link gilt einmal und wird nur hier gezeigt.',
  ],
  link: 'Link',
  downloadLinks: ['Download as CSV', 'Als CSV herunterladen'],
  file: ['Table (CSV)', 'Tabelle (CSV)'],
  fileHint: [
    'In UTF-8, at most 10,000 rows. Nothing is added before you have seen the check.',
    'In UTF-8, höchstens 10.000 Zeilen. Bevor Sie die Prüfung gesehen haben, wird niemand hinzugefügt.',
  ],
  notUtf8: [
    'This file is not in UTF-8. Save the table as “CSV UTF-8”, and choose it again.',
    'Diese Datei ist nicht in UTF-8. Speichern Sie die Tabelle als „CSV UTF-8“, und wählen Sie sie noch einmal.',
  ],
  importTitle: ['Add many people from a table', 'Viele Personen aus einer Tabelle hinzufügen'],
  importText: [
    'The first line names the columns, of which only the name is required:',
    'Die erste Zeile nennt die Spalten, von denen nur der Name nötig ist:',
  ],
  importMore: [
    'Several role attributes are separated by “|”.',
    'Mehrere Rollenattribute sind durch „|“ getrennt.',
  ],
  template: ['Download an empty table', 'Leere Tabelle herunterladen'],
  checkTable: ['Check the table', 'Tabelle prüfen'],
  ready: (count: number) => [
    `${people(count)} can be added. There is no problem.`,
    `${persons(count)} ${count === 1 ? 'kann' : 'können'} hinzugefügt werden. Es gibt kein Problem.`,
  ],
  problems: (count: number, rows: number) => [
    `${count === 1 ? '1 problem' : `${count} problems`} in ${rows === 1 ? '1 row' : `${rows} rows`}. Nothing was added: correct the table and choose it again.`,
    `${count === 1 ? '1 Problem' : `${count} Probleme`} in ${rows === 1 ? '1 Zeile' : `${rows} Zeilen`}. Niemand wurde hinzugefügt: Berichtigen Sie die Tabelle und wählen Sie sie noch einmal.`,
  ],
  stopped: (what: string) => [
    `${what} has not been finished. Last step:`,
    `${what}: nicht fertig. Letzter Schritt:`,
  ],
  importing: ['Adding people from a table', 'Personen aus einer Tabelle hinzufügen'],
  changing: ['A change of people', 'Personen ändern'],
  goOn: ['Continue', 'Fortsetzen'],
  leave: ['Leave the rest undone', 'Den Rest nicht ausführen'],
  line: ['Line', 'Zeile'],
  column: ['Column', 'Spalte'],
  problem: 'Problem',
  whole: ['Whole table', 'Ganze Tabelle'],
  addAll: (count: number) => [`Add ${people(count)}`, `${persons(count)} hinzufügen`],
  added: (count: number) => [`${people(count)} added`, `${persons(count)} hinzugefügt`],
  next: ['Invite them', 'Einladen'],
  toList: ['To the list of people', 'Zur Liste der Personen'],
});
