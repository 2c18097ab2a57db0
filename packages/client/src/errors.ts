// Everything that this library throws deliberately. `kind` distinguishes the classes where `instanceof` cannot, such as
// between two copies of the package.

import { type Challenge, parseChallenges } from './api/challenge.ts';
import { membersIn, membersOf, textOf } from './json-members.ts';

/** The server answered, and refused. */
export class Refusal extends Error {
  readonly kind = 'refused';
  readonly status: number;
  /** `INVALID_AUTH`, `invalid_grant`, …: stable, unlike the message. Empty if the answer has none. */
  readonly code: string;
  /** The refused field, if the server names one. */
  readonly field: string | undefined;
  /** Why a field was refused, or why a refresh token no longer works. */
  readonly reason: string | undefined;
  /** The reference id: to show, to log, and for an administrator to look up. */
  readonly requestId: string | undefined;
  /** What a 401 requires. */
  readonly challenges: readonly Challenge[];
  /** How long to wait before trying again; for 429 and 503. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, about: RefusalDetails) {
    super(message);
    this.name = 'Refusal';
    this.status = about.status;
    this.code = about.code;
    this.field = about.field;
    this.reason = about.reason;
    this.requestId = about.requestId;
    this.challenges = about.challenges ?? [];
    this.retryAfterSeconds = about.retryAfterSeconds;
  }
}

export interface RefusalDetails {
  readonly status: number;
  readonly code: string;
  readonly field?: string | undefined;
  readonly reason?: string | undefined;
  readonly requestId?: string | undefined;
  readonly challenges?: readonly Challenge[];
  readonly retryAfterSeconds?: number | undefined;
}

/** What is wrong: in each case a server, or an attacker in between, violates the protocol. */
export type ProtocolProblem =
  | 'not_https'
  | 'discovery_failed'
  | 'issuer_mismatch'
  | 'endpoint_elsewhere'
  | 'redirect_elsewhere'
  | 'state_mismatch'
  | 'code_missing'
  | 'id_token_invalid'
  | 'subject_changed'
  | 'answer_too_large'
  | 'answer_invalid';

/** This library refused the answer and used none of it. */
export class ProtocolError extends Error {
  readonly kind = 'protocol';
  readonly code: ProtocolProblem;

  constructor(code: ProtocolProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'ProtocolError';
    this.code = code;
  }
}

/** There was no answer: no connection, no name, no trust, or a timeout. See the cause. */
export class Unreachable extends Error {
  readonly kind = 'unreachable';
  /** The server that did not answer. */
  readonly origin: string;

  constructor(origin: string, cause: unknown) {
    super(`${origin} cannot be reached`, { cause });
    this.name = 'Unreachable';
    this.origin = origin;
  }
}

/** There is no session to continue: only a new login helps. */
export class SessionEnded extends Error {
  readonly kind = 'session-ended';
  readonly reason: SessionEnd;
  /** The reference id of the refusal, if a server refused. */
  readonly requestId: string | undefined;

  constructor(reason: SessionEnd, requestId?: string) {
    super(sessionEnds[reason]);
    this.name = 'SessionEnded';
    this.reason = reason;
    this.requestId = requestId;
  }
}

const sessionEnds = {
  'not-logged-in': 'There is no login.',
  refused: 'The session has ended: the server does not renew it.',
  'answer-refused': 'The session has ended: the answer to its renewal could not be used.',
  expired: 'The access token has ended, and there is no refresh token.',
  'logged-out': 'The session has ended: somebody has logged out.',
  'ended-elsewhere': 'The session has ended in another tab or program.',
} as const;

/** Why a session has ended. */
export type SessionEnd = keyof typeof sessionEnds;

/** Whether a status says that the server cannot answer right now, and nothing about the request. */
export function isTemporary(status: number): boolean {
  return status >= 500 || status === 429;
}

/** Whether the server is unavailable, which says nothing about what it was asked. */
export function isOutage(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Refusal && isTemporary(error.status));
}

/** The refusal in an answer of any endpoint: the envelope of the Edge APIs, or the error of OAuth. Reads the body. */
export async function refusalOf(response: Response): Promise<Refusal> {
  return refusalIn(response, await membersIn(response));
}

/** The same for a body that was read already. */
export function refusalIn(
  { status, headers }: { readonly status: number; readonly headers: Pick<Headers, 'get'> },
  body: unknown,
): Refusal {
  const { error, error_description: description, reason } = membersOf(body);
  const wait = Number(headers.get('retry-after') ?? Number.NaN);
  const common = {
    status,
    challenges: parseChallenges(headers.get('www-authenticate')),
    retryAfterSeconds: Number.isFinite(wait) ? wait : undefined,
  };
  const reference = headers.get('x-request-id') ?? undefined;
  if (typeof error === 'string') {
    const message = textOf(description) ?? error;
    return new Refusal(message, { ...common, code: error, reason: textOf(reason), requestId: reference });
  }
  const envelope = membersOf(error);
  const cause = membersOf(envelope.cause);
  return new Refusal(textOf(envelope.message) ?? `The server answered with status ${status}`, {
    ...common,
    code: textOf(envelope.code) ?? '',
    field: textOf(cause.field),
    reason: textOf(cause.reason) ?? textOf(cause.message),
    requestId: textOf(envelope.requestId) ?? reference,
  });
}
