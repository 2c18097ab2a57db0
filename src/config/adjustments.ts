import { MINUTE, type Millis } from '../platform/clock.ts';
import { formatDuration } from '../platform/formats/durations.ts';

/** A configured value that the service changes, because spec section 5.7 bounds it. */
export interface Adjustment {
  /** `edge.oidc.refreshTokenDuration` */
  readonly path: string;
  readonly oldValue: string;
  readonly newValue: string;
  /** A plain sentence without a final full stop. */
  readonly reason: string;
}

export interface OidcDurations {
  readonly accessTokenDuration: Millis;
  readonly idTokenDuration: Millis;
  readonly refreshTokenDuration: Millis;
  readonly refreshFamilyDuration: Millis;
}

/**
 * Raises durations to the minimum of spec section 5.7: access and ID tokens to one minute, refresh tokens to one minute
 * more than access tokens, whichever of the two the file sets. A family that is shorter than its tokens is raised to
 * their lifetime.
 */
export function adjustDurations(given: OidcDurations): {
  readonly durations: OidcDurations;
  readonly adjustments: readonly Adjustment[];
} {
  const adjustments: Adjustment[] = [];
  const raise = (key: keyof OidcDurations, least: Millis, reason: string): Millis => {
    if (given[key] >= least) return given[key];
    adjustments.push({
      path: `edge.oidc.${key}`,
      oldValue: formatDuration(given[key]),
      newValue: formatDuration(least),
      reason,
    });
    return least;
  };
  const accessTokenDuration = raise('accessTokenDuration', MINUTE, 'the least is 1m');
  const idTokenDuration = raise('idTokenDuration', MINUTE, 'the least is 1m');
  const refreshTokenDuration = raise(
    'refreshTokenDuration',
    accessTokenDuration + MINUTE,
    `it must be at least 1m longer than accessTokenDuration (${formatDuration(accessTokenDuration)})`,
  );
  const refreshFamilyDuration = raise(
    'refreshFamilyDuration',
    refreshTokenDuration,
    `it must not be shorter than refreshTokenDuration (${formatDuration(refreshTokenDuration)})`,
  );
  return {
    durations: { accessTokenDuration, idTokenDuration, refreshTokenDuration, refreshFamilyDuration },
    adjustments,
  };
}
