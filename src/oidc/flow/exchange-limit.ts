// Limits how many codes are being redeemed at providers at once. Each returning visit makes this service call another
// one, with a code that may be made up. A slow provider must not use up our connections, we must not flood one, and no
// source may keep the others from signing in there.

import { AuthError } from '../../errors/auth-error.ts';
import { type SharedLimit, type Shares, sharedLimit } from '../../platform/network/sources.ts';

/** Under way at once, for all providers together and at one. Half is for anybody. */
const inAll: Shares = { most: 64, free: 32, share: 4 };
const atOne: Shares = { most: 16, free: 8, share: 1 };

/** When to come back, in seconds: more than a provider that answers at all needs. */
const retryAfterSeconds = 3;

export type ExchangePlaces = ReturnType<typeof exchangePlaces>;

/** @param threads that redeem codes: each has its part of the places */
export function exchangePlaces(threads = 1) {
  const part = ({ most, free = 0, share }: Shares) =>
    sharedLimit({
      most: Math.max(2, Math.floor(most / threads)),
      free: Math.floor(free / threads),
      share: Math.max(1, Math.floor(share / threads)),
    });
  const all = part(inAll);
  const ofProvider = new Map<string, SharedLimit>();
  return {
    /**
     * Takes a place for one exchange.
     * @param issuer of the provider; known ones only, since each is remembered
     * @param source the address of the request; the identity of an administrator who tests a signer
     * @returns gives the place back
     * @throws AuthError busy
     */
    take(issuer: string, source: string): () => void {
      const limit = ofProvider.get(issuer) ?? part(atOne);
      ofProvider.set(issuer, limit);
      const leave = limit.take(source);
      const leaveAll = leave === null ? null : all.take(source);
      if (leave === null || leaveAll === null) {
        leave?.();
        throw new AuthError('busy', {
          retryAfterSeconds,
          detail: 'too many codes are being redeemed at providers',
        });
      }
      return () => {
        leave();
        leaveAll();
      };
    },
  };
}
