// Mounts declared endpoints on the HTTP framework. Everything that applies to all of them happens here, in the order
// sender, Host, origin, media type of the answer, guard, body, guard again, handler; and every failure ends in one place.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthError } from '../../errors/auth-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import type { KeptAuditTrail } from '../../model/audit-event.ts';
import type { AttemptLog } from '../../model/login-attempt.ts';
import type { Principal } from '../../model/principal.ts';
import type { Clock, Millis } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log/logger.ts';
import type { SampledLines } from '../../platform/log/sampled-lines.ts';
import type { SourceLoad } from '../../platform/network/sources.ts';
import type { Random } from '../../platform/random.ts';
import type { TracingInUse } from '../../platform/tracing.ts';
import type { Authenticate, ClockJudge } from '../../sessions/authenticate-request.ts';
import type { FollowedFeed } from '../../sessions/follow-feed.ts';
import { CallerRefused } from '../../store/contracts/store.ts';
import type { DpopNonces } from '../../tokens/dpop-nonce.ts';
import type { Views } from '../pages/views.ts';
import { type Answer, htmlType, isInParts, isUnacceptable, redirect, sendAnswer } from '../request/answer.ts';
import { type Admission, requestBeginner, type ServerScope } from '../request/begin-request.ts';
import { bodyLimitOf, bodyTypesOf, readBody, readQuery, takeFormToken, validate } from '../request/body.ts';
import { type ApplicationOrigins, preflightHeaders } from '../request/cors.ts';
import { type ErrorFormat, errorAnswer } from '../request/error-answers.ts';
import { asAuthError, tooMuchLoad } from '../request/errors.ts';
import { callerJudge, callerRefusal } from '../request/guard.ts';
import { fieldsOf, recordFailedRequest, recordRefusingAnswer } from '../request/refused-request.ts';
import { languageOf, type RequestContext } from '../request/request-context.ts';
import { type Api, countsAgainstSource, type Input, mediaTypesOf, type Route } from '../request/route.ts';
import { deprecationHeaders } from '../request/security-headers.ts';
import { mayChangeSomething } from '../request/sender.ts';
import { afterItsBody, gatherBody, inviteBody } from './body-on-its-way.ts';
import { connectionEndsRead } from './connections.ts';
import { type RoutesOfPath, routesByPath } from './routes-of-path.ts';

/** `none`: no endpoint has the path. */
type AnsweredApi = Api | 'none';

/** The services of all requests, which do not depend on the configuration. */
export interface ListenerServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly audit: KeptAuditTrail;
  /** Every refusal that shows a reference id is found under it. */
  readonly attempts: Pick<AttemptLog, 'refused'>;
  /** For lines that anybody can cause. */
  readonly strangersLog: SampledLines;
  /** For lines that callers can cause. */
  readonly callersLog: SampledLines;
  readonly authenticate: Authenticate;
  /** The nonces that the next DPoP proof of a client may contain. */
  readonly nonces: Pick<DpopNonces, 'current'>;
  readonly clockWatch: ClockJudge;
  readonly feed: Pick<FollowedFeed, 'hasStoodStill' | 'beFresh'>;
  /** Origins of registered applications; none if absent. */
  readonly applicationOrigins?: ApplicationOrigins | undefined;
  readonly tracing?: TracingInUse | undefined;
  /** Called with every answer. */
  readonly onAnswer?: (api: AnsweredApi, status: number, duration: Millis) => void;
  /** Called with every answer of an endpoint, so that a test can compare it with the declaration. */
  readonly inspectAnswer?: AnswerInspector;
}

/** The same, for one server and its configuration. */
export interface ServerServices extends ListenerServices {
  readonly newReferenceId: () => string;
  /** How pages look for the visitor. */
  readonly views: Views;
  readonly scope: ServerScope;
  readonly load: SourceLoad;
}

export type AnswerInspector = (route: Route, answer: Answer) => void;

