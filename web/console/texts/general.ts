// The texts of the console about everything but people.

import { count, wordsOf } from '../../parts/language.ts';

export const general = wordsOf({
  menu: ['Menu', 'Menü'],
  skip: ['Skip to the content', 'Zum Inhalt springen'],
  signedInAs: ['Signed in as', 'Angemeldet als'],
  close: ['Close', 'Schließen'],
  delete: ['Delete', 'Löschen'],
  deleteTitle: (name: string) => [`Delete ${name}?`, `${name} löschen?`],
  save: ['Save', 'Speichern'],
  search: ['Search', 'Suchen'],
  yes: ['Yes', 'Ja'],
  no: ['No', 'Nein'],
  none: ['None', 'Keine'],
  never: ['Never', 'Nie'],
  details: ['Details', 'Einzelheiten'],
  screens: {
    overview: ['Overview', 'Überblick'],
    people: ['People', 'Personen'],
    attempts: ['Sign-in attempts', 'Anmeldeversuche'],
    'what-if': ['Simulate a sign-in', 'Anmeldung simulieren'],
    policies: ['Auth policies', 'Auth-Richtlinien'],
    signers: ['External JWT signers', 'Externe JWT-Signer'],
    cas: ['Third-party CAs', 'Externe CAs'],
    certificates: ['Certificates', 'Zertifikate'],
    permissions: ['Permissions', 'Berechtigungen'],
    sessions: ['Sessions', 'Sitzungen'],
    clients: ['Applications', 'Anwendungen'],
    enrollments: ['Enrollments', 'Registrierungen'],
    nodes: ['Nodes', 'Knoten'],
    audit: ['Audit trail', 'Änderungen'],
    events: ['Event subscriptions', 'Ereignis-Abonnements'],
  },
  groups: { help: 'Support', rules: ['Rules', 'Regeln'], running: 'System' },
  session: {
    signedOutText: [
      'The session has ended here and on every node.',
      'Die Sitzung ist hier und auf jedem Knoten beendet.',
    ],
    failedTitle: ['The sign-in did not finish', 'Die Anmeldung wurde nicht abgeschlossen'],
    failedText: [
      'Nothing has changed. Sign in again, or close this window if the console is open in another window.',
      'Es hat sich nichts geändert. Melden Sie sich noch einmal an, oder schließen Sie dieses Fenster, wenn die Konsole in einem anderen offen ist.',
    ],
    blocked: [
      'The browser opened no window. Allow windows for this site, then try again.',
      'Der Browser hat kein Fenster geöffnet. Erlauben Sie Fenster für diese Website und versuchen Sie es noch einmal.',
    ],
    testedTitle: ['The test is finished', 'Der Test ist abgeschlossen'],
    testedText: [
      'Its result is in the console. You can close this window.',
      'Sein Ergebnis steht in der Konsole. Sie können dieses Fenster schließen.',
    ],
  },
  failures: {
    unreachable: [
      'The server cannot be reached. Check the connection.',
      'Der Server ist nicht erreichbar. Prüfen Sie die Verbindung.',
    ],
    offline: [
      'This device is offline. The data shown may be out of date.',
      'Dieses Gerät ist offline. Die Anzeige ist vielleicht veraltet.',
    ],
    busy: [
      'The server cannot answer at the moment. Wait a little, then try again.',
      'Der Server kann gerade nicht antworten. Warten Sie einen Moment und versuchen Sie es noch einmal.',
    ],
    forbiddenTitle: ['Not allowed', 'Nicht erlaubt'],
    forbidden: [
      'Your account lacks the permission. An administrator can give it to you.',
      'Ihrem Konto fehlt die Berechtigung. Ein Administrator kann sie Ihnen geben.',
    ],
    notFoundTitle: ['Not found', 'Nicht gefunden'],
    notFound: [
      'There is nothing here. It may have been deleted.',
      'Hier ist nichts. Vielleicht wurde es gelöscht.',
    ],
    secondToken: [
      'Your account must send a second token with each call, which a page cannot do. Use the command line instead.',
      'Ihr Konto muss bei jeder Anfrage ein zweites Token senden, und das kann eine Seite nicht. Nutzen Sie die Befehlszeile.',
    ],
    changed: [
      'This was changed in the meantime. Load it again, then make your change.',
      'Dies wurde inzwischen geändert. Laden Sie es neu und machen Sie dann Ihre Änderung.',
    ],
    tooLarge: [
      'This is too large for the server, or for a proxy before it.',
      'Das ist zu groß für den Server oder für einen Proxy davor.',
    ],
    other: ['That did not work.', 'Das hat nicht geklappt.'],
    stale: [
      'This could not be refreshed and may be old.',
      'Dies ließ sich nicht neu laden und ist vielleicht veraltet.',
    ],
  },
  who: { read: ['May read', 'Darf lesen'], helpdesk: ['May help', 'Darf helfen'], you: ['You', 'Sie'] },
  readOnly: ['You may read this and change nothing.', 'Sie dürfen dies lesen und nichts ändern.'],
  helpOnly: [
    'You may help people sign in again: unlock and invite them, remove a second factor, end sessions.',
    'Sie dürfen Personen wieder Zugang geben: entsperren, einladen, einen zweiten Faktor entfernen, Sitzungen beenden.',
  ],
  same: {
    title: ['The same as a command and as an API call', 'Dasselbe als Befehl und als API-Aufruf'],
    command: ['Command', 'Befehl'],
    call: ['API call', 'API-Aufruf'],
  },
  lists: {
    filters: (set: number) => [
      set === 0 ? 'Filters' : `Filters (${set})`,
      set === 0 ? 'Filter' : `Filter (${set})`,
    ],
    noneYet: ['There are none yet.', 'Bisher gibt es keine.'],
    newer: ['Previous page', 'Vorige Seite'],
    older: ['Next page', 'Nächste Seite'],
    page: (from: number, to: number, total: number) => [
      `${from} to ${to} of ${total}`,
      `${from} bis ${to} von ${total}`,
    ],
    pageOfMore: (from: number, to: number, total: number) => [
      `${from} to ${to} of ${isRounded(total) ? 'about' : 'more than'} ${estimated(total)}`,
      `${from} bis ${to} von ${isRounded(total) ? 'etwa' : 'mehr als'} ${estimated(total)}`,
    ],
    csv: ['Export CSV', 'Als CSV exportieren'],
    json: ['Export JSON', 'Als JSON exportieren'],
    exporting: (number: number, all: number) => [
      `${number} of ${count(all, 'row', 'rows')} read`,
      `${number} von ${count(all, 'Zeile', 'Zeilen')} gelesen`,
    ],
    exported: (number: number) => [
      `${count(number, 'row', 'rows')} exported`,
      `${count(number, 'Zeile', 'Zeilen')} exportiert`,
    ],
    cut: (number: number) => [
      `Only the first ${number} rows were exported. Narrow the filter for the rest.`,
      `Nur die ersten ${number} Zeilen wurden exportiert. Filtern Sie enger für den Rest.`,
    ],
    sortBy: (name: string) => [`Sort by ${name}`, `Nach ${name} sortieren`],
    pick: ['Select', 'Auswählen'],
    pickOne: (name: string) => [`Select ${name}`, `${name} auswählen`],
    picking: ['Selection', 'Auswahl'],
    pickPage: ['All on this page', 'Alle auf dieser Seite'],
    pickAll: (number: number) => [`Select all ${number}`, `Alle ${number} auswählen`],
    pickMore: (total: number) => [
      `Select all of ${isRounded(total) ? 'about' : 'more than'} ${estimated(total)}`,
      `Alle von ${isRounded(total) ? 'etwa' : 'mehr als'} ${estimated(total)} auswählen`,
    ],
    picked: (number: number) => [`${number} selected`, `${number} ausgewählt`],
    pickNone: ['Clear selection', 'Auswahl aufheben'],
  },
  forms: {
    file: (label: string) => [`Or choose a file: ${label}`, `Oder wählen Sie eine Datei: ${label}`],
    noPem: [
      'This file contains no certificate or revocation list, neither in PEM nor in DER.',
      'Diese Datei enthält kein Zertifikat und keine Sperrliste, weder in PEM noch in DER.',
    ],
    unreadable: ['The file could not be read.', 'Die Datei konnte nicht gelesen werden.'],
    removePicture: ['Remove the picture', 'Bild entfernen'],
    noPicture: [
      'This file is no picture that the browser can read.',
      'Diese Datei ist kein Bild, das der Browser lesen kann.',
    ],
    saved: ['Saved', 'Gespeichert'],
    created: ['Created', 'Angelegt'],
    deleted: ['Deleted', 'Gelöscht'],
    discard: ['Discard changes', 'Änderungen verwerfen'],
    saveTitle: ['Save this?', 'So speichern?'],
    leaveTitle: ['Leave without saving?', 'Verlassen, ohne zu speichern?'],
    leaveText: [
      'The changes in this form have not been saved.',
      'Die Änderungen in diesem Formular sind nicht gespeichert.',
    ],
    leave: ['Leave', 'Verlassen'],
    stay: ['Stay here', 'Hier bleiben'],
    allTheSame: ['Do it anyway', 'Trotzdem ausführen'],
    lastAdministrator: [
      'After this, no administrator could sign in. Create another administrator first.',
      'Danach könnte sich kein Administrator mehr anmelden. Legen Sie zuerst einen anderen an.',
    ],
    meanwhileTitle: ['This was changed in the meantime', 'Dies wurde inzwischen geändert'],
    meanwhileText: [
      'Nothing was saved. These values have changed:',
      'Es wurde nichts gespeichert. Diese Werte haben sich geändert:',
    ],
    meanwhileNothing: [
      'Nothing was saved. The values shown here have not changed.',
      'Es wurde nichts gespeichert. Die angezeigten Werte sind unverändert.',
    ],
    isNow: ['Now:', 'Jetzt:'],
    yours: ['Yours:', 'Ihres:'],
    goOn: ['Continue with my changes', 'Mit meinen Änderungen weiter'],
    giveUp: ['Drop my changes', 'Meine Änderungen verwerfen'],
  },
});

/** An estimate is a multiple of 1000; another number says only that there are more. */
function isRounded(total: number): boolean {
  return total % 1000 === 0;
}

function estimated(total: number): number {
  return isRounded(total) ? total : total - 1;
}
