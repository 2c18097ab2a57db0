// Requests of this service to other providers, and the keys that they publish.

import { isDeepStrictEqual } from 'node:util';
import type { Config, JwksFetchConfig } from '../config/config.ts';
import { readRoots } from '../config/named-roots.ts';
import { jwksCache, remoteJwksCache } from '../platform/jwk/jwks-cache.ts';
import { outboundClient } from '../platform/network/outbound-client.ts';
import { type PathCertificate, readPathCertificate } from '../platform/x509/path-certificate.ts';
import { parseCertificates } from '../platform/x509/x509.ts';
import { tracedFetches } from '../telemetry/traced-fetches.ts';
import type { Base } from './in-use.ts';

export type Providers = ReturnType<typeof openProviders>;

/** @throws ConfigError a file of trusted roots cannot be used */
export function openProviders({ config, clock, log, first, tracing, trustedRoots = [] }: Base) {
  const accessOf = ({ edge }: Config) => {
    const { jwksFetch: limits } = edge.externalJwtSigners;
    return { limits, trustedRoots: [...trustedRoots, ...readOtherRoots(limits)] };
  };
  const clientBy = (access: ReturnType<typeof accessOf>) => outboundClient(access.limits, access);
  let access = accessOf(config);
  let client = clientBy(access);
  const outbound: Omit<typeof client, 'exchange'> = tracedFetches(
    {
      get: (...request) => client.get(...request),
      post: (...request) => client.post(...request),
      connect: (...request) => client.connect(...request),
      postFor: (...request) => client.postFor(...request),
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
    /** @returns what begins to use the other configuration @throws ConfigError as at the start */
    prepare(fresh: Config): () => void {
      const changed = accessOf(fresh);
      return () => {
        if (isDeepStrictEqual(access, changed)) return;
        access = changed;
        client = clientBy(access);
        // Keys of a server that may no longer be asked are no longer used.
        jwks.forgetAll();
      };
    },
  };
}

/** @throws ConfigError */
export function readAuthenticatorRoots({ edge: { passkeys } }: Config): readonly PathCertificate[] {
  const path = 'edge.passkeys.trustedRoots';
  const certificates = passkeys.trustedRoots.flatMap((file) => parseCertificates(readRoots(path, file)));
  return certificates.map(({ raw }) => readPathCertificate(raw));
}

/** PEM. @throws ConfigError */
export function readOtherRoots({ trustedRoots }: JwksFetchConfig): readonly string[] {
  const path = 'edge.externalJwtSigners.jwksFetch.trustedRoots';
  return trustedRoots.map((file) => readRoots(path, file));
}
