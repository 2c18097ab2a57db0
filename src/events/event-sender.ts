// Sends events to subscriptions, in the order in which they were recorded.

import type { DeliveryOutcome, EventKind, SentDelivery } from '../model/delivery.ts';
import type { EventSubscription } from '../model/entities/event-subscription.ts';
import { asId } from '../model/ids.ts';
import { type Clock, type Millis, SECOND } from '../platform/clock.ts';
import { FetchRefused } from '../platform/network/fetch-refused.ts';
import type { MessagePoster, TlsConnector } from '../platform/network/outbound-client.ts';
import type { OutboundMessage } from '../platform/network/outbound-exchange.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import type { EventSubscriptionStore } from '../store/contracts/entities.ts';
import { otlpMessage, signingSecrets, webhookMessage } from './http-messages.ts';
import { openSecrets } from './subscription-secrets.ts';
import { addressOfSyslog, syslogFrame, writeAll } from './syslog.ts';

export interface EventSenderNeeds {
  readonly poster: MessagePoster & TlsConnector;
  readonly vault: Pick<KeyVault, 'open'>;
  readonly clock: Clock;
}

type Deliveries = readonly SentDelivery<EventKind>[];

/** A subscriber that takes each event slowly gets this many at a time as fit, so that its queue stays held. */
const longestBatch: Millis = 20 * SECOND;

/** As `sendInOrder` of a `Sender`. The store is asked, not memory: an event may be seen before its subscription. */
export function eventSender(
  needs: EventSenderNeeds & {
    readonly store: { readonly eventSubscriptions: Pick<EventSubscriptionStore, 'find'> };
  },
) {
  return {
    atOnce: 32,
    order: 'oldest',
    async sendInOrder(
      id: string,
      deliveries: Deliveries,
      mayGoOn: () => boolean,
    ): Promise<readonly DeliveryOutcome[]> {
      const subscription = await needs.store.eventSubscriptions.find(asId(id));
      if (subscription === null)
        return deliveries.map(() => ({ state: 'failed', result: 'the subscription is gone' }));
      if (!subscription.enabled) return [{ state: 'waiting', result: 'the subscription is disabled' }];
      return sendEvents({ ...needs, mayGoOn }, subscription, deliveries);
    },
  } as const;
}

/**
 * @param deliveries at least one, in order
 * @returns how those at the beginning ended; the rest was not tried
 */
export async function sendEvents(
  needs: EventSenderNeeds & { readonly mayGoOn?: () => boolean },
  subscription: EventSubscription,
  deliveries: Deliveries,
): Promise<readonly DeliveryOutcome[]> {
  const secrets = openSecrets(needs.vault, subscription);
  const { url, trustedRoots, clientCertPem, type } = subscription;
  const tls = { trustedRoots, certPem: clientCertPem, keyPem: secrets.clientKey ?? null };
  const { poster, clock, mayGoOn = () => true } = needs;
  switch (type) {
    case 'webhook': {
      const outcomes: DeliveryOutcome[] = [];
      for (const until = clock.monotonic() + longestBatch; ; ) {
        const delivery = deliveries[outcomes.length];
        if (delivery === undefined || clock.monotonic() > until) return outcomes;
        const now = clock.now();
        const message = webhookMessage(delivery, signingSecrets(secrets, subscription, now), now);
        const outcome = await posted(poster, url, { ...message, tls });
        outcomes.push(outcome);
        if (outcome.state === 'waiting' || !mayGoOn()) return outcomes;
      }
    }
    case 'otlp': {
      const outcome = await posted(poster, url, { ...otlpMessage(deliveries, clock.now()), tls });
      // One of them spoils the others: from now on each shows by itself whether it does.
      if (outcome.isObjectedTo === true && deliveries.length > 1)
        return sendEvents(needs, subscription, deliveries.slice(0, 1));
      return outcome.state === 'waiting' ? [outcome] : deliveries.map(() => outcome);
    }
    case 'syslog': {
      const outcome = await attempted(async () => {
        const socket = await poster.connect(addressOfSyslog(url), tls);
        try {
          await writeAll(socket, deliveries.map(syslogFrame), longestBatch);
          return { state: 'delivered', result: 'read' };
        } catch (error) {
          return {
            state: 'waiting',
            result: `the receiver broke the connection: ${(error as Error).message}`,
          };
        }
      });
      return outcome.state === 'waiting' ? [outcome] : deliveries.map(() => outcome);
    }
  }
}

/** Answers about the message, not about its address, the sender's right or the receiver's state (RFC 9110). */
const objections: ReadonlySet<number> = new Set([400, 413, 415, 422]);

function posted(poster: MessagePoster, url: string, message: OutboundMessage): Promise<DeliveryOutcome> {
  return attempted(async () => {
    const status = await poster.post(url, message);
    const result = `HTTP ${status}`;
    if (status >= 200 && status < 300) return { state: 'delivered', result };
    return { state: 'waiting', result, isObjectedTo: objections.has(status) };
  });
}

/** A receiver that cannot be reached is tried again. */
async function attempted(send: () => Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    return { state: 'waiting', result: error.message };
  }
}
