// How an endpoint may refuse: it follows from the rest of its declaration and from the codes that it names.

import { z } from 'zod';
import { type ErrorCode, errorCodes } from '../../errors/codes.ts';
import { htmlType, isUnacceptable, jsonType } from './answer.ts';
import { type ErrorFormat, edgeErrorBody, oauthErrorBody } from './error-answers.ts';
import type { DeclaredAnswer, DeclaredAnswers } from './route.ts';
import { countsAgainstSource, mediaTypesOf, type Route } from './route.ts';
import { mayChangeSomething } from './sender.ts';

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
  if (route.body !== undefined) codes.add('could_not_parse_body');
  if (route.body !== undefined || route.query !== undefined) codes.add('could_not_validate');
  // Of any content: where none is expected, a media type may still be malformed.
  if (route.methods.some(mayChangeSomething)) codes.add('unsupported_media_type');
  if (countsAgainstSource(route)) codes.add('rate_limited');
  if (route.path.includes('/:')) codes.add('not_found');
  return codes;
}

function refusesForeignPages({ methods, acceptsForeignPages }: Route): boolean {
  return acceptsForeignPages === undefined && methods.some(mayChangeSomething);
}

const page = z.string();

/** The documents of refusals by media type. */
function refusalContent(format: ErrorFormat): DeclaredAnswer['content'] {
  const document = format === 'edge' || format === 'html-or-edge' ? edgeErrorBody : oauthErrorBody;
  const asPage = format === 'html-or-edge' || format === 'html-or-oauth' ? { [htmlType]: page } : {};
  return { [jsonType]: document, ...asPage };
}

/** The answers with which an endpoint may refuse, by status; the description names the codes. */
export function declaredRefusals(route: Route): DeclaredAnswers {
  const codes = new Map<number, Set<string>>();
  const isOAuth = route.errors === 'oauth' || route.errors === 'html-or-oauth';
  for (const code of refusalsOf(route)) {
    const { status, edgeCode, oauthError } = errorCodes[code];
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
