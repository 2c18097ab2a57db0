// The secrets of an event subscription, sealed in its row: those that webhooks are signed with, and the key of the client
// certificate.

import type { EventSubscription } from '../model/entities/event-subscription.ts';
import type { KeyVault } from '../platform/secrets/key-vault.ts';

/** See `KeyVault`. */
export const subscriptionSecretsLabel = 'event-subscription';

export interface SubscriptionSecrets {
  /** Of a webhook: `whsec_` and 32 random bytes, base64. */
  readonly signing?: string;
  /** The one before it. */
  readonly formerSigning?: string;
  /** PEM. */
  readonly clientKey?: string;
}

export function sealSecrets(vault: Pick<KeyVault, 'seal'>, secrets: SubscriptionSecrets): string | null {
  const text = JSON.stringify(secrets);
  return text === '{}' ? null : vault.seal(Buffer.from(text), subscriptionSecretsLabel);
}

export function openSecrets(
  vault: Pick<KeyVault, 'open'>,
  { sealedSecrets }: Pick<EventSubscription, 'sealedSecrets'>,
): SubscriptionSecrets {
  if (sealedSecrets === null) return {};
  return JSON.parse(vault.open(sealedSecrets, subscriptionSecretsLabel).toString());
}
