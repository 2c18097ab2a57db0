import { z } from 'zod';
import {
  type DeliveryProgress,
  deliveryProgress,
  type EventDelivery,
  eventSubscriptions,
  listEventDeliveries,
  newSecretOf,
  replayEvents,
  rotateSecret,
  testSubscription,
  usualOverlap,
} from '../../admin/event-subscriptions.ts';
import { inLanguage } from '../../explain/in-language.ts';
import { type EventSubscription, eventSubscriptionEntity } from '../../model/entities/event-subscription.ts';
import { DAY, isoTimeOrNull } from '../../platform/clock.ts';
import type { Replay } from '../../store/contracts/deliveries.ts';
import { documentSchema, entityDocument } from '../documents/entity-schemas.ts';
import { documentsBy, timeSchema } from '../documents/wire.ts';
import { durationField, idText, someTime } from '../request/fields.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { entityRoutes } from './entity-routes.ts';
import { deliveryFields, deliveryQuery, inReadersLanguage } from './oidc-clients.ts';

const document = documentSchema(eventSubscriptionEntity, {
  waiting: z.int().describe('How many events wait to be sent'),
  oldestWaitingAt: timeSchema.nullable(),
  failures: z.int().describe('How many attempts in a row have failed; 0: deliveries go well'),
});
const secretSchema = schemaNamed('EventSubscriptionSecret', {
  secret: z.string().describe('Shown this once'),
  formerSecretUntil: timeSchema,
});
const overlapBody = z.strictObject({
  overlap: durationField
    .refine((millis) => millis <= 30 * DAY, 'must be at most 30d')
    .optional()
    .meta({ description: 'How long both secrets sign; without it 24h', examples: ['24h'] }),
});
const deliverySchema = schemaNamed('EventDelivery', {
  ...deliveryFields,
  event: z.string().describe('The name of the event'),
  at: timeSchema.describe('When it happened'),
});
const shownDelivery = documentsBy(deliverySchema);
const testedSchema = schemaNamed('TestedEventSubscription', {
  isDelivered: z.boolean(),
  result: z.string().describe('How the attempt went'),
});
const replayBody = z
  .strictObject({
    since: someTime.optional().describe('Events that were queued from then on, delivered or given up'),
    state: z.enum(['delivered', 'failed']).optional().describe('With since: only these'),
    ids: z.array(idText).min(1).max(500).optional().describe('These events'),
  })
  .refine(
    ({ since, state, ids }) => ids === undefined || (since === undefined && state === undefined),
    'ids stands alone',
  );

/** `/event-subscriptions`: where events are sent, and how that went. */
export function eventSubscriptionRoutes(needs: EdgeServices): readonly Route[] {
  const path = 'event-subscriptions/:id';
  return [
    ...entityRoutes(eventSubscriptions, needs, {
      described: { document },
      async documents() {
        const progressOf = await deliveryProgress(needs);
        return (stored) => subscriptionDocument(stored, progressOf(stored.id));
      },
      created: {
        shape: { secret: z.string().optional().describe('Signs its webhooks; shown this once') },
        read: async (id) => ({ secret: await newSecretOf(needs, id) }),
      },
    }),
    adminRoute('POST', `${path}/secrets`, {
      operationId: 'rotateEventSubscriptionSecret',
      summary: 'Make another secret of an event subscription; the one before it signs too for a while',
      status: 201,
      answer: dataAnswer(secretSchema, 'The secret'),
      refusals: ['conflict', 'precondition_failed'],
      body: overlapBody,
      async data(context, { body: { overlap = usualOverlap } }) {
        const made = await rotateSecret(needs, context.adminCall(), { id: context.id, overlap });
        return documentsBy(secretSchema)(made);
      },
    }),
    adminRoute('POST', `${path}/test`, {
      operationId: 'testEventSubscription',
      summary: 'Send a test event to an event subscription, and say how that went',
      answer: dataAnswer(testedSchema, 'The outcome'),
      async data(context) {
        const { state, result } = await testSubscription(needs, context.adminCall(), context.id);
        return { isDelivered: state === 'delivered', result: inLanguage(result, context.language) };
      },
    }),
    adminRoute('GET', `${path}/deliveries`, {
      operationId: 'listEventSubscriptionDeliveries',
      summary: 'List the events of a subscription that wait, were delivered or were given up',
      query: deliveryQuery,
      answer: dataAnswer(z.array(deliverySchema), 'Those that were tried in vain, then the newest first'),
      data: async (context, { query }) =>
        (await listEventDeliveries(needs, context.id, query))
          .map(inReadersLanguage(context))
          .map(deliveryDocument),
    }),
    adminRoute('POST', `${path}/replay`, {
      operationId: 'replayEventSubscription',
      summary:
        'Send events of a subscription again, with the same ids; without a body all that were given up',
      answer: dataAnswer(
        schemaNamed('ReplayedEvents', { replayed: z.int() }),
        'How many: at most ten thousand audit events, and as many refused logins',
      ),
      body: replayBody,
      async data(context, { body }) {
        const replay = replayOf(body);
        return { replayed: await replayEvents(needs, context.adminCall(), { id: context.id, replay }) };
      },
    }),
  ];
}

function replayOf({ ids, since, state }: z.output<typeof replayBody>): Replay {
  if (ids !== undefined) return { ids };
  const states = state === undefined ? (since === undefined ? ['failed' as const] : finished) : [state];
  return { since: since ?? 0, states };
}
const finished = ['delivered', 'failed'] as const;

function subscriptionDocument(stored: EventSubscription, progress: DeliveryProgress): object {
  return {
    ...entityDocument(eventSubscriptionEntity, stored),
    ...progress,
    oldestWaitingAt: isoTimeOrNull(progress.oldestWaitingAt),
  };
}

function deliveryDocument({ payload, ...delivery }: EventDelivery): object {
  return shownDelivery({ ...delivery, event: payload.type, at: payload.at });
}
