import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';

/**
 * The external JWT signers as they are now, in memory. A record is never changed in place: as long as `find` returns
 * the same object, nothing about the signer has changed.
 */
export interface SignerDirectory {
  /** Includes disabled ones, which must not take part in any decision. */
  all(): readonly ExternalJwtSigner[];
  find(id: SignerId): ExternalJwtSigner | undefined;
}

/** The signer, if it may take part in a decision now. */
export function enabledSigner(directory: SignerDirectory, id: SignerId): ExternalJwtSigner | undefined {
  const signer = directory.find(id);
  return signer?.enabled ? signer : undefined;
}
