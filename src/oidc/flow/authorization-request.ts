// Parameters of the authorization endpoint (RFC 6749 4.1.1, RFC 7636 4.3, OIDC Core 3.1.2.1).

import { AuthError, AuthorizationError, type ValidatedRedirect } from '../../errors/auth-error.ts';
import type { ErrorCode } from '../../errors/codes.ts';
import { readConfigTypes } from '../../login/config-types.ts';
import { shownParts } from '../../login/external-jwt/foreign-jwt.ts';
import { type AuthenticationWish, type AuthRequest, prompts } from '../../model/auth-request.ts';
import type { BrowserSession, BrowserSessionRules } from '../../model/browser-session.ts';
import { type AuthRequestKey, asId } from '../../model/ids.ts';
import { type PrimaryMethod, primaryMethods } from '../../model/login.ts';
import { usernameKey } from '../../model/names.ts';
import type { RedirectUriPattern } from '../../model/redirect-uri-pattern.ts';
import { formatRedirectUri } from '../../model/redirect-uri-pattern.ts';
import { quoted } from '../../platform/formats/quoted.ts';
import { acrValues } from '../../tokens/access-token.ts';
import { readIdTokenHint } from '../../tokens/id-token.ts';
import { type Client, redirectUrisOf, requireClient, requiresPkce } from '../clients.ts';
import {
  droppedScopesOf,
  existingScopes,
  isRepeated,
  type Parameters,
  parameter,
  required,
  resourcesOf,
  valuesOf,
} from '../parameters.ts';
import { isCodeChallenge } from '../pkce.ts';
import { isRegisteredRedirectUri } from '../redirect-uri.ts';
import type { OidcServices } from '../services.ts';

/** The bind point at which a protocol request arrived. */
export interface OidcBindPoint {
  readonly issuer: string;
  readonly redirectUris: readonly RedirectUriPattern[];
  readonly postLogoutUris: readonly RedirectUriPattern[];
  /** Null: browsers do not stay signed in. */
  readonly browserSession: BrowserSessionRules | null;
}

/** The browser from which a request comes. */
export interface Browser {
  /** Hash of the cookie that binds the login to this browser. */
  readonly binding: string;
  /** Null when the browser is not signed in. */
  readonly session: BrowserSession | null;
}

/** How an answer reaches the client. The default comes first. */
export const responseModes = ['query', 'form_post'] as const;

const maxStateSize = 4098;
const maxNonceLength = 512;
/** For the whole request: the auth request id contains it, and has to fit into a URL. */
const maxRequestSize = 8000;

/** The parameters that are read. None may be repeated. */
const singleParameters = [
  'response_type',
  'response_mode',
  'scope',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'method',
  'prompt',
  'max_age',
  'acr_values',
  'id_token_hint',
  'login_hint',
  'request',
  'request_uri',
  'registration',
];

/**
 * Checks an authorization request. The client and the redirect URI come first: until both are valid, errors are shown
 * to the person and never redirected (RFC 6749 4.1.2.1, RFC 9700 4.11.2).
 * @param browser  null for clients that are not browsers
 * @param pushedAs the key of a pushed request (pushed-request.ts); left out or null: the browser has brought the request
 * @throws AuthError          before the redirect URI is validated
 * @throws AuthorizationError after it
 */
