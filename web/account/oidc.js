// The account page is an ordinary public client of the OpenID provider: authorization code with PKCE, state and nonce.
//
// Access and ID token live in memory. The refresh token is kept in sessionStorage, so that reloading the tab does
// not ask for the password again: the provider keeps no session in the browser. It is readable by scripts of this
// origin only, which the content security policy limits to our own, it goes with the tab, and each use replaces it.

const clientId = 'overlay';
const issuer = `${location.origin}/oidc`;
const redirectUri = `${location.origin}/account/callback`;
const loginKey = 'account.login';
const refreshKey = 'account.refresh';

/** The session is over, or there is none: only a new login helps. */
export class SignedOut extends Error {}

/** @type {{ accessToken: string, idToken: string, renewAt: number } | null} */
let tokens = null;
/** @type {Promise<void> | null} */
let renewing = null;
/** @type {Promise<any> | null} */
let metadata = null;

/** Leaves for the login. @param {{ isFresh?: boolean }} [how] whether the person has to prove anew who it is */
export async function signIn({ isFresh = false } = {}) {
  const { authorization_endpoint: endpoint } = await discover();
  const login = await beginLogin();
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    state: login.state,
    nonce: login.nonce,
    code_challenge: login.challenge,
    code_challenge_method: 'S256',
    ...(isFresh ? { prompt: 'login' } : {}),
  });
  location.assign(`${endpoint}?${query}`);
}

/** Notes a login that this tab begins; whatever answers it brings the state back. */
export async function beginLogin() {
  const login = { verifier: randomText(), state: randomText(), nonce: randomText() };
  sessionStorage.setItem(loginKey, JSON.stringify(login));
  return { ...login, challenge: await challengeOf(login.verifier) };
}

/** Whether the address is that to which the login comes back. */
export function isCallback() {
  return location.pathname === '/account/callback';
}

/** Ends a login that has come back, and takes code and state out of the address. @throws SignedOut */
export async function finishSignIn() {
  const answer = new URLSearchParams(location.search);
  const login = JSON.parse(sessionStorage.getItem(loginKey) ?? 'null');
  sessionStorage.removeItem(loginKey);
  history.replaceState(null, '', '/account');
  // RFC 9207 and RFC 9700 4.4: an answer of another provider, or to a login that was not begun here, is nobody's.
  if (login === null || answer.get('state') !== login.state || answer.get('iss') !== issuer) {
    throw new SignedOut('the answer does not belong to a login of this tab');
  }
  const code = answer.get('code');
  if (code === null) throw new SignedOut(answer.get('error') ?? 'no code');
  await ask(
    { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: login.verifier },
    login.nonce,
  );
}

/** Whether there may be a session to go on with. */
export function canResume() {
  return tokens !== null || sessionStorage.getItem(refreshKey) !== null;
}

/** An access token that is good for a while yet. @throws SignedOut */
export async function accessToken() {
  if (tokens === null || Date.now() >= tokens.renewAt) await renew();
  if (tokens === null) throw new SignedOut('no tokens');
  return tokens.accessToken;
}

/** Gets new tokens; callers at the same time share one request, since a refresh token is good once. @throws SignedOut */
export function renew() {
  renewing ??= refresh().finally(() => {
    renewing = null;
  });
  return renewing;
}

/** Forgets every token. */
export function forget() {
  tokens = null;
  sessionStorage.removeItem(refreshKey);
}

/** Ends the session at the provider, which leads back here. By POST: the ID token stands in no address. */
export async function signOut() {
  const { end_session_endpoint: endpoint } = await discover();
  await accessToken();
  const fields = {
    id_token_hint: tokens?.idToken ?? '',
    post_logout_redirect_uri: `${location.origin}/account`,
  };
  forget();
  const form = document.createElement('form');
  form.method = 'post';
  form.action = endpoint;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    Object.assign(input, { type: 'hidden', name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

async function refresh() {
  const token = sessionStorage.getItem(refreshKey);
  if (token === null) throw new SignedOut('no refresh token');
  await ask({ grant_type: 'refresh_token', refresh_token: token });
}

/**
 * Asks the token endpoint.
 * @param {Record<string, string>} parameters
 * @param {string} [nonce] of the login; a refresh has none to compare
 */
async function ask(parameters, nonce) {
  const { token_endpoint: endpoint } = await discover();
  const body = new URLSearchParams({ ...parameters, client_id: clientId });
  const response = await fetch(endpoint, { method: 'POST', body, credentials: 'omit' });
  if (response.status >= 400 && response.status < 500 && response.status !== 429) {
    forget();
    throw new SignedOut('the tokens were refused');
  }
  if (!response.ok) throw new Error(`token endpoint: ${response.status}`);
  const answer = await response.json();
  checkIdToken(answer.id_token, nonce);
  const lifetime = answer.expires_in * 1000;
  const { access_token: access, id_token: idToken } = answer;
  tokens = { accessToken: access, idToken, renewAt: Date.now() + lifetime - Math.min(60_000, lifetime / 4) };
  sessionStorage.setItem(refreshKey, answer.refresh_token);
}

/** OIDC Core 3.1.3.7. The token came over TLS from the provider itself, which stands in for its signature (rule 6). */
function checkIdToken(text, nonce) {
  const claims = JSON.parse(textOf(text.split('.')[1]));
  const isOurs =
    claims.iss === issuer && claims.aud === clientId && (nonce === undefined || claims.nonce === nonce);
  if (!isOurs || claims.exp * 1000 <= Date.now() - 60_000) {
    forget();
    throw new SignedOut('the ID token is not for this login');
  }
}

function discover() {
  metadata ??= read().catch((error) => {
    metadata = null;
    throw error;
  });
  return metadata;

  async function read() {
    const response = await fetch(`${issuer}/.well-known/openid-configuration`, { credentials: 'omit' });
    if (!response.ok) throw new Error(`discovery: ${response.status}`);
    const document = await response.json();
    if (document.issuer !== issuer) throw new Error('discovery names another issuer');
    return document;
  }
}

function randomText() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return base64url(new Uint8Array(digest));
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function textOf(base64) {
  const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}
