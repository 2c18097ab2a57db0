// Sends the mails that are queued. Links are made here, at each attempt: what waits holds nothing that opens anything.

import { type LinkNeeds, type MailedLink, mailedLink } from '../enrollment/mailed-links.ts';
import type { Branding } from '../model/branding.ts';
import type { DeliveryOutcome, Sender } from '../model/delivery.ts';
import type { Identity } from '../model/entities/identity.ts';
import type { Mailing, QueuedMail } from '../model/mail.ts';
import { MailNotSent, type OutgoingMail, type SmtpServer, sendBySmtp } from '../platform/network/smtp.ts';
import type { IdentityStore } from '../store/contracts/identities.ts';
import { type LetterMatter, letterOf } from './letter.ts';

/** From the configuration in use. */
export interface MailInUse extends Mailing {
  readonly server: SmtpServer;
  readonly from: OutgoingMail['from'];
  /** The part behind the @ of the ids of mails. */
  readonly domain: string;
  readonly look: Pick<Branding, 'name' | 'colors'>;
}

export type MailSenderNeeds = Omit<LinkNeeds, 'mailing'> & {
  readonly store: { readonly identities: Pick<IdentityStore, 'find'> };
  /** Null: no mail server is configured now. */
  readonly inUse: () => MailInUse | null;
  /** Our own issuers, and those of the other nodes: links lead nowhere else. */
  readonly issuers: { readonly all: ReadonlySet<string>; reload(): Promise<void> };
  readonly inviteUrl: (issuer: string, token: string) => string;
};

export function mailSender(needs: MailSenderNeeds): Sender<'mail'> {
  return {
    atOnce: 4,
    order: 'least-tried',
    async send(_subscriber, { id, payload, createdAt }) {
      const inUse = needs.inUse();
      if (inUse === null) return { state: 'waiting', result: 'no mail server is configured' };
      const identity = await needs.store.identities.find(payload.identityId);
      if (identity === null) return { state: 'failed', result: 'the identity was deleted' };
      const matter = await matterOf(needs, inUse, { identity, payload });
      if (typeof matter === 'string') return { state: 'failed', result: matter };
      const { language, to } = payload;
      const letter = letterOf(inUse.look, { person: identity.name, language }, matter);
      const messageId = `${id.replace(/[^\w.-]/g, '.')}@${inUse.domain}`;
      const mail = { ...letter, from: inUse.from, to, messageId, date: new Date(createdAt) };
      return sent(inUse.server, mail);
    },
  };
}

async function sent(server: SmtpServer, mail: OutgoingMail): Promise<DeliveryOutcome> {
  try {
    return { state: 'delivered', result: await sendBySmtp(server, mail) };
  } catch (error) {
    if (!(error instanceof MailNotSent)) throw error;
    const { message: result, stage, isPermanent } = error;
    if (isPermanent) return { state: 'failed', result };
    return { state: 'waiting', result, waitsAlone: stage === 'recipient' || stage === 'message' };
  }
}

/** @returns a text: why there is nothing to send any more */
async function matterOf(
  needs: MailSenderNeeds,
  inUse: MailInUse,
  { identity, payload }: { readonly identity: Identity; readonly payload: QueuedMail },
): Promise<LetterMatter | string> {
  const { matter, issuer } = payload;
  if (matter.kind === 'notice') return matter;
  // Another node may have announced it a moment ago.
  if (!needs.issuers.all.has(issuer)) await needs.issuers.reload();
  if (!needs.issuers.all.has(issuer)) return `no node is at ${issuer} any more`;
  const link: MailedLink | string = await mailedLink({ ...needs, mailing: inUse }, { ...payload, matter });
  if (typeof link === 'string') return link;
  const { token, expiresAt, username } = link;
  return {
    kind: matter.kind,
    username: username ?? identity.name,
    link: { url: needs.inviteUrl(issuer, token), expiresAt },
  };
}
