// The audit trail: every event is one structured log line. Events that changed something are also kept in the store,
// where every administrator can read them; each login and refresh goes only to the log and to decision records.

import { eventOfRecord, type Subscribers } from '../events/subscribers.ts';
import type { AuditEvent, AuditRecord, KeptAuditTrail, WrittenAuditTrail } from '../model/audit-event.ts';
import { keptEvents } from '../model/kept-events.ts';
import type { QueuedNotice } from '../model/mail.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { SampledLines } from '../platform/log/sampled-lines.ts';
import type { Random } from '../platform/random.ts';
import type { AuditEventStore } from '../store/contracts/audit-events.ts';
import { hourlyShare } from './hourly-share.ts';

/** Events that anybody can cause as often as they like. */
const ofStrangers: ReadonlySet<AuditEvent['event']> = new Set(['login.refused', 'enrollment.refused']);

/**
 * The audit trail over the log, at every log level. Events contain ids and reasons, never secrets.
 * @param strangersLog takes the refusals of strangers; absent where none arrive
 */
export function auditLog(log: Logger, strangersLog?: SampledLines): WrittenAuditTrail {
  return {
    record(event, origin) {
      const fields = {
        ...event,
        requestId: origin?.requestId ?? null,
        ...(origin?.traceId === undefined ? {} : { traceId: origin.traceId }),
        ipAddress: origin?.ipAddress ?? null,
        issuer: origin?.issuer ?? null,
      };
      if (strangersLog === undefined || !ofStrangers.has(event.event)) log.always('audit', fields);
      else strangersLog.write({ level: 'always', kind: event.event, message: 'audit', fields });
    },
    written: () => log.written?.() ?? Promise.resolve(true),
  };
}

type EventName = AuditEvent['event'];

/** An event that the table does not name is not assignable. */
const kept: { readonly [Name in EventName]: 'yes' | 'owner' | 'own' | 'no' } = keptEvents;

const ofOwners = (Object.keys(kept) as EventName[]).filter((name) => ['owner', 'own'].includes(kept[name]));

/** Whether it is a person's action on their own account; an administrator who does the same is named in the event. */
function isOwnDoing({ event }: AuditEvent): boolean {
  return kept[event] === 'own' || event === 'setup.completed';
}

/** Events of the same name may be routine or serious: a logout, or ending another person's session. */
function isKept(event: AuditEvent): boolean {
  switch (event.event) {
    case 'session.ended':
    case 'browser-session.ended':
      return event.reason === 'administrator';
    case 'code.refused':
      return event.endedSessionId !== null;
    case 'refresh.refused':
      return event.reason === 'reused';
    default:
      return kept[event.event] !== 'no';
  }
}

interface Waiting {
  /** Null: there is no room for it. */
  readonly record: AuditRecord | null;
  /** Also without room: an attacker who fills it must not be able to hide later events from the owner. */
  readonly notice: QueuedNotice | null;
}

const mostInOneWrite = 500;
/** At most this many wait for a store that cannot be written; the log has the others. */
const mostWaiting = 1000;

/**
 * The audit trail that also keeps its events in the store. They are written at once, those that arrive meanwhile with
 * the next write, so that the caller of a change can wait for it. Failed writes are retried with the next one.
 * @param keepAtMost records, by the configuration in use; beyond that the actor with most loses the oldest. They are
 *                   counted now and then: until the next count, each thread of each node may exceed the limit by one in a hundred
 */
