// Limits how many codes are being redeemed at providers at once. Each returning visit makes this service call another
// one, with a code that may be made up. A slow provider must not use up our connections, and we must not flood one.

import { AuthError } from '../../errors/auth-error.ts';
import type { FormPoster } from '../../platform/network/outbound-client.ts';

/** Requests under way at once, for all providers together and for one address. */
const mostInAll = 64;
const mostAtOne = 16;

/** When to come back, in seconds: more than a provider that answers at all needs. */
const retryAfterSeconds = 3;

/**
 * The poster with that limit. Its `postForm` throws AuthError busy when there is no room.
 * @param threads that redeem codes: each has its share
 */
export function limitedExchanges(poster: FormPoster, threads = 1): FormPoster {
  const underWay = new Map<string, number>();
  let inAll = 0;
  return {
    async postForm(url, form, wanted) {
      const atThis = underWay.get(url) ?? 0;
      if (inAll >= mostInAll / threads || atThis >= mostAtOne / threads) {
        throw new AuthError('busy', {
          retryAfterSeconds,
          detail: 'too many codes are being redeemed at providers',
        });
      }
      inAll += 1;
      underWay.set(url, atThis + 1);
      try {
        return await poster.postForm(url, form, wanted);
      } finally {
        inAll -= 1;
        const left = (underWay.get(url) ?? 1) - 1;
        if (left === 0) underWay.delete(url);
        else underWay.set(url, left);
      }
    },
  };
}
