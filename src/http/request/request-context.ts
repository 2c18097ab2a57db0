import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { AdminCall } from '../../admin/admin-call.ts';
import type { BindPoint, Listener } from '../../config/config.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { LanguageTag } from '../../model/languages.ts';
import { type OwnCall, ownerOf, type Principal, type Right } from '../../model/principal.ts';
import type { BasicCredentials } from '../../oidc/grants/authenticate-client.ts';
import { acceptedLanguages, languageFor } from '../../pages/texts/languages.ts';
import type { Millis } from '../../platform/clock.ts';
import { unmapped } from '../../platform/network/sources.ts';
import type { Random } from '../../platform/random.ts';
import type { RequestTrace } from '../../platform/tracing.ts';
import type { PresentedTokens } from '../../sessions/authenticate-request.ts';
import type { Unchanged } from '../../store/contracts/versions.ts';
import type { PresentedProof } from '../../tokens/dpop-proof.ts';
import { originOfBindPoint } from './cors.ts';
import type { Sender } from './sender.ts';

/** When and where a request arrived; see RequestContext. */
export type Arrival = Pick<
  RequestContext,
  'receivedAt' | 'startedAt' | 'listener' | 'bindPoint' | 'sender' | 'authorization'
>;

/** The headers that endpoints may read. What a browser says of itself and adds for a person is in the sender. */
export interface EndpointHeaders
  extends Readonly<Pick<IncomingHttpHeaders, 'accept' | 'accept-encoding' | 'accept-language'>>,
    Readonly<Pick<IncomingHttpHeaders, 'content-encoding' | 'content-type' | 'user-agent'>>,
    Readonly<Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match'>> {
  readonly 'mfa-validation-code'?: string | readonly string[] | undefined;
}

/**
 * The request as endpoints see it. It is a class because one is made for each request: values computed on demand live
 * on the prototype and cost a request nothing.
 */
export class RequestContext {
  /** The reference id: in `x-request-id`, in error bodies, in the log and in `explain`. */
  readonly requestId: string;
  readonly receivedAt: Millis;
  /** On the monotonic clock, to measure how long the answer takes. */
  readonly startedAt: Millis;
  readonly listener: Listener;
  /** The bind point that the Host header names. Documents may mention its address and issuer only. */
  readonly bindPoint: BindPoint;
  /** The sender, with the cookies and the client certificate that count. */
  readonly sender: Sender;
  /**
   * The address of the client: the other end of the connection, or what a load balancer says in a PROXY header
   * (proxied-connections.ts). Request headers are not believed.
   */
  readonly remoteAddress: string;
  /** The values of all Authorization lines in order, at most three. */
  authorization: readonly string[];
  /** The authenticated caller; null on anonymous endpoints. Set by the guard. */
  principal: Principal | null = null;
  /** The right by which the guard let the caller in; null if any session may call. */
  right: Right | null = null;
  /** Rejects once the caller may not have more of a long answer; null: anybody may have it. */
  admitAgain: (() => Promise<void> | undefined) | null = null;
  /** Whether a success shows that the sender has proven something; see `Load`. */
  hasProven = true;
  /** The page of the login that the request belongs to, with its query; set once the login is known to be valid. */
  loginPage: string | null = null;
  /** The trace that the request belongs to; null when there is none. */
  trace: RequestTrace | null = null;
  readonly #request: FastifyRequest;
  #proof: PresentedProof | null | undefined;

  constructor(request: FastifyRequest, arrival: Arrival) {
    this.#request = request;
    this.requestId = request.id;
    this.receivedAt = arrival.receivedAt;
    this.startedAt = arrival.startedAt;
    this.listener = arrival.listener;
    this.bindPoint = arrival.bindPoint;
    this.sender = arrival.sender;
    this.remoteAddress = unmapped(request.raw.socket.remoteAddress);
    this.authorization = arrival.authorization;
  }

  get method(): string {
    return this.#request.method;
  }

  /** `https://host[:port]/oidc` of the bind point. */
  get issuer(): string {
    return this.bindPoint.issuer;
  }

  /** The path as it was sent, without the query. */
  get path(): string {
    const url = this.#request.raw.url ?? '';
    const end = url.indexOf('?');
    return end === -1 ? url : url.slice(0, end);
  }

  /** The query as it was sent, without the question mark. */
  get queryText(): string {
    const url = this.#request.raw.url ?? '';
    const start = url.indexOf('?');
    return start === -1 ? '' : url.slice(start + 1);
  }

  /** The parts of the path that the route names with a colon, percent-decoded. */
  get params(): Readonly<Record<string, string | undefined>> {
    return this.#request.params as Record<string, string | undefined>;
  }

