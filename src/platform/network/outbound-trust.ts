// The trusted roots of outbound connections, and their client certificates.

import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { recentMap } from '../caches.ts';

/** Of one receiver; null: none. */
export interface TlsIdentity {
  /** Trusted beside all others, PEM. */
  readonly trustedRoots: string | null;
  /** The certificate of this service with its chain, and its key, PEM. */
  readonly certPem: string | null;
  readonly keyPem: string | null;
}

/**
 * Trusts the roots of the system, those of NODE_EXTRA_CA_CERTS, and the given ones (PEM). @throws Error one is not a
 * certificate
 */
export function trustingContext(
  givenRoots: readonly string[],
  { certPem, keyPem }: Pick<TlsIdentity, 'certPem' | 'keyPem'> = { certPem: null, keyPem: null },
): SecureContext {
  const system = getCACertificates('system');
  // A machine without its own roots, such as a bare container, gets those of the runtime.
  const base = system.length > 0 ? system : getCACertificates('bundled');
  // Debian names each root four times, in a file and by links, and reading one again takes as long as the first time.
  const ca = [...new Set([...base, ...getCACertificates('extra'), ...givenRoots])];
  const own = certPem === null || keyPem === null ? {} : { cert: certPem, key: keyPem };
  return createSecureContext({ ca, minVersion: 'TLSv1.2', ...own });
}

/** Makes the contexts when they are needed: reading the system's roots takes tens of milliseconds. */
export function trustingContexts(roots: readonly string[]): (of: TlsIdentity | undefined) => SecureContext {
  const contexts = recentMap<string, SecureContext>(20);
  return (of) => {
    const { trustedRoots = null, certPem = null, keyPem = null } = of ?? {};
    const key = JSON.stringify([trustedRoots, certPem, keyPem]);
    const known = contexts.get(key);
    if (known !== undefined) return known;
    const own = trustedRoots === null ? [] : [trustedRoots];
    const context = trustingContext([...roots, ...own], { certPem, keyPem });
    contexts.set(key, context);
    return context;
  };
}
