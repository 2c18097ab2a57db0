// What an endpoint may answer: its successes are part of its declaration; its refusals follow from the rest of it and
// from the codes that it names. The API description is made from this, and tests compare every answer with it.

import { z } from 'zod';
import type { ErrorCode } from '../../errors/codes.ts';
import { htmlType, isUnacceptable, jsonType } from './answer.ts';
import { mayChangeSomething } from './begin-request.ts';
import { type ErrorFormat, edgeErrorBody, oauthErrorBody } from './error-answers.ts';
import { errorTable } from './errors.ts';
import { mediaTypesOf, type Route } from './route.ts';

/** One answer, by media type. Without content, the answer has no body. */
export interface DeclaredAnswer {
  readonly description: string;
  /** The schema of a JSON document. Other contents are text or bytes. */
  readonly content: Readonly<Record<string, z.ZodType>>;
  /** Headers that this answer may have beyond those that follow from guard and status, with their meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** For a login that is not complete. */
export const totpRequiredHeader = {
  'totp-required': 'true: a TOTP code is still to be given',
} as const;

/** By status. */
export type DeclaredAnswers = Readonly<Record<number, DeclaredAnswer>>;

const text = z.string();
const noMeta = z.strictObject({});

/** A JSON document as it is. */
export function documentAnswer(schema: z.ZodType, description: string): DeclaredAnswer {
  return { description, content: { [jsonType]: schema } };
}

/** The envelope of the Edge APIs around one document. */
export function dataAnswer(schema: z.ZodType, description: string): DeclaredAnswer {
  return documentAnswer(z.strictObject({ data: schema, meta: noMeta }), description);
}

const pageMeta = z
  .strictObject({
    filterableFields: z.array(z.string()),
    pagination: z.strictObject({
      limit: z.int(),
      offset: z.int(),
      totalCount: z.int(),
      totalCountIsEstimate: z
        .literal(true)
        .optional()
        .describe('Only there when the list is too long to be counted: `totalCount` is then near the truth'),
    }),
  })
  .meta({ id: 'ListMeta' });

/** The envelope around one page of a list. */
export function listAnswer(schema: z.ZodType, description: string): DeclaredAnswer {
  return documentAnswer(z.strictObject({ data: z.array(schema), meta: pageMeta }), description);
}

/** Says only that it is done. */
export const doneAnswer: DeclaredAnswer = dataAnswer(z.strictObject({}), 'Done');

export function redirectAnswer(description: string): DeclaredAnswer {
  return { description, content: {} };
}

export function contentAnswer(mediaType: string, description: string): DeclaredAnswer {
  return { description, content: { [mediaType]: text } };
}

/** The same answer, which people get as a page. */
export function orPage({ content, ...answer }: DeclaredAnswer): DeclaredAnswer {
  return { ...answer, content: { ...content, [htmlType]: text } };
}

/** May happen to any request, before or while it is handled. */
const anywhere: readonly ErrorCode[] = [
  'invalid_request',
  'payload_too_large',
  'misdirected_request',
  'header_too_large',
  'server_error',
  'busy',
  'unavailable',
];

/** The codes with which an endpoint may refuse. */
export function refusalsOf(route: Route): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>([...anywhere, ...(route.refusals ?? [])]);
  if (isUnacceptable('x/x', mediaTypesOf(route))) codes.add('not_acceptable');
  if (route.guard !== 'anonymous') codes.add('unauthorized');
  if (route.guard === 'admin' || refusesForeignPages(route)) codes.add('forbidden');
  if (route.body !== undefined) {
    for (const code of ['could_not_parse_body', 'could_not_validate', 'unsupported_media_type'] as const) {
      codes.add(code);
    }
  }
  if (route.query !== undefined) codes.add('could_not_validate');
  if (route.path.includes('/:')) codes.add('not_found');
  return codes;
}

function refusesForeignPages({ methods, acceptsForeignPages }: Route): boolean {
  return acceptsForeignPages === undefined && methods.some(mayChangeSomething);
}

/** The documents of refusals by media type. */
function refusalContent(format: ErrorFormat): DeclaredAnswer['content'] {
  const document = format === 'edge' || format === 'html-or-edge' ? edgeErrorBody : oauthErrorBody;
  const asPage = format === 'html-or-edge' || format === 'html-or-oauth' ? { [htmlType]: text } : {};
  return { [jsonType]: document, ...asPage };
}

/** The answers with which an endpoint may refuse, by status; the description names the codes. */
export function declaredRefusals(route: Route): DeclaredAnswers {
  const codes = new Map<number, Set<string>>();
  const isOAuth = route.errors === 'oauth' || route.errors === 'html-or-oauth';
  for (const code of refusalsOf(route)) {
    const { status, edgeCode, oauthError } = errorTable[code];
    // 401 for clients that used the Basic scheme (RFC 6749 section 5.2).
    for (const possible of code === 'invalid_client' ? [status, 401] : [status]) {
      const words = codes.get(possible) ?? new Set();
      codes.set(possible, words.add(isOAuth ? oauthError : edgeCode));
    }
  }
  const content = refusalContent(route.errors);
  return Object.fromEntries(
    [...codes].map(([status, words]) => [status, { description: [...words].sort().join(', '), content }]),
  );
}
