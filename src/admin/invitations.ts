// Invitations: a link with which a person chooses the password of an identity, so that only this person ever knows it.
// The same link replaces a forgotten password. enrollment/with-invitation.ts handles the opened link.

import { AuthError, existing } from '../errors/auth-error.ts';
import { wouldPasskeyReplace } from '../login/outstanding-factors.ts';
import { passwordOf } from '../login/password/password.ts';
import { type Account, isDisabled, mayPasskeyOpen } from '../model/account.ts';
import type { Identity } from '../model/entities/identity.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import type { Invitation } from '../model/invitation.ts';
import { mailServer } from '../model/mail.ts';
import { DAY, MINUTE, type Millis } from '../platform/clock.ts';
import type { NewDelivery } from '../store/contracts/deliveries.ts';
import { mailedInvitationToken, mintOpaqueToken } from '../tokens/opaque-token.ts';
import { acceptableUsername, refusedField } from './acceptable-values.ts';
import { type AdminCall, actingFor, helping, recordChange, requireMayHelp } from './admin-call.ts';
import type { AdminServices } from './services.ts';

export interface InvitationFields {
  /** How long the link works. */
  readonly expiresIn: Millis;
  readonly endSessions: boolean;
  /** Mails the link, at the bind point with this issuer. Null: the inviter hands it over. */
  readonly send: { readonly issuer: string } | null;
  /** Whether the inviter sees the link. */
  readonly show: boolean;
}

/** The invitation for the person. */
export interface IssuedInvitation {
  /** Only its hash is stored, so it cannot be read again. Null: it is in the mail only. */
  readonly token: string | null;
  /** Where it was mailed. */
  readonly sentTo: string | null;
  readonly expiresAt: Millis;
}

export const invitationLifetime: Millis = DAY;
const shortestLifetime: Millis = 5 * MINUTE;
const longestLifetime: Millis = 30 * DAY;

/**
 * Makes a link with which a person chooses the password of an identity, once. An earlier link no longer works. Until
 * the link is used, nothing changes for the identity.
 * @throws AuthError not_found
 * @throws AuthError forbidden            see `helping`
 * @throws AuthError could_not_validate   `expiresIn` is out of bounds; the name cannot be a user name or is taken
 * @throws AuthError conflict             the identity is disabled, there is nothing to set up, or the link cannot be mailed
 */
export async function invite(
  needs: AdminServices,
  by: AdminCall,
  { id, fields: { expiresIn, endSessions, send, show } }: { id: string; fields: InvitationFields },
): Promise<IssuedInvitation> {
  const account = existing(await needs.store.identities.findAccount(asId(id)));
  const { identity } = account;
  requireMayHelp(by, identity);
  const now = needs.clock.now();
  if (expiresIn < shortestLifetime || expiresIn > longestLifetime)
    throw refusedField('expiresIn', 'must be between 5 minutes (5m) and 30 days (30d)');
  requireMeans(account, now);
  await requireUserName(needs, identity);
  const mail = send === null ? null : mailOf(needs, { identity, issuer: send.issuer });
  const { text, hash } =
    mail === null
      ? mintOpaqueToken(needs, 'invitation', { id: identity.id, generation: 1 })
      : mailedInvitationToken(needs, { identityId: identity.id, nonce: mail.id });
  const expiresAt = now + expiresIn;
  const sentTo = mail?.payload.to ?? null;
  const invitation = {
    identityId: identity.id,
    tokenHash: hash,
    endSessions,
    isByHelper: !by.isAdmin,
    mailedTo: sentTo,
    isShown: show,
    madeBy: by.actor.identityId,
    createdAt: now,
    expiresAt,
  };
  const outcome = isDisabled(identity, now)
    ? 'disabled'
    : await actingFor(needs, by).invitations.create(invitation, now, ...(mail === null ? [] : [mail]));
  if (outcome === 'unknown') throw new AuthError('not_found');
  if (outcome === 'disabled')
    throw new AuthError('conflict', { description: 'The identity is disabled; enable it first' });
  if (outcome === 'beyond-help') throw new AuthError('forbidden');
  recordChange(needs, by, {
    action: 'create',
    of: ['invitation', identity.id],
    fields: ['expiresIn', ...(endSessions ? ['endSessions'] : []), ...(mail === null ? [] : ['send'])],
  });
  return { token: show ? text : null, sentTo, expiresAt };
}

/** @throws AuthError conflict */
function mailOf(
  { mailing, random }: AdminServices,
  { identity: { id: identityId, name, email: to }, issuer }: { identity: Identity; issuer: string },
): NewDelivery<'mail'> {
  if (mailing === null) throw new AuthError('conflict', { description: 'No mail server is configured' });
  if (to === null) throw new AuthError('conflict', { description: `${name} has no email address` });
  const nonce = random.id();
  const matter = { kind: 'invitation', nonce } as const;
  const payload = { identityId, to, language: mailing.language, issuer, matter };
  return { kind: 'mail', subscriber: mailServer, id: nonce, payload };
}

/** The identity's current link, without its secret. @throws AuthError not_found   also: expired */
export async function getInvitation(needs: AdminServices, id: string): Promise<Invitation> {
  return existing(await findInvitation(needs, asId(id)));
}

/** As `getInvitation`; null: the identity has no link that works. */
export async function findInvitation(
  needs: Pick<AdminServices, 'clock'> & { store: Pick<AdminServices['store'], 'invitations'> },
  id: IdentityId,
): Promise<Invitation | null> {
  const invitation = await needs.store.invitations.find(id);
  return invitation === null || invitation.expiresAt <= needs.clock.now() ? null : invitation;
}

/** Withdraws the link. @throws AuthError not_found, forbidden (see `helping`) */
export async function withdrawInvitation(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  const identity = existing(await needs.store.identities.find(asId(id)));
  existing(await helping(needs, by, identity).invitations.delete(identity.id));
  recordChange(needs, by, { action: 'delete', of: ['invitation', id] });
}

/** @throws AuthError conflict */
function requireMeans(account: Account, now: Millis): void {
  const { policy } = account;
  if (policy.primary.updb.allowed) return;
  if (!mayPasskeyOpen(policy))
    throw new AuthError('conflict', {
      description: `The auth policy ${policy.name} allows neither passwords nor passkeys, so there is nothing to set up by a link`,
    });
  if (wouldPasskeyReplace(account, now))
    throw new AuthError('conflict', {
      description:
        'A new passkey would stand for the authenticator app or the passkey that the identity has; remove that first',
    });
}

/** A person without a password logs in with the name of the identity. */
async function requireUserName({ store }: AdminServices, { id, name }: Identity): Promise<void> {
  if ((await passwordOf(store.authenticators, id)) !== null) return;
  const { usernameKey } = acceptableUsername(name);
  if ((await store.authenticators.findPasswordLogin(usernameKey)) !== null)
    throw refusedField(
      'username',
      'is already taken by another identity; give this identity another name',
      name,
    );
}
