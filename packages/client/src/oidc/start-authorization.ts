// Asks the server for a login without opening it: for programs that go through it themselves, and for those that want
// to know before a browser shows it that the server refuses.

import { ProtocolError, type Refusal, refusalOf } from '../errors.ts';
import {
  type AuthorizationOptions,
  answerOf,
  authorizationUrl,
  isRedirectOf,
  type LoginAttempt,
  newLoginAttempt,
} from './code-flow.ts';
import type { Provider } from './provider.ts';

export interface StartedAuthorization {
  /** With the redirect URI that the server allowed. */
  readonly attempt: LoginAttempt;
  /** The address that begins the same login in a browser. */
  readonly authorizationUrl: URL;
  /** Where the server leads: the login page, with the auth request id in its query. */
  readonly loginUrl: URL;
}

/**
 * Begins a login with the first redirect URI that the server allows.
 * @param redirectUris in order of preference
 * @throws Refusal when it allows none, or refuses the request; ProtocolError redirect_elsewhere, answer_invalid
 */
export async function startAuthorization(
  provider: Provider,
  redirectUris: readonly string[],
  options: AuthorizationOptions = {},
): Promise<StartedAuthorization> {
  let refused: Refusal | undefined;
  for (const redirectUri of redirectUris) {
    const attempt = newLoginAttempt(redirectUri);
    const url = await authorizationUrl(provider, attempt, options);
    const response = await provider.transport(jsonRequest(url.href, { method: 'GET' }));
    const location = redirectIn(response, url);
    if (location !== undefined) {
      return { attempt, authorizationUrl: url, loginUrl: loginUrlIn(provider, attempt, location) };
    }
    refused = await refusalOf(response);
    // A wrong redirect URI is refused at once (RFC 6749 4.1.2.1). The server may allow another spelling.
    if (response.status !== 400) break;
  }
  throw refused ?? new ProtocolError('answer_invalid', `${provider.origin} started no login`);
}

function loginUrlIn(provider: Provider, attempt: LoginAttempt, location: URL): URL {
  // A refused request returns at once; this throws the refusal.
  if (isRedirectOf(attempt, location)) answerOf(provider, attempt, location);
  if (location.origin === provider.origin) return location;
  throw new ProtocolError('redirect_elsewhere', `${provider.origin} leads the login to ${location.origin}`);
}

/** A request in the form that programs use during a login. */
export function jsonRequest(
  url: string,
  {
    method,
    body,
    bearer,
  }: { readonly method: string; readonly body?: object; readonly bearer?: string | undefined },
): Request {
  return new Request(url, {
    method,
    redirect: 'manual',
    credentials: 'omit',
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/**
 * Where an answer leads; undefined when it is not a redirect.
 * @throws ProtocolError in browsers, which hide redirects from pages
 */
export function redirectIn(response: Response, base: URL): URL | undefined {
  if (response.type === 'opaqueredirect') {
    throw new ProtocolError(
      'answer_invalid',
      'This platform hides redirects: log in with the browser instead',
    );
  }
  const location = response.headers.get('location');
  if (response.status < 300 || response.status >= 400 || location === null) return undefined;
  return URL.parse(location, base.href) ?? undefined;
}
