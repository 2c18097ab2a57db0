// Decision records: each step of a login records its checks, their findings and the check that refused. Records are
// written after the answer, many at a time, and are bounded, so that strangers cannot fill the disk.

import { AuthError, isRefusal } from '../errors/auth-error.ts';
import { type ErrorPageKind, errorCodes } from '../errors/codes.ts';
import { eventsOfAttempt, type Subscribers } from '../events/subscribers.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { AttemptLog, LoginAttempt, StepToDecide } from '../model/login-attempt.ts';
import { type NotedRecord, notedRecord } from '../model/noted-record.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import { recentMap } from '../platform/caches.ts';
import type { Clock } from '../platform/clock.ts';
import { quoted } from '../platform/formats/quoted.ts';
import type { Logger } from '../platform/log/logger.ts';
import type { Random } from '../platform/random.ts';
import type { LoginAttemptStore } from '../store/contracts/login-attempts.ts';
import { hourlyShare } from './hourly-share.ts';

/** How many records may wait to be written. Only a flood exceeds this, and the excess is dropped. */
const longestQueue = 1000;
const writeAfter = 50;
const longestText = 200;
const mostChecks = 30;

/** A finished step of a login, with the id of its record. */
export interface ConcludedAttempt extends LoginAttempt {
  readonly id: string;
}

export interface RunningAttemptLog extends AttemptLog {
  /** Takes in what another thread has recorded. */
  keep(attempt: ConcludedAttempt): void;
  /** Resolves when every concluded record is in the store. */
  flush(): Promise<void>;
  /** For metrics. `dropped` counts since the start. */
  queue(): { readonly waiting: number; readonly dropped: number };
}

/**
 * @param keepAtMost records, by the configuration in use; beyond that the source with most loses the oldest. They are
 *                   counted now and then: until the next count, each node may exceed the limit by one in a hundred
 */
export function attemptLog(
  needs: {
    readonly store: { readonly loginAttempts: LoginAttemptStore };
    readonly clock: Clock;
    readonly random: Random;
    readonly log: Logger;
    readonly subscribers: Pick<Subscribers, 'deliveriesOf'>;
  },
  keepAtMost: () => number,
): RunningAttemptLog {
  const hasRoomForStranger = hourlyShare(needs.clock);
  const hasRoomForRequest = refusedRequestShares(needs.clock);
  let dropped = 0;
  let waiting: ConcludedAttempt[] = [];
  let writing: Promise<void> = Promise.resolve();
  const countEvery = () => Math.min(1000, Math.ceil(keepAtMost() / 100));
  // Nothing is known yet about existing records.
  let uncounted = countEvery();
  let timer: NodeJS.Timeout | undefined;

  /** Takes what waits only when its turn comes: what is behind a slow write counts as waiting. */
  async function writeWaiting(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const attempts = waiting;
    waiting = [];
    if (attempts.length === 0) return;
    uncounted += attempts.length;
    const isToBeCounted = uncounted >= countEvery();
    if (isToBeCounted) uncounted = 0;
    try {
      const queued = await needs.subscribers.deliveriesOf(attempts.flatMap(eventsOfAttempt));
      await needs.store.loginAttempts.append(attempts, isToBeCounted ? keepAtMost() : null, queued);
    } catch (error) {
      needs.log.error('decision records could not be kept', { count: attempts.length, error });
    }
  }

  function write(): Promise<void> {
    writing = writing.then(writeWaiting);
    return writing;
  }

  function keep(attempt: ConcludedAttempt): void {
    if (waiting.length >= longestQueue || !hasRoomFor(attempt)) {
      dropped += 1;
      return;
    }
    waiting.push(attempt);
    timer ??= setTimeout(() => void write(), writeAfter).unref();
  }

  function hasRoomFor(attempt: ConcludedAttempt): boolean {
    if (attempt.mechanism === 'request') return hasRoomForRequest(attempt);
    const isOfUnknownIdentity = attempt.identityId === null && attempt.reason !== null;
    return !isOfUnknownIdentity || hasRoomForStranger(attempt.ipAddress);
  }

  return {
    ...recordedAttempts(needs, keep),
    keep,
    flush: write,
    queue: () => ({ waiting: waiting.length, dropped }),
  };
}

