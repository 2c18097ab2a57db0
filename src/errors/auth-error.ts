// Failures that have a meaning outside. Anything else that is thrown is a defect and becomes `server_error`.

import type { Challenge } from './challenge.ts';
import { type ErrorCode, type ErrorPageKind, errorCodes } from './codes.ts';

/** One field of a request that was refused. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: string;
  /** The value that was sent; left out for secrets. */
  readonly value?: unknown;
}

/** Told to the holder of a refresh token of ours only. */
export const grantReasons = ['expired', 'revoked', 'reused'] as const;
export type GrantReason = (typeof grantReasons)[number];

/** The subject of a request, and the facts with which an administrator can make it pass. */
export interface Seen {
  /** A name of ours, or `quoted`. */
  readonly subject?: string;
  /** The application as which the request came: its client id, or `quoted` what came in place of one. The log has it too. */
  readonly client?: string;
  /** Further facts, in order. */
  readonly facts?: readonly (readonly [check: string, saw: string])[];
}

export interface AuthErrorOptions {
  /** Replaces the description of the code, for the client; must name no internals and no secret. */
  readonly description?: string;
  /** For the log and for administrators only. */
  readonly detail?: string;
  /** For administrators, under the reference id: the examined facts, by short names. Contains no secret. */
  readonly seen?: Seen;
  readonly cause?: unknown;
  readonly challenges?: readonly Challenge[];
  readonly fields?: readonly FieldProblem[];
  /** Seconds after which another attempt makes sense; null: none does, because what was asked for was done. */
  readonly retryAfterSeconds?: number | null;
  /** Where a person can begin again: a path of ours with its query. */
  readonly startAgain?: string;
  /** Why a grant is no longer good, in a word that stays the same for programs. */
  readonly reason?: GrantReason;
  /** For 405: the methods that the resource has. */
  readonly allow?: readonly string[];
}

/** A failure with a code of the closed list; rendered in one place, http/request/errors.ts. */
export class AuthError extends Error {
  override readonly name: string = 'AuthError';
  readonly code: ErrorCode;
  /** The text for the client. */
  readonly description: string;
  readonly detail: string | undefined;
  seen: Seen | undefined;
  readonly challenges: readonly Challenge[];
  readonly fields: readonly FieldProblem[];
  readonly retryAfterSeconds: number | null | undefined;
  readonly startAgain: string | undefined;
  readonly reason: GrantReason | undefined;
  readonly allow: readonly string[];

  constructor(code: ErrorCode, options: AuthErrorOptions = {}) {
    const description = options.description ?? errorCodes[code].description;
    super(options.detail === undefined ? `${code}: ${description}` : `${code}: ${options.detail}`, {
      cause: options.cause,
    });
    this.code = code;
    this.description = description;
    this.detail = options.detail;
    this.seen = options.seen;
    this.challenges = options.challenges ?? [];
    this.fields = options.fields ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.startAgain = options.startAgain;
    this.reason = options.reason;
    this.allow = options.allow ?? [];
  }
}

/**
 * Does something for an application that has named itself. What is refused then says so to administrators.
 * @param client its id, or `quoted` what came in place of one
 */
export async function recordingClient<T>(client: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AuthError) error.seen = { client, ...error.seen };
    throw error;
  }
}

const decidesNothing: ReadonlySet<ErrorPageKind> = new Set(['outage', 'defect']);

/** Whether an error refuses what its caller sent. A defect or an outage of ours decides nothing. */
export function isRefusal(error: unknown): error is AuthError {
  return error instanceof AuthError && !decidesNothing.has(errorCodes[error.code].page);
}

/** The result of a look-up by id. @throws AuthError not_found   there is none */
export function existing<T>(entity: T | null | false): T {
  if (entity === null || entity === false) throw new AuthError('not_found');
  return entity;
}

/** Where an authorization error may be sent. Only code that has matched the redirect URI builds one. */
export interface ValidatedRedirect {
  readonly redirectUri: string;
  readonly state: string | null;
  /** The `iss` parameter of RFC 9207. */
  readonly issuer: string;
  /** By redirect unless given (OAuth 2.0 Form Post Response Mode). */
  readonly responseMode?: 'form_post';
}

/** An authorization error that goes back to the client by redirect (RFC 6749 4.1.2.1). */
export class AuthorizationError extends AuthError {
  override readonly name = 'AuthorizationError';
  readonly redirect: ValidatedRedirect;

  constructor(code: ErrorCode, redirect: ValidatedRedirect, options: AuthErrorOptions = {}) {
    super(code, options);
    this.redirect = redirect;
  }
}
