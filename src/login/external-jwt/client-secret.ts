// The secret with which this service redeems codes at a provider. It is sealed together with the provider that it is
// for, so an administrator who leads a signer elsewhere does not lead its secret there.

import { isDeepStrictEqual } from 'node:util';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { KeyVault } from '../../platform/secrets/key-vault.ts';

/** See `KeyVault`. */
export const clientSecretLabel = 'signer-client-secret';

/** Which client at which provider. */
export type ProviderClient = Pick<ExternalJwtSigner, 'issuer' | 'externalAuthUrl' | 'clientId'>;

function memberOf({ issuer, externalAuthUrl, clientId }: ProviderClient): readonly unknown[] {
  return [issuer, externalAuthUrl, clientId];
}

/** @returns base64url */
export function sealClientSecret(vault: Pick<KeyVault, 'seal'>, secret: string, of: ProviderClient): string {
  return vault.seal(Buffer.from(JSON.stringify([secret, ...memberOf(of)])), clientSecretLabel);
}

/** Null: there is none, or it was set for another client or provider. */
export function openClientSecret(
  vault: Pick<KeyVault, 'open'>,
  signer: ProviderClient & Pick<ExternalJwtSigner, 'sealedClientSecret'>,
): string | null {
  if (signer.sealedClientSecret === null) return null;
  const opened = vault.open(signer.sealedClientSecret, clientSecretLabel).toString();
  const [secret, ...client] = JSON.parse(opened) as [string, ...unknown[]];
  return isDeepStrictEqual(client, memberOf(signer)) ? secret : null;
}
