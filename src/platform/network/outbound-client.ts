// The only way in which this service calls other servers: HTTPS, by node:https; HTTP for signed contents. Addresses
// come from administrators and redirects from strangers, so each hop is judged anew (outbound-targets.ts) and checked
// again where it connects (outbound-exchange.ts).

import { lookup as systemLookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { isPlainLoopback } from './address-rules.ts';
import { FetchRefused } from './fetch-refused.ts';
import {
  type AnswerLimits,
  type OutboundMessage,
  openConnection,
  type Redirection,
  type Resolve,
  readAnswer,
  send,
} from './outbound-exchange.ts';
import {
  bareHost,
  type OutboundLimits,
  readTarget,
  type SignedAnswer,
  sparedHosts,
  targetRules,
} from './outbound-targets.ts';
import { type TlsIdentity, trustingContexts } from './outbound-trust.ts';

export interface OutboundNeeds {
  /** Default: as the system does, with its hosts file. */
  readonly resolve?: Resolve;
  /** Trusted roots (PEM), in addition to those of the system and of NODE_EXTRA_CA_CERTS. */
  readonly trustedRoots?: readonly string[];
  /** Ends the request, like its time limit. Default: only its time does. */
  readonly ending?: AbortSignal;
}

export interface OutboundRequest extends AnswerLimits, SignedAnswer {
  /** The `accept` header. */
  readonly accept: string;
  /**
   * Whether a bare loopback address may be used without TLS, even where private addresses are blocked. Never for an
   * address that a redirect names.
   */
  readonly allowPlainLoopback?: boolean;
  /** The `authorization` header of a form. */
  readonly authorization?: string | undefined;
}

export interface OutboundClient {
  /**
   * The body of the 200 answer at the end of the redirects. Sends nothing but the request itself: no cookies, no
   * credentials.
   * @throws FetchRefused
   */
  get(url: string, wanted: OutboundRequest): Promise<Buffer>;
}

export interface FormPoster {
  /**
   * Posts a form, and returns the body of the 200 answer. Redirects are refused: the form is for the given address
   * only.
   * @throws FetchRefused
   */
  postForm(url: string, form: Readonly<Record<string, string>>, wanted: OutboundRequest): Promise<Buffer>;
}

export interface AnswerPoster {
  /** Posts a message for the given address only, and returns the body of the 200 answer. @throws FetchRefused */
  postFor(url: string, message: OutboundMessage, wanted: OutboundRequest): Promise<Buffer>;
}

export interface MessagePoster {
  /**
   * Posts a message for the given address only, and returns the status of the answer, which may be a redirect. Nothing
   * else of it is read.
   * @throws FetchRefused
   */
  post(url: string, message: OutboundMessage): Promise<number>;
}

export interface TlsConnector {
  /**
   * Connects to host and port of an https URL, for another protocol than HTTP. Resolves when the server has proved who
   * it is; the caller who gets the connection limits its time.
   * @throws FetchRefused
   */
  connect(url: string, tls: TlsIdentity): Promise<TLSSocket>;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Exchanger {
  /**
   * The answer with any status that is not a redirect, for protocols that need more than a body.
   * @param message what to post; null: GET
   * @throws FetchRefused
   */
  exchange(
    url: string,
    message: OutboundMessage | null,
    wanted: Pick<OutboundRequest, 'accept' | 'maxBytes'>,
  ): Promise<OutboundAnswer>;
}

/** Opens nothing before the first request. */
export function outboundClient(
  limits: OutboundLimits,
  needs: OutboundNeeds = {},
): OutboundClient & FormPoster & MessagePoster & AnswerPoster & TlsConnector & Exchanger {
  const resolve = oneForEachName(needs.resolve ?? ((hostname) => systemLookup(hostname, { all: true })));
  const allowedTarget = targetRules(limits);
  const isSpared = sparedHosts(limits.noProxy);
  const contextFor = trustingContexts(needs.trustedRoots ?? []);
  const wayTo = (
    target: URL,
    {
      tls,
      deadline,
      isPlain = false,
    }: { readonly tls: TlsIdentity | undefined; readonly deadline: AbortSignal; readonly isPlain?: boolean },
  ) => ({
    target,
    refusal: allowedTarget(target, isPlain),
    context: contextFor(tls),
    resolve,
    proxy: isPlain || isSpared(bareHost(target)) ? null : limits.proxy,
    deadline: needs.ending === undefined ? deadline : AbortSignal.any([deadline, needs.ending]),
    limits,
  });
  async function ask<T extends Buffer | number | OutboundAnswer>(
    url: string,
    { allowPlainLoopback, isSigned, accept, authorization, maxBytes }: OutboundRequest,
    { maxRedirects, message, read }: Exchange<T>,
  ): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), limits.timeout);
    try {
      let isPlain = allowPlainLoopback === true && isPlainLoopback(url);
      let target = isPlain ? new URL(url) : readTarget(url, { isSigned });
      for (let redirects = 0; ; redirects += 1) {
        const way = wayTo(target, { tls: message?.tls, deadline: deadline.signal, isPlain });
        const answer = await send({ ...way, message, accept, authorization, maxBytes }, read);
        if (typeof answer !== 'object' || !('location' in answer)) return answer;
        if (redirects === maxRedirects) throw new FetchRefused('too-many-redirects');
        target = readTarget(answer.location, { base: target, isSigned });
        isPlain = false;
      }
    } finally {
      clearTimeout(timer);
    }
  }
  const fetch = (
    url: string,
    wanted: OutboundRequest,
    exchange: Pick<Exchange<Buffer>, 'maxRedirects' | 'message'>,
  ) => ask(url, wanted, { ...exchange, read: (incoming) => readAnswer(incoming, wanted) });
  return {
    get: (url, wanted) => fetch(url, wanted, { maxRedirects: limits.maxRedirects, message: null }),
    postFor: (url, message, wanted) => fetch(url, wanted, { maxRedirects: 0, message }),
    postForm: (url, form, wanted) => fetch(url, wanted, { maxRedirects: 0, message: formMessage(form) }),
    post: (url, message) =>
      ask(
        url,
        { accept: '*/*', maxBytes: 0 },
        { maxRedirects: 0, message, read: async ({ statusCode = 0 }) => statusCode },
      ),
    connect: async (url, tls) => {
      const deadline = AbortSignal.timeout(limits.timeout);
      return openConnection(wayTo(readTarget(url, {}), { tls, deadline }));
    },
    exchange: (url, message, wanted) =>
      ask(url, wanted, {
        maxRedirects: 0,
        message,
        read: async (incoming) => {
          const { statusCode: status = 0, headers } = incoming;
          const body = await readAnswer(incoming, { ...wanted, failures: [status] });
          return Buffer.isBuffer(body) ? { status, headers, body } : body;
        },
      }),
  };
}

/**
 * A look-up goes on after its request has given up, for as long as the system waits for a silent name server, and the
 * process has room for a few at a time (main.ts). So one name takes one place, however often it is asked for.
 */
function oneForEachName(resolve: Resolve): Resolve {
  const underWay = new Map<string, ReturnType<Resolve>>();
  return (hostname) => {
    const known = underWay.get(hostname);
    if (known !== undefined) return known;
    const found = resolve(hostname).finally(() => underWay.delete(hostname));
    underWay.set(hostname, found);
    return found;
  };
}

interface Exchange<T> {
  readonly maxRedirects: number;
  /** The body of a POST; null: GET. */
  readonly message: OutboundMessage | null;
  readonly read: (incoming: IncomingMessage) => Promise<T | Redirection>;
}

export function formMessage(form: Readonly<Record<string, string>>): OutboundMessage {
  const contentType = 'application/x-www-form-urlencoded';
  return { contentType, body: new URLSearchParams(form).toString() };
}
