// The OIDC clients. The one of the specification and the aliases of the configuration are public (RFC 6749 2.1) and
// share the addresses of the listener; clients that administrators have registered have their own settings. Only this
// file decides the rights of a client; everything else asks here.

import { AuthError } from '../errors/auth-error.ts';
import type { AuthPolicy } from '../model/entities/auth-policy.ts';
import type { Identity } from '../model/entities/identity.ts';
import { isFapiClient } from '../model/entities/oidc-client.ts';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import type { SigningAlgorithm } from '../model/signing-key.ts';
import type { AccessTokenClaims } from '../model/tokens.ts';
import type { Millis } from '../platform/clock.ts';
import { quoted, shorterThanSecrets } from '../platform/formats/quoted.ts';
import { allowsIdentity, type ClientView, type RegisteredClient } from '../sessions/account-view.ts';
import { edgeAudience, type TokenParties, type TokenUse } from '../tokens/access-token.ts';
import type { RefreshTokenForm } from '../tokens/opaque-token.ts';
import { withAnyLoopbackPort } from './redirect-uri.ts';

/**
 * `strict`: the service as its specification says. `compatibility`: what existing SDKs need instead. A client always
 * has the same one, whichever path it uses.
 */
export type ClientProfile = 'strict' | 'compatibility';

export interface Client {
  readonly clientId: string;
  readonly profile: ClientProfile;
  /** The settings of a registered client; null for the clients of the specification and the configuration. */
  readonly registered: RegisteredClient | null;
}

export type ClientRegistry = ReturnType<typeof clientRegistry>;

/** The id of the main client. */
export const mainClientId = 'overlay';

/**
 * @param aliasIds client ids that get the compatibility profile; the configuration keeps the main one out
 * @param view     the registered clients
 */
export function clientRegistry(aliasIds: readonly string[], view: Pick<ClientView, 'find' | 'all'>) {
  // No list of aliases can make the main client less strict.
  const aliases: ReadonlySet<string> = new Set(aliasIds.filter((clientId) => clientId !== mainClientId));
  const main: Client = { clientId: mainClientId, profile: 'strict', registered: null };
  const fixed = new Map<string, Client>([[mainClientId, main]]);
  for (const clientId of aliases)
    fixed.set(clientId, { clientId, profile: 'compatibility', registered: null });
  return {
    /** The client with that id, or undefined. */
    find(clientId: string): Client | undefined {
      const known = fixed.get(clientId);
      if (known !== undefined) return known;
      const registered = view.find(clientId);
      return registered === undefined ? undefined : { clientId, profile: 'strict', registered };
    },
    /** The clients that have the compatibility profile. */
    aliasIds: aliases,
    /** The clients that administrators have registered. */
    registered: (): readonly RegisteredClient[] => view.all(),
  };
}

/** @throws AuthError invalid_client */
export function requireClient(clients: Pick<ClientRegistry, 'find'>, clientId: string): Client {
  const client = clients.find(clientId);
  if (client === undefined) throw unknownClient(clientId);
  return client;
}

export function unknownClient(clientId: string): AuthError {
  return new AuthError('invalid_client', { seen: { client: quoted(clientId, shorterThanSecrets) } });
}

/** Where existing SDKs listen, each on its own port (RFC 8252 7.3). */
const sdkCallbacks: readonly RedirectUriPattern[] = ['localhost', '127.0.0.1', '[::1]'].map((host) => ({
  kind: 'any-port',
  prefix: `http://${host}`,
  suffix: '/auth/callback',
}));

/**
 * The redirect URIs of a client at a bind point: its own, or those of the configuration. The programs of an alias have more,
 * a browser has not: anybody may lead it here with the client id of an alias.
 * @param browserBinding null for programs
 */
export function redirectUrisOf(
  { registered, profile }: Client,
  configured: readonly RedirectUriPattern[],
  browserBinding: string | null,
): readonly RedirectUriPattern[] {
  if (registered !== null) return withAnyLoopbackPort(registered.redirectPatterns);
  const hasMore = profile === 'compatibility' && browserBinding === null;
  return hasMore ? [...configured, ...sdkCallbacks] : configured;
}

/** Where a client may send a browser after logout: the addresses in the configuration, or its own. */
export function postLogoutUrisOf(
  { registered }: Client,
  configured: readonly RedirectUriPattern[],
): readonly RedirectUriPattern[] {
  return registered === null ? configured : registered.postLogoutPatterns;
}

/** Existing SDKs read the expiry from the refresh token, so theirs is a JWT. */
export function refreshTokenFormOf(client: Client): RefreshTokenForm {
  return client.profile === 'compatibility' ? 'jwt' : 'opaque';
}

/**
 * Whether an authorization request needs a challenge. A client without one has to authenticate at the token endpoint.
 */