export function mountRoutes(app: FastifyInstance, needs: ServerServices, routes: readonly Route[]): void {
  app.decorateRequest('overlay', null);
  // Bodies stay bytes until the endpoint decides their type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, body, done) =>
    gatherBody(body, request.routeOptions.bodyLimit, done),
  );

  const deprecation = deprecationHeaders(routes.some(({ path }) => path === '/oidc/authorization'));
  for (const route of routes) mountRoute(app, { ...needs, deprecation }, route);

  const unknownPath = failureHandler(needs, { format: 'html-or-edge', api: 'none' });
  app.setErrorHandler(unknownPath);
  app.setNotFoundHandler((request, reply) => unknownPath(new AuthError('not_found'), request, reply));
  // Once the caller has been admitted.
  app.addHook('preParsing', (request, reply, ...[body, done]) => {
    inviteBody(request.raw, reply.raw, request.routeOptions.bodyLimit);
    done(null, body);
  });
  const routesOf = routesByPath(routes);
  // Before a body is read.
  app.addHook('onRequest', (request, reply, done) => {
    // If the path of a word lacks the method, the router takes the word for a parameter.
    const isSure = !request.is404 && Object.keys(request.params as object).length === 0;
    const known = isSure ? undefined : routesOf(request.raw.url ?? '');
    const isThere = known?.some(({ methods }) => (methods as readonly string[]).includes(request.method));
    if (known === undefined || isThere === true) done();
    else otherMethodAnswer(needs, known)(request, reply);
  });
}

type FailureHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Renders any thrown value. Refusals are ordinary and logged as such; only defects are errors.
 * @param failing.api of the endpoint; `none` where there is none
 * @param failing.route whose declaration must contain the refusal; none if the method or the path is wrong
 */
export function failureHandler(
  needs: ServerServices,
  failing: { format: ErrorFormat; api: AnsweredApi; route?: Route },
): FailureHandler {
  const { clock, scope, log, load } = needs;
  const { format, api, route } = failing;
  const begin = requestBeginner(clock, scope, admissionOf(api, route));
  return (thrown, request, reply) => {
    // The client stopped while sending: it reads no answer, and nothing has failed.
    const isBrokenOff = thrown !== null && thrown === request.raw.errored;
    let failure = isBrokenOff
      ? new AuthError('invalid_request', { cause: thrown })
      : thrown instanceof CallerRefused
        ? callerRefusal(thrown, request.overlay?.principal ?? null)
        : asAuthError(thrown, request.headers['content-type'], bodyTypesOf(route ?? {}));
    if (!request.overlay) {
      // A request that failed before any hook ran. If its Host is not ours, that is the better reason.
      try {
        begin(request, reply);
      } catch (error) {
        failure = asAuthError(error);
      }
    }
    const context = request.overlay as RequestContext | null | undefined;
    // Sent when the headers came, for a session that ended before the body did.
    if (failure.code === 'unauthorized') reply.removeHeader('expires-at').removeHeader('expiration-seconds');
    const fields = fieldsOf(failure, request);
    if (failure.code === 'server_error') {
      log.error('request failed', { ...fields, error: failure.cause ?? failure });
    } else {
      const lines = context?.principal == null ? needs.strangersLog : needs.callersLog;
      lines.write({ level: 'info', kind: failure.code, message: 'request refused', fields });
    }
    recordFailedRequest(needs.attempts, request, failure);
    // A refusal costs something too. The cheapest form of it costs least.
    const isSpent = context?.principal === null && !load.count(context.remoteAddress);
    const answer = errorAnswer(failure, format, {
      requestId: request.id,
      traceId: context?.trace?.traceId,
      accept: isSpent ? undefined : request.headers.accept,
      language: languageOf(request),
      view: () => needs.views(context ?? { headers: {}, queryText: '', sender: null }),
      loginPage: context?.loginPage ?? null,
      usedBasic: context?.usedBasic ?? false,
    });
    if (route !== undefined) needs.inspectAnswer?.(route, answer);
    const finish = finisher(needs, { api, errorCode: failure.code });
    const send = () => finish(request, reply, answer);
    if (failure.code === 'payload_too_large') afterItsBody(request.raw, send);
    else send();
  };
}

