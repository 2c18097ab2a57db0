// Compares real answers with the declarations from which the API description is written.

import { errorCodes } from '../../src/errors/codes.ts';
import type { Answer } from '../../src/http/request/answer.ts';
import { declaredRefusals, refusalsOf } from '../../src/http/request/declared-refusals.ts';
import type { DeclaredAnswer, DeclaredAnswers, Route } from '../../src/http/request/route.ts';

/** Computed once for each endpoint, not for each answer. */
const refusals = new WeakMap<Route, DeclaredAnswers>();

/** What an answer contains that its endpoint does not declare, in words; null when everything is declared. */
export function undeclaredIn(route: Route, answer: Answer): string | null {
  const what = `${route.methods.join('|')} ${route.path} answers ${answer.status}`;
  const refused = refusals.get(route) ?? declaredRefusals(route);
  refusals.set(route, refused);
  const wrong = [route.answers[answer.status], refused[answer.status]]
    .filter((declared) => declared !== undefined)
    .map((declared) => difference(declared, answer));
  if (wrong.length === 0) return `${what}: ${text(answer).slice(0, 300)}`;
  if (!wrong.includes(null)) return `${what}: ${wrong.join('; ')}`;
  return answer.status >= 400 && !isDeclaredCode(route, answer) ? `${what}: ${text(answer)}` : null;
}

function difference(declared: DeclaredAnswer, answer: Answer): string | null {
  const header = answer.status < 400 ? undeclaredHeader(declared, answer) : undefined;
  if (header !== undefined) return `the header ${header}`;
  const mediaType = String(answer.headers['content-type'] ?? '').split(';')[0] as string;
  const mediaTypes = Object.keys(declared.content);
  if (answer.body === null) return mediaTypes.length === 0 ? null : 'no body';
  const schema = declared.content[mediaType];
  if (schema === undefined) return `${mediaType} instead of ${mediaTypes.join(' or ') || 'no body'}`;
  // A document of any length is made while it is sent; shorter ones of its kind stand for it.
  if (mediaType !== 'application/json' || isMadeWhileSent(answer)) return null;
  if (answer.headers['content-encoding'] !== undefined) return null;
  const result = schema.safeParse(JSON.parse(text(answer)));
  return result.success ? null : result.error.message;
}

/** Headers that a client acts on; every success with one of them must declare it. */
const telling = ['zt-session', 'totp-required', 'auth-request-id', 'www-authenticate'];

function undeclaredHeader(
  { headers: declared = {} }: DeclaredAnswer,
  { headers }: Answer,
): string | undefined {
  return telling.find((name) => headers[name] !== undefined && declared[name] === undefined);
}

/** Pages show no code, and an envelope with data is not a refusal. */
function isDeclaredCode(route: Route, answer: Answer): boolean {
  if (!String(answer.headers['content-type']).startsWith('application/json')) return true;
  const document = JSON.parse(text(answer));
  if (document.error === undefined) return true;
  const isOAuth = typeof document.error === 'string';
  const word = isOAuth ? document.error : document.error.code;
  return [...refusalsOf(route)].some((code) => {
    const row = errorCodes[code];
    const status = code === 'invalid_client' && answer.status === 401 ? 401 : row.status;
    return status === answer.status && (isOAuth ? row.oauthError : row.edgeCode) === word;
  });
}

function isMadeWhileSent({ body }: Answer): boolean {
  return body !== null && typeof body === 'object' && 'parts' in body && !Array.isArray(body.parts);
}

function text({ body }: Answer): string {
  if (body === null || typeof body === 'string') return body ?? '';
  if (!('parts' in body)) return Buffer.from(body).toString();
  // The first entries of a long list stand for all of it.
  const { parts } = body;
  return 'slice' in parts ? [...parts.slice(0, -1).slice(0, 2), parts.at(-1)].join('') : '';
}
