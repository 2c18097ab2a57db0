// Links in mails: of an invitation, and for a person who has forgotten the password. The latter is no row: its token
// says for which password, address and time it was made, so that it ends with any of them.

import { passwordOf } from '../login/password/password.ts';
import { type Account, isDisabled } from '../model/account.ts';
import type { IdentityId } from '../model/ids.ts';
import type { Mailing, MailMatter, QueuedMail } from '../model/mail.ts';
import { hasPower } from '../model/permission.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import { type Clock, DAY, type Millis } from '../platform/clock.ts';
import { sha256 } from '../platform/digest.ts';
import type { DailySealer } from '../platform/secrets/sealed-box.ts';
import type { AuthenticatorStore } from '../store/contracts/authenticators.ts';
import type { InvitationStore } from '../store/contracts/invitations.ts';
import { mailedInvitationToken } from '../tokens/opaque-token.ts';

export interface MailedLink {
  readonly token: string;
  readonly expiresAt: Millis;
  /** Null: the identity has no password yet. */
  readonly username: string | null;
}

interface ReadsPasswords {
  readonly authenticators: Pick<AuthenticatorStore, 'listOf' | 'findPasswordLogin'>;
}

/** A mail for a forgotten password is given up when it could not be sent for so long: the person has asked elsewhere. */
const longestWait: Millis = DAY;

const otherAddress = 'the identity has another email address';

export interface LinkNeeds {
  readonly store: { readonly invitations: Pick<InvitationStore, 'findByTokenHash'> } & ReadsPasswords;
  readonly clock: Clock;
  readonly tagKey: Buffer;
  readonly resets: DailySealer;
  readonly mailing: Mailing;
}

/**
 * Makes the link of a mail.
 * @returns a text: why there is nothing to link to any more
 */
export async function mailedLink(
  needs: LinkNeeds,
  mail: Pick<QueuedMail, 'identityId' | 'to'> & { matter: Exclude<MailMatter, { kind: 'notice' }> },
): Promise<MailedLink | string> {
  const { identityId, to, matter } = mail;
  const now = needs.clock.now();
  if (matter.kind === 'invitation') {
    const { text: token, hash } = mailedInvitationToken(needs, { identityId, nonce: matter.nonce });
    const open = await needs.store.invitations.findByTokenHash(hash);
    if (open === null) return 'the invitation was used, replaced or withdrawn, as by a change of the address';
    if (open.identity.email !== to) return otherAddress;
    const { expiresAt } = open.invitation;
    if (expiresAt <= now) return 'the invitation has expired';
    return { token, expiresAt, username: open.password?.username ?? null };
  }
  if (matter.askedAt <= now - longestWait) return 'it was asked for more than a day ago';
  const account = await resettable(needs, identityId);
  if (account === null || account.objection !== null) return 'the password may no longer be reset by mail';
  if (account.email !== to) return otherAddress;
  const expiresAt = now + needs.mailing.passwordReset.lifetime;
  const content: SealedReset = {
    i: identityId,
    p: account.proof,
    e: sha256(to),
    x: expiresAt,
  };
  return { token: needs.resets.seal(JSON.stringify(content), now), expiresAt, username: account.username };
}

/** The contents of the token in a link for a forgotten password. */
interface SealedReset {
  readonly i: IdentityId;
  /** The proof of the password; see `resettable`. */
  readonly p: string;
  /** SHA-256 of the address. */
  readonly e: string;
  readonly x: Millis;
}

/**
 * Null: not a token of ours, used, too old to be read, made for another password or address than there is now, or before
 * the identity was disabled.
 */
export async function openReset(needs: Pick<LinkNeeds, 'resets'> & ResetNeeds, token: string) {
  const text = needs.resets.open(token, needs.clock.now());
  if (text === undefined) return null;
  const { i, p, e, x: expiresAt } = JSON.parse(text) as SealedReset;
  const account = await resettable(needs, i);
  if (account === null || account.proof !== p) return null;
  const { email } = account;
  return email === null || sha256(email) !== e ? null : { ...account, email, expiresAt };
}

interface ResetNeeds {
  readonly store: ReadsPasswords;
  readonly clock: Clock;
  readonly mailing: Mailing | null;
}

/**
 * An identity whose password may be reset by mail, or why not (`objection`). The second factors stay as they are, and the
 * next login asks for them.
 * @returns null when there is no such identity, or it has no password
 */
export async function resettable(needs: ResetNeeds, id: IdentityId) {
  const password = await passwordOf(needs.store.authenticators, id);
  if (password === null) return null;
  const login = await needs.store.authenticators.findPasswordLogin(password.usernameKey);
  if (login === null || login.identity.id !== id) return null;
  const objection = objectionTo(login, needs.mailing, needs.clock.now());
  const { passwordHash, identity, authenticator } = login;
  const { updatedAt: passwordUpdatedAt } = authenticator;
  // The time changes with the password and when the identity is disabled.
  const proof = sha256(`${passwordHash} ${passwordUpdatedAt}`);
  const account: Account = login;
  const { email } = identity;
  return { account, username: password.username, passwordHash, passwordUpdatedAt, proof, email, objection };
}

function objectionTo({ identity, policy }: Account, mail: Mailing | null, now: Millis): RefusalReason | null {
  const { allowed, administrators } = mail?.passwordReset ?? { allowed: false, administrators: false };
  if (isDisabled(identity, now)) return 'identity-disabled';
  if (!policy.primary.updb.allowed) return 'method-not-allowed';
  if (identity.email === null || !identity.emailVerified) return 'reset-unverified';
  return !allowed || (hasPower(identity) && !administrators) ? 'reset-not-allowed' : null;
}
