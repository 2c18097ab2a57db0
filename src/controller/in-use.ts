// The configuration in use, and what every part of the services is built on.

import type { Config } from '../config/config.ts';
import type { Millis } from '../platform/clock.ts';
import type { TracingInUse } from '../platform/tracing.ts';
import { clockSkew } from '../tokens/access-token.ts';
import type { Foundations } from './foundations.ts';
import type { OtherThreads } from './thread-roles.ts';

/** Outlives reloads, which change it: every part that outlives them too asks here. */
export interface ConfigInUse {
  readonly edge: Config['edge'];
  readonly mail: Config['mail'];
  readonly lifetimes: { readonly accessToken: Millis };
  /** How long after its issue an access token may be valid, under any configuration that was in use. */
  readonly accessTokenEnd: Millis;
  /** Tokens may live as long as another configuration says. @returns `accessTokenEnd` from now on */
  allowTokensOf(fresh: Config): Millis;
  replace(fresh: Config): void;
}

export function configInUse(first: Config): ConfigInUse {
  const lifetimes = { accessToken: first.edge.oidc.accessTokenDuration };
  // A node whose clock is ahead may date a token after the end of its session.
  const endOf = ({ edge }: Config) => edge.oidc.accessTokenDuration + clockSkew;
  const inUse = {
    edge: first.edge,
    mail: first.mail,
    lifetimes,
    accessTokenEnd: endOf(first),
    allowTokensOf(fresh: Config) {
      inUse.accessTokenEnd = Math.max(inUse.accessTokenEnd, endOf(fresh));
      return inUse.accessTokenEnd;
    },
    replace({ edge, mail }: Config) {
      inUse.edge = edge;
      inUse.mail = mail;
      lifetimes.accessToken = edge.oidc.accessTokenDuration;
    },
  };
  return inUse;
}

/** The foundations as the parts see them: a traced store, and the place of this thread among several. */
export interface Base extends Foundations {
  readonly tracing: TracingInUse;
  readonly inUse: ConfigInUse;
  readonly others: OtherThreads;
  /** Number of request threads. */
  readonly threads: number;
}