export function validateAuthorizationRequest(
  needs: OidcServices,
  parameters: Parameters,
  {
    bindPoint,
    browser,
    pushedAs = null,
  }: { bindPoint: OidcBindPoint; browser: Browser | null; pushedAs?: AuthRequestKey | null },
): AuthRequest {
  const client = requireClient(needs.clients, required(parameters, 'client_id'));
  const redirectUri = required(parameters, 'redirect_uri');
  const registered = redirectUrisOf(client, bindPoint.redirectUris, browser?.binding ?? null);
  if (!isRegisteredRedirectUri(registered, redirectUri)) throw notRegistered(client, registered, redirectUri);

  const { clientId } = client;
  const back = { clientId, redirectUri, issuer: bindPoint.issuer, ...wayToAnswer(parameters) };
  const { state } = back;
  checkOnce(back, parameters);
  if (state !== null && sizeOf(state) > maxStateSize)
    throw refuse({ ...back, state: null }, 'invalid_request', 'state is too long');
  refuseRequestObjects(back, parameters);
  if (pushedAs === null && client.registered?.requirePushedAuthorizationRequests)
    throw refuse(back, 'invalid_request', 'this client must push its requests (RFC 9126)');
  checkResponseType(back, parameters);
  const nonce = parameter(parameters, 'nonce');
  if (nonce !== null && nonce.length > maxNonceLength)
    throw refuse(back, 'invalid_request', 'nonce is too long');
  const scopes = readScopes(back, client, parameters);
  const droppedScopes = droppedScopesOf(scopes, parameter(parameters, 'scope') ?? '');
  // Before the challenge: a client that only asks whether a person is logged in gets that answer (OIDC Core 3.1.2.6).
  const wish = readWish(back, parameters, browser?.session ?? null);
  const meant = readHint(needs, { back, bindPoint }, parameters);
  const codeChallenge = readChallenge(back, client, parameters);
  const keyThumbprint = parameter(parameters, 'dpop_jkt');
  if (keyThumbprint !== null && !isCodeChallenge(keyThumbprint))
    throw refuse(back, 'invalid_request', 'dpop_jkt must be 43 characters of base64url');
  const resources = resourcesOf(client, parameters);
  // RFC 8707 2.1: only resources of the client.
  if (resources === undefined) throw refuse(back, 'invalid_target');
  const requestedMethod = readMethod(back, parameters);

  const authRequest: AuthRequest = {
    key: pushedAs ?? asId(needs.random.id()),
    clientId,
    redirectUri,
    scopes,
    state,
    nonce,
    codeChallenge,
    issuer: bindPoint.issuer,
    requestedMethod,
    configTypes: wantedConfigTypes(back, parameters),
    browserBinding: browser?.binding ?? null,
    createdAt: needs.clock.now(),
    ...wantedUserName(parameters),
    ...meant,
    ...wantedAge(wish),
    ...(back.responseMode === undefined ? {} : { responseMode: back.responseMode }),
    ...(keyThumbprint === null ? {} : { keyThumbprint }),
    ...(resources.length === 0 ? {} : { resources }),
    ...(droppedScopes.length === 0 ? {} : { droppedScopes }),
    ...(browser === null || bindPoint.browserSession === null
      ? {}
      : { browserSession: { rules: bindPoint.browserSession, wish } }),
  };
  if (sizeOf(authRequest) > maxRequestSize)
    throw refuse(back, 'invalid_request', 'the parameters are too long together');
  return authRequest;
}

/** The detail with which an administrator sees the reason and can allow the address. */
function notRegistered(
  { clientId, registered }: Client,
  patterns: readonly RedirectUriPattern[],
  redirectUri: string,
): AuthError {
  // A console offers to add the address, so it has to be that one and no other, or none.
  const isPlain = redirectUri.length <= longestOffered && /^[\x21-\x7e]+$/.test(redirectUri);
  const addresses = registered?.redirectUris ?? patterns.map(formatRedirectUri);
  return new AuthError('redirect_uri_not_registered', {
    detail: `redirect_uri ${quoted(redirectUri)} matches none of the registered addresses`,
    seen: {
      client: clientId,
      facts: [
        [isPlain ? 'redirect_uri' : 'redirect_uri, shortened', isPlain ? redirectUri : quoted(redirectUri)],
        ...addresses.slice(0, mostAddresses).map((address) => ['registered', address] as const),
      ],
    },
  });
}

const longestOffered = 500;
const mostAddresses = 20;

/** Of a request whose client and redirect URI are known. */
type WayBack = ValidatedRedirect & { readonly clientId: string };

function refuse(back: WayBack, code: ErrorCode, description?: string): AuthorizationError {
  const seen = { client: back.clientId };
  return new AuthorizationError(code, back, description === undefined ? { seen } : { seen, description });
}

function checkOnce(back: WayBack, parameters: Parameters): void {
  const twice = ['state', ...singleParameters].find((name) => isRepeated(parameters, name));
  if (twice !== undefined)
    throw refuse(back, 'invalid_request', `the parameter ${twice} is given more than once`);
}

/** OIDC Core 6: unsupported parameters are refused, never ignored, because they may carry state and nonce. */
function refuseRequestObjects(back: WayBack, parameters: Parameters): void {
  if (parameter(parameters, 'request') !== null) throw refuse(back, 'request_not_supported');
  if (parameter(parameters, 'request_uri') !== null) throw refuse(back, 'request_uri_not_supported');
  if (parameter(parameters, 'registration') !== null) throw refuse(back, 'registration_not_supported');
}

function checkResponseType(back: WayBack, parameters: Parameters): void {
  const responseType = parameter(parameters, 'response_type');
  if (responseType === null) throw refuse(back, 'invalid_request', 'the parameter response_type is missing');
  if (responseType !== 'code')
    throw refuse(back, 'unsupported_response_type', 'only response_type=code is supported');
  const responseMode = parameter(parameters, 'response_mode');
  if (responseMode !== null && !responseModes.some((known) => known === responseMode))
    throw refuse(back, 'invalid_request', 'only response_mode=query and form_post are supported');
}

/** Without a default, a missing scope is an invalid one too (RFC 6749 3.3). */
function readScopes(back: WayBack, client: Client, parameters: Parameters): readonly string[] {
  const scopes = existingScopes(client, parameter(parameters, 'scope') ?? '');
  if (!scopes.includes('openid')) throw refuse(back, 'invalid_scope', 'the scope must include openid');
  return scopes;
}

/**
 * RFC 7636 4.4.1. A missing method would mean `plain`, which is not accepted.
 * @returns an empty text for a client that may omit the challenge and does
 */
