// The texts of the screens for registered applications, loaded with them.

import { wordsOf } from '../../texts/texts.ts';

const en = {
  text: 'Applications that sign people in here. Each has its own addresses and, if it can keep one, its own secret.',
  create: 'Register an application',
  nothing: 'No application matches.',
  none: 'No application yet.',
  noneText:
    'Register one for each web page, app or service that signs people in. It then gets a client id, which you enter there together with the issuer.',
  apart: 'Access',
  how: 'How it signs people in',
  rights: 'Contents of its tokens',
  deleteEnds: 'All sessions in this application end at once, and sign-ins to it are refused.',
  secrets: 'Secrets',
  secretsText: 'At most two, so that one can replace the other without an interruption.',
  noSecrets: 'It has no secret, so it cannot get tokens yet.',
  made: (time: string) => `made ${time}`,
  used: (time: string) => `last used ${time}`,
  unused: 'never used',
  addSecret: 'Make a secret',
  secretOnce: 'The secret. It is shown only once: copy it into the application now.',
  deleteSecretTitle: 'Delete this secret?',
  deleteSecretEnds: 'The application can no longer authenticate with it.',
  secretDeleted: 'The secret is deleted',
  found: 'On the account page of people',
  logout: 'When a session ends',
  deliveries: 'What it was told',
  deliveriesText:
    'Each session that ended, the newest first. What it does not take is tried again for three days, unless it answers 400.',
  noDeliveries: 'No session has ended yet.',
  deliveryStates: { waiting: 'waiting', delivered: 'delivered', failed: 'given up' },
  tried: (attempts: number, result: string) =>
    attempts === 1 ? `1 attempt: ${result}` : `${attempts} attempts: ${result}`,
  session: 'session',
  signIns: 'Latest sign-ins',
  allSignIns: 'All of its sessions',
  noSignIns: 'Nobody is signed in to it now.',
  createdTitle: (name: string) => `${name} is registered`,
  createdText: 'Enter these in the application.',
  open: 'Open the application',
};

const de: typeof en = {
  text: 'Anwendungen, die hier Personen anmelden. Jede hat eigene Adressen und, wenn sie es geheim halten kann, ein eigenes Geheimnis.',
  create: 'Anwendung registrieren',
  nothing: 'Keine Anwendung passt dazu.',
  none: 'Noch keine Anwendung.',
  noneText:
    'Registrieren Sie eine für jede Webseite, App oder jeden Dienst, der Personen anmeldet. Sie bekommt eine Client-Id, die Sie dort zusammen mit dem Aussteller eintragen.',
  apart: 'Zugang',
  how: 'Wie sie Personen anmeldet',
  rights: 'Inhalt ihrer Token',
  deleteEnds: 'Alle Sitzungen in dieser Anwendung enden sofort, und Anmeldungen dort werden abgelehnt.',
  secrets: 'Geheimnisse',
  secretsText: 'Höchstens zwei, damit eines das andere ohne Unterbrechung ablösen kann.',
  noSecrets: 'Sie hat kein Geheimnis und kann deshalb noch keine Token bekommen.',
  made: (time) => `angelegt ${time}`,
  used: (time) => `zuletzt benutzt ${time}`,
  unused: 'nie benutzt',
  addSecret: 'Geheimnis anlegen',
  secretOnce: 'Das Geheimnis. Es wird nur einmal gezeigt: Kopieren Sie es jetzt in die Anwendung.',
  deleteSecretTitle: 'Dieses Geheimnis löschen?',
  deleteSecretEnds: 'Die Anwendung kann sich damit nicht mehr ausweisen.',
  secretDeleted: 'Das Geheimnis ist gelöscht',
  found: 'Auf der Kontoseite von Personen',
  logout: 'Wenn eine Sitzung endet',
  deliveries: 'Was ihr mitgeteilt wurde',
  deliveriesText:
    'Jede Sitzung, die geendet hat, die neueste zuerst. Was sie nicht annimmt, wird drei Tage lang wieder versucht, außer sie antwortet mit 400.',
  noDeliveries: 'Noch keine Sitzung hat geendet.',
  deliveryStates: { waiting: 'wartet', delivered: 'zugestellt', failed: 'aufgegeben' },
  tried: (attempts, result) => (attempts === 1 ? `1 Versuch: ${result}` : `${attempts} Versuche: ${result}`),
  session: 'Sitzung',
  signIns: 'Letzte Anmeldungen',
  allSignIns: 'Alle ihre Sitzungen',
  noSignIns: 'Zurzeit ist dort niemand angemeldet.',
  createdTitle: (name) => `${name} ist registriert`,
  createdText: 'Tragen Sie das in der Anwendung ein.',
  open: 'Anwendung öffnen',
};

export const words = wordsOf(en, de);