export function keptAudit(
  trail: WrittenAuditTrail,
  needs: {
    readonly store: { readonly auditEvents: Pick<AuditEventStore, 'append'> };
    readonly clock: Clock;
    readonly random: Random;
    readonly log: Logger;
    readonly subscribers: Pick<Subscribers, 'deliveriesOf'>;
    /** The notice to the person about it; null: none. */
    readonly noticeOf: (record: AuditRecord) => QueuedNotice | null;
    /** Members that are added to every event. */
    readonly said?: Readonly<Record<string, string>>;
  },
  keepAtMost: () => number,
): KeptAuditTrail {
  const hasRoomForOwner = hourlyShare(needs.clock);
  const countEvery = () => Math.min(100, Math.ceil(keepAtMost() / 100));
  // Nothing is known yet about existing records.
  let uncounted = countEvery();
  async function append(some: readonly Waiting[]): Promise<boolean> {
    const records = some.flatMap(({ record }) => record ?? []);
    uncounted += records.length;
    const isToBeCounted = uncounted >= countEvery();
    if (isToBeCounted) uncounted = 0;
    try {
      const bound = isToBeCounted ? { keepAtMost: keepAtMost(), ofOwners } : null;
      const events = await needs.subscribers.deliveriesOf(records.map(eventOfRecord));
      const notices = some.flatMap(({ notice }) => notice ?? []);
      await needs.store.auditEvents.append(records, bound, { events, notices });
      return true;
    } catch (error) {
      needs.log.error('audit events could not be kept yet; the log has them', {
        count: records.length,
        error,
      });
      return false;
    }
  }

  const queue = writtenInTurn(append);

  return {
    record(event, origin) {
      trail.record(event, origin);
      if (!isKept(event)) return;
      const { requestId = null, ipAddress = null, issuer = null } = origin ?? {};
      const at = { id: needs.random.id(), at: needs.clock.now(), requestId, ipAddress, issuer };
      const { details, ...told } = recordOf(event);
      const byIdentityId =
        told.byIdentityId ?? (origin !== null && isOwnDoing(event) ? told.identityId : null);
      const record = { ...at, ...told, byIdentityId, details: { ...details, ...needs.said } };
      const notice = needs.noticeOf(record);
      const hasRoom = !ofOwners.includes(event.event) || hasRoomForOwner(record.identityId ?? '');
      if (!hasRoom && notice === null) return;
      queue.push({ record: hasRoom ? record : null, notice });
    },
    written: () => trail.written(),
    kept: () => queue.written(),
  };
}

/**
 * Writes at once, and with the next write those that arrive meanwhile. Events that could not be written are tried again
 * with the next one.
 * @param append false: could not be written
 */
function writtenInTurn<T>(append: (some: readonly T[]) => Promise<boolean>) {
  let waiting: T[] = [];
  let isWriting = false;
  // Of those that wait, and of those that were taken last. A caller waits for its own only: it would otherwise wait as
  // long as others keep adding some.
  let next = Promise.withResolvers<boolean>();
  let last: Promise<boolean> = Promise.resolve(true);

  function takeNext(): PromiseWithResolvers<boolean> {
    const taken = next;
    last = taken.promise;
    next = Promise.withResolvers();
    return taken;
  }

  async function write(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    // Events of one change are written together.
    await null;
    let isComplete = true;
    while (isComplete && waiting.length > 0) {
      const some = waiting.slice(0, mostInOneWrite);
      waiting = waiting.slice(mostInOneWrite);
      const taken = waiting.length === 0 ? takeNext() : null;
      isComplete = await append(some);
      if (!isComplete) waiting = [...some, ...waiting].slice(0, mostWaiting);
      taken?.resolve(isComplete);
    }
    isWriting = false;
    if (!isComplete) takeNext().resolve(false);
  }

  return {
    push(one: T): void {
      waiting.push(one);
      void write();
    },
    /** Whether all that were pushed until now have been written. */
    written(): Promise<boolean> {
      if (waiting.length === 0) return last;
      void write();
      return next.promise;
    },
  };
}

/** The event member that names the entity, and the kind of that entity. */
const entityMembers: Readonly<Record<string, string>> = {
  sessionId: 'api-session',
  browserSessionId: 'browser-session',
  authenticatorId: 'authenticator',
  passkeyId: 'passkey',
  enrollmentId: 'enrollment',
  kid: 'key',
};

/** Kinds whose id is the id of the person. */
const ofPeople: ReadonlySet<unknown> = new Set(['identity', 'invitation']);

function recordOf(event: AuditEvent): Omit<AuditRecord, 'id' | 'at' | 'requestId' | 'ipAddress' | 'issuer'> {
  const members: Record<string, unknown> = { ...event };
  const take = (name: string): string | null => {
    const value = members[name];
    delete members[name];
    return typeof value === 'string' ? value : null;
  };
  take('event');
  const action = take('action');
  const byIdentityId = take('byIdentityId');
  const of = take('identityId');
  let entity = take('entity');
  let entityId = take('entityId');
  for (const [member, kind] of Object.entries(entityMembers))
    if (entity === null && typeof members[member] === 'string') [entity, entityId] = [kind, take(member)];
  const identityId = of ?? (ofPeople.has(entity) ? entityId : null);
  return { event: event.event, action, entity, entityId, identityId, byIdentityId, details: members };
}