function mountRoute(
  app: FastifyInstance,
  needs: ServerServices & { readonly deprecation: ReturnType<typeof deprecationHeaders> },
  route: Route,
): void {
  const { clock, scope, load, audit, deprecation } = needs;
  const begin = requestBeginner(clock, scope, admissionOf(route.api, route));
  const judge = callerJudge(needs, route);
  const finish = finisher(needs, { api: route.api });
  const produces = mediaTypesOf(route);
  const isCounted = countsAgainstSource(route);
  // Reading has no body to wait for.
  const isJudgedAgain =
    route.guard !== 'anonymous' && (route.takesFormToken === true || !route.methods.includes('GET'));
  const isGivenBack = (method: string) =>
    route.load === 'counted-unless-proven' && mayChangeSomething(method);
  function succeed(request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
    needs.inspectAnswer?.(route, answer);
    if (isGivenBack(request.method) && answer.status < 400 && request.overlay?.hasProven !== false)
      load.giveBack(request.raw.socket.remoteAddress ?? '');
    if (answer.status >= 400 && isForPeopleOrPrograms(route.api))
      recordRefusingAnswer(needs.attempts, request, answer);
    finish(request, reply, answer);
  }
  app.route({
    method: [...route.methods],
    url: route.path,
    bodyLimit: bodyLimitOf(route),
    errorHandler: failureHandler(needs, { format: route.errors, api: route.api, route }),
    onRequest(request, reply, done) {
      let admitted: Promise<void> | undefined;
      try {
        const context = begin(request, reply);
        if (route.isDeprecated || context.ztSession !== undefined) reply.headers(deprecation);
        if (request.headers.dpop !== undefined) reply.headers(expectProof(needs, route, request));
        if (isUnacceptable(request.headers.accept, produces)) throw new AuthError('not_acceptable');
        if (isCounted && !load.count(context.remoteAddress)) throw tooMuchLoad();
        if (route.guard !== 'anonymous' && !waitsForForm(route, context))
          admitted = traced(context, () => judge(context, reply));
      } catch (error) {
        return done(error as Error);
      }
      // A request that was given up and sent elsewhere meanwhile never reaches its handler.
      const awake = upToDate(needs, route, request.method);
      if (awake !== undefined) admitted = Promise.all([awake, admitted]).then(() => undefined);
      if (admitted === undefined) done();
      else admitted.then(() => done(), done);
    },
    handler(request, reply) {
      const context = request.overlay as RequestContext;
      return traced(context, () => answerRequest(context, request, reply));
    },
  });

  function answerRequest(context: RequestContext, request: FastifyRequest, reply: FastifyReply) {
    if (request.raw.errored !== null) throw request.raw.errored;
    // A client may take its time with the body. What was taken from the caller meanwhile counts.
    if (route.takesFormToken === true) takeFormToken(context);
    const judged = isJudgedAgain ? judge(context, reply) : undefined;
    const run = () => {
      const input = inputOf(route, context);
      const isForeign = context.sender.kind === 'foreign-page' && mayChangeSomething(context.method);
      if (isForeign && route.acceptsForeignPages !== undefined) return asLink(context, input);
      const handle = () => route.handler(context, input);
      const announced = announceChange(audit, route, context);
      return announced === undefined ? handle() : announced.then(handle).then(whenKept(audit));
    };
    const answer = judged === undefined ? run() : judged.then(run);
    if (!(answer instanceof Promise)) {
      succeed(request, reply, answer);
      return undefined;
    }
    return answer.then((settled) => {
      succeed(request, reply, settled);
      // A body sent in parts has not begun yet, and the framework must not end it.
      return isInParts(settled.body) ? reply : undefined;
    });
  }
}

/** For a request with a DPoP header: the nonce for the next proof, and the request that this proof is about. */
function expectProof({ nonces }: ServerServices, { answersProxies }: Route, request: FastifyRequest) {
  const context = request.overlay as RequestContext;
  if (answersProxies === true) context.proveForProxy();
  return { 'dpop-nonce': nonces.current(context.receivedAt) };
}

/** See `acceptsForeignPages`. */
function asLink({ path }: RequestContext, { query, body }: Input<unknown, unknown, unknown>): Answer {
  const fields = [query, body].flatMap((sent) => Object.entries(sent ?? {}));
  const pairs = fields.flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return redirect(`${path}?${new URLSearchParams(pairs)}`, { status: 303 });
}

/** If this process has just been suspended: resolves when it is up to date, rejects when it must not act. */
function upToDate(
  { clockWatch, feed }: ServerServices,
  route: Route,
  method: string,
): Promise<void> | undefined {
  const isRead = method === 'GET';
  // A GET may act too: it gives a signed-in browser its code, takes the answer of a provider, or ends a session.
  const isDecided = !isRead || (countsAgainstSource(route) && isForPeopleOrPrograms(route.api));
  if (isDecided && clockWatch.isWrong) return Promise.reject(clockWatch.refusal());
  return !isRead && feed.hasStoodStill
    ? feed.beFresh().then(connectionEndsRead, connectionEndsRead)
    : undefined;
}

/** Calls that the request causes are part of its trace. */
function traced<T>({ trace }: RequestContext, work: () => T): T {
  return trace === null ? work() : trace.run(work);
}

/** Whether the token may still come with the body, because there is none in the headers. */
function waitsForForm({ takesFormToken }: Route, context: RequestContext): boolean {
  return takesFormToken === true && context.method === 'POST' && context.authorization.length === 0;
}

