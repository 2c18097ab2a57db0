// Where events are sent: webhooks, syslog, collectors of OTLP logs.

import { AuthError, existing } from '../errors/auth-error.ts';
import { type EventSenderNeeds, sendEvents } from '../events/event-sender.ts';
import { newSigningSecret } from '../events/http-messages.ts';
import { openSecrets, type SubscriptionSecrets, sealSecrets } from '../events/subscription-secrets.ts';
import { addressOfSyslog } from '../events/syslog.ts';
import {
  type Delivery,
  type DeliveryOutcome,
  type DeliveryState,
  type EventKind,
  eventKinds,
  queueOf,
} from '../model/delivery.ts';
import { type Change, patched } from '../model/entities/entity.ts';
import { type EventSubscription, eventSubscriptionEntity } from '../model/entities/event-subscription.ts';
import { schemeAndHost } from '../model/entities/shown.ts';
import type { StoredName } from '../model/ids.ts';
import type { ListFields } from '../model/list-fields.ts';
import type { Filter } from '../model/list-query.ts';
import { typedName } from '../model/names.ts';
import { HOUR, isoTime, type Millis } from '../platform/clock.ts';
import { trustingContext } from '../platform/network/outbound-trust.ts';
import { parseCertificates } from '../platform/x509/x509.ts';
import type { DeliveryBacklog, Replay } from '../store/contracts/deliveries.ts';
import { refusedField } from './acceptable-values.ts';
import { type AdminCall, actingFor, recordChange, recordSecret, whileAsRead } from './admin-call.ts';
import { managed } from './entity-rules.ts';
import { parseFilter } from './filter-language.ts';
import { acceptableAddress } from './oidc-clients.ts';
import type { AdminServices } from './services.ts';

/** Each event is stored once for each of them. */
const mostSubscriptions = 50;
const longestFilter = 2000;
const longestPem = 50_000;
export const usualOverlap: Millis = 24 * HOUR;

export const eventSubscriptions = managed<typeof eventSubscriptionEntity>({
  entity: eventSubscriptionEntity,
  storeOf: ({ eventSubscriptions: stored }) => stored,
  fields: {
    filter: (filter) => {
      if (filter !== null) readEventFilter(filter);
      return filter;
    },
  },
  async follows(fields, before, needs) {
    const others = before === null ? await needs.store.eventSubscriptions.listAll() : [];
    refuseTooMany(others);
    const none = { trustedRoots: null, clientCertPem: null };
    const whole = patched(eventSubscriptionEntity.fields, { ...none, ...before }, fields);
    if (fields.url !== undefined) requireAddress(whole.type, fields.url, needs);
    const secrets = secretsOf(needs, whole, { given: fields, before });
    if (whole.name !== undefined || fields.url === undefined) return secrets;
    return { ...secrets, name: freeName(fields.url, others) };
  },
  // All its secrets are sealed together.
  isMadeOfRead: ({ clientKey }) => clientKey !== undefined,
});

/** Fields for the filter of an event subscription; a field that an event lacks is null. */
const sentEventFields: ListFields = new Map(
  'event action entity entityId identityId byIdentityId method reason ipAddress issuer'
    .split(' ')
    .map((field) => [field, { field, kind: 'text', nullable: true }]),
);

/**
 * Which events a subscription gets.
 * @throws AuthError could_not_validate
 */
export function readEventFilter(text: string): Filter {
  if (text.length > longestFilter)
    throw refusedField('filter', `must have at most ${longestFilter} characters`);
  try {
    const { filter, sort, limit, skip } = parseFilter(text, sentEventFields);
    if (sort === undefined && limit === undefined && skip === undefined) return filter;
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    throw refusedField('filter', `is not a filter of events: ${error.description}`);
  }
  throw refusedField('filter', 'must not sort, skip or limit');
}

