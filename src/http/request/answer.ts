import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Seen } from '../../errors/auth-error.ts';
import type { RefusalReason } from '../../model/refusal-reason.ts';
import { formPostPage, formPostScript } from '../../pages/form-post.ts';
import type { Html } from '../../pages/html.ts';
import type { View } from '../../pages/layout.ts';
import { after } from '../../platform/after.ts';
import { chunkSize, inChunks } from '../../platform/in-chunks.ts';
import { longestPart, writeInParts, writeWhileMade } from './long-answer.ts';
import { type ContentSecurity, contentSecurityPolicy, formTarget } from './security-headers.ts';

/** Names are in lower case. Several values become several lines. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A body that is too long to be made at once. Its parts are sent one after the other. */
export interface Parts {
  readonly parts: readonly string[] | AsyncIterable<string>;
}

export function isInParts(body: Answer['body']): body is Parts {
  return typeof body === 'object' && body !== null && 'parts' in body;
}

/** Why a page or document that a handler made itself is a refusal. */
export interface AnsweredRefusal {
  readonly reason: RefusalReason;
  /** Whom it is about, where that is not the caller. */
  readonly identityId?: string;
  readonly seen?: Seen;
}

/** The result of a handler. Every answer also gets the security and CORS headers. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** null: no body. */
  readonly body: string | Uint8Array | Parts | null;
  /** Why it refuses, for administrators; only with a status from 400 on that no failure was thrown for. */
  readonly refusal?: AnsweredRefusal | undefined;
}

export type TextAnswer = Answer & { readonly body: string };

export interface AnswerOptions {
  readonly status?: number;
  readonly headers?: AnswerHeaders;
  /** See `Answer`. */
  readonly refusal?: AnsweredRefusal | undefined;
}

const jsonContent = 'application/json; charset=utf-8';

/** A JSON document, as the OAuth and OpenID Connect endpoints answer. Status 200 unless given. */
export function json(value: unknown, options: AnswerOptions = {}): TextAnswer {
  return {
    status: options.status ?? 200,
    headers: { 'content-type': jsonContent, ...options.headers },
    body: JSON.stringify(value),
  };
}

/** The envelope of the Edge APIs, `{"data":…,"meta":{…}}`. Status 200 unless given. */
export function envelope(
  value: unknown,
  meta: Readonly<Record<string, unknown>> = {},
  options: AnswerOptions = {},
): TextAnswer {
  return json({ data: value, meta }, options);
}

/** A handler that puts the result of `data` into the envelope. Without a promise it answers at once: waiting costs as much as the rest. */
export function enveloped<Given extends readonly unknown[]>(
  data: (...given: Given) => unknown,
  status: number,
) {
  const answer = (made: unknown) => envelope(made, {}, { status });
  return (...given: Given) => after(data(...given), answer);
}

/** A page of a list in the envelope. A long one is written in parts, so that it does not delay other requests. */
export async function listEnvelope(
  items: readonly unknown[],
  meta: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  if (items.length <= chunkSize) return envelope(items, meta);
  const texts = await inChunks(items, (chunk) => [JSON.stringify(chunk).slice(1, -1)]);
  const parts = texts.map((text, at) => (at === 0 ? text : `,${text}`));
  return jsonParts(['{"data":[', ...parts, `],"meta":${JSON.stringify(meta)}}`]);
}

/** A JSON document in parts, which may be made while it is sent. */
export function jsonParts(parts: Parts['parts']): Answer {
  return { status: 200, headers: { 'content-type': jsonContent }, body: { parts } };
}

/**
 * A redirect; 302 unless given.
 * @param location used as the header unchanged: percent-encode dynamic parts first
 * @throws RangeError when it is not printable ASCII without spaces
 */
export function redirect(location: string, options: AnswerOptions = {}): Answer {
  if (!/^[\x21-\x7e]+$/.test(location)) throw new RangeError('a redirect target must be printable ASCII');
  return { status: options.status ?? 302, headers: { ...options.headers, location }, body: null };
}

export interface PageOptions extends AnswerOptions, ContentSecurity {}

/** A page for people. Status 200 unless given. */
export function page(html: Html, options: PageOptions = {}): Answer {
  return {
    status: options.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy(options),
      'cross-origin-opener-policy': 'same-origin',
      ...options.headers,
    },
    body: html.text,
    refusal: options.refusal,
  };
}

/** No body; 204 unless given. */
export function empty(options: AnswerOptions = {}): Answer {
  return { status: options.status ?? 204, headers: options.headers ?? {}, body: null };
}

/**
 * Sends an answer in addition to the headers that are set already.
 * @returns of a body that is made meanwhile: rejects if that fails, which breaks the answer off
 */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<void> | undefined {
  if (reply.sent) {
    if (isInParts(answer.body) && Symbol.asyncIterator in answer.body.parts)
      void answer.body.parts[Symbol.asyncIterator]().return?.();
    return undefined;
  }
  reply.code(answer.status);
  for (const name in answer.headers) reply.header(name, answer.headers[name]);
  if (hasUnreadBody(request.raw)) {
    reply.header('connection', 'close');
    closeGently(request.raw);
  }
  const { body } = answer;
  if (isInParts(body)) return sendInParts(reply, answer.status, body.parts);
  if (body === null) reply.send();
  else if (body.length <= longestPart || request.method === 'HEAD') reply.send(body);
  else {
    reply.header('content-length', Buffer.byteLength(body));
    return sendInParts(reply, answer.status, [body]);
  }
  return undefined;
}

