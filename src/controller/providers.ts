// What this service asks of other providers, and the keys that they publish.

import type { Config } from '../config/config.ts';
import { jwksCache, remoteJwksCache } from '../platform/jwk/jwks-cache.ts';
import { outboundClient } from '../platform/network/outbound-client.ts';
import { tracedFetches } from '../telemetry/traced-fetches.ts';
import type { Base } from './in-use.ts';

export type Providers = ReturnType<typeof openProviders>;

export function openProviders({ config, clock, log, first, tracing, trustedRoots = [] }: Base) {
  const limitsOf = ({ edge }: Config) => edge.externalJwtSigners.jwksFetch;
  const settingsOf = ({ edge }: Config) => JSON.stringify(edge.externalJwtSigners);
  let settings = settingsOf(config);
  let client = outboundClient(limitsOf(config), { trustedRoots });
  const outbound: typeof client = tracedFetches(
    {
      get: (...request) => client.get(...request),
      postForm: (...request) => client.postForm(...request),
    },
    tracing,
  );
  const fetched = jwksCache({ client: outbound, clock, logger: log });
  const jwks = first === undefined ? fetched : remoteJwksCache({ clock, ask: first.keySet });
  return {
    outbound,
    jwks,
    /** For the other threads; only the first one fetches. */
    keySet: fetched.answer,
    use(fresh: Config): void {
      if (settings === settingsOf(fresh)) return;
      settings = settingsOf(fresh);
      client = outboundClient(limitsOf(fresh), { trustedRoots });
      // Keys of a server that may no longer be asked are no longer used.
      jwks.forgetAll();
    },
  };
}
