// How many codes are being redeemed at providers at once. Each visit that comes back makes this service ask another
// one, with a code that may be made up; a slow provider must not gather all our connections, nor be flooded by us.

import { AuthError } from '../../errors/auth-error.ts';
import type { FormPoster } from '../../platform/network/outbound-client.ts';

/** Requests under way at once, over all providers and to one address. */
const mostInAll = 64;
const mostAtOne = 16;

/** When to come back, in seconds: longer than a provider takes that answers at all. */
const retryAfterSeconds = 3;

/**
 * The poster with that limit. Its `postForm` throws AuthError busy where there is no room.
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