export function requiresPkce({ registered }: Client): boolean {
  return (
    registered === null || registered.requirePkce || registered.type === 'public' || isFapiClient(registered)
  );
}

/** Whether a client runs at the person's side, in their browser or as their program. Others are servers (RFC 6749 2.1). */
export function runsWithPerson({ registered }: Client): boolean {
  return registered === null || registered.type === 'public';
}

/** Whether a client proves at the token endpoint who it is (RFC 6749 3.2.1). */
export function isAuthenticated({ registered }: Client): boolean {
  return registered !== null && registered.tokenEndpointAuthMethod !== 'none';
}

/** Whether the FAPI 2.0 Security Profile applies. */
export function isFapi({ registered }: Client): boolean {
  return registered !== null && isFapiClient(registered);
}

/**
 * Whether each refresh replaces the refresh token, so that the use of a stolen one is noticed. FAPI 2.0 (5.3.2.1)
 * forbids that: a token of such a client is worth nothing without its key, and a lost answer would cost its session.
 */
export function rotatesRefreshTokens(client: Client): boolean {
  return !isFapi(client);
}

/** Whether a client may have refresh tokens today. */
export function mayRefresh({ registered }: Client): boolean {
  return registered === null || registered.scopes.includes('offline_access');
}

/** Whether the tokens of a client must be bound to a key, by its own rule or that of the person. */
export function requiresKey({ registered }: Client, policy: Pick<AuthPolicy, 'requireDpop'>): boolean {
  return registered?.requireDpop === true || policy.requireDpop;
}

/** Whether only identities with certain role attributes may use a client. */
export function isForSome({ registered }: Client): boolean {
  return registered !== null && registered.allowedRoleAttributes.length > 0;
}

/** Whether an identity may use a client. */
export function mayUse({ registered }: Client, identity: Pick<Identity, 'roleAttributes'>): boolean {
  return registered === null || allowsIdentity(registered, identity);
}

/** Why an identity may not use an application today, as a word for the audit trail; null when it may. */
export function clientObjection(
  client: Client,
  identity: Pick<Identity, 'roleAttributes'>,
): 'client-not-allowed' | null {
  return mayUse(client, identity) ? null : 'client-not-allowed';
}

/**
 * The audience of a client's access tokens. The Edge APIs accept those of the built-in clients, and of a registered
 * client with `apiAccess`. Others are for the application itself, or the resource that it asks for (RFC 8707).
 */
export function audienceOf(
  { clientId, profile, registered }: Client,
  resources: readonly string[],
): AccessTokenClaims['aud'] {
  if (registered === null) return profile === 'compatibility' ? [edgeAudience, clientId] : edgeAudience;
  const own = resources.length > 0 ? resources : [clientId];
  const audience = registered.apiAccess ? [edgeAudience, ...own] : own;
  return audience.length === 1 ? (audience[0] as string) : audience;
}

/** @returns the present use of a token that is not only for the Edge APIs: nothing when its client is gone */
export function tokenUses(
  clients: Pick<ClientRegistry, 'find'>,
): (parties: TokenParties) => TokenUse | undefined {
  return ({ aud, client_id }) => {
    const client = clients.find(client_id);
    if (client === undefined) return undefined;
    if (client.registered === null) {
      // Tokens of an alias end with the alias: once it is no longer configured, no API accepts them.
      const isOwn = aud.length === 2 && aud[0] === edgeAudience && aud[1] === client_id;
      return typeof aud !== 'string' && isOwn && client.profile === 'compatibility' ? 'edge-apis' : undefined;
    }
    const isForApis = typeof aud !== 'string' && aud[0] === edgeAudience && client.registered.apiAccess;
    return isForApis ? 'edge-apis' : 'application';
  };
}

/** Lifetimes, from the configuration (spec 5.7). */
export interface TokenLifetimes {
  readonly accessToken: Millis;
  readonly idToken: Millis;
  readonly refreshToken: Millis;
  /** From login to the absolute end of a refresh family. */
  readonly refreshFamily: Millis;
}

/** The server's defaults for a client. */
export interface IssuingRules {
  readonly lifetimes: TokenLifetimes;
  readonly idTokenAlg: SigningAlgorithm;
}

/** The same for this client. Its own lifetimes never exceed the server's, which may have become shorter since. */
export function issuingRulesOf(
  { registered }: Client,
  { lifetimes, idTokenAlg }: IssuingRules,
): IssuingRules {
  if (registered === null) return { lifetimes, idTokenAlg };
  const { accessTokenDuration, refreshTokenDuration, idTokenSigningAlg } = registered;
  return {
    idTokenAlg: idTokenSigningAlg,
    lifetimes: {
      ...lifetimes,
      accessToken: Math.min(accessTokenDuration ?? lifetimes.accessToken, lifetimes.accessToken),
      refreshToken: Math.min(refreshTokenDuration ?? lifetimes.refreshToken, lifetimes.refreshToken),
    },
  };
}
