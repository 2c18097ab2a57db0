// The event subscriptions in memory. Each thread that records events asks which subscriptions get them; where there are
// none, that costs nothing. A change of one reaches other nodes within a quarter of a second.

import type { AuditRecord } from '../model/audit-event.ts';
import type { EventKind, SentEvent } from '../model/delivery.ts';
import type { EventSubscription } from '../model/entities/event-subscription.ts';
import type { Filter, FilterValue } from '../model/list-query.ts';
import type { LoginAttempt } from '../model/login-attempt.ts';
import { isoTime } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { QueuedEvent } from '../store/contracts/deliveries.ts';
import type { EventSubscriptionStore } from '../store/contracts/entities.ts';

export interface Subscribers {
  /** The deliveries of these events to subscriptions. */
  deliveriesOf(events: readonly EventToSend[]): readonly QueuedEvent[] | Promise<readonly QueuedEvent[]>;
}

interface SubscriberNeeds {
  readonly store: { readonly eventSubscriptions: Pick<EventSubscriptionStore, 'listAll'> };
  /** @throws for text that is no filter of events */
  readonly readFilter: (text: string) => Filter;
  readonly log: Pick<Logger, 'error'>;
}

/** Empty until it is loaded. */
export function subscriberView(needs: SubscriberNeeds) {
  let open: ReturnType<typeof subscriberOf> = [];
  return {
    deliveriesOf: (events: readonly EventToSend[]) =>
      open.flatMap(({ id, wanted }) => events.filter(wanted).map((event) => ({ ...event, subscriber: id }))),
    /** Reads all of them again. */
    async reload() {
      const all = await needs.store.eventSubscriptions.listAll();
      open = all.flatMap((each) => (each.enabled ? subscriberOf(needs, each) : []));
    },
  };
}

/** For a command on the host: they are read when the first event comes. */
export function subscribersOnce(needs: SubscriberNeeds): Subscribers {
  const view = subscriberView(needs);
  let isLoaded = false;
  return {
    async deliveriesOf(events) {
      if (!isLoaded) await view.reload();
      isLoaded = true;
      return view.deliveriesOf(events);
    },
  };
}

/** None where a newer release has written a filter that this one does not know: the feed of changes must go on. */
function subscriberOf({ readFilter, log }: SubscriberNeeds, subscription: EventSubscription) {
  const { id, name, events, filter } = subscription;
  const names = new Set<string>(events);
  try {
    const read = filter === null ? null : readFilter(filter);
    const wanted = ({ payload: { type, data } }: EventToSend) =>
      (names.size === 0 || names.has(type)) && (read === null || matchesFilter(read, data));
    return [{ id, wanted }];
  } catch (error) {
    const message = 'an event subscription gets no events: its filter cannot be read, so set another filter';
    log.error(message, { subscription: id, name, error });
    return [];
  }
}

/**
 * Whether values match a filter of texts, as the store decides it for lists: nothing but `=`, `!=` and `in` ever matches
 * null.
 * @param values by the names of the filter; a member that is missing is null
 */
function matchesFilter(filter: Filter, values: Readonly<Record<string, unknown>>): boolean {
  const textOf = (field: string): string | null => {
    const value = values[field];
    return typeof value === 'string' ? value : null;
  };
  switch (filter.op) {
    case 'true':
      return true;
    case 'not':
      return !matchesFilter(filter.term, values);
    case 'and':
      return filter.terms.every((term) => matchesFilter(term, values));
    case 'or':
      return filter.terms.some((term) => matchesFilter(term, values));
    case 'in':
      return filter.values.includes(textOf(filter.field));
    case 'contains':
      return textOf(filter.field)?.includes(filter.value) ?? false;
    case 'icontains':
      return textOf(filter.field)?.toLowerCase().includes(filter.value.toLowerCase()) ?? false;
    default:
      return compared(textOf(filter.field), filter.op, filter.value);
  }
}

function compared(found: string | null, op: '=' | '!=' | '<' | '<=' | '>' | '>=', to: FilterValue): boolean {
  if (op === '=') return found === to;
  if (op === '!=') return found !== to;
  if (found === null || typeof to !== 'string') return false;
  if (op === '<') return found < to;
  if (op === '<=') return found <= to;
  return op === '>' ? found > to : found >= to;
}

// Events as subscribers get them: entries of the audit trail, and refused logins. They contain what an administrator can
// read, without the subject of a login: where it names no identity, it may be a password in the wrong field.

export interface EventToSend {
  readonly kind: EventKind;
  readonly id: string;
  readonly payload: SentEvent;
}

/** Of the data as JSON, in characters: an entry with more is sent without its details. */
const longestData = 32_768;

/** The members of a document of `/audit-events`, without the names of identities. */
export function eventOfRecord(record: AuditRecord): EventToSend {
  const { at, details: members, ...rest } = record;
  const { changes = [], ...details } = members;
  const whole = { ...rest, at: isoTime(at), changes, details };
  const data = JSON.stringify(whole).length > longestData ? shortened(whole) : whole;
  return { kind: 'event', id: record.id, payload: { type: record.event, at, data } };
}

/** The data of an event without what may be long. */
export function shortened<Data extends object>(data: Data): Data & { readonly isShortened: true } {
  return { ...data, changes: [], details: {}, isShortened: true };
}

/** A refused login or enrollment; of everything else none. */
export function eventsOfAttempt(attempt: LoginAttempt & { readonly id: string }): readonly EventToSend[] {
  const { id, at, mechanism, step, outcome, reason, identityId, reference, ipAddress, issuer } = attempt;
  if (outcome === 'passed' || mechanism === 'request') return [];
  const event = mechanism === 'enrollment' ? 'enrollment.refused' : 'login.refused';
  const who = { identityId, requestId: reference, ipAddress, issuer };
  const data = { id, at: isoTime(at), event, method: step, mechanism, reason, ...who };
  return [{ kind: 'refused-login', id, payload: { type: event, at, data } }];
}
