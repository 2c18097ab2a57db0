import { createSecureContext } from 'node:tls';
import { ProtocolError, Refusal, SessionEnded } from '../../../../packages/client/src/errors.ts';
import * as library from '../../../../packages/client/src/oidc/provider.ts';
import type { Tokens } from '../../../../packages/client/src/oidc/tokens.ts';
import { isUsable, type TokenStore } from '../../../../packages/client/src/session/token-store.ts';
import type { Clock, Millis } from '../../../platform/clock.ts';
import { shellWord } from '../../../platform/formats/shell-word.ts';
import { CliError, exitCodes, usageError } from '../../terminal/output.ts';
import type { CliPorts } from '../../terminal/ports.ts';
import { readNamedFile } from '../../terminal/secret-input.ts';
import { failure } from './answer-failure.ts';
import { credentialsStore, loginKey, type SavedLogin, type Trust } from './credentials-store.ts';
import { createHttpsClient, type HttpsClient, type TlsOptions } from './https-client.ts';
import { identityFileOf } from './identity-file.ts';
import { trustedCertificates } from './server-trust.ts';
import { currentLogin, loginMeantBy, loginWord, withLogin } from './several-logins.ts';

/** A client for one server, with the trust that it needs and the client certificate of a login that has one. */
export async function connectionTo(
  ports: CliPorts,
  trust: Trust | undefined,
  clientCertificate: SavedLogin['clientCertificate'],
): Promise<HttpsClient> {
  const ca = trustedCertificates(trust);
  const options: TlsOptions = {
    ...(ca === undefined ? {} : { ca }),
    ...(clientCertificate === undefined
      ? {}
      : { clientCertificate: await readPair(ports, clientCertificate) }),
  };
  return createHttpsClient(options, ports.clock);
}

async function readPair(
  ports: CliPorts,
  { certFile, keyFile }: NonNullable<SavedLogin['clientCertificate']>,
): Promise<{ cert: string; key: string }> {
  const text = await readNamedFile(ports, certFile, 'certificate');
  const identity = identityFileOf(text, certFile);
  const cert = identity?.cert ?? text;
  const key =
    identity !== undefined && keyFile === certFile
      ? identity.key
      : await readNamedFile(ports, keyFile, 'key');
  try {
    // Checked now: inside a request this would look like a failed connection.
    createSecureContext({ cert, key });
  } catch {
    throw usageError(
      certFile === keyFile
        ? `${certFile} does not contain a certificate and its key in PEM form.`
        : `${certFile} and ${keyFile} are not a certificate and its key in PEM form.`,
      'check --cert and --key',
    );
  }
  return { cert, key };
}

/**
 * Reads the discovery document of the server at `origin`.
 * @throws CliError when there is none, or it is for another origin
 */
export async function discover(http: HttpsClient, clock: Clock, origin: string): Promise<library.Provider> {
  try {
    const { transport } = http;
    return await library.discover({ baseUrl: origin, transport, now: () => clock.now() });
  } catch (error) {
    throw notDiscovered(origin, error);
  }
}

function notDiscovered(origin: string, error: unknown): unknown {
  if (error instanceof Refusal && error.status === 421) {
    return new CliError(`The server was reached, but it does not go by the name in ${origin}.`, {
      code: 'server_name_mismatch',
      next: `use the address that its operator configured, for example https://localhost:${new URL(origin).port || 443}`,
    });
  }
  if (error instanceof ProtocolError && error.code === 'issuer_mismatch')
    return failure(error, { next: 'log in with the address that the server announces' });
  if (error instanceof Refusal || (error instanceof ProtocolError && error.code === 'discovery_failed')) {
    const status = error instanceof Refusal ? ` (status ${error.status})` : '';
    return new CliError(`${origin} is not an Overlay Auth server with OpenID Connect${status}.`, {
      code: 'discovery_failed',
      next: 'check the address; the OpenID Connect provider may be on another listener',
      cause: error,
    });
  }
  return failure(error, { next: 'tell the operator of the server' });
}

// Finds the login that a command uses, and keeps its access token fresh.

/** The client that every server has. */
export const clientId = 'overlay';

/**
 * The login that `--server` names, or the current one.
 * @throws CliError exit 3 when there is none
 */
export async function savedLogin(ports: CliPorts, server: string | undefined): Promise<SavedLogin> {
  const credentials = await credentialsStore(ports).read();
  if (server !== undefined) return loginMeantBy(credentials, server);
  const login = currentLogin(credentials);
  if (login !== undefined) return login;
  const other = Object.values(credentials.logins).at(-1);
  if (other !== undefined) throw notLoggedIn(`overlay-auth login use ${shellWord(loginWord(other))}`);
  // This reads the host's configuration, which takes a while.
  const { suggestedServer } = await import('./local-server.ts');
  throw notLoggedIn(`overlay-auth login ${suggestedServer(ports)}`);
}

