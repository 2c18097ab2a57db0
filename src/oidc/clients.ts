// The OIDC clients: all public (RFC 6749 2.1), so what tells them apart is an id and what is done for it. This is
// the one place that decides who gets the compatibility profile; everything else asks the client for its profile.

import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import type { RefreshTokenForm } from '../tokens/refresh-token.ts';

/**
 * `strict`: the service as its specification says. `compatibility`: what existing SDKs need in its place. A client
 * has one of them for ever, whichever path it uses.
 */
export type ClientProfile = 'strict' | 'compatibility';

export interface Client {
  readonly clientId: string;
  readonly profile: ClientProfile;
}

export interface ClientRegistry {
  /** The client of that id, or undefined. */
  find(clientId: string): Client | undefined;
  /** The clients that have the compatibility profile. */
  readonly aliasIds: ReadonlySet<string>;
}

/** The id of the main client. */
export const mainClientId = 'overlay';

/** @param aliasIds client ids that get the compatibility profile; the configuration keeps the main one out */
export function clientRegistry(aliasIds: readonly string[]): ClientRegistry {
  // No list can take the main client's strictness away.
  const aliases = new Set(aliasIds.filter((clientId) => clientId !== mainClientId));
  const clients = new Map<string, Client>([[mainClientId, { clientId: mainClientId, profile: 'strict' }]]);
  for (const clientId of aliases) clients.set(clientId, { clientId, profile: 'compatibility' });
  return { find: (clientId) => clients.get(clientId), aliasIds: aliases };
}

/** Where existing SDKs listen, each on a port of its own (RFC 8252 7.3). */
const sdkCallbacks: readonly RedirectUriPattern[] = ['localhost', '127.0.0.1', '[::1]'].map((host) => ({
  kind: 'any-port',
  prefix: `http://${host}`,
  suffix: '/auth/callback',
}));

/** The redirect URIs of a client at a bind point: those of the configuration, for an alias its own as well. */
export function redirectUrisOf(
  client: Client,
  configured: readonly RedirectUriPattern[],
): readonly RedirectUriPattern[] {
  return client.profile === 'compatibility' ? [...configured, ...sdkCallbacks] : configured;
}

/** Existing SDKs read the end of a refresh token from it, so that theirs is a JWT. */
export function refreshTokenFormOf(client: Client): RefreshTokenForm {
  return client.profile === 'compatibility' ? 'jwt' : 'opaque';
}
