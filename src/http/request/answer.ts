import type { Html } from '../../pages/html.ts';
import { chunkSize, inChunks } from '../../platform/in-chunks.ts';
import { type ContentSecurity, contentSecurityPolicy } from './security-headers.ts';

/** Names are in lower case. Several values become several lines. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A body that is too long to be handled at once: its parts are sent one after the other. */
export interface Parts {
  readonly parts: readonly string[];
}

export function isInParts(body: Answer['body']): body is Parts {
  return typeof body === 'object' && body !== null && 'parts' in body;
}

/** What a handler returns. The security and CORS headers are added to every answer and need no mention. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** null: no body. */
  readonly body: string | Uint8Array | Parts | null;
}

export type TextAnswer = Answer & { readonly body: string };

export interface AnswerOptions {
  readonly status?: number;
  readonly headers?: AnswerHeaders;
}

const JSON_CONTENT = 'application/json; charset=utf-8';

/** A JSON document, as the OAuth and OpenID Connect endpoints answer. Status 200 unless given. */
export function json(value: unknown, options: AnswerOptions = {}): TextAnswer {
  return {
    status: options.status ?? 200,
    headers: { 'content-type': JSON_CONTENT, ...options.headers },
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

/** A page of a list in the envelope. A long one is written in parts, so that nobody else waits for it. */
export async function listEnvelope(
  items: readonly unknown[],
  meta: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  if (items.length <= chunkSize) return envelope(items, meta);
  const texts = await inChunks(items, (chunk) => [JSON.stringify(chunk).slice(1, -1)]);
  const parts = texts.map((text, at) => (at === 0 ? text : `,${text}`));
  const body = { parts: ['{"data":[', ...parts, `],"meta":${JSON.stringify(meta)}}`] };
  return { status: 200, headers: { 'content-type': JSON_CONTENT }, body };
}

/**
 * A redirect; 302 unless given.
 * @param location what goes into the header as it is: dynamic parts must be percent-encoded before
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
  };
}

/** No body; 204 unless given. */
export function empty(options: AnswerOptions = {}): Answer {
  return { status: options.status ?? 204, headers: options.headers ?? {}, body: null };
}
