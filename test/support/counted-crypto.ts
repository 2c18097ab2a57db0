// How much of the expensive work of this process was done: signatures that were checked, by whichever way of the
// runtime. What the runtime's own TLS does is not among it.

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

/** How many signatures were checked since this was made. */
export function signatureChecks(): () => number {
  watch();
  const before = checks;
  return () => checks - before;
}
