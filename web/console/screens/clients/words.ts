// The texts of the screens for registered applications, loaded with them.

import { wordsOf } from '../../../parts/language.ts';

export const words = wordsOf({
  text: [
    'Applications that sign people in here. Each has its own addresses and, if it can keep one, its own secret.',
    'Anwendungen, die hier Personen anmelden. Jede hat eigene Adressen und, wenn sie es geheim halten kann, ein eigenes Geheimnis.',
  ],
  create: ['Register an application', 'Anwendung registrieren'],
  nothing: ['No application matches.', 'Keine Anwendung passt dazu.'],
  none: ['No application yet.', 'Noch keine Anwendung.'],
  noneText: [
    'Register one for each web page, app or service that signs people in. It then gets a client id, which you enter there together with the issuer.',
    'Registrieren Sie eine für jede Webseite, App oder jeden Dienst, der Personen anmeldet. Sie bekommt eine Client-Id, die Sie dort zusammen mit dem Aussteller eintragen.',
  ],
  apart: ['Access', 'Zugang'],
  how: ['How it signs people in', 'Wie sie Personen anmeldet'],
  rights: ['Contents of its tokens', 'Inhalt ihrer Token'],
  deleteEnds: [
    'All sessions in this application end at once, and sign-ins to it are refused.',
    'Alle Sitzungen in dieser Anwendung enden sofort, und Anmeldungen dort werden abgelehnt.',
  ],
  secrets: ['Secrets', 'Geheimnisse'],
  secretsText: [
    'At most two, so that one can replace the other without an interruption.',
    'Höchstens zwei, damit eines das andere ohne Unterbrechung ablösen kann.',
  ],
  noSecrets: [
    'It has no secret, so it cannot get tokens yet.',
    'Sie hat kein Geheimnis und kann deshalb noch keine Token bekommen.',
  ],
  made: (time: string) => [`made ${time}`, `angelegt ${time}`],
  used: (time: string) => [`last used ${time}`, `zuletzt benutzt ${time}`],
  unused: ['never used', 'nie benutzt'],
  addSecret: ['Make a secret', 'Geheimnis anlegen'],
  secretOnce: [
    'The secret. It is shown only once: copy it into the application now.',
    'Das Geheimnis. Es wird nur einmal gezeigt: Kopieren Sie es jetzt in die Anwendung.',
  ],
  deleteSecretTitle: ['Delete this secret?', 'Dieses Geheimnis löschen?'],
  deleteSecretEnds: [
    'The application can no longer authenticate with it.',
    'Die Anwendung kann sich damit nicht mehr ausweisen.',
  ],
  secretDeleted: ['The secret is deleted', 'Das Geheimnis ist gelöscht'],
  found: ['On the account page of people', 'Auf der Kontoseite von Personen'],
  logout: ['When a session ends', 'Wenn eine Sitzung endet'],
  deliveries: ['Notices of ended sessions', 'Meldungen über beendete Sitzungen'],
  deliveriesText: [
    'Each session that ended, the newest first. A notice that it does not accept is sent again for three days, unless it answers 400.',
    'Jede Sitzung, die geendet hat, die neueste zuerst. Eine Meldung, die sie nicht annimmt, wird drei Tage lang erneut gesendet, außer sie antwortet mit 400.',
  ],
  noDeliveries: ['No session has ended yet.', 'Noch keine Sitzung hat geendet.'],
  session: ['session', 'Sitzung'],
  signIns: ['Latest sign-ins', 'Letzte Anmeldungen'],
  allSignIns: ['All of its sessions', 'Alle ihre Sitzungen'],
  noSignIns: ['No sign-ins yet.', 'Noch keine Anmeldungen.'],
  dropped: (scopes: string) => [
    `Asked for and not allowed: ${scopes}`,
    `Verlangt und nicht erlaubt: ${scopes}`,
  ],
  allowScopes: ['Allow these scopes', 'Diese Scopes erlauben'],
  allowScopesTitle: (name: string) => [`Let ${name} have these scopes?`, `${name} diese Scopes erlauben?`],
  allowScopesText: (scopes: string) => [
    `Its next tokens and answers then contain the data of ${scopes}. The request may have come from a link of a stranger.`,
    `Ihre nächsten Token und Antworten enthalten dann die Daten zu ${scopes}. Die Anfrage kann von dem Link eines Fremden stammen.`,
  ],
  scopesAllowed: ['The scopes are allowed', 'Die Scopes sind erlaubt'],
  createdTitle: (name: string) => [`${name} is registered`, `${name} ist registriert`],
  createdText: ['Enter these in the application.', 'Tragen Sie das in der Anwendung ein.'],
  open: ['Open the application', 'Anwendung öffnen'],
  templates: ['Well-known applications', 'Bekannte Anwendungen'],
  template: ['Which application is it?', 'Welche Anwendung ist es?'],
  templateHint: [
    'Fills in the fields below, and shows afterwards the values to enter in the application.',
    'Füllt die Felder darunter aus und zeigt danach die Werte, die in der Anwendung einzutragen sind.',
  ],
  otherTemplate: ['Another one', 'Eine andere'],
  address: ['Where do people open it?', 'Wo öffnen Personen sie?'],
  addressHint: ['Its host, such as wiki.example.com', 'Ihr Host, zum Beispiel wiki.example.com'],
  addressProblem: ['This is not the address of a host.', 'Das ist keine Adresse eines Hosts.'],
  settings: (name: string) => [`Settings for ${name}`, `Einstellungen für ${name}`],
  placeholder: (word: string) => [`${word} stands for the secret.`, `${word} steht für das Geheimnis.`],
  documentation: (name: string) => [`Documentation of ${name}`, `Dokumentation von ${name}`],
});
