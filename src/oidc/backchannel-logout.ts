// Tells applications that a session of theirs has ended (OIDC Back-Channel Logout 1.0).

import type { DeliveryOutcome, Sender } from '../model/delivery.ts';
import { asId } from '../model/ids.ts';
import type { Clock } from '../platform/clock.ts';
import { FetchRefused } from '../platform/network/fetch-refused.ts';
import { formMessage, type MessagePoster } from '../platform/network/outbound-client.ts';
import type { Random } from '../platform/random.ts';
import type { Store } from '../store/contracts/store.ts';
import type { KeyRing } from '../tokens/key-ring.ts';
import { mintLogoutToken } from '../tokens/logout-token.ts';

/**
 * Sends logout tokens to the address that the client has now, with a token made for the attempt. They are in no order:
 * each is about another session. The store is asked, not memory: a delivery may be seen before the change of its client.
 */
export function logoutSender(needs: {
  store: { readonly oidcClients: Pick<Store['oidcClients'], 'find'> };
  poster: MessagePoster;
  ring: KeyRing;
  clock: Clock;
  random: Random;
}): Sender<'logout'> {
  return {
    atOnce: 8,
    order: 'least-tried',
    async send(clientId, { payload }) {
      const client = await needs.store.oidcClients.find(asId(clientId));
      if (client === null || client.backchannelLogoutUri === null)
        return { state: 'failed', result: 'the client has no backchannelLogoutUri any more' };
      const signing = { ring: needs.ring, random: needs.random, alg: client.idTokenSigningAlg };
      const token = mintLogoutToken(signing, { ...payload, clientId }, needs.clock.now());
      return posted(needs.poster, client.backchannelLogoutUri, token);
    },
  };
}

async function posted(poster: MessagePoster, url: string, token: string): Promise<DeliveryOutcome> {
  try {
    const status = await poster.post(url, formMessage({ logout_token: token }));
    const result = `HTTP ${status}`;
    if (status === 200 || status === 204) return { state: 'delivered', result };
    // 2.8: it has read the token and cannot log the person out. Another one would be no different.
    return { state: status === 400 ? 'failed' : 'waiting', result };
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    return { state: 'waiting', result: error.message };
  }
}
