// The texts of the screens for event subscriptions, loaded with them.

import { count, wordsOf } from '../../../parts/language.ts';

export const words = wordsOf({
  text: [
    'Servers to which the audit trail and refused sign-ins are sent as they happen.',
    'Server, an die der Prüfpfad und abgelehnte Anmeldungen laufend gesendet werden.',
  ],
  create: ['Send events to a server', 'Ereignisse an einen Server senden'],
  nothing: ['No subscription matches.', 'Kein Abonnement passt dazu.'],
  none: ['No event is sent anywhere yet.', 'Noch werden keine Ereignisse gesendet.'],
  noneText: [
    'Add the server where you collect events: a webhook, syslog over TLS, or OTLP logs.',
    'Geben Sie den Server an, auf dem Sie Ereignisse sammeln: als Webhook, Syslog über TLS oder OTLP-Logs.',
  ],
  where: ['Where to', 'Wohin'],
  which: ['Which events', 'Welche Ereignisse'],
  progress: ['Deliveries', 'Zustellung'],
  waits: (waiting: number) => [
    waiting === 0 ? 'all delivered' : `${waiting} waiting`,
    waiting === 0 ? 'alles zugestellt' : count(waiting, 'wartet', 'warten'),
  ],
  failingTitle: ['Events that are not delivered', 'Ereignisse, die nicht ankommen'],
  failingText: [
    'The receivers of these subscriptions did not take the last events. They wait, and are sent again; of more than 100,000 the oldest are lost.',
    'Die Empfänger dieser Abonnements haben die letzten Ereignisse nicht angenommen. Sie warten und werden wieder gesendet; von mehr als 100.000 gehen die ältesten verloren.',
  ],
  failing: (failures: number, waiting: number) => [
    `${count(failures, 'attempt', 'attempts')} failed, ${waiting} waiting`,
    `${count(failures, 'Versuch', 'Versuche')} gescheitert, ${count(waiting, 'wartet', 'warten')}`,
  ],
  deleteEnds: [
    'No more events are sent there, and waiting ones are lost.',
    'Dorthin werden keine Ereignisse mehr gesendet, und wartende gehen verloren.',
  ],
  check: ['Check and repeat', 'Prüfen und wiederholen'],
  test: ['Send a test event', 'Testereignis senden'],
  arrived: ['It has arrived', 'Es ist angekommen'],
  notArrived: ['It has not arrived', 'Es ist nicht angekommen'],
  replay: ['Send again', 'Erneut senden'],
  replayTitle: ['Send events again?', 'Ereignisse erneut senden?'],
  replayText: [
    'Events that were given up are sent again, with the same ids.',
    'Aufgegebene Ereignisse werden erneut gesendet, mit denselben Ids.',
  ],
  replayed: ['They are sent again', 'Sie werden erneut gesendet'],
  rotate: ['Make another secret', 'Neues Geheimnis anlegen'],
  overlap: (time: string) => [
    `The secret before this one signs too until ${time}.`,
    `Auch das frühere Geheimnis signiert noch bis ${time}.`,
  ],
  secretOnce: [
    'The secret. It is shown only once: give it to the receiver now.',
    'Das Geheimnis. Es wird nur einmal gezeigt: Geben Sie es jetzt dem Empfänger.',
  ],
  createdTitle: (name: string) => [`Events are sent to ${name}`, `Ereignisse werden an ${name} gesendet`],
  createdText: ['Send a test event next.', 'Senden Sie als Nächstes ein Testereignis.'],
  open: ['Open the subscription', 'Abonnement öffnen'],
  deliveries: ['Latest events', 'Letzte Ereignisse'],
  deliveriesText: [
    'An event that is not accepted is sent again for three days, in order. A test event shows why it is not accepted.',
    'Ein Ereignis, das nicht angenommen wird, wird drei Tage lang erneut gesendet, der Reihe nach. Ein Testereignis zeigt den Grund.',
  ],
  noDeliveries: ['There was no event yet.', 'Noch gab es kein Ereignis.'],
});