/** The share of one kind of refused request in an hour, as in `hourlyShare`. Authenticated callers count too. */
const requestsOfHour = [
  { most: 2000, share: 10 },
  { most: 500, share: 90 },
];

/** Each reason has its own room: requests of one kind take none from another. */
function refusedRequestShares(clock: Clock): (attempt: ConcludedAttempt) => boolean {
  const rooms = new Map<LoginAttempt['reason'], ReturnType<typeof hourlyShare>>();
  return ({ reason, identityId, ipAddress }) => {
    const room = rooms.get(reason) ?? hourlyShare(clock, requestsOfHour);
    rooms.set(reason, room);
    return room(identityId ?? ipAddress);
  };
}

const reasons: Readonly<Record<ErrorPageKind, RefusalReason>> = {
  malformed: 'request-refused',
  invalid_client: 'unknown-client',
  client_not_allowed: 'client-not-allowed',
  redirect_uri_not_registered: 'redirect-uri-unknown',
  forbidden: 'not-permitted',
  invalid_auth: 'not-permitted',
  invalid_totp_code: 'wrong-code',
  invalid_passkey: 'passkey-unreadable',
  passkey_required: 'passkey-required',
  password_change_required: 'password-change-required',
  changed: 'conflict',
  auth_request_unknown: 'sign-in-expired',
  notFound: 'nothing-there',
  rate_limited: 'throttled',
  outage: 'server-unavailable',
  defect: 'server-failed',
};

/** A refusal as a failed check: its code is the name, and the kind of its page the reason. */
export function failedCheckOf({ code, detail, description, fields }: AuthError) {
  // Values are those of the caller and may be secret. Names and reasons are ours.
  const named = fields.map(({ field, reason }) => `${quoted(field)} ${reason}`);
  return {
    check: code,
    reason: reasons[errorCodes[code].page],
    saw: [detail ?? description, ...named].join('; '),
  };
}

/** The requests under way of which a step was refused. One that breaks off is forgotten. */
const refusedUnderWay = 1000;

/** Records the steps of logins. @param keep called with each finished step */
export function recordedAttempts(
  needs: { readonly clock: Clock; readonly random: Random },
  keep: (attempt: ConcludedAttempt) => void,
): AttemptLog {
  const recorded = recentMap<string, true>(refusedUnderWay);
  const record = (
    { requestId: reference, ipAddress, issuer }: RequestOrigin,
    seen: Pick<LoginAttempt, 'step' | 'mechanism' | 'reason' | 'identityId' | 'subject' | 'checks'>,
  ) => {
    const outcome = seen.reason === null ? 'passed' : 'refused';
    const at = needs.clock.now();
    keep({ id: needs.random.id(), reference, at, outcome, ...seen, ipAddress, issuer });
  };
  const conclude = ({ step, mechanism, origin }: StepToDecide, notes: NotedRecord) => {
    const { reason, identityId } = notes;
    if (reason !== null) recorded.set(origin.requestId, true);
    const subject = notes.subject && short(notes.subject);
    const checks = notes.checks
      .slice(0, mostChecks)
      .map(({ saw, ...check }) => ({ ...check, saw: saw && short(saw) }));
    record(origin, { step, mechanism, reason, identityId, subject, checks });
  };
  return {
    async decide(step, decide) {
      const notes = notedRecord();
      try {
        const result = await decide(notes);
        if (result.verdict === 'refused') noteRefusal(notes, new AuthError('invalid_auth'));
        if (result.verdict !== 'unrecorded') conclude(step, notes);
        return result;
      } catch (error) {
        // A flood of throttled steps, of which nothing was checked, would displace the others.
        if (isRefusal(error) && (error.code !== 'rate_limited' || notes.reason !== null)) {
          noteRefusal(notes, error);
          conclude(step, notes);
        }
        throw error;
      }
    },
    refuse(step, who, ...why) {
      const notes = notedRecord();
      notes.about(who);
      notes.failed(...why);
      conclude(step, notes);
    },
    refused(refusal, origin) {
      if (recorded.peek(origin.requestId) === undefined)
        record(origin, { step: 'request', mechanism: 'request', ...refusal });
    },
  };
}

/** Notes a refusal, unless a check has failed that says more. */
function noteRefusal(notes: NotedRecord, error: AuthError): void {
  const { check, reason, saw } = failedCheckOf(error);
  if (notes.reason === null) notes.failed(check, reason, saw);
}

function short(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}
