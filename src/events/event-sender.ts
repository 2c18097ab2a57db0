// Sends events to subscriptions, in the order in which they were recorded.

import type { DeliveryOutcome, EventKind, SentDelivery } from '../model/delivery.ts';
import type { EventSubscription } from '../model/entities/event-subscription.ts';
import { type Clock, type Millis, SECOND } from '../platform/clock.ts';
import { FetchRefused } from '../platform/network/fetch-refused.ts';
import type { MessagePoster } from '../platform/network/outbound-client.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import { openSecrets, type SubscriptionSecrets } from './subscription-secrets.ts';
import { signingSecrets, webhookMessage } from './webhook.ts';

export interface EventSenderNeeds {
  readonly poster: MessagePoster;
  readonly vault: Pick<KeyVault, 'open'>;
  readonly clock: Clock;
}

type Deliveries = readonly SentDelivery<EventKind>[];

/** A subscriber that takes each event slowly gets this many at a time as fit, so that its queue stays held. */
const longestBatch: Millis = 20 * SECOND;

/** As `sendInOrder` of a `Sender`, for subscriptions in memory. */
export function eventSender(
  needs: EventSenderNeeds & { readonly find: (id: string) => EventSubscription | undefined },
) {
  return {
    atOnce: 32,
    order: 'oldest',
    async sendInOrder(id: string, deliveries: Deliveries): Promise<readonly DeliveryOutcome[]> {
      const subscription = needs.find(id);
      if (subscription === undefined)
        return deliveries.map(() => ({ state: 'failed', result: 'the subscription is gone' }));
      if (!subscription.enabled) return [{ state: 'waiting', result: 'the subscription is disabled' }];
      return sendEvents(needs, subscription, deliveries);
    },
  } as const;
}

/**
 * @param deliveries at least one, in order
 * @returns how those at the beginning ended; the rest was not tried
 */
export async function sendEvents(
  needs: EventSenderNeeds,
  subscription: EventSubscription,
  deliveries: Deliveries,
): Promise<readonly DeliveryOutcome[]> {
  const secrets = openSecrets(needs.vault, subscription);
  const outcomes: DeliveryOutcome[] = [];
  const until = needs.clock.monotonic() + longestBatch;
  for (const delivery of deliveries) {
    const outcome = await posted(needs, subscription, { secrets, delivery });
    outcomes.push(outcome);
    if (outcome.state === 'waiting' || needs.clock.monotonic() > until) break;
  }
  return outcomes;
}

async function posted(
  { poster, clock }: EventSenderNeeds,
  subscription: EventSubscription,
  sent: { readonly secrets: SubscriptionSecrets; readonly delivery: SentDelivery<EventKind> },
): Promise<DeliveryOutcome> {
  const now = clock.now();
  const message = webhookMessage(sent.delivery, signingSecrets(sent.secrets, subscription, now), now);
  const { trustedRoots, clientCertPem } = subscription;
  try {
    const tls = { trustedRoots, certPem: clientCertPem, keyPem: sent.secrets.clientKey ?? null };
    const status = await poster.post(subscription.url, { ...message, tls });
    return { state: status >= 200 && status < 300 ? 'delivered' : 'waiting', result: `HTTP ${status}` };
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    return { state: 'waiting', result: error.message };
  }
}
