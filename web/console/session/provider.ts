// The OpenID provider of this origin as the console talks to it: authorization code with PKCE, state and nonce; a
// refresh token is good once. What is stored anywhere but in memory is no token.

const clientId = 'overlay';
export const issuer = `${location.origin}/oidc`;
export const redirectUri = `${location.origin}/console/callback`;

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly id: string;
  /** Who signed in, as the ID token says. */
  readonly subject: string;
  /** Milliseconds since the epoch. */
  readonly renewAt: number;
}

/** A sign-in under way. The code that answers it is worth nothing without the verifier. */
export interface Login {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** The provider refused: only another sign-in helps. */
export class SignedOut extends Error {}

/** Nobody answers, or nobody can at the moment. */
export class Unreachable extends Error {}

interface Metadata {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly end_session_endpoint: string;
}

let metadata: Promise<Metadata> | null = null;

export function newLogin(): Login {
  return { verifier: randomText(), state: randomText(), nonce: randomText() };
}

/** Where to send somebody who signs in. */
export async function authorizationUrl(login: Login): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    state: login.state,
    nonce: login.nonce,
    code_challenge: await challengeOf(login.verifier),
    code_challenge_method: 'S256',
  });
  return `${(await discover()).authorization_endpoint}?${query}`;
}

/**
 * The tokens for the answer to a login.
 * @throws SignedOut    it answers no login of this tab (RFC 9207, RFC 9700 section 4.4), or was refused
 * @throws Unreachable
 */
export function redeem(answer: URLSearchParams, login: Login | null): Promise<Tokens> {
  if (login === null || answer.get('state') !== login.state || answer.get('iss') !== issuer) {
    throw new SignedOut('the answer belongs to no sign-in of this tab');
  }
  const code = answer.get('code');
  if (code === null) throw new SignedOut(answer.get('error') ?? 'no code');
  const { verifier: code_verifier, nonce } = login;
  return ask({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier }, nonce);
}

/** New tokens for the old ones, which are good no longer. @throws SignedOut, Unreachable */
export function refreshed({ refresh }: Tokens): Promise<Tokens> {
  return ask({ grant_type: 'refresh_token', refresh_token: refresh }, null);
}

/** Ends the session at the provider. By POST: the ID token stands in no address. */
export async function leave({ id }: Tokens): Promise<void> {
  const { end_session_endpoint: action } = await discover();
  const form = document.createElement('form');
  form.method = 'post';
  form.action = action;
  const fields = {
    id_token_hint: id,
    post_logout_redirect_uri: `${location.origin}/console/signed-out`,
  };
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

async function ask(parameters: Record<string, string>, nonce: string | null): Promise<Tokens> {
  const { token_endpoint: endpoint } = await discover();
  const body = new URLSearchParams({ ...parameters, client_id: clientId });
  const response = await reach(endpoint, { method: 'POST', body, credentials: 'omit' });
  if (response.status >= 400 && response.status < 500 && response.status !== 429) {
    throw new SignedOut('the tokens were refused');
  }
  if (!response.ok) throw new Unreachable(`token endpoint: ${response.status}`);
  const answer = await response.json();
  const lifetime = answer.expires_in * 1000;
  return {
    access: answer.access_token,
    refresh: answer.refresh_token,
    id: answer.id_token,
    subject: subjectOf(answer.id_token, nonce),
    renewAt: Date.now() + lifetime - Math.min(60_000, lifetime / 4),
  };
}

/** OIDC Core 3.1.3.7. The token came over TLS from the provider itself, which stands in for its signature (rule 6). */
function subjectOf(idToken: string, nonce: string | null): string {
  const claims = JSON.parse(textOf(idToken.split('.')[1] ?? ''));
  const isOurs =
    claims.iss === issuer && claims.aud === clientId && (nonce === null || claims.nonce === nonce);
  if (!isOurs || claims.exp * 1000 <= Date.now() - 60_000) {
    throw new SignedOut('the ID token is not for this sign-in');
  }
  return claims.sub;
}

function discover(): Promise<Metadata> {
  metadata ??= read().catch((error) => {
    metadata = null;
    throw error;
  });
  return metadata;

  async function read(): Promise<Metadata> {
    const response = await reach(`${issuer}/.well-known/openid-configuration`, { credentials: 'omit' });
    if (!response.ok) throw new Unreachable(`discovery: ${response.status}`);
    const found = await response.json();
    if (found.issuer !== issuer) throw new SignedOut('discovery names another issuer');
    return found;
  }
}

/** @throws Unreachable when no answer comes */
export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Unreachable('no answer');
  }
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return base64url(new Uint8Array(digest));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function textOf(base64: string): string {
  const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}