function readChallenge(back: WayBack, client: Client, parameters: Parameters): string {
  const challenge = parameter(parameters, 'code_challenge');
  if (challenge === null && !requiresPkce(client)) return '';
  if (challenge === null) throw refuse(back, 'invalid_request', 'code challenge required');
  if (parameter(parameters, 'code_challenge_method') !== 'S256')
    throw refuse(
      back,
      'invalid_request',
      'transform algorithm not supported: code_challenge_method must be S256',
    );
  if (!isCodeChallenge(challenge))
    throw refuse(back, 'invalid_request', 'code_challenge must be 43 characters of base64url');
  return challenge;
}

function readMethod(back: WayBack, parameters: Parameters): PrimaryMethod | null {
  const asked = parameter(parameters, 'method');
  if (asked === null) return null;
  const method = primaryMethods.find((known) => known === asked);
  if (method === undefined)
    throw refuse(back, 'invalid_request', `method must be one of ${primaryMethods.join(', ')}`);
  return method;
}

/**
 * If the browser is not signed in, the login that follows is interactive: it meets `max_age` unless another provider says
 * that it knew the person already, and never `prompt=none`.
 */
function readWish(back: WayBack, parameters: Parameters, session: BrowserSession | null): AuthenticationWish {
  const asked = parameter(parameters, 'prompt')?.split(' ') ?? [];
  if (asked.includes('none')) {
    if (asked.length > 1)
      throw refuse(back, 'invalid_request', 'prompt=none must not be combined with other values');
    if (session === null) throw refuse(back, 'login_required');
  }
  const maxAge = parameter(parameters, 'max_age');
  if (maxAge !== null && !/^[0-9]{1,9}$/.test(maxAge))
    throw refuse(back, 'invalid_request', 'max_age must be a number of seconds');
  const acr = parameter(parameters, 'acr_values')?.split(' ') ?? [];
  return {
    prompts: prompts.filter((known) => asked.includes(known)),
    maxAge: maxAge === null ? null : Number(maxAge),
    acrValues: acrValues.filter((known) => acr.includes(known)),
  };
}

/** `prompt=login` asks for the same as `max_age=0` (OIDC Core 3.1.2.1, errata set 2), which every provider may be sent. */
function wantedAge({ prompts: asked, maxAge }: AuthenticationWish): Pick<AuthRequest, 'maxAge'> {
  if (asked.includes('login')) return { maxAge: 0 };
  return maxAge === null ? {} : { maxAge };
}

/**
 * OIDC Core 3.1.2.1, `id_token_hint`: one of ours, of any age and any client. The person who logs in must be its
 * subject. Where browsers do not stay signed in, an unusable hint is ignored.
 */
function readHint(
  { ring, clock }: OidcServices,
  { back, bindPoint }: { back: WayBack; bindPoint: OidcBindPoint },
  parameters: Parameters,
): Pick<AuthRequest, 'meant'> {
  const text = parameter(parameters, 'id_token_hint');
  if (text === null) return {};
  const hint = readIdTokenHint(ring, text, clock.now());
  if (hint === undefined || hint.iss !== back.issuer) {
    if (bindPoint.browserSession === null) return {};
    throw refuse(back, 'invalid_request', 'the id_token_hint is not valid here');
  }
  return { meant: { identityId: asId(hint.sub), idTokenHint: text } };
}

/**
 * With which state, and how, an answer goes back. A request object is refused; its state and response mode are read for
 * that refusal alone, because its members replace the parameters (OIDC Core 6.1). They choose no address.
 */
function wayToAnswer(parameters: Parameters): Pick<AuthRequest, 'state' | 'responseMode'> {
  const object = isRepeated(parameters, 'request') ? null : parameter(parameters, 'request');
  const members = object === null ? {} : (shownParts(object)?.claims ?? {});
  const wanted = (name: 'state' | 'response_mode') => {
    const member = members[name];
    if (typeof member === 'string') return member;
    return isRepeated(parameters, name) ? null : parameter(parameters, name);
  };
  const isFormPost = wanted('response_mode') === 'form_post';
  return { state: wanted('state'), ...(isFormPost ? { responseMode: 'form_post' } : {}) };
}

function wantedConfigTypes(back: WayBack, parameters: Parameters): readonly string[] {
  const given = valuesOf(parameters, 'configTypes');
  if (given.length === 0) return given;
  const configTypes = readConfigTypes(given);
  if (configTypes === undefined) throw refuse(back, 'invalid_request', 'too many or too long configTypes');
  return configTypes;
}

/** OIDC Core 3.1.2.1, `login_hint`. Text that cannot be a user name is dropped: a hint is no reason to refuse. */
function wantedUserName(parameters: Parameters): Pick<AuthRequest, 'loginHint'> {
  const hint = parameter(parameters, 'login_hint')?.trim() ?? null;
  return hint === null || usernameKey(hint) === undefined ? {} : { loginHint: hint };
}

/** The bytes that a text takes in an auth request id, which contains it as JSON. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
