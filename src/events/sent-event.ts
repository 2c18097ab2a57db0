// Events as subscribers get them: entries of the audit trail, and refused logins. They contain what an administrator can
// read, without the subject of a login: where it names nobody, it may be a password in the wrong field.

import type { AuditRecord } from '../model/audit-event.ts';
import type { EventKind, SentEvent } from '../model/delivery.ts';
import type { LoginAttempt } from '../model/login-attempt.ts';
import { isoTime } from '../platform/clock.ts';

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
