// Counts the expensive work of this process: signature checks, whichever function of the runtime makes them. Those of
// the runtime's own TLS are not included.

import { createRequire, syncBuiltinESMExports } from 'node:module';

type Verify = (...parameters: readonly unknown[]) => unknown;

let checks = 0;
let isWatched = false;

function counted(verify: Verify): Verify {
  return function (this: unknown, ...parameters: readonly unknown[]): unknown {
    checks += 1;
    return verify.apply(this, [...parameters]);
  };
}

function watch(): void {
  if (isWatched) return;
  isWatched = true;
  const crypto = createRequire(import.meta.url)('node:crypto');
  crypto.verify = counted(crypto.verify);
  syncBuiltinESMExports();
  for (const owner of [crypto.X509Certificate.prototype, Object.getPrototypeOf(crypto.webcrypto.subtle)]) {
    owner.verify = counted(owner.verify);
  }
}

/** The number of signature checks since this call. */
export function signatureChecks(): () => number {
  watch();
  const before = checks;
  return () => checks - before;
}
