// The texts of the screens for event subscriptions, loaded with them.

import { wordsOf } from '../../texts/texts.ts';

const en = {
  text: 'Servers to which the audit trail and refused sign-ins are sent as they happen.',
  create: 'Send events to a server',
  nothing: 'No subscription matches.',
  none: 'No event is sent anywhere yet.',
  noneText: 'Add the server where you collect events: a webhook, syslog over TLS, or OTLP logs.',
  where: 'Where to',
  which: 'Which events',
  progress: 'Deliveries',
  waits: (waiting: number) => (waiting === 0 ? 'all delivered' : `${waiting} wait`),
  failingTitle: 'Events that are not delivered',
  failingText:
    'The receivers of these subscriptions did not take the last events. They wait, and are sent again.',
  failing: (failures: number, waiting: number) => `${failures} attempts failed, ${waiting} wait`,
  deleteEnds: 'Nothing more is sent there, and what waits is lost.',
  check: 'Check and repeat',
  test: 'Send a test event',
  arrived: 'It has arrived',
  notArrived: 'It has not arrived',
  replay: 'Send again',
  replayTitle: 'Send events again?',
  replayText: 'Those that were given up are sent again, with the same ids.',
  replayed: 'They are sent again',
  rotate: 'Make another secret',
  overlap: (time: string) => `The secret before this one signs too until ${time}.`,
  secretOnce: 'The secret. It is shown only once: give it to the receiver now.',
  createdTitle: (name: string) => `Events are sent to ${name}`,
  createdText: 'Send a test event next.',
  open: 'Open the subscription',
  deliveries: 'Latest events',
  deliveriesText: 'What is not taken is tried again for three days, in order.',
  noDeliveries: 'There was no event yet.',
};

const de: typeof en = {
  text: 'Server, an die der Prüfpfad und abgelehnte Anmeldungen laufend gesendet werden.',
  create: 'Ereignisse an einen Server senden',
  nothing: 'Kein Abonnement passt dazu.',
  none: 'Noch werden keine Ereignisse gesendet.',
  noneText:
    'Geben Sie den Server an, auf dem Sie Ereignisse sammeln: als Webhook, Syslog über TLS oder OTLP-Logs.',
  where: 'Wohin',
  which: 'Welche Ereignisse',
  progress: 'Zustellung',
  waits: (waiting) => (waiting === 0 ? 'alles zugestellt' : `${waiting} warten`),
  failingTitle: 'Ereignisse, die nicht ankommen',
  failingText:
    'Die Empfänger dieser Abonnements haben die letzten Ereignisse nicht angenommen. Sie warten und werden wieder gesendet.',
  failing: (failures, waiting) => `${failures} Versuche gescheitert, ${waiting} warten`,
  deleteEnds: 'Dorthin wird nichts mehr gesendet, und was wartet, geht verloren.',
  check: 'Prüfen und wiederholen',
  test: 'Testereignis senden',
  arrived: 'Es ist angekommen',
  notArrived: 'Es ist nicht angekommen',
  replay: 'Erneut senden',
  replayTitle: 'Ereignisse erneut senden?',
  replayText: 'Aufgegebene Ereignisse werden erneut gesendet, mit denselben Ids.',
  replayed: 'Sie werden erneut gesendet',
  rotate: 'Neues Geheimnis anlegen',
  overlap: (time) => `Auch das frühere Geheimnis signiert noch bis ${time}.`,
  secretOnce: 'Das Geheimnis. Es wird nur einmal gezeigt: Geben Sie es jetzt dem Empfänger.',
  createdTitle: (name) => `Ereignisse werden an ${name} gesendet`,
  createdText: 'Senden Sie als Nächstes ein Testereignis.',
  open: 'Abonnement öffnen',
  deliveries: 'Letzte Ereignisse',
  deliveriesText: 'Was nicht angenommen wird, wird drei Tage lang der Reihe nach wieder versucht.',
  noDeliveries: 'Noch gab es kein Ereignis.',
};

export const words = wordsOf(en, de);
