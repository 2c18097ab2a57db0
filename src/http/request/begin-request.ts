// How every request begins: who sends it, its context, the headers of its answer, Host, and what foreign pages may not.

import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BindPoint, Listener } from '../../config/config.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RequestTrace, Tracing, TracingInUse } from '../../platform/tracing.ts';
import { type ApplicationOrigins, corsHeaders, type OriginCheck } from './cors.ts';
import { RequestContext } from './request-context.ts';
import { securityHeaders, strictTransport } from './security-headers.ts';
import { mayChangeSomething, Sender } from './sender.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the request has begun; undefined where the framework made the request without its decorations. */
    overlay: RequestContext | null | undefined;
  }
}

/** A bind point that accepts connections, with its real port. */
export interface OpenBindPoint {
  readonly bindPoint: BindPoint;
  /** Of its own pages. */
  readonly ownOrigin: string;
  readonly isAllowedOrigin: OriginCheck;
  /** Whether browsers are told to use https only. */
  readonly isHttpsOnly: boolean;
}

/** The configuration of one server (one interface of a listener). */
export interface ServerScope {
  readonly listener: Listener;
  /** By the Host header in lower case; filled once the port is known. */
  readonly byHost: ReadonlyMap<string, OpenBindPoint>;
  /** Used where no Host is required. */
  readonly fallback: OpenBindPoint;
  /** True while shutting down: every answer closes its connection. */
  readonly isDraining: boolean;
  readonly applicationOrigins?: ApplicationOrigins | undefined;
  readonly tracing?: TracingInUse | undefined;
}

/** A request with more header lines is refused. */
export const mostHeaders = 100;
const mostAuthorizationLines = 3;
const noAuthorization: readonly string[] = [];

const commonHeaders = { ...securityHeaders, vary: 'origin' };

/** The count of each header's lines, which Node's own header object does not show. */
type Lines = ReturnType<typeof countLines>;

/** Exceptions of an endpoint from the usual rules of admission. */
export interface Admission {
  /** False for endpoints that serve internal machines, which may use any address. */
  readonly needsHost: boolean;
  /** Whether pages of other sites may send requests that could change something. */
  readonly acceptsForeignPages: boolean;
  /** Whether the answer is a page for everybody. */
  readonly answersWithPage: boolean;
  /** Whether the scripts of every site may read the answers. */
  readonly isReadableByAll: boolean;
  /** Whether scripts of all registered applications may call it. */
  readonly isForApplications: boolean;
  /** False for what machines request all the time. */
  readonly isTraced: boolean;
}

/**
 * Begins a request: makes the context, and sets the headers that every answer has. Must run before anything else reads
 * the request; a second call returns the same context.
 * @throws AuthError after the context is made, so that the refusal has headers and a reference id too
 */
export function requestBeginner(
  clock: Clock,
  scope: ServerScope,
  {
    needsHost,
    acceptsForeignPages,
    answersWithPage,
    isReadableByAll,
    isForApplications,
    isTraced,
  }: Admission,
): (request: FastifyRequest, reply: FastifyReply) => RequestContext {
  return (request, reply) => {
    if (request.overlay) return request.overlay;
    const { raw } = request;
    const lines = countLines(raw.rawHeaders);
    const host = raw.headers.host;
    const found = host === undefined ? undefined : openBindPointOf(scope, host);
    const { bindPoint, ownOrigin, isAllowedOrigin } = found ?? scope.fallback;
    const sender = new Sender(raw, ownOrigin);
    const { origin } = sender;
    const isAllowed =
      origin !== undefined &&
      (isAllowedOrigin(origin) || scope.applicationOrigins?.(origin, isForApplications) === true);
    const context = new RequestContext(request, {
      receivedAt: clock.now(),
      startedAt: clock.monotonic(),
      listener: scope.listener,
      bindPoint,
      sender,
      authorization: lines.authorization,
    });
    request.overlay = context;
    const tracing = scope.tracing?.current;
    if (isTraced && tracing != null) context.trace = beginTrace(tracing, request);

    reply.headers(commonHeaders);
    if (found?.isHttpsOnly === true) reply.headers(strictTransport);
    reply.header('x-request-id', request.id);
    if (scope.isDraining) reply.header('connection', 'close');
    // An answer that does not come from a bind point may not be read by pages, so it names no origin either.
    if (found !== undefined && isReadableByAll) reply.headers(corsHeaders('*'));
    else if (isAllowed && found !== undefined) reply.headers(corsHeaders(origin));

    refuseOddLines(raw.rawHeaders, lines);
    if (needsHost) {
      requireOneHost(host, lines);
      requireOwnTarget(scope, found, raw);
    }
    if (!acceptsForeignPages) refuseForeignPage(context, { isAllowed, answersWithPage });
    return context;
  };
}

