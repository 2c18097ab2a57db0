// A login from the authorization request to the tokens, as the three servers want it.
import { type Answer, type Connection, expectStatus, headerOf } from '../load/connection.ts';
import type { Step } from '../load/rounds.ts';
import { userPassword } from '../overlay/seed.ts';
import { formHead, jsonHead } from './operation.ts';

/** PKCE pair of RFC 7636 appendix B. */
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const redirectUri = 'http://localhost:8400/auth/callback';

const authorization = new URLSearchParams({
  response_type: 'code',
  client_id: 'overlay',
  redirect_uri: redirectUri,
  scope: 'openid offline_access',
  state: 'f0a1c2',
  nonce: 'n-0S6_WzA2Mj',
  code_challenge: challenge,
  code_challenge_method: 'S256',
}).toString();

/** The controller's authorization endpoint with a complete request. */
export const authorizationTarget = `/oidc/authorization?${authorization}`;

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

function tokenRequest(code: string, added: Readonly<Record<string, string>> = {}): string {
  return new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: 'overlay',
    code_verifier: verifier,
    ...added,
  }).toString();
}

function parameterOf(location: string, name: string): string {
  const value = new URL(location, 'https://localhost').searchParams.get(name);
  if (value === null) throw new Error(`no ${name} in ${location}`);
  return value;
}

/** The controller: authorization, password, token. */
export function overlayLogin(connection: Connection, username: string): Step {
  return async () => {
    const begun = expectStatus(await connection.request('GET', authorizationTarget), 302);
    const authRequestId = parameterOf(headerOf(begun, 'location'), 'authRequestID');
    const credentials = JSON.stringify({ authRequestId, username, password: userPassword });
    const proven = await connection.request('POST', '/oidc/login/username', jsonHead, credentials);
    await redeemCode(connection, proven);
  };
}

/** The last step of a code flow. @param proven the redirect that carries the code */
export async function redeemCode(connection: Connection, proven: Answer): Promise<void> {
  const code = parameterOf(headerOf(expectStatus(proven, 302), 'location'), 'code');
  expectStatus(await connection.request('POST', '/oidc/token', formHead, tokenRequest(code)), 200);
}

/** The bare handlers, in the same three requests. */
export function bareLogin(connection: Connection): Step {
  return async () => {
    const begun = expectStatus(await connection.request('GET', `/authorization?${authorization}`), 302);
    const authRequestId = parameterOf(headerOf(begun, 'location'), 'authRequestID');
    const credentials = JSON.stringify({ authRequestId, username: 'somebody', password: userPassword });
    const proven = await connection.request('POST', '/login', jsonHead, credentials);
    const code = parameterOf(headerOf(expectStatus(proven, 302), 'location'), 'code');
    expectStatus(await connection.request('POST', '/token', formHead, tokenRequest(code)), 200);
  };
}

const resource = 'urn:overlay-edge-apis';

/** Requests of one browser: with the cookies that it was given. */
function browserOn(connection: Connection) {
  const cookies = new Map<string, string>();
  return async (method: string, target: string, status: number, head = '', body = '') => {
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const cookieHead = jar === '' ? '' : `cookie: ${jar}\r\n`;
    const answer = expectStatus(await connection.request(method, target, head + cookieHead, body), status);
    for (const [, name = '', value = ''] of answer.head.matchAll(/\r\nset-cookie: *([^=]+)=([^;\r]*)/gi)) {
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
}

/** Path and query of an address. */
function targetOf(address: string): string {
  const { pathname, search } = new URL(address, 'https://localhost');
  return `${pathname}${search}`;
}

/** The other provider: authorization, interaction, back to the authorization, token. */
export async function providerLogin(connection: Connection, isForApi: boolean): Promise<Tokens> {
  const ask = browserOn(connection);
  const forApi = isForApi ? `&resource=${encodeURIComponent(resource)}` : '';
  const begun = await ask('GET', `/auth?${authorization}${forApi}`, 303);
  const interaction = headerOf(begun, 'location');
  const credentials = JSON.stringify({ username: 'somebody', password: userPassword });
  const proven = await ask('POST', interaction, 303, jsonHead, credentials);
  const finished = await ask('GET', targetOf(headerOf(proven, 'location')), 303);
  const code = parameterOf(headerOf(finished, 'location'), 'code');
  const added: Record<string, string> = isForApi ? { resource } : {};
  const answer = expectStatus(
    await connection.request('POST', '/token', formHead, tokenRequest(code, added)),
    200,
  );
  return JSON.parse(answer.body) as Tokens;
}

/** Where Keycloak serves the protocol. */
export const keycloakPath = '/realms/overlay/protocol/openid-connect';

/** Keycloak: its page, the form of it, token. Its refresh tokens need no scope. */
export async function keycloakLogin(connection: Connection): Promise<Tokens> {
  const ask = browserOn(connection);
  const wanted = authorization.replace('+offline_access', '');
  const page = await ask('GET', `${keycloakPath}/auth?${wanted}`, 200);
  const action = / action="([^"]+)"/.exec(page.body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const form = new URLSearchParams({ username: 'somebody', password: userPassword }).toString();
  const proven = await ask('POST', targetOf(action), 302, formHead, form);
  const code = parameterOf(headerOf(proven, 'location'), 'code');
  const answer = await connection.request('POST', `${keycloakPath}/token`, formHead, tokenRequest(code));
  return JSON.parse(expectStatus(answer, 200).body) as Tokens;
}
