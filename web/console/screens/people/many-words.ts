// The texts about many people at once.

import { wordsOf } from '../../texts/texts.ts';

const people = (count: number) => (count === 1 ? '1 person' : `${count} people`);

const en = {
  people,
  change: 'Change or delete',
  title: (count: number) => `Change ${people(count)}`,
  text: 'For all of them, or for none if it is not possible for one of them.',
  what: 'What to do',
  works: {
    policy: 'Set the auth policy',
    attributes: 'Add or remove role attributes',
    disable: 'Disable',
    enable: 'Enable',
    invite: 'Invite',
    'end-sessions': 'End all sessions',
    delete: 'Delete',
  },
  policy: 'Auth policy',
  choose: 'Choose',
  add: 'Add role attributes',
  remove: 'Remove role attributes',
  commas: 'Several with commas between them.',
  check: 'Check first',
  doIt: (count: number) => `Do it for ${people(count)}`,
  working: (count: number) => `Working on ${people(count)}`,
  touched: (count: number) => `${people(count)}: `,
  nobody: 'The selection is empty now.',
  administrators: (count: number) =>
    count === 1 ? 'One of them is an administrator.' : `${count} of them are administrators.`,
  more: (count: number) => `and ${count} more`,
  refused: (count: number) => `It is not possible for ${people(count)}:`,
  objection: 'It is not possible:',
  ends: {
    policy: 'Its rules apply at once. Sessions that lack a factor that it requires have to sign in again.',
    attributes: 'Other role attributes stay.',
    disable: 'They can no longer sign in. Their sessions and open invitations end at once.',
    enable: 'They can sign in again.',
    invite: 'Each gets a link, valid once. Older links stop working.',
    'end-sessions': 'They have to sign in again, in every application.',
    delete: 'Everything that they sign in with is deleted, and their sessions end. This cannot be undone.',
  },
  done: (count: number) => `Done for ${people(count)}.`,
  trail: 'Show in the audit trail',
  links: 'Each link works once and is shown only here.',
  link: 'Link',
  downloadLinks: 'Download as CSV',
  file: 'Table (CSV)',
  fileHint: 'In UTF-8, at most 10,000 rows. Nothing is added before you have seen the check.',
  importTitle: 'Add many people from a table',
  importText: (columns: string) =>
    `The first line names the columns, of which only the name is required: ${columns}. Several role attributes are separated by “|”.`,
  template: 'Download an empty table',
  checkTable: 'Check the table',
  ready: (count: number) => `${people(count)} can be added. There is no problem.`,
  problems: (count: number, rows: number) =>
    `${count === 1 ? '1 problem' : `${count} problems`} in ${rows === 1 ? '1 row' : `${rows} rows`}. Nothing was added: correct the table and choose it again.`,
  line: 'Line',
  column: 'Column',
  problem: 'Problem',
  whole: 'Whole table',
  addAll: (count: number) => `Add ${people(count)}`,
  added: (count: number) => `${people(count)} added`,
  next: 'Invite them',
  toList: 'To the list of people',
};

const persons = (count: number) => (count === 1 ? '1 Person' : `${count} Personen`);

const de: typeof en = {
  people: persons,
  change: 'Ändern oder löschen',
  title: (count) => `${persons(count)} ändern`,
  text: 'Für alle, oder für keine, wenn es für eine nicht möglich ist.',
  what: 'Was geschehen soll',
  works: {
    policy: 'Auth-Richtlinie setzen',
    attributes: 'Rollenattribute hinzufügen oder entfernen',
    disable: 'Deaktivieren',
    enable: 'Aktivieren',
    invite: 'Einladen',
    'end-sessions': 'Alle Sitzungen beenden',
    delete: 'Löschen',
  },
  policy: 'Auth-Richtlinie',
  choose: 'Bitte wählen',
  add: 'Rollenattribute hinzufügen',
  remove: 'Rollenattribute entfernen',
  commas: 'Mehrere mit Kommas dazwischen.',
  check: 'Erst prüfen',
  doIt: (count) => `Für ${persons(count)} ausführen`,
  working: (count) => `${persons(count)} werden bearbeitet`,
  touched: (count) => `${persons(count)}: `,
  nobody: 'Die Auswahl ist jetzt leer.',
  administrators: (count) =>
    count === 1 ? 'Eine davon ist Administrator.' : `${count} davon sind Administratoren.`,
  more: (count) => `und ${count} weitere`,
  refused: (count) => `Nicht möglich für ${persons(count)}:`,
  objection: 'Nicht möglich:',
  ends: {
    policy:
      'Ihre Regeln gelten sofort. Fehlt einer Sitzung ein verlangter Faktor, ist eine neue Anmeldung nötig.',
    attributes: 'Andere Rollenattribute bleiben.',
    disable:
      'Die Personen können sich nicht mehr anmelden. Ihre Sitzungen und offenen Einladungen enden sofort.',
    enable: 'Die Personen können sich wieder anmelden.',
    invite: 'Jede bekommt einen Link, der einmal gilt. Ältere Links gelten nicht mehr.',
    'end-sessions': 'Die Personen müssen sich in jeder Anwendung neu anmelden.',
    delete:
      'Alles, womit sie sich anmelden, wird gelöscht, und ihre Sitzungen enden. Das lässt sich nicht zurücknehmen.',
  },
  done: (count) => `Ausgeführt für ${persons(count)}.`,
  trail: 'In den Änderungen zeigen',
  links: 'Jeder Link gilt einmal und wird nur hier gezeigt.',
  link: 'Link',
  downloadLinks: 'Als CSV herunterladen',
  file: 'Tabelle (CSV)',
  fileHint:
    'In UTF-8, höchstens 10.000 Zeilen. Bevor Sie die Prüfung gesehen haben, wird niemand hinzugefügt.',
  importTitle: 'Viele Personen aus einer Tabelle hinzufügen',
  importText: (columns) =>
    `Die erste Zeile nennt die Spalten, von denen nur der Name nötig ist: ${columns}. Mehrere Rollenattribute sind durch „|“ getrennt.`,
  template: 'Leere Tabelle herunterladen',
  checkTable: 'Tabelle prüfen',
  ready: (count) => `${persons(count)} können hinzugefügt werden. Es gibt kein Problem.`,
  problems: (count, rows) =>
    `${count === 1 ? '1 Problem' : `${count} Probleme`} in ${rows === 1 ? '1 Zeile' : `${rows} Zeilen`}. Niemand wurde hinzugefügt: Berichtigen Sie die Tabelle und wählen Sie sie noch einmal.`,
  line: 'Zeile',
  column: 'Spalte',
  problem: 'Problem',
  whole: 'Ganze Tabelle',
  addAll: (count) => `${persons(count)} hinzufügen`,
  added: (count) => `${persons(count)} hinzugefügt`,
  next: 'Einladen',
  toList: 'Zur Liste der Personen',
};

export const words = wordsOf(en, de);
