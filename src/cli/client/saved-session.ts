// Finds the login that a command works with and keeps its access token fresh.

import { MINUTE, type Millis, SECOND } from '../../platform/clock.ts';
import { shellWord } from '../../platform/formats/shell-word.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CliPorts } from '../ports.ts';
import { connectionTo } from './connection.ts';
import type { CredentialsStore, SavedLogin } from './credentials-store.ts';
import type { HttpsClient } from './https-client.ts';
import { asObject, textField } from './json-shape.ts';
import { readJwt } from './jwt-text.ts';
import { refreshTokens } from './oidc-client.ts';
import { currentLogin, loginKey, loginMeantBy, loginWord, withLogin } from './several-logins.ts';

/** A token that ends this soon is renewed first, so that it does not end on its way. */
const renewalMargin: Millis = 30 * SECOND;
/** However short tokens live, one that was just issued is used. */
const shortestUse: Millis = MINUTE / 2;

export interface SessionNeeds {
  readonly ports: CliPorts;
  readonly store: CredentialsStore;
}

/**
 * The login that `--server` means, or the current one.
 * @throws CliError exit 3 when there is none
 */
export async function savedLogin(needs: SessionNeeds, server: string | undefined): Promise<SavedLogin> {
  const credentials = await needs.store.read();
  if (server !== undefined) return loginMeantBy(credentials, server);
  const login = currentLogin(credentials);
  if (login !== undefined) return login;
  const other = Object.values(credentials.logins).at(-1);
  if (other !== undefined) throw notLoggedIn(`overlay-auth login use ${shellWord(loginWord(other))}`);
  // Reads the configuration of the host, which takes a while.
  const { suggestedServer } = await import('./local-server.ts');
  throw notLoggedIn(`overlay-auth login ${suggestedServer(needs.ports)}`);
}

function notLoggedIn(next: string): CliError {
  const exitCode = exitCodes.notAuthenticated;
  return new CliError('You are not logged in.', { exitCode, code: 'not_logged_in', next });
}

/** The connection that belongs to a saved login. */
export async function connectionOf(needs: SessionNeeds, login: SavedLogin): Promise<HttpsClient> {
  const { trust } = await needs.store.read();
  return connectionTo(needs.ports, trust[login.url], login.clientCertificate);
}

/** Whether the access token can be used as it is. */
export function isFresh(login: SavedLogin, now: Millis): boolean {
  return login.refreshToken !== null && now < login.accessTokenExpiresAt - renewalMargin;
}

/**
 * The login with an access token that can be used.
 * @param http opened only when a renewal is needed
 * @param refused an access token that the server has just refused, although it looked fresh
 * @throws CliError exit 3 with the command to log in again when the session is over
 */
export async function freshLogin(
  needs: SessionNeeds,
  login: SavedLogin,
  http: () => Promise<HttpsClient>,
  refused?: string,
): Promise<SavedLogin> {
  const isUsable = (candidate: SavedLogin) =>
    candidate.accessToken !== refused && isFresh(candidate, needs.ports.clock.now());
  if (isUsable(login)) return login;
  const outcome = await needs.store.update<SavedLogin | CliError>(async (credentials) => {
    const latest = credentials.logins[loginKey(login)];
    // Logged out meanwhile by another command.
    if (latest === undefined) throw notLoggedIn(`overlay-auth login ${login.url}`);
    // Another process may have renewed it while this one waited for the lock.
    if (isUsable(latest)) return [credentials, latest] as const;
    if (latest.refreshToken === null) return [credentials, sessionIsOver(latest)] as const;
    const renewed = await renew(needs, latest, latest.refreshToken, await http());
    if (!(renewed instanceof CliError)) return [withLogin(credentials, renewed), renewed] as const;
    return [withLogin(credentials, { ...latest, refreshToken: null }), renewed] as const;
  });
  // Thrown only now, so that it is remembered that the refresh token is dead.
  if (outcome instanceof CliError) throw outcome;
  return outcome;
}

async function renew(
  needs: SessionNeeds,
  login: SavedLogin,
  refreshToken: string,
  http: HttpsClient,
): Promise<SavedLogin | CliError> {
  const requestedAt = needs.ports.clock.now();
  try {
    const tokens = await refreshTokens(http, login.tokenEndpoint, refreshToken);
    if (!isSameSubject(login, tokens.idToken)) {
      return new CliError('The server answered with tokens of somebody else.', { code: 'id_token_invalid' });
    }
    return {
      ...login,
      accessToken: tokens.accessToken,
      accessTokenExpiresAt: requestedAt + Math.max(tokens.expiresIn * SECOND, renewalMargin + shortestUse),
      idToken: tokens.idToken,
      refreshToken: tokens.refreshToken ?? refreshToken,
    };
  } catch (error) {
    if (error instanceof CliError && error.code === 'invalid_grant')
      return sessionIsOver(login, error.reference);
    throw error;
  }
}

/**
 * The issuer, subject and audience must stay (OIDC Core 12.2). That TLS has proven the server stands for the
 * signature here (3.1.3.7, 6).
 */
function isSameSubject(login: SavedLogin, idToken: string): boolean {
  const before = readJwt(login.idToken)?.payload;
  const after = readJwt(idToken)?.payload;
  return (
    textField(asObject(after), 'iss') === login.issuer &&
    textField(asObject(after), 'sub') === login.identityId &&
    JSON.stringify(asObject(after).aud) === JSON.stringify(asObject(before).aud)
  );
}

/** The error for a login that cannot be used any more, with the command that begins a new one. */
export function sessionIsOver(login: SavedLogin, reference?: string): CliError {
  return new CliError(`The session of ${login.name} at ${login.url} is over.`, {
    exitCode: exitCodes.notAuthenticated,
    code: 'session_over',
    next: ['overlay-auth login', login.url, ...login.loginArguments.map(shellWord)].join(' '),
    ...(reference === undefined ? {} : { reference }),
  });
}