function requireAddress(
  type: EventSubscription['type'] | undefined,
  url: string,
  { limits }: AdminServices,
): void {
  const isSyslog = type === 'syslog';
  if (isSyslog && !/^tls:\/\/[^/?#]+$/.test(url)) throw refusedField('url', 'must be tls://host:port', url);
  acceptableAddress('url', isSyslog ? addressOfSyslog(url) : url, limits);
}

/** Scheme and host, with a number if another subscription has that name. */
function freeName(url: string, others: readonly EventSubscription[]): StoredName {
  const plain = typedName(schemeAndHost(url).slice(0, 250));
  const taken = new Set(others.map(({ name }) => name));
  let name = plain;
  for (let number = 2; taken.has(name); number += 1) name = typedName(`${plain} ${number}`);
  return name;
}

function refuseTooMany(others: readonly EventSubscription[]): void {
  if (others.length < mostSubscriptions) return;
  throw new AuthError('conflict', {
    description: `There are ${mostSubscriptions} event subscriptions already`,
  });
}

type Tls = Pick<EventSubscription, 'trustedRoots' | 'clientCertPem'>;

/** A new webhook gets the secret that it is signed with. */
function secretsOf(
  { vault, random, clock }: AdminServices,
  { trustedRoots, clientCertPem }: Tls,
  { given, before }: { given: Change<typeof eventSubscriptionEntity>; before: EventSubscription | null },
) {
  const isNewWebhook = before === null && given.type === 'webhook';
  const { clientKey: keptKey, ...signing }: SubscriptionSecrets =
    before !== null ? openSecrets(vault, before) : isNewWebhook ? { signing: newSigningSecret(random) } : {};
  const clientKey = given.clientKey === undefined ? keptKey : given.clientKey || undefined;
  requireTls({ trustedRoots, clientCertPem }, clientKey);
  const sealed =
    before === null || clientKey !== keptKey
      ? { sealedSecrets: sealSecrets(vault, { ...signing, ...(clientKey !== undefined && { clientKey }) }) }
      : {};
  const made =
    before === null ? { secretCreatedAt: isNewWebhook ? clock.now() : null, formerSecretUntil: null } : {};
  return { ...sealed, ...made, clientKey: undefined };
}

function requireTls({ trustedRoots, clientCertPem }: Tls, clientKey: string | undefined): void {
  for (const [field, pem] of Object.entries({ trustedRoots, clientCertPem })) {
    if (pem === null) continue;
    if (pem.length > longestPem || !areCertificates(pem))
      throw refusedField(field, 'must be certificates in PEM');
  }
  if (clientKey === undefined) {
    if (clientCertPem !== null) throw refusedField('clientKey', 'is needed for clientCertPem');
    return;
  }
  if (clientCertPem === null) throw refusedField('clientCertPem', 'is needed for clientKey');
  try {
    trustingContext([], { certPem: clientCertPem, keyPem: clientKey });
  } catch {
    throw refusedField(
      'clientKey',
      'must be the private key of clientCertPem, in PEM and without a password',
    );
  }
}

function areCertificates(pem: string): boolean {
  try {
    parseCertificates(pem);
    return true;
  } catch {
    return false;
  }
}

/** The secret of a new webhook. It is shown only this once. @throws AuthError not_found */
export async function newSecretOf(needs: AdminServices, id: string): Promise<string | undefined> {
  return openSecrets(needs.vault, await eventSubscriptions.get(needs, id)).signing;
}

/**
 * Makes another secret. For a while webhooks are signed with both.
 * @returns the secret, which is shown only this once
 * @throws AuthError not_found
 * @throws AuthError conflict   it is no webhook
 */
export async function rotateSecret(
  needs: AdminServices,
  by: AdminCall,
  { id, overlap }: { id: string; overlap: Millis },
): Promise<{ readonly secret: string; readonly formerSecretUntil: Millis }> {
  const changing = await whileAsRead(needs, by, { entity: 'event-subscriptions', id });
  const subscription = await eventSubscriptions.get(needs, id);
  if (subscription.type !== 'webhook')
    throw new AuthError('conflict', { description: 'Only webhooks are signed with a secret' });
  const { signing: formerSigning, clientKey } = openSecrets(needs.vault, subscription);
  const secret = newSigningSecret(needs.random);
  const now = needs.clock.now();
  const formerSecretUntil = now + overlap;
  const secrets = {
    signing: secret,
    ...(formerSigning !== undefined && { formerSigning }),
    ...(clientKey !== undefined && { clientKey }),
  };
  const patch = { sealedSecrets: sealSecrets(needs.vault, secrets), secretCreatedAt: now, formerSecretUntil };
  existing(await actingFor(needs, changing).eventSubscriptions.update(subscription.id, patch, now));
  recordSecret(needs, by, { of: ['event-subscription', id], field: 'secret' });
  return { secret, formerSecretUntil };
}

/**
 * Sends an event of type `test` at once, also while the subscription is disabled.
 * @throws AuthError not_found
 */
export async function testSubscription(
  needs: AdminServices & EventSenderNeeds,
  by: AdminCall,
  id: string,
): Promise<DeliveryOutcome> {
  const subscription = await eventSubscriptions.get(needs, id);
  const [eventId, at] = [needs.random.id(), needs.clock.now()];
  const data = { id: eventId, at: isoTime(at), event: 'test', byIdentityId: by.actor.identityId };
  const test = { id: eventId, createdAt: at, payload: { type: 'test', at, data } };
  const [outcome = { state: 'failed', result: 'nothing was sent' }] = await sendEvents(needs, subscription, [
    test,
  ]);
  return outcome;
}

export type EventDelivery = Delivery<EventKind>;

/**
 * Events that wait, were delivered or were given up, the newest first; before them those that the receiver did not take,
 * whose result says why all behind them wait.
 * @throws AuthError not_found
 */
export async function listEventDeliveries(
  needs: AdminServices,
  id: string,
  { state = null, limit }: { state?: DeliveryState | null | undefined; limit: number },
): Promise<readonly EventDelivery[]> {
  const { id: subscriber } = await eventSubscriptions.get(needs, id);
  const { deliveries } = needs.store;
  const lists = eventKinds.map(async (kind) => {
    const queue = queueOf(kind, subscriber);
    const next = await deliveries.next(queue, { order: 'oldest', most: 1 }, needs.clock.now());
    const tried = next.filter((one) => one.attempts > 0 && (state ?? one.state) === one.state);
    // Sound because a queue contains one kind.
    return { tried: tried as EventDelivery[], newest: await deliveries.list(queue, state, limit) };
  });
  const all = await Promise.all(lists);
  const newest = all.flatMap((of) => of.newest).toSorted((one, other) => other.seq - one.seq);
  const each = new Map([...all.flatMap((of) => of.tried), ...newest].map((one) => [one.seq, one]));
  return [...each.values()].slice(0, limit);
}

/**
 * Sends events again that were delivered or given up.
 * @returns how many
 * @throws AuthError not_found
 */
export async function replayEvents(
  needs: AdminServices,
  by: AdminCall,
  { id, replay }: { id: string; replay: Replay },
): Promise<number> {
  const { id: subscriber } = await eventSubscriptions.get(needs, id);
  const { deliveries } = actingFor(needs, by);
  let replayed = 0;
  for (const kind of eventKinds)
    replayed += await deliveries.replay(queueOf(kind, subscriber), replay, needs.clock.now());
  recordChange(needs, by, { action: 'update', of: ['event-subscription', id], fields: ['deliveries'] });
  return replayed;
}

/** How deliveries go: of the two queues of a subscription, the worse. */
export interface DeliveryProgress {
  readonly waiting: number;
  readonly oldestWaitingAt: Millis | null;
  /** Attempts in a row. */
  readonly failures: number;
}

/** @returns the progress of a subscription, by its id */
export async function deliveryProgress({ store }: AdminServices): Promise<(id: string) => DeliveryProgress> {
  const backlog = new Map(
    (await store.deliveries.backlog()).map((entry): [string, DeliveryBacklog] => [entry.queue, entry]),
  );
  return (id) => {
    const own = eventKinds.flatMap((kind) => backlog.get(queueOf(kind, id)) ?? []);
    return {
      waiting: own.reduce((sum, { waiting }) => sum + waiting, 0),
      oldestWaitingAt: own.length === 0 ? null : Math.min(...own.map(({ oldestAt }) => oldestAt)),
      failures: Math.max(0, ...own.map(({ failures }) => failures)),
    };
  };
}