function finisher(
  { clock, log, onAnswer }: Pick<ListenerServices, 'clock' | 'log' | 'onAnswer'>,
  { api, errorCode }: { api: AnsweredApi; errorCode?: ErrorCode },
) {
  return (request: FastifyRequest, reply: FastifyReply, answer: Answer): void => {
    const { overlay: context } = request;
    if (context && !reply.sent) {
      onAnswer?.(api, answer.status, clock.monotonic() - context.startedAt);
      context.trace?.end({
        method: request.method,
        route: api === 'none' ? undefined : request.routeOptions.url,
        status: answer.status,
        errorCode,
      });
    }
    // No page of another origin chooses who is signed in here.
    const isForeign = context?.sender.kind === 'foreign-page';
    sendAnswer(request, reply, isForeign ? withoutCookies(answer) : answer)?.catch((thrown: unknown) => {
      // Its head was sent: all that can still be done is to say so here.
      const failure = asAuthError(thrown);
      const fields = { ...fieldsOf(failure, request), status: answer.status };
      const level = failure.code === 'server_error' ? 'error' : 'info';
      log[level]('answer broken off', { ...fields, error: failure.cause ?? failure });
    });
  };
}

function withoutCookies(answer: Answer): Answer {
  const { 'set-cookie': _, ...headers } = answer.headers;
  return { ...answer, headers };
}

/**
 * Records an administrator's change before it is made. A change that cannot be recorded is refused.
 * @returns undefined if nothing is changed, or not by an administrator
 * @throws AuthError unavailable
 */
function announceChange(audit: KeptAuditTrail, { guard }: Route, context: RequestContext) {
  if (guard !== 'admin' || !mayChangeSomething(context.method)) return undefined;
  const request = `${context.method} ${context.path}`;
  const byIdentityId = (context.principal as Principal).identityId;
  audit.record({ event: 'admin.requested', request, byIdentityId }, context.origin);
  return audit.written().then((isWritten) => {
    if (isWritten) return;
    throw new AuthError('unavailable', {
      description:
        'The audit trail cannot be written, so nothing is changed: make room for the log, or let its pipe be read, then try again',
    });
  });
}

/**
 * Answers an administrator's change only once the list of audit events contains it.
 * @throws AuthError unavailable
 */
function whenKept(audit: KeptAuditTrail) {
  return async (answer: Answer): Promise<Answer> => {
    if (await audit.kept()) return answer;
    throw new AuthError('unavailable', {
      description: 'The change was made and is in the log, but the list of audit events could not be written',
      retryAfterSeconds: null,
    });
  };
}

function inputOf(route: Route, context: RequestContext): Input<unknown, unknown, unknown> {
  return {
    body: route.body === undefined ? undefined : readBody(context, route.body),
    query: route.query === undefined ? undefined : readQuery(context.queryText, route.query),
    params: route.params === undefined ? undefined : validate(context.params, route.params),
  };
}

/** Refuses a method that a path does not have, and answers OPTIONS, which browsers send first. */
function otherMethodAnswer(needs: ServerServices, routes: RoutesOfPath) {
  const [first] = routes;
  // Pages of other sites may ask here whether they may read. They send nothing else.
  const admission = { ...admissionOf(first.api, first), acceptsForeignPages: false };
  const has = routes.flatMap((route) => route.methods);
  const answersPreflight = first.refusesPreflight !== true;
  const allow = answersPreflight ? [...has, 'OPTIONS'] : has;
  return (request: FastifyRequest, reply: FastifyReply) => {
    try {
      requestBeginner(needs.clock, needs.scope, admission)(request, reply);
      if (request.method !== 'OPTIONS' || !answersPreflight)
        throw new AuthError('method_not_allowed', { allow });
    } catch (error) {
      return failureHandler(needs, { format: first.errors, api: first.api })(error, request, reply);
    }
    const isAllowed = reply.hasHeader('access-control-allow-origin');
    const headers = { allow: allow.join(', '), ...(isAllowed ? preflightHeaders : {}) };
    finisher(needs, { api: first.api })(request, reply, { status: 204, headers, body: null });
  };
}

/** Not for what watches the service. */
function isForPeopleOrPrograms(api: AnsweredApi): boolean {
  return api !== 'health' && api !== 'metrics';
}

/** @param route none if the method or the path is wrong */
function admissionOf(api: AnsweredApi, route?: Route): Admission {
  const needsHost = isForPeopleOrPrograms(api);
  return {
    needsHost,
    isTraced: needsHost,
    acceptsForeignPages: route?.acceptsForeignPages !== undefined,
    answersWithPage: route !== undefined && mediaTypesOf(route)[0] === htmlType,
    isReadableByAll: route?.readableByAll === true,
    // The steps of a login are for our own pages and for those at configured addresses.
    isForApplications: api === 'oidc' && route !== undefined && !route.path.startsWith('/oidc/login/'),
  };
}
