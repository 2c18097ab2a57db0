// Reseals everything under another key-encryption key while controllers run. See
// docs/decisions/replacing-the-key-encryption-key.md.

import { enrollmentSealLabel } from '../admin/enrollments.ts';
import { subscriptionSecretsLabel } from '../events/subscription-secrets.ts';
import { clientSecretLabel } from '../login/external-jwt/client-secret.ts';
import { seedLabel } from '../login/totp/totp.ts';
import { pendingLabel } from '../login/totp/totp-enrollment.ts';
import { asId } from '../model/ids.ts';
import { sealedCodeLabel } from '../oidc/device/device-login.ts';
import type { Clock, Millis } from '../platform/clock.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';
import { type KeyStore, type SealedKind, sealedKinds } from '../store/contracts/keys.ts';
import { signingKeyLabel } from '../tokens/key-ring.ts';
import { serverSecretLabel } from '../tokens/server-secrets.ts';

export interface RekeyNeeds {
  readonly store: { readonly keys: KeyStore };
  /** Seals under the new key and opens under the old ones. */
  readonly vault: KeyVault;
  readonly clock: Clock;
}

const labels: Readonly<Record<SealedKind, (id: string) => string>> = {
  'signing-key': signingKeyLabel,
  'server-secret': serverSecretLabel,
  enrollment: (id) => enrollmentSealLabel(asId(id)),
  totp: (id) => seedLabel(asId(id)),
  'pending-totp': pendingLabel,
  'device-login': sealedCodeLabel,
  'event-subscription': () => subscriptionSecretsLabel,
  signer: () => clientSecretLabel,
};

const pageSize = 200;

/**
 * Seals everything again that is not sealed under the vault's key. It can be stopped at any time and run again:
 * finished work stays, and the next pass finds every secret that was changed meanwhile.
 * @param afterKeys waits until running controllers, which read signing keys again, have seen the new key and
 *                  seal under it themselves
 * @returns how many secrets were sealed again
 * @throws SealBroken no known key opens one of them; those before it are done
 */
export async function rekeyDatabase(needs: RekeyNeeds, afterKeys: () => Promise<void>): Promise<number> {
  let total = await rekey(needs, 'signing-key');
  if (total > 0) await afterKeys();
  for (let found = -1; found !== 0; total += found) {
    found = 0;
    for (const kind of sealedKinds) found += await rekey(needs, kind);
  }
  return total;
}

async function rekey({ store: { keys }, vault, clock }: RekeyNeeds, kind: SealedKind): Promise<number> {
  let count = 0;
  const now: Millis = clock.now();
  for (let after = ''; ; ) {
    const page = await keys.listSealed(kind, after, pageSize);
    for (const secret of page) {
      after = secret.id;
      if (vault.isCurrent(secret.sealed)) continue;
      const label = labels[kind](secret.id);
      const sealed = vault.seal(vault.open(secret.sealed, label), label);
      if (await keys.replaceSealed({ kind, secret, sealed, now })) count += 1;
    }
    if (page.length < pageSize) return count;
  }
}