/** The framework would give the connection all at once. */
function sendInParts(
  reply: FastifyReply,
  status: number,
  body: readonly (string | Uint8Array)[] | AsyncIterable<string>,
): Promise<void> | undefined {
  reply.hijack();
  reply.raw.writeHead(status, reply.getHeaders() as OutgoingHttpHeaders);
  if (Symbol.asyncIterator in body)
    return writeWhileMade(reply.raw, body, reply.request.overlay?.admitAgain ?? null);
  writeInParts(reply.raw, body);
  return undefined;
}

/** How long a client that is still sending has to read the answer. */
const lingerTime = 500;
const smallRest = 64 * 1024;

// Node reads and drops a short rest, and the connection stays usable.
function hasUnreadBody(raw: IncomingMessage): boolean {
  if (raw.complete) return false;
  if (raw.headers['transfer-encoding'] !== undefined) return true;
  return Number(raw.headers['content-length'] ?? 0) > smallRest;
}

/**
 * After the answer, stops reading and closes half of the connection, and the rest a little later: closing at once while
 * the client is sending makes its system discard the answer (RFC 9112 section 9.6), and reading on would let it send
 * without end.
 */
function closeGently({ socket }: IncomingMessage): void {
  socket.destroySoon = () => {
    socket.pause();
    socket.end();
    setTimeout(() => socket.destroy(), lingerTime).unref();
  };
}

// Which of several representations a client wants (RFC 9110 section 12.5.1).

export const jsonType = 'application/json';
export const htmlType = 'text/html';
const jsonOrHtml: readonly string[] = [jsonType, htmlType];

/** Longer headers are ignored; no browser or library sends one. */
const longestAccept = 2048;

/**
 * The best of the offered media types, or null when the client accepts none of them.
 * The highest quality wins, then the more specific range, then the earlier offer. An absent, empty, oversized or
 * entirely unreadable header accepts everything; an unreadable element is skipped.
 * @param offered lower-case `type/subtype`, in the server's order of preference
 */
export function chooseMediaType(accept: string | undefined, offered: readonly string[]): string | null {
  const first = offered[0] ?? null;
  if (accept === undefined || accept === '*/*' || accept === first) return first;
  if (accept.length > longestAccept) return first;
  const ranges = parseAccept(accept);
  if (ranges.length === 0) return first;

  let best: string | null = null;
  let bestQuality = 0;
  let bestSpecificity = 0;
  for (const type of offered) {
    const match = mostSpecific(ranges, type);
    if (match === undefined || match.quality === 0) continue;
    const better =
      match.quality > bestQuality || (match.quality === bestQuality && match.specificity > bestSpecificity);
    if (better) {
      best = type;
      bestQuality = match.quality;
      bestSpecificity = match.specificity;
    }
  }
  return best;
}

/**
 * Whether a client that accepts none of the media types is refused. A JSON document is sent anyway, as RFC 9110 12.4.1
 * allows: generic clients ask for more specific names of it, and proxies forward the header of a browser.
 * @param offered as for `chooseMediaType`
 */
export function isUnacceptable(accept: string | undefined, offered: readonly string[]): boolean {
  return chooseMediaType(accept, offered) === null && !offered.includes(jsonType);
}

/** Whether the client prefers a page to JSON, as browsers do when a person navigates. */
export function wantsHtml(accept: string | undefined): boolean {
  return chooseMediaType(accept, jsonOrHtml) === htmlType;
}

interface MediaRange {
  readonly range: string;
  readonly quality: number;
  /** 3 `type/subtype`, 2 `type/*`, 1 any. */
  readonly specificity: number;
}

const elementPattern = /^([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)((?:[ \t]*;[ \t]*[^;]*)*)$/;
const qualityPattern = /;[ \t]*q=([^;]*)/i;
const qvaluePattern = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

function parseAccept(accept: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  for (const element of accept.split(',')) {
    const parts = elementPattern.exec(element.trim());
    if (parts === null) continue;
    const range = (parts[1] ?? '').toLowerCase();
    const qvalue = qualityPattern.exec(parts[2] ?? '')?.[1]?.trim();
    if (qvalue !== undefined && !qvaluePattern.test(qvalue)) continue;
    if (range.startsWith('*/') && range !== '*/*') continue;
    ranges.push({
      range,
      quality: qvalue === undefined ? 1 : Number(qvalue),
      specificity: range === '*/*' ? 1 : range.endsWith('/*') ? 2 : 3,
    });
  }
  return ranges;
}

function mostSpecific(ranges: readonly MediaRange[], type: string): MediaRange | undefined {
  let found: MediaRange | undefined;
  for (const candidate of ranges) {
    const matches =
      candidate.range === type ||
      candidate.specificity === 1 ||
      (candidate.specificity === 2 && type.startsWith(candidate.range.slice(0, -1)));
    if (matches && candidate.specificity > (found?.specificity ?? 0)) found = candidate;
  }
  return found;
}

// The answer to a client that wants it as a form (OAuth 2.0 Form Post Response Mode).

export function formPostAnswer(
  view: View,
  form: { action: string; fields: readonly (readonly [string, string])[] },
  headers: AnswerHeaders = {},
): Answer {
  return page(formPostPage(view, form), {
    headers,
    formTargets: [formTarget(form.action)],
    inlineScript: formPostScript,
  });
}
