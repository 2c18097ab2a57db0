import { z } from 'zod';
import { type AuthError, AuthorizationError, grantReasons } from '../../errors/auth-error.ts';
import { errorCodes } from '../../errors/codes.ts';
import { inLanguage } from '../../explain/in-language.ts';
import { type LanguageTag, languageTags } from '../../model/languages.ts';
import { errorPage } from '../../pages/error.ts';
import type { View } from '../../pages/layout.ts';
import {
  type Answer,
  type AnswerHeaders,
  formPostAnswer,
  json,
  page,
  redirect,
  wantsHtml,
} from './answer.ts';
import { challengeLines } from './challenges.ts';
import { retryAfterOf } from './errors.ts';

/** The form of an endpoint's errors; `html-or-…`: a page for clients that prefer one. */
export type ErrorFormat = 'oauth' | 'edge' | 'html-or-oauth' | 'html-or-edge';

/** The facts about the request that the answer depends on, apart from the failure. */
export interface FailedRequest {
  readonly requestId: string;
  /** Of the trace that the request belongs to. */
  readonly traceId?: string | undefined;
  readonly accept: string | undefined;
  /** Of the reader of an Edge API, as `pages/texts/languages.ts` names it. */
  readonly language: LanguageTag;
  /** How a page would look for the visitor. */
  readonly view: () => View;
  /** Where a person continues with the login of this request; null when there is none. */
  readonly loginPage: string | null;
  /** Whether the client tried to authenticate with the Basic scheme. */
  readonly usedBasic: boolean;
}

type WithoutPage = Omit<FailedRequest, 'view' | 'loginPage'>;

/** The answer to a failed request: a redirect to the client when that is safe, otherwise a document. */
export function errorAnswer(failure: AuthError, format: ErrorFormat, request: FailedRequest): Answer {
  if (failure instanceof AuthorizationError) return authorizationErrorAnswer(failure, request.view);
  if ((format === 'html-or-edge' || format === 'html-or-oauth') && wantsHtml(request.accept))
    return htmlError(failure, request);
  return format === 'oauth' || format === 'html-or-oauth'
    ? oauthError(failure, request)
    : edgeError(failure, request);
}

const outside = Object.values(errorCodes);
// All possible values, so that generated clients know them.
const oauthErrors = [...new Set(outside.map(({ oauthError }) => oauthError))].sort();
const edgeCodes = [...new Set(outside.map(({ edgeCode }) => edgeCode))].sort();

export const oauthErrorBody = z
  .strictObject({
    error: z.enum(oauthErrors),
    error_description: z.string(),
    reason: z.enum(grantReasons).optional().describe('Why a refresh token no longer works'),
  })
  .meta({ id: 'OAuthError', description: 'RFC 6749 section 5.2; the reference id is in x-request-id' });

export const edgeErrorBody = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(edgeCodes),
      message: z.string(),
      requestId: z.string().describe('The reference id that `explain` takes'),
      traceId: z.string().optional().describe('The trace that the request belongs to, if it does'),
      cause: z
        .strictObject({
          field: z.string(),
          reason: z.string(),
          value: z.union([z.string(), z.number(), z.boolean()]),
        })
        .optional()
        .describe(
          `The first field that was refused, and why, in the language of Accept-Language (${languageTags.join(', ')}), as the message; its value is empty if none was sent or it could be secret`,
        ),
    }),
    meta: z.strictObject({}),
  })
  .meta({ id: 'EdgeError' });

/** @see RFC 6749 section 5.2 */
function oauthError(failure: AuthError, request: WithoutPage): Answer {
  return json(
    {
      error: errorCodes[failure.code].oauthError,
      error_description: oauthDescription(failure),
      ...(failure.reason === undefined ? {} : { reason: failure.reason }),
    },
    {
      status: statusOf(failure, request),
      headers: { ...errorHeaders(failure, request), pragma: 'no-cache' },
    },
  );
}

/**
 * The envelope of the Edge APIs. `cause` names the refused field, the first one if there are several. It always has
 * three members, because existing clients print them.
 */
