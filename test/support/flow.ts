// The steps of a login as a client makes them, one request each, so that a test can change any of them.

import type { Answer, HttpsClient } from './https-client.ts';

/** PKCE pair of RFC 7636 appendix B. */
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
export const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
export const redirectUri = 'http://localhost:8400/auth/callback';

type Changes = Readonly<Record<string, string | null>>;

const authorizationDefaults = {
  response_type: 'code',
  client_id: 'overlay',
  redirect_uri: redirectUri,
  scope: 'openid offline_access',
  state: 's1',
  nonce: 'n1',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};

/** The query of an authorization request, with parameters changed, or removed by null. */
export function authorizationQuery(
  changes: Changes = {},
  added: readonly (readonly [string, string])[] = [],
): string {
  return encodeForm(merged(authorizationDefaults, changes), added);
}

export function authorize(
  client: HttpsClient,
  changes: Changes = {},
  added: readonly (readonly [string, string])[] = [],
): Promise<Answer> {
  return client.get(`/oidc/authorization?${authorizationQuery(changes, added)}`);
}

/** The auth request id of a new authorization request. */
export async function beginLogin(client: HttpsClient, changes: Changes = {}): Promise<string> {
  const answer = await authorize(client, changes);
  return authRequestIdOf(answer);
}

export function authRequestIdOf(answer: Answer): string {
  const id = new URL(locationOf(answer), 'https://localhost').searchParams.get('authRequestID');
  if (id === null) throw new Error(`no authRequestID in ${answer.status} ${answer.headers.location}`);
  return id;
}

export function locationOf(answer: Answer): string {
  if (answer.headers.location === undefined) throw new Error(`no Location: ${answer.status} ${answer.text}`);
  return answer.headers.location;
}

export function submitPassword(
  client: HttpsClient,
  authRequestId: string,
  username: string,
  password: string,
): Promise<Answer> {
  return client.post('/oidc/login/username', { json: { authRequestId, username, password } });
}

/** The authorization code in the answer to a finished login. */
export function codeOf(answer: Answer): string {
  const code = new URL(locationOf(answer)).searchParams.get('code');
  if (code === null) throw new Error(`no code in ${answer.status} ${answer.headers.location}`);
  return code;
}

export async function obtainCode(
  client: HttpsClient,
  username: string,
  password: string,
  changes: Changes = {},
): Promise<string> {
  return codeOf(await submitPassword(client, await beginLogin(client, changes), username, password));
}

export function redeem(
  client: HttpsClient,
  code: string,
  changes: Changes = {},
  added: readonly (readonly [string, string])[] = [],
): Promise<Answer> {
  const form = merged(
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: 'overlay',
      code_verifier: verifier,
    },
    changes,
  );
  return client.post('/oidc/token', { form: [...Object.entries(form), ...added] });
}

export function refresh(client: HttpsClient, refreshToken: string, changes: Changes = {}): Promise<Answer> {
  return client.post('/oidc/token', {
    form: merged({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: 'overlay' }, changes),
  });
}

export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

/** The tokens of a complete login. */
export async function login(
  client: HttpsClient,
  username: string,
  password: string,
  changes: Changes = {},
): Promise<Tokens> {
  const answer = await redeem(client, await obtainCode(client, username, password, changes));
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.text}`);
  return answer.json;
}

/** A call that any fully authenticated caller may make, even where the test's server has only OIDC. */
export function callWith(
  client: HttpsClient,
  accessToken: string,
  path = '/edge/client/v1/current-api-session',
): Promise<Answer> {
  return client.get(path, { headers: { authorization: `Bearer ${accessToken}` } });
}

/** The claims of a JWT, unverified. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary claims
export function claimsOf(jwt: string): any {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

function merged(defaults: Readonly<Record<string, string>>, changes: Changes): Record<string, string> {
  const result: Record<string, string> = { ...defaults };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete result[name];
    else result[name] = value;
  }
  return result;
}

function encodeForm(
  parameters: Readonly<Record<string, string>>,
  added: readonly (readonly [string, string])[],
): string {
  return new URLSearchParams([
    ...Object.entries(parameters),
    ...added.map(([name, value]) => [name, value]),
  ]).toString();
}
