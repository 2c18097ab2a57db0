import type { SigningAlgorithm, SigningKey } from '../model/signing-key.ts';
import { isoTime, isoTimeOrNull, type Millis } from '../platform/clock.ts';
import { signingPeriod } from './key-ring.ts';

/**
 * `next`: published, does not sign yet; `signing`; `verifying`: no longer signs, its tokens are still valid;
 * `unused`: was replaced before it was due to sign.
 */
export const keyUses = ['next', 'signing', 'verifying', 'unused'] as const;
type KeyUse = (typeof keyUses)[number];

/** The public part of a signing key, for administrators. */
export interface DescribedKey {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly use: KeyUse;
  /** RFC 3339, like the next three. */
  readonly createdAt: string;
  readonly signsFrom: string;
  /** When it stops signing; for the newest key, when it is due to. */
  readonly signsUntil: string;
  readonly removedAt: string | null;
}

/** The keys not yet removed at `now`, in their order. */
export function describedKeys(keys: readonly SigningKey[], now: Millis): readonly DescribedKey[] {
  return keys
    .filter(({ removedAt }) => removedAt === null || removedAt > now)
    .map((key) => ({
      kid: key.kid,
      alg: key.alg,
      use: useOf(key, now),
      createdAt: isoTime(key.createdAt),
      signsFrom: isoTime(key.activeFrom),
      signsUntil: isoTime(key.retiredAt ?? key.activeFrom + signingPeriod),
      removedAt: isoTimeOrNull(key.removedAt),
    }));
}

function useOf(key: SigningKey, now: Millis): KeyUse {
  if (key.retiredAt !== null && key.retiredAt <= key.activeFrom) return 'unused';
  if (key.retiredAt !== null && key.retiredAt <= now) return 'verifying';
  return key.activeFrom > now ? 'next' : 'signing';
}
