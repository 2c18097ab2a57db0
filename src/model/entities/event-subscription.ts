import type { EventSubscriptionId } from '../ids.ts';
import { sentEvents } from '../kept-events.ts';
import * as field from './entity.ts';
import { entity, type Stored } from './entity.ts';

export const subscriberTypes = ['webhook', 'syslog', 'otlp'] as const;

export const eventSubscriptionEntity = entity<EventSubscriptionId>()({
  kind: 'event-subscription',
  table: 'event_subscriptions',
  collection: 'event-subscriptions',
  document: 'EventSubscription',
  noun: 'an event subscription',
  fields: {
    /** Unique. By default scheme and host of the address, with a number if that is taken. */
    name: field.name({ isListed: true, isOptional: true }),
    type: field.choice(subscriberTypes, { isFixed: true, isListed: true }),
    /** `https://…`; of syslog `tls://host:port`. */
    url: field.text({ hasSecretPath: true }),
    enabled: field.flag({ default: true, whenLeftOut: 'refused', isListed: true }),
    /** Which events are sent; empty: all. */
    events: field.choices(sentEvents, { default: [], nullIsDefault: true, isSet: true }),
    /** Which of them, in the language of list filters over `sentEventFields`; null: all. */
    filter: field.text({ isNullable: true }),
    /** Certificates that are trusted beside those of the system and of the configuration; one or several, PEM. */
    trustedRoots: field.pem({ isNullable: true }),
    /** The client certificate of this service in TLS, with its chain, PEM. */
    clientCertPem: field.pem({ isNullable: true }),
    /** Its private key, PEM. Taken and never shown. Null removes it. */
    clientKey: field.text({ isNullable: true, isSecret: true, whenLeftOut: 'kept', column: null }),
    /** The secrets of the subscription, sealed (events/subscription-secrets.ts). */
    sealedSecrets: field.text({ isNullable: true, isDerived: true, isSecret: true, shownAs: 'secret' }),
    /** Of the secret that webhooks are signed with. */
    secretCreatedAt: field.time({ isNullable: true, isDerived: true }),
    /** How long they are also signed with the secret before it. */
    formerSecretUntil: field.time({ isNullable: true, isDerived: true }),
    tags: field.tags(),
  },
  arguments: {
    name: ['<name>', 'its name'],
    type: subscriberTypes.join(', '),
    url: 'https address of the receiver; of syslog tls://host:port',
  },
  options: {
    url: 'another address',
    enabled: 'collect and send events',
    events: 'which events, separated by commas (default: all)',
    filter: ['<filter>', 'which of them, such as \'entity = "identity"\''],
    trustedRoots: [
      '--trusted-roots <file>',
      'certificates that the receiver may chain to, in addition to the usual ones',
    ],
    clientCertPem: ['--client-cert <file>', 'certificate with its chain that this service shows in TLS'],
    clientKey: ['--client-key-file <file>', 'its private key, which is never shown'],
  },
});

/** A server to which events are sent. */
export type EventSubscription = Stored<typeof eventSubscriptionEntity>;
