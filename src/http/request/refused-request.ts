// Traces of a refused request: a line of the log, and the record that administrators find under its reference id if no
// step of a login has written one.

import type { FastifyRequest } from 'fastify';
import type { AuthError, Seen } from '../../errors/auth-error.ts';
import { type ErrorCode, errorCodes } from '../../errors/codes.ts';
import { failedCheckOf } from '../../explain/attempt-log.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AttemptCheck, AttemptLog, RefusedRequest } from '../../model/login-attempt.ts';
import type { RefusalReason } from '../../model/refusal-reason.ts';
import { quoted, shorterThanSecrets } from '../../platform/formats/quoted.ts';
import { unmapped } from '../../platform/network/sources.ts';
import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';

type Attempts = Pick<AttemptLog, 'refused'>;

/** The usual course of a client that asks again, or asks whether a person is logged in. */
const ordinary: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'authorization_pending',
  'slow_down',
  'use_dpop_nonce',
  'login_required',
  'interaction_required',
  'account_selection_required',
]);

/** The request as the router knows it. */
interface SentRequest {
  readonly method: string;
  /** The path of the endpoint, in which parameters have names; none if no endpoint has it. */
  readonly path: string | undefined;
}

/** Records a failed request. @param context null when it was refused before anything about it was known */
export function recordFailure(
  attempts: Attempts,
  failure: AuthError,
  { sent, context, origin }: { sent: SentRequest; context: RequestContext | null; origin: RequestOrigin },
): void {
  const { code, challenges, seen } = failure;
  if (ordinary.has(code) || challenges.some(({ error }) => error === 'use_dpop_nonce')) return;
  attempts.refused(refusedRequest(context, { sent, seen, ...failedCheckOf(failure) }), origin);
}

function refusedRequest(
  context: RequestContext | null,
  of: { sent: SentRequest; reason: RefusalReason; seen: Seen | undefined; check: string; saw: string },
): RefusedRequest {
  const { method, path } = of.sent;
  const { client = null, subject = client, facts = [] } = of.seen ?? {};
  const checks: AttemptCheck[] = [
    {
      check: 'request',
      verdict: 'seen',
      saw: `${method} ${path ?? quoted(context?.path ?? '', shorterThanSecrets)}`,
    },
    { check: of.check, verdict: 'failed', saw: of.saw.slice(0, longestWhy) },
    ...facts.map(([check, saw]) => ({ check, verdict: 'seen', saw }) as const),
  ];
  return { reason: of.reason, identityId: context?.principal?.identityId ?? null, subject, checks };
}

const longestWhy = 500;

/** Records a request that failed. */
export function recordFailedRequest(attempts: Attempts, request: FastifyRequest, failure: AuthError): void {
  const context = (request.overlay as RequestContext | null | undefined) ?? null;
  const { id: requestId, raw } = request;
  // A request that came to no address of ours has no issuer.
  const nowhere = { requestId, ipAddress: unmapped(raw.socket.remoteAddress), issuer: '' };
  const origin = context === null ? nowhere : context.origin;
  recordFailure(attempts, failure, { sent: sentAs(request), context, origin });
}

/** Records an answer of a handler that refuses, unless a step of a login has recorded it. */
export function recordRefusingAnswer(attempts: Attempts, request: FastifyRequest, answer: Answer): void {
  const context = request.overlay as RequestContext;
  const { reason = 'request-refused', identityId, seen } = answer.refusal ?? {};
  const of = { sent: sentAs(request), reason, seen, check: 'status', saw: String(answer.status) };
  const refused = refusedRequest(context, of);
  attempts.refused(identityId === undefined ? refused : { ...refused, identityId }, context.origin);
}

function sentAs(request: FastifyRequest): SentRequest {
  return { method: request.method, path: request.is404 ? undefined : request.routeOptions.url };
}

/** The fields of the log line about a failed request. */
export function fieldsOf(failure: AuthError, { id, method, overlay }: FastifyRequest) {
  const context = overlay as RequestContext | null | undefined;
  return {
    requestId: id,
    traceId: context?.trace?.traceId,
    method,
    path: context?.path,
    remoteAddress: context?.remoteAddress,
    errorCode: failure.code,
    status: errorCodes[failure.code].status,
    client: failure.seen?.client,
    detail: failure.detail,
  };
}
