import type { Millis } from '../platform/clock.ts';

/** The longest life of a token that signing keys sign: the public part of a retired key is kept this long. */
export function longestSignedLifetime(oidc: {
  readonly accessTokenDuration: Millis;
  readonly idTokenDuration: Millis;
  readonly refreshTokenDuration: Millis;
  readonly compatibility: { readonly clientIds: readonly string[] };
}): Millis {
  // Only clients of the compatibility profile have signed refresh tokens.
  const refresh = oidc.compatibility.clientIds.length > 0 ? oidc.refreshTokenDuration : 0;
  return Math.max(oidc.accessTokenDuration, oidc.idTokenDuration, refresh);
}