/** If a header was sent twice, neither counts. */
function beginTrace(tracing: Tracing, { id: requestId, raw }: FastifyRequest): RequestTrace | null {
  const { traceparent } = raw.headers;
  return tracing.begin({ requestId, traceparent: typeof traceparent === 'string' ? traceparent : undefined });
}

// Runs for every request: compares lengths before text, and allocates only if there is something to keep.
function countLines(rawHeaders: readonly string[]) {
  let hosts = 0;
  let authorization: string[] | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') {
      authorization ??= [];
      authorization.push(rawHeaders[at + 1] as string);
    }
  }
  return { hosts, authorization: authorization ?? noAuthorization };
}

function openBindPointOf(scope: ServerScope, host: string): OpenBindPoint | undefined {
  return scope.byHost.get(host) ?? scope.byHost.get(host.toLowerCase());
}

function refuseOddLines(rawHeaders: readonly string[], { authorization }: Lines): void {
  if (rawHeaders.length > 2 * mostHeaders) throw new AuthError('header_too_large');
  if (authorization.length > mostAuthorizationLines)
    throw new AuthError('invalid_request', {
      description: `At most ${mostAuthorizationLines} Authorization headers are accepted`,
    });
}

/** @see RFC 9112 section 3.2 */
function requireOneHost(host: string | undefined, { hosts }: Lines): void {
  if (host === undefined || hosts !== 1)
    throw new AuthError('invalid_request', { description: 'Exactly one Host header is required' });
}

/**
 * @param found the bind point that the Host header names
 * @see RFC 9112 section 3.2.2, RFC 9110 section 7.4
 */
function requireOwnTarget(
  scope: ServerScope,
  found: OpenBindPoint | undefined,
  { headers, url = '' }: IncomingMessage,
): void {
  if (found === undefined) throw new AuthError('misdirected_request', { detail: `Host: ${headers.host}` });
  if (url.startsWith('/') || url === '*') return;
  // An absolute target takes precedence over the Host header. No honest request has two different ones.
  const authority = /^https:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (authority === undefined || openBindPointOf(scope, authority) !== found)
    throw new AuthError('misdirected_request', { detail: `target ${url.slice(0, 200)}` });
}

/**
 * Refuses a request that may change something and that a page of another origin has made. It does not help that the page
 * cannot read the answer: by then the change is made. The scripts of allowed origins may send what they have themselves,
 * and read the answer. None of these pages may lead the person to an answer that a page of ours shows.
 * @throws AuthError forbidden
 */
function refuseForeignPage(
  { method, sender }: Pick<RequestContext, 'method' | 'sender'>,
  { isAllowed, answersWithPage }: { isAllowed: boolean; answersWithPage: boolean },
): void {
  if (sender.kind !== 'foreign-page' || !mayChangeSomething(method)) return;
  if (isAllowed && !answersWithPage && !sender.isSubmitted) return;
  throw new AuthError('forbidden', {
    description:
      'A page of another site has sent this, and such pages may not change anything here, except scripts of applications at the origin of their redirect URI',
    detail: sender.said,
  });
}
