// Anonymous answers that do not depend on the caller: made once for each listener, bind point and language, as bytes with a strong
// ETag (RFC 9110 section 8.8.3), compressed once where a client asks for it. The function that makes them sees no
// request.

import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { View } from '../../pages/layout.ts';
import { after } from '../../platform/after.ts';
import { sha256 } from '../../platform/digest.ts';
import type { Answer } from './answer.ts';
import type { RequestContext } from './request-context.ts';
import { type DeclaredAnswer, type Route, type RouteRules, route } from './route.ts';

/** Where an answer is asked for: all that it may depend on, besides the language. */
export interface Place extends Pick<RequestContext, 'listener' | 'bindPoint' | 'issuer' | 'params'> {}

interface FixedContent extends Answer {
  /** The body compressed with Brotli, if it is at hand. */
  readonly brotli?: Uint8Array;
}

interface FixedRules extends Omit<RouteRules, 'load'> {
  /** The parameters of the path that the answer depends on. Others share one answer. */
  readonly keyedBy?: readonly string[];
  /** Inputs of the answer besides configuration and place: it is made again when one of these is another value. */
  madeOf?(place: Place): readonly unknown[];
}

/** A page, in the language of the visitor. */
interface FixedPage extends FixedRules {
  readonly views: (context: RequestContext) => View;
  make(place: Place, view: View): FixedContent | Promise<FixedContent>;
}

interface FixedDocument extends FixedRules {
  readonly views?: never;
  make(place: Place): FixedContent | Promise<FixedContent>;
}

type Coding = 'br' | 'gzip';

interface Kept {
  readonly madeOf: readonly unknown[];
  readonly content: FixedContent;
  readonly bytes: Uint8Array;
  readonly tag: string;
  readonly encoded: Map<Coding, Encoded | Promise<Encoded>>;
}

/** Null: compressing makes nothing smaller. */
type Encoded = Uint8Array | null;

const notModified: DeclaredAnswer = { description: 'The client has it already (If-None-Match)', content: {} };
const nothing: readonly unknown[] = [];
const leastCompressed = 1024;

/** Declares an endpoint with such an answer, for GET and HEAD. */
export function fixedRoute(path: string, definition: FixedPage | FixedDocument): Route {
  const { make, madeOf, views, keyedBy = [], ...rules } = definition;
  const kept = new Map<string, Kept>();
  /** Many may ask before the first one is answered. */
  const underWay = new Map<string, Promise<Kept>>();

  async function makeFor(key: string, place: Place, view: View | undefined): Promise<Kept> {
    const values = madeOf?.(place) ?? nothing;
    const content = await (make as (place: Place, view?: View) => ReturnType<typeof make>)(place, view);
    const { body, brotli: atHand } = content;
    const bytes = bytesOf(body);
    const encoded: Kept['encoded'] = new Map(atHand === undefined ? [] : [['br', atHand]]);
    const made = { madeOf: values, content, bytes, tag: sha256(bytes).slice(0, 22), encoded };
    kept.set(key, made);
    return made;
  }

  return route(['GET', 'HEAD'], path, {
    ...rules,
    guard: 'anonymous',
    load: 'fixed',
    answers: { ...rules.answers, 304: notModified },
    handler(context) {
      const view = views?.(context);
      const { listener, bindPoint, issuer } = context;
      const params = Object.fromEntries(keyedBy.map((name) => [name, context.params[name]]));
      const place = { listener, bindPoint, issuer, params };
      // Listeners on different networks may have one address, and not the same APIs.
      const key = [listener.name, bindPoint.address, view?.language.tag, ...Object.values(params)].join('\n');
      const found = kept.get(key);
      const isFresh = found !== undefined && (madeOf === undefined || isSame(madeOf(place), found.madeOf));
      if (isFresh) return answerFrom(found, context);
      // A failure that happens at once must be forgotten only after it was noted.
      const making = underWay.get(key) ?? makeFor(key, place, view).finally(() => underWay.delete(key));
      underWay.set(key, making);
      return making.then((made) => answerFrom(made, context));
    },
  });
}

function bytesOf(body: Answer['body']): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  if (body !== null && Array.isArray(body.parts)) return Buffer.from(body.parts.join(''));
  throw new Error('a fixed answer has a body that is whole');
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, at) => Object.is(value, other[at]));
}

function answerFrom(kept: Kept, { headers }: Pick<RequestContext, 'headers'>): Answer | Promise<Answer> {
  const coding = kept.bytes.length < leastCompressed ? null : acceptedCoding(headers['accept-encoding']);
  const finish = (encoded: Encoded) => answerOf(kept, headers['if-none-match'], { coding, encoded });
  if (coding === null) return finish(null);
  return after(kept.encoded.get(coding) ?? compress(kept, coding), finish);
}

function answerOf(
  { content, bytes, tag }: Kept,
  ifNoneMatch: string | undefined,
  { coding, encoded }: { coding: Coding | null; encoded: Encoded },
): Answer {
  const etag = encoded === null ? `"${tag}"` : `"${tag}-${coding}"`;
  const { 'content-type': type = '', vary, ...further } = content.headers;
  const varies = ['origin', vary, bytes.length < leastCompressed ? undefined : 'accept-encoding'];
  const headers = { ...further, etag, vary: varies.filter((name) => name !== undefined).join(', ') };
  if (isNamed(ifNoneMatch, etag)) return { status: 304, headers, body: null };
  if (encoded === null) return { status: 200, headers: { ...headers, 'content-type': type }, body: bytes };
  const body = { ...headers, 'content-type': type, 'content-encoding': coding ?? '' };
  return { status: 200, headers: body, body: encoded };
}

/** @see RFC 9110 section 13.1.2: the comparison is weak */
function isNamed(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return (
    ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
  );
}

const brotliPattern = codingPattern('br');
const gzipPattern = codingPattern('gzip');

/** In a list of codings, unless its quality is 0. */
function codingPattern(coding: Coding): RegExp {
  return new RegExp(`(?:^|,)\\s*${coding}\\s*(?:;\\s*q=(?:1(?:\\.0*)?|0?\\.0*[1-9]\\d*)\\s*)?(?:,|$)`, 'i');
}

/** @see RFC 9110 section 12.5.3 */
function acceptedCoding(accepted: string | string[] | undefined): Coding | null {
  if (accepted === undefined) return null;
  const text = String(accepted);
  return brotliPattern.test(text) ? 'br' : gzipPattern.test(text) ? 'gzip' : null;
}

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** On a thread of the runtime, once. */
function compress({ bytes, encoded }: Kept, coding: Coding): Promise<Encoded> {
  const making = (
    coding === 'br'
      ? brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
      : deflate(bytes, { level: 9 })
  ).then((made) => {
    const smaller = made.length < bytes.length ? made : null;
    encoded.set(coding, smaller);
    return smaller;
  });
  encoded.set(coding, making);
  return making;
}