  /** The id in the path. @throws AuthError not_found   for text that cannot be an id */
  get id(): string {
    const { id = '' } = this.params;
    // Our ids contain no other characters. Anything else must not reach the store.
    if (!/^[\w.-]{1,64}$/.test(id)) throw new AuthError('not_found');
    return id;
  }

  get headers(): EndpointHeaders {
    return this.#request.headers;
  }

  /** The bytes of the body, or undefined when there is none or it has not been read yet. */
  get rawBody(): Buffer | undefined {
    return this.#request.body as Buffer | undefined;
  }

  /** The token of the `zt-session` header. Node joins several headers with `, `, which no token contains. */
  get ztSession(): string | undefined {
    const value = this.#request.headers['zt-session'];
    return typeof value === 'string' ? value : undefined;
  }

  /** The DPoP proof, which is about this request; null for none. Always the same object. */
  get proof(): PresentedProof | null {
    if (this.#proof !== undefined) return this.#proof;
    const { dpop } = this.#request.headers;
    if (dpop === undefined) return null;
    // The target may be a whole address (RFC 9112 section 3.2.2), which begin-request.ts has compared with the bind point.
    const path = this.path.startsWith('/') ? this.path : (URL.parse(this.path)?.pathname ?? '');
    const url = `${originOfBindPoint(this.bindPoint)}${path}`;
    this.#proof = { text: String(dpop), method: this.method, url };
    return this.#proof;
  }

  /**
   * Lets the proof be about the request that a proxy asks about, if the proxy says which: in the headers that Traefik
   * and Caddy send. A caller who sends them without a proxy learns only about their own token.
   */
  proveForProxy(): void {
    const { headers } = this.#request;
    const [method, proto, host, uri] = ['method', 'proto', 'host', 'uri'].map(
      (part) => headers[`x-forwarded-${part}`],
    );
    if (headers.dpop === undefined || typeof method !== 'string') return;
    const url = URL.parse(`${proto}://${host}${uri}`);
    // A client can choose Host and path of its request, and scheme too where a proxy passes that on. None of them must
    // become a part of another.
    if (url !== null && /^https?:\/\/[\w.:[\]-]+$/.test(`${proto}://${host}`) && String(uri).startsWith('/'))
      this.#proof = { text: String(headers.dpop), method, url: `${url.origin}${url.pathname}` };
  }

  /** Aborts when the connection closes. The framework's own signal does when the body has been read. */
  get gone(): AbortSignal {
    return endOf(this.#request.raw.socket);
  }

  /** Where it came from, for the audit trail. */
  get origin(): RequestOrigin {
    const { requestId, remoteAddress: ipAddress, issuer, trace } = this;
    const context = this;
    const userAgent = this.headers['user-agent'];
    return {
      requestId,
      ipAddress,
      issuer,
      get gone() {
        return context.gone;
      },
      ...(userAgent === undefined ? {} : { userAgent }),
      ...(trace === null ? {} : { traceId: trace.traceId }),
    };
  }

  /** The same, for what callers do to their own account; null on anonymous endpoints. */
  get ownCall(): OwnCall | null {
    return this.principal && { caller: this.principal, origin: this.origin };
  }

  /** The caller of an endpoint, as the rules of admin/ see it. */
  adminCall(this: AuthenticatedContext, isForced = false, unchanged: Unchanged | null = null): AdminCall {
    const { principal, right, origin } = this;
    const actor = { ...ownerOf(principal), right };
    return { actor, isAdmin: principal.isAdmin, origin, isForced, unchanged };
  }

  /** The language of the caller among those of our texts (BCP 47), by `Accept-Language`. */
  get language(): LanguageTag {
    return languageOf(this);
  }

  /** @throws AuthError invalid_request   see `bearerTokens` */
  get bearers(): readonly string[] {
    return bearerTokens(this.authorization);
  }

  /** @throws AuthError client_not_authenticated   see `basicCredentials` */
  get basic(): BasicCredentials | null {
    return basicCredentials(this.authorization);
  }

  /** Whether the client tried to authenticate with the Basic scheme. */
  get usedBasic(): boolean {
    return this.authorization.some((value) => /^basic(?: |$)/i.test(value));
  }
}

const ends = new WeakMap<Socket, AbortSignal>();

/** One for all requests of a connection, which may be thousands. */
function endOf(socket: Socket): AbortSignal {
  const known = ends.get(socket);
  if (known !== undefined) return known;
  const ending = new AbortController();
  if (socket.destroyed) ending.abort();
  else socket.once('close', () => ending.abort());
  ends.set(socket, ending.signal);
  return ending.signal;
}

/** The context of a request whose caller the guard has let in. */
export interface AuthenticatedContext extends RequestContext {
  principal: Principal;
  readonly ownCall: OwnCall;
}

/** The tokens of a request, in the form that sessions/ takes. */
export function presentedTokens(context: RequestContext, at?: Millis): PresentedTokens {
  return {
    at,
    // Clients without a session may send an empty header.
    ztSession: context.ztSession || null,
    bearers: context.bearers,
    bound: boundToken(context),
    clientCertificates: () => context.sender.certificates,
  };
}

/**
 * The tokens of the lines with the Bearer scheme, whose name is case-insensitive (RFC 9110 11.1). A line without a token
 * is as good as none: the challenge says that it is missing (spec 7.2).
 * @throws AuthError invalid_request   more tokens than lines are allowed, since each of them costs a verification
 */
export function bearerTokens(lines: readonly string[]): readonly string[] {
  const [first] = lines;
  if (first === undefined) return none;
  // Nearly every caller sends one line that is not a list. Same result as below, half a microsecond faster.
  if (lines.length === 1 && first.startsWith(plainScheme) && !first.includes(',')) {
    const token = first.slice(plainScheme.length).trim();
    return token === '' ? none : [token];
  }
  const tokens = tokensOf(lines, bearerScheme);
  if (tokens.length > mostTokens)
    throw new AuthError('invalid_request', {
      description: `At most ${mostTokens} bearer tokens are accepted`,
    });
  return tokens;
}

/** The token of the line with the DPoP scheme. @throws AuthError invalid_request   there are several */
function boundToken(context: RequestContext): PresentedTokens['bound'] {
  const [first, ...others] = context.authorization;
  if (first === undefined || (others.length === 0 && first.startsWith(plainScheme))) return null;
  const [token, ...more] = tokensOf(context.authorization, dpopScheme);
  if (token === undefined) return null;
  if (more.length > 0)
    throw new AuthError('invalid_request', { description: 'At most one DPoP token is accepted' });
  return { accessToken: token, proof: context.proof };
}

/** The tokens of the lines with a scheme, in order. A proxy may have joined several lines with commas. */
function tokensOf(lines: readonly string[], scheme: RegExp): readonly string[] {
  return lines
    .flatMap((line) => [...line.matchAll(scheme)])
    .map(([, token = '']) => token.trim())
    .filter((token) => token !== '');
}

/**
 * The client that a line with the Basic scheme names (RFC 6749 2.3.1), or null when there is none.
 * @throws AuthError client_not_authenticated   it cannot be decoded
 */
function basicCredentials(lines: readonly string[]): BasicCredentials | null {
  const line = lines.find((value) => /^basic /i.test(value));
  if (line === undefined) return null;
  const pair = Buffer.from(line.slice('basic '.length).trim(), 'base64url').toString();
  const colon = pair.indexOf(':');
  if (colon === -1)
    throw new AuthError('client_not_authenticated', { detail: 'Basic credentials without a colon' });
  try {
    return {
      clientId: decodeURIComponent(pair.slice(0, colon).replaceAll('+', ' ')),
      secret: decodeURIComponent(pair.slice(colon + 1).replaceAll('+', ' ')),
    };
  } catch (cause) {
    throw new AuthError('client_not_authenticated', {
      detail: 'Basic credentials with a malformed escape',
      cause,
    });
  }
}

const none: readonly string[] = [];
const mostTokens = 3;
/** As RFC 6750 2.1 writes it. */
const plainScheme = 'Bearer ';
const bearerScheme = /(?:^|,)\s*bearer +([^,]*)/gi;
const dpopScheme = /(?:^|,)\s*dpop +([^,]*)/gi;

/** Crockford's base 32: no I, L, O, U, so that an id can be read out over the telephone. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const idLength = 10;
const poolSize = 400;

/**
 * Makes reference ids: ten characters, 50 random bits. They name a request to people and grant nothing. Random bytes
 * are fetched many at a time, because every request needs an id.
 */
export function referenceIds(random: Random): () => string {
  let pool = random.bytes(0);
  let at = 0;
  return () => {
    if (at >= pool.length) {
      pool = random.bytes(idLength * poolSize);
      at = 0;
    }
    let id = '';
    for (let end = at + idLength; at < end; at += 1) id += alphabet[(pool[at] ?? 0) & 31];
    return id;
  };
}

/** The language of the sender of these headers. */
export function languageOf({ headers }: Pick<AuthenticatedContext, 'headers'>): LanguageTag {
  return languageFor(acceptedLanguages(headers['accept-language'])).tag;
}
