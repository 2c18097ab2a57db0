// Mails that are queued, were sent or were given up, for administrators. The text of a mail is not shown.

import { type Delivery, type DeliveryState, queueOf } from '../model/delivery.ts';
import { mailServer } from '../model/mail.ts';
import { type AdminCall, actingFor, recordChange } from './admin-call.ts';
import type { AdminServices } from './services.ts';

const queue = queueOf('mail', mailServer);

/** A mail with the name of its person; null: deleted since. */
export interface ListedMail extends Delivery<'mail'> {
  readonly name: string | null;
}

/** The newest first. */
export async function listMails(
  { store }: AdminServices,
  { state = null, limit }: { readonly state?: DeliveryState | null | undefined; readonly limit: number },
): Promise<readonly ListedMail[]> {
  const mails = await store.deliveries.list(queue, state, limit);
  const names = new Map<string, string | null>();
  for (const { identityId } of mails.map(({ payload }) => payload))
    if (!names.has(identityId))
      names.set(identityId, (await store.identities.find(identityId))?.name ?? null);
  return mails.map((mail) => ({ ...mail, name: names.get(mail.payload.identityId) ?? null }));
}

/**
 * Sends mails again that were given up, to the addresses that they had. A link in one is made anew, if it still opens
 * something.
 * @param ids null: all of them, at most a thousand
 * @returns how many
 */
export async function sendMailsAgain(
  needs: AdminServices,
  by: AdminCall,
  ids: readonly string[] | null,
): Promise<number> {
  const failed = await needs.store.deliveries.list(queue, 'failed', mostListed);
  const meant = failed.filter(({ id }) => ids === null || ids.includes(id));
  if (meant.length === 0) return 0;
  const { deliveries } = actingFor(needs, by);
  const replayed = await deliveries.replay(queue, { ids: meant.map(({ id }) => id) }, needs.clock.now());
  for (const identityId of new Set(meant.map(({ payload }) => payload.identityId)))
    recordChange(needs, by, { action: 'update', of: ['identity', identityId], identityId, fields: ['mail'] });
  return replayed;
}

/** Mails that were given up are kept for a week, and the newest thousand of them. */
const mostListed = 1000;