function notLoggedIn(next: string): CliError {
  const exitCode = exitCodes.notAuthenticated;
  return new CliError('You are not logged in.', { exitCode, code: 'not_logged_in', next });
}

/** The connection for a saved login. */
export async function connectionOf(ports: CliPorts, login: SavedLogin): Promise<HttpsClient> {
  const { trust } = await credentialsStore(ports).read();
  return connectionTo(ports, trust[login.url], login.clientCertificate);
}

/** Whether the access token can be used without renewing it. */
export function isFresh(login: SavedLogin, now: Millis): boolean {
  return login.refreshToken !== null && isUsable(tokensOf(login), now);
}

/**
 * The login with a usable access token. The client library renews it under the lock of the saved logins, so that only
 * one of several commands does so.
 * @param http opened only if a renewal is needed
 * @param refused an access token that the server has just refused, although it looked fresh
 * @throws CliError exit 3 with the command to log in again when the session has ended
 */
export async function freshLogin(
  ports: CliPorts,
  login: SavedLogin,
  { http, refused }: { http: () => Promise<HttpsClient>; refused?: string },
): Promise<SavedLogin> {
  if (login.accessToken !== refused && isFresh(login, ports.clock.now())) return login;
  // Loaded only by the commands that renew.
  const { openSession } = await import('../../../../packages/client/src/session/session.ts');
  const store = savedTokens(ports, login);
  const session = openSession({ provider: providerOf(ports, login, http), store });
  try {
    await (refused === undefined ? session.fresh() : session.renewedToken(refused));
  } catch (error) {
    if (!(error instanceof SessionEnded)) throw failure(error, { what: 'No tokens were issued' });
    // Another command has logged out meanwhile.
    if (store.latest() === undefined) throw notLoggedIn(`overlay-auth login ${login.url}`);
    throw sessionIsOver(login, error.requestId);
  }
  return store.latest() ?? login;
}

/** The saved tokens of a login, in the form that the library uses. */
function savedTokens(ports: CliPorts, login: SavedLogin): TokenStore & { latest(): SavedLogin | undefined } {
  const store = credentialsStore(ports);
  const key = loginKey(login);
  let latest: SavedLogin | undefined = login;
  return {
    latest: () => latest,
    async read() {
      latest = (await store.read()).logins[key];
      return latest === undefined || latest.refreshToken === null ? null : tokensOf(latest);
    },
    update: (change) =>
      store.update(async (credentials) => {
        const saved = credentials.logins[key];
        latest = saved;
        if (saved === undefined) return [credentials, (await change(null))[1]];
        const before = saved.refreshToken === null ? null : tokensOf(saved);
        const [after, result] = await change(before);
        if (after === before) return [credentials, result];
        // Of an ended session we remember the owner, and that the refresh token no longer works.
        latest = after === null ? { ...saved, refreshToken: null } : { ...saved, ...savedFrom(after) };
        return [withLogin(credentials, latest), result];
      }),
  };
}

function tokensOf(login: SavedLogin): Tokens {
  return {
    accessToken: login.accessToken,
    accessTokenExpiresAt: login.accessTokenExpiresAt,
    lifetime: login.accessTokenLifetime,
    idToken: login.idToken,
    refreshToken: login.refreshToken,
    identityId: login.identityId,
    factors: login.amr,
    ...(login.key === undefined ? {} : { key: login.key }),
  };
}

/** The values of new tokens to save. */
export function savedFrom(
  tokens: Tokens,
): Pick<
  SavedLogin,
  'accessToken' | 'accessTokenExpiresAt' | 'accessTokenLifetime' | 'idToken' | 'refreshToken' | 'key'
> {
  const { factors: _, identityId: __, lifetime, ...saved } = tokens;
  return { ...saved, accessTokenLifetime: lifetime };
}

/** As much of the provider as a renewal needs. The login read the discovery document. */
function providerOf(
  ports: CliPorts,
  { url, issuer, tokenEndpoint }: SavedLogin,
  http: () => Promise<HttpsClient>,
): library.Provider {
  return {
    origin: url,
    issuer,
    clientId,
    metadata: {
      issuer,
      token_endpoint: tokenEndpoint,
      id_token_signing_alg_values_supported: ['ES256', 'RS256', 'EdDSA', 'Ed25519'],
    },
    transport: async (request) => (await http()).transport(request),
    newKey: null,
    now: () => ports.clock.now(),
  };
}

/** The error for a login that no longer works, with the command to log in again. */
export function sessionIsOver(login: SavedLogin, reference?: string): CliError {
  return new CliError(`The session of ${login.name} at ${login.url} is over.`, {
    exitCode: exitCodes.notAuthenticated,
    code: 'session_over',
    next: ['overlay-auth login', login.url, ...login.loginArguments.map(shellWord)].join(' '),
    reference,
  });
}
