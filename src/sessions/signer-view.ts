// The external JWT signers in memory: logins and calls ask for them with every token, and there are few.

import { isDeepStrictEqual } from 'node:util';
import type { SignerDirectory } from '../login/external-jwt/signer-directory.ts';
import type { ExternalJwtSigner } from '../model/entities/external-jwt-signer.ts';
import type { SignerId } from '../model/ids.ts';
import type { JwksCache } from '../platform/jwk/jwks-cache.ts';
import type { ExternalJwtSignerStore } from '../store/contracts/entities.ts';

export interface SignerView extends SignerDirectory {
  /** Reloads one signer after it was created, changed or deleted. */
  reload(id: SignerId): Promise<void>;
  /** Reloads all signers. */
  reloadAll(): Promise<void>;
}

/** Resolves when all signers are in memory. */
export async function openSignerView(
  store: { externalJwtSigners: ExternalJwtSignerStore },
  jwks: Pick<JwksCache, 'forget'>,
): Promise<SignerView> {
  const signers = new Map<SignerId, ExternalJwtSigner>();
  for (const signer of await store.externalJwtSigners.listAll()) signers.set(signer.id, signer);
  let list = [...signers.values()];
  async function reload(id: SignerId): Promise<void> {
    const before = signers.get(id);
    const signer = await store.externalJwtSigners.find(id);
    // A login that waits for keys is refused when its signer changes, which it recognizes by the object's identity.
    if (isDeepStrictEqual(before, signer ?? undefined)) return;
    if (signer === null) signers.delete(id);
    else signers.set(id, signer);
    list = [...signers.values()];
    // Other changes keep the keys: the provider may be unreachable just now.
    if (!isDeepStrictEqual(keySourceOf(before), keySourceOf(signer))) jwks.forget(id);
  }

  return {
    all: () => list,
    find: (id) => signers.get(id),
    reload,
    async reloadAll() {
      const stored = await store.externalJwtSigners.listAll();
      for (const id of new Set([...signers.keys(), ...stored.map((signer) => signer.id)])) await reload(id);
    },
  };
}

/** The fields that decide where the keys are fetched. */
function keySourceOf(signer: ExternalJwtSigner | null | undefined): readonly unknown[] {
  return [signer?.jwksEndpoint, signer?.discovery, signer?.discovery === true ? signer.issuer : null];
}