export function edgeError(failure: AuthError, request: WithoutPage): Answer {
  const problem = failure.fields[0];
  const error = {
    code: errorCodes[failure.code].edgeCode,
    message: inLanguage(failure.description, request.language),
    requestId: request.requestId,
    ...(request.traceId === undefined ? {} : { traceId: request.traceId }),
    ...(problem === undefined
      ? {}
      : {
          cause: {
            field: problem.field,
            reason: inLanguage(problem.reason, request.language),
            value: problem.value ?? '',
          },
        }),
  };
  return json(
    { error, meta: {} },
    { status: statusOf(failure, request), headers: errorHeaders(failure, request) },
  );
}

/** A page with the same status. */
function htmlError(failure: AuthError, request: FailedRequest): Answer {
  const status = statusOf(failure, request);
  const retryAfterSeconds = retryAfterOf(failure);
  const view = request.view();
  const say = (text: string) => inLanguage(text, view.language.tag);
  const document = errorPage(view, {
    code: failure.code,
    description: say(failure.description),
    referenceId: request.requestId,
    problems: failure.fields.map(({ field, reason }) => ({ field, reason: say(reason) })),
    retryAfterSeconds,
    startAgain: failure.startAgain,
    // A person who has to wait, or whose provider was switched off, has lost nothing. Repeating any other request would be
    // refused again.
    goOn: retryAfterSeconds === undefined && failure.code !== 'not_found' ? null : request.loginPage,
  });
  return page(document, { status, headers: errorHeaders(failure, request) });
}

/**
 * Sends an authorization error back to the client, with its description. The code that made the error has validated
 * the redirect URI.
 * @see RFC 6749 section 4.1.2.1, RFC 9207
 */
function authorizationErrorAnswer(failure: AuthorizationError, view: () => View): Answer {
  const { redirectUri, state, issuer, responseMode } = failure.redirect;
  const fields: readonly (readonly [string, string])[] = [
    ['error', errorCodes[failure.code].oauthError],
    ['error_description', oauthDescription(failure)],
    // toWellFormed: a lone surrogate cannot be percent-encoded, and would turn the refusal into our own failure.
    ...(state === null ? [] : [['state', state.toWellFormed()] as const]),
    ['iss', issuer],
  ];
  if (responseMode === 'form_post') return formPostAnswer(view(), { action: redirectUri, fields });
  const parameters = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return redirect(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters.join('&')}`);
}

/** `error_description` is limited to printable ASCII without `"` and `\` (RFC 6749 section 5.2). */
function oauthDescription(failure: AuthError): string {
  const problem = failure.fields[0];
  const text =
    problem === undefined
      ? failure.description
      : `${failure.description}: ${problem.field} ${problem.reason}`;
  return text
    .replace(/"/g, "'")
    .replace(/\\/g, '/')
    .replace(/[^\x20-\x7e]/g, '?');
}

function statusOf(failure: AuthError, request: Pick<FailedRequest, 'usedBasic'>): number {
  if (failure.code === 'invalid_client' && request.usedBasic) return 401;
  return errorCodes[failure.code].status;
}

function isAboutClient({ code }: AuthError): boolean {
  return code === 'invalid_client' || code === 'client_not_authenticated';
}

function errorHeaders(failure: AuthError, request: Pick<FailedRequest, 'usedBasic'>): AnswerHeaders {
  const headers: Record<string, string | readonly string[]> = {};
  const challenges = challengeLines(failure.challenges);
  // RFC 6749 section 5.2, RFC 9110 section 15.5.2: how a client may authenticate.
  if (statusOf(failure, request) === 401 && isAboutClient(failure))
    challenges.push('Basic realm="overlay-oidc"');
  if (challenges.length > 0) headers['www-authenticate'] = challenges;
  if (failure.code === 'method_not_allowed') headers.allow = failure.allow.join(', ');
  const retryAfter = retryAfterOf(failure);
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  return headers;
}
