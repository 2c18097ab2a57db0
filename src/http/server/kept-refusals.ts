// What is kept of a refused request: a line of the log, and the record that administrators find under its reference id.

import type { FastifyRequest } from 'fastify';
import type { AuthError } from '../../errors/auth-error.ts';
import { errorCodes } from '../../errors/codes.ts';
import type { AttemptLog } from '../../model/login-attempt.ts';
import type { Answer } from '../request/answer.ts';
import { recordAnsweredRefusal, recordFailure, type SentRequest } from '../request/refused-request.ts';
import { originOf, type RequestContext } from '../request/request-context.ts';

type Attempts = Pick<AttemptLog, 'refused'>;

/** Records a request that failed. */
export function recordFailedRequest(attempts: Attempts, request: FastifyRequest, failure: AuthError): void {
  const context = (request.overlay as RequestContext | null | undefined) ?? null;
  const { id: requestId, raw } = request;
  // A request that came to no address of ours has no issuer.
  const nowhere = { requestId, ipAddress: raw.socket.remoteAddress ?? '', issuer: '' };
  const origin = context === null ? nowhere : originOf(context);
  recordFailure(attempts, failure, { sent: sentAs(request), context, origin });
}

/** Records the answer of a handler that refuses. */
export function recordRefusingAnswer(attempts: Attempts, request: FastifyRequest, answer: Answer): void {
  const { status, refusal } = answer;
  const refused = { sent: sentAs(request), status, refusal };
  recordAnsweredRefusal(attempts, request.overlay as RequestContext, refused);
}

function sentAs(request: FastifyRequest): SentRequest {
  return { method: request.method, path: request.is404 ? undefined : request.routeOptions.url };
}

/** What a line of the log says of a failed request. */
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
    detail: failure.detail,
  };
}
