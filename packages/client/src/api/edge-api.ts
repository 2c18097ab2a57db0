// Typed calls of the two Edge APIs. A refused call throws; what returns is an answer.

import createClient, { type Client, type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import { ProtocolError, Refusal, refusalOf } from '../errors.ts';
import { type Proving, proving } from '../oidc/proof-key.ts';
import type { Tokens } from '../oidc/tokens.ts';
import { guarded, type Transport } from '../transport.ts';
import { parseChallenges } from './challenge.ts';
import type { paths as ClientPaths } from './client-api.gen.ts';
import type { paths as ManagementPaths } from './management-api.gen.ts';

/** Where access tokens come from; a `Session` is one. */
export interface TokenSource {
  /** An access token that is valid for a while. @throws SessionEnded */
  accessToken(): Promise<string>;
  /** Another one, because the server has refused this one before it expired. @throws SessionEnded */
  renewedToken(refused: string): Promise<string>;
  /** Proves possession of the key that the tokens are bound to; undefined for bearer tokens. */
  proving?(): Promise<Proving | undefined>;
}

export interface EdgeApiOptions {
  /** Origin of the server, such as `https://localhost:1280`. */
  readonly baseUrl: string;
  /** A session, or tokens that you keep fresh yourself; a text is a bearer token. Omit it for calls that need none. */
  readonly token?: TokenSource | Pick<Tokens, 'accessToken' | 'key'> | string;
  /** The external JWT that a policy requires with every call. Called for each. */
  readonly secondaryToken?: () => Promise<string>;
  /** Default: `fetch`. */
  readonly transport?: Transport;
}

/** Method of an API, like openapi-fetch's, but a refusal throws, so there is always an answer. */
type Call<Paths, Method extends 'get' | 'put' | 'post' | 'patch' | 'delete'> = <
  Path extends PathsWith<Paths, Method>,
  Init extends MaybeOptionalInit<Paths[Path], Method & keyof Paths[Path]>,
>(
  path: Path,
  ...init: InitParam<Init>
) => Promise<{
  /** The body. */
  readonly data: DataOf<Paths[Path][Method & keyof Paths[Path]], Init>;
  readonly response: Response;
}>;

type PathsWith<Paths, Method extends string> = {
  [Path in keyof Paths]: Paths[Path] extends { [key in Method]: NonNullable<unknown> } ? Path : never;
}[keyof Paths];

type InitParam<Init> =
  Record<string, never> extends Init ? [init?: Init] : undefined extends Init ? [init?: Init] : [init: Init];

type DataOf<Operation, Init> =
  Operation extends Record<string | number, unknown>
    ? NonNullable<FetchResponse<Operation, Init, `${string}/${string}`>['data']>
    : never;

/** An Edge API. Paths are below its root, and typed, as are parameters, bodies and answers. */
export interface EdgeApi<Paths> {
  readonly GET: Call<Paths, 'get'>;
  readonly POST: Call<Paths, 'post'>;
  readonly PUT: Call<Paths, 'put'>;
  readonly PATCH: Call<Paths, 'patch'>;
  readonly DELETE: Call<Paths, 'delete'>;
}

export type ClientApi = EdgeApi<ClientPaths>;
export type ManagementApi = EdgeApi<ManagementPaths>;

/** What any identity may do for itself. Calls throw Refusal, SessionEnded, Unreachable or ProtocolError. */
export function createClientApi(options: EdgeApiOptions): ClientApi {
  return edgeApi<ClientPaths>('/edge/client/v1', options);
}

/** What administrators do. Calls throw Refusal, SessionEnded, Unreachable or ProtocolError. */
export function createManagementApi(options: EdgeApiOptions): ManagementApi {
  return edgeApi<ManagementPaths>('/edge/management/v1', options);
}

function edgeApi<Paths extends object>(root: string, options: EdgeApiOptions): EdgeApi<Paths> {
  const send = authenticated(options);
  const client: Client<Paths> = createClient<Paths>({
    baseUrl: new URL(root, options.baseUrl).href,
    // No endpoint redirects, and a token must not follow a redirect.
    redirect: 'error',
    credentials: 'omit',
    headers: { accept: 'application/json' },
    fetch: async (request) => {
      const response = await send(request);
      if (response.ok) return response;
      throw await refusalOf(response);
    },
  });
  type Untyped = (path: string, init?: object) => Promise<unknown>;
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
  const calls = methods.map((method) => [
    method,
    (path: string, init?: object) => (client[method] as Untyped)(path, init).catch(refuseNoJson),
  ]);
  // The same functions. Only their return type is narrower, because the other cases throw.
  return Object.fromEntries(calls);
}

function refuseNoJson(error: unknown): never {
  if (!(error instanceof SyntaxError)) throw error;
  throw new ProtocolError('answer_invalid', 'The answer of the server is no JSON', error);
}

/** Sends requests with tokens. If a token is refused before it expires, renews it and repeats the request, once. */
function authenticated({ token, secondaryToken, transport }: EdgeApiOptions): Transport {
  const send = guarded(transport);
  const withTokens = async (request: Request, accessToken: string, prove: Proving | undefined) => {
    request.headers.append('authorization', `${prove === undefined ? 'Bearer' : 'DPoP'} ${accessToken}`);
    if (secondaryToken !== undefined)
      request.headers.append('authorization', `Bearer ${await secondaryToken()}`);
    return (prove?.(send, accessToken) ?? send)(request);
  };
  return async (request) => {
    if (token === undefined) return send(request);
    if (typeof token === 'string') return withTokens(request, token, undefined);
    if (!('renewedToken' in token)) {
      const { key, accessToken } = token;
      return withTokens(request, accessToken, key && proving(key, Date.now));
    }
    const again = request.clone();
    const first = await token.accessToken();
    const response = await withTokens(request, first, await token.proving?.());
    if (response.status !== 401 || !isTokenRefused(response)) return response;
    const next = await token.renewedToken(first);
    return withTokens(again, next, await token.proving?.());
  };
}

/** Whether a new access token may help: not if a second token is missing, or the login is too old. */
function isTokenRefused({ headers }: Response): boolean {
  const challenges = parseChallenges(headers.get('www-authenticate'));
  return challenges.some(({ realm, ...rest }) => {
    const error = 'error' in rest ? rest.error : undefined;
    return realm === 'overlay-oidc' && (error === 'invalid' || error === 'expired');
  });
}

/** The challenge of a refusal that requires an external JWT with every call, if it does. */
export function secondaryTokenChallenge(error: unknown) {
  return error instanceof Refusal
    ? error.challenges.find((challenge) => challenge.realm === 'overlay-secondary-ext-jwt')
    : undefined;
}

/** The greatest age of a login for the call that was refused (RFC 9470), if that is why. Seconds. */
export function freshLoginAge(error: unknown): number | undefined {
  if (!(error instanceof Refusal)) return undefined;
  const found = error.challenges.find(
    (challenge) => 'error' in challenge && challenge.error === 'insufficient_user_authentication',
  );
  return found !== undefined && 'maxAgeSeconds' in found ? found.maxAgeSeconds : undefined;
}
