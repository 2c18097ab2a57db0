// An invitation: the holder of the link chooses the password or adds a passkey, so the link is the secret. It works
// once, for a limited time, and looking at it does not use it up.

import { acceptableUsername } from '../admin/acceptable-values.ts';
import { AuthError, type Seen } from '../errors/auth-error.ts';
import { wouldPasskeyReplace } from '../login/outstanding-factors.ts';
import { passkeySiteOf } from '../login/passkey/question.ts';
import {
  askForNewPasskey,
  type CreationOptions,
  newPasskey,
  notAdded,
  possibleRegistration,
  type Registration,
} from '../login/passkey/register-passkey.ts';
import { isDisabled, mayPasskeyOpen } from '../model/account.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { PasswordPolicy } from '../model/entities/auth-policy.ts';
import type { Identity } from '../model/entities/identity.ts';
import { type AuthenticatorId, asId, type IdentityId } from '../model/ids.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import { hasPower } from '../model/permission.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import { isoTime, type Millis } from '../platform/clock.ts';
import type { Attestation } from '../platform/webauthn.ts';
import type { InvitationRedemption, OpenInvitation, ResetProof } from '../store/contracts/invitations.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { readOpaqueToken } from '../tokens/opaque-token.ts';
import {
  attemptToEnroll,
  type Enrolled,
  type EnrollmentServices,
  hashChosen,
  refusal,
} from './enroll-attempt.ts';
import { openReset } from './mailed-links.ts';

/** Whom a link is for, as its page shows it. */
export interface ShownInvitation {
  readonly state: 'usable';
  /** The user name that the person will log in with. */
  readonly username: string;
  /** `reset`: it replaces an existing password; `forgotten`: the person has asked for that. */
  readonly purpose: 'first' | 'reset' | 'forgotten';
  readonly policy: PasswordPolicy;
  /** The credentials that the person can choose. */
  readonly allows: Allowed;
}

interface Allowed {
  readonly password: boolean;
  readonly passkey: boolean;
}

/**
 * A stranger with access to the mailbox must get no more than a password: a passkey could stand for all factors. No link
 * leads past an authenticator app or a passkey that the identity has.
 */
function allowedBy({ reset, ...account }: OpenLink, now: Millis): Allowed {
  const { policy } = account;
  const passkey = reset === null && mayPasskeyOpen(policy) && !wouldPasskeyReplace(account, now);
  return { password: policy.primary.updb.allowed, passkey };
}

/** Why a link does not work. A used link looks like one that was withdrawn or never existed. */
export type DeadInvitation = 'unknown' | 'expired';

/** A link that does not work, and what administrators are told. */
interface DeadLink {
  readonly state: DeadInvitation;
  readonly refusal: { readonly reason: RefusalReason; readonly identityId?: string; readonly seen?: Seen };
}

/** Reads a link without using it up: programs that preview links open them too. */
export async function lookAtInvitation(
  needs: LinkServices,
  token: string,
): Promise<ShownInvitation | DeadLink> {
  const found = await find(needs, token);
  if ('why' in found) {
    const facts = [['link', found.why]] as const;
    const about = found.of === null ? {} : { identityId: found.of.id };
    const seen = { ...(found.of && { subject: found.of.name }), facts };
    return { state: 'unknown', refusal: { reason: 'invitation-unknown', ...about, seen } };
  }
  const now = needs.clock.now();
  const state = stateOf(found, now);
  const { identity, policy, password, invitation } = found;
  if (state !== 'usable') {
    const facts = [['valid until', isoTime(invitation.expiresAt)]] as const;
    return {
      state: state === 'expired' ? 'expired' : 'unknown',
      refusal: {
        reason: refusals[state].reason,
        identityId: identity.id,
        seen: { subject: identity.name, facts },
      },
    };
  }
  return {
    state,
    username: password?.username ?? identity.name,
    purpose: found.reset !== null ? 'forgotten' : password !== null ? 'reset' : 'first',
    policy: policy.primary.updb,
    allows: allowedBy(found, now),
  };
}

/**
 * Uses a link up and sets the password that the person chose.
 * @throws AuthError password_not_acceptable   with every reason; the link keeps working, as with the next one
 * @throws AuthError already_enrolled          the user name was taken meanwhile
 * @throws AuthError invalid_enrollment_token  unknown, used, withdrawn, or no longer allowed for this identity
 * @throws AuthError enrollment_expired
 * @throws AuthError rate_limited, busy
 */
export function choosePassword(
  needs: EnrollmentServices,
  { token, password }: { token: string; password: string },
  origin: RequestOrigin,
): Promise<Enrolled & { readonly username: string }> {
  return attemptToEnroll(needs, { method: 'invitation', origin }, async (attempt) => {
    const open = await requireUsable(needs, { token, by: 'password' }, attempt);
    const { identity, policy } = open;
    const named = acceptableUsername(open.password?.username ?? identity.name);
    const { username } = named;
    const passwordHash = await hashChosen(
      needs,
      { password, username, origin },
      { identity, policy, attempt },
    );
    const id = asId<AuthenticatorId>(needs.random.id());
    const set = { id, identityId: identity.id, ...named, passwordHash };
    await redeem(needs, { token, open, chosen: { method: 'password', password: set } }, attempt).catch(
      (error) => {
        throw takenMeanwhile(attempt, error);
      },
    );
    return { identityId: identity.id, certificateChain: null, username };
  });
}

/**
 * Asks for the passkey that a link lets the person add. Uses nothing up.
 * @throws AuthError invalid_enrollment_token, enrollment_expired, rate_limited
 * @throws AuthError conflict   as askForNewPasskey
 */
export async function askInvited(
  needs: EnrollmentServices,
  token: string,
  origin: RequestOrigin,
): Promise<CreationOptions> {
  const found = await find(needs, token);
  // A link that works leaves no record before it is used.
  if (!('why' in found) && stateOf(found, needs.clock.now(), 'passkey') === 'usable')
    return askForNewPasskey(needs, registrationOf(needs, { open: found, token, origin }));
  return attemptToEnroll(needs, { method: 'invitation', origin }, async (attempt): Promise<never> => {
    await requireUsable(needs, { token, by: 'passkey' }, attempt);
    // It works by now, and the person asks again.
    throw new AuthError('invalid_enrollment_token');
  });
}

/**
 * Uses a link up and adds the passkey. A password that the identity has is removed.
 * @throws AuthError invalid_passkey, conflict, could_not_validate   the link keeps working
 * @throws AuthError as choosePassword
 */
export function choosePasskey(
  needs: EnrollmentServices,
  { token, answer, name }: { token: string; answer: Attestation; name: string | undefined },
  origin: RequestOrigin,
): Promise<Enrolled & { readonly username: string }> {
  return attemptToEnroll(needs, { method: 'invitation', origin }, async (attempt) => {
    const open = await requireUsable(needs, { token, by: 'passkey' }, attempt);
    const { identity } = open;
    const answered = { ...registrationOf(needs, { open, token, origin }), answer, name, origin };
    const registration = possibleRegistration(answered);
    const { passkey } = await newPasskey(needs, registration, attempt);
    await redeem(needs, { token, open, chosen: { method: 'passkey', passkey } }, attempt);
    needs.audit.record({ event: 'passkey.added', identityId: identity.id, passkeyId: passkey.id }, origin);
    const username = open.password?.username ?? identity.name;
    return { identityId: identity.id, certificateChain: null, username, passkeyId: passkey.id };
  });
}

function registrationOf(
  needs: EnrollmentServices,
  { open: account, token, origin }: { open: OpenLink; token: string; origin: RequestOrigin },
): Registration {
  const asked = { site: passkeySiteOf(needs, origin.issuer), flow: hashOf(needs, token), browser: null };
  return { account, asked, purpose: 'invite' };
}

function hashOf({ tagKey }: Pick<EnrollmentServices, 'tagKey'>, token: string): string {
  return readOpaqueToken(tagKey, 'invitation', token)?.hash ?? '';
}

async function redeem(
  needs: EnrollmentServices,
  {
    token,
    open: { identity, reset },
    chosen,
  }: { token: string; open: Pick<OpenLink, 'identity' | 'reset'>; chosen: InvitationRedemption['chosen'] },
  attempt: AttemptRecorder,
): Promise<void> {
  const proof = reset === null ? { tokenHash: hashOf(needs, token) } : { reset };
  const redemption = { ...proof, identityId: identity.id, chosen, now: needs.clock.now() };
  const outcome = await needs.store.invitations.redeem(redemption);
  if (outcome === 'taken' || outcome === 'too-many') throw notAdded(outcome, attempt);
  if (outcome !== 'set') throw dead(attempt, outcome, 'another request used it first');
}

async function requireUsable(
  needs: EnrollmentServices,
  { token, by }: { token: string; by: keyof Allowed },
  attempt: AttemptRecorder,
): Promise<OpenLink> {
  const found = await find(needs, token);
  if ('why' in found) {
    if (found.of !== null) attempt.about({ identityId: found.of.id, subject: found.of.name });
    throw dead(attempt, 'unknown', found.why);
  }
  const { invitation, identity } = found;
  attempt.about({ identityId: identity.id, subject: identity.name });
  attempt.passed(
    'token',
    `${found.reset === null ? 'invitation' : 'mail for a forgotten password'} of ${identity.name}`,
  );
  const state = stateOf(found, needs.clock.now(), by);
  if (state !== 'usable') throw dead(attempt, state, `valid until ${isoTime(invitation.expiresAt)}`);
  attempt.passed('expiry', isoTime(invitation.expiresAt));
  return found;
}

type LinkServices = Pick<EnrollmentServices, 'store' | 'tagKey' | 'clock' | 'resets' | 'mailing'>;

/** An invitation, or the link of a mail for a forgotten password. */
type OpenLink = Omit<OpenInvitation, 'invitation'> & {
  readonly invitation: Pick<OpenInvitation['invitation'], 'expiresAt' | 'isByHelper'>;
  /** The state that must be unchanged when the password is set; null: an invitation, whose row has it. */
  readonly reset: ResetProof | null;
};

/** Why there is nothing behind a token. */
interface NoLink {
  /** Whom it was for, if that is known. */
  readonly of: Pick<Identity, 'id' | 'name'> | null;
  /** For administrators. */
  readonly why: string;
}

/** A link that we did not make costs no query. */
async function find(needs: LinkServices, token: string): Promise<OpenLink | NoLink> {
  const read = readOpaqueToken(needs.tagKey, 'invitation', token);
  if (read !== undefined) {
    const open = await needs.store.invitations.findByTokenHash(read.hash);
    return open === null ? goneLink(needs, asId(read.id)) : { ...open, reset: null };
  }
  const opened = await openReset(needs, token);
  if (opened === null)
    return { of: null, why: 'not made by this service, or for a password that was changed since' };
  if (opened.objection !== null && opened.objection !== 'identity-disabled')
    return { of: opened.account.identity, why: 'the password may no longer be reset by mail' };
  const { account, passwordHash, passwordUpdatedAt, email, expiresAt } = opened;
  return {
    ...account,
    invitation: { expiresAt, isByHelper: false },
    reset: {
      ...{ passwordHash, passwordUpdatedAt, email },
      mayHavePower: needs.mailing?.passwordReset.administrators ?? false,
    },
  };
}

/** The row of a link goes with it, so this says the facts that are still known. */
async function goneLink({ store }: LinkServices, identityId: IdentityId): Promise<NoLink> {
  const of = await store.identities.find(identityId);
  if (of === null) return { of, why: `its identity ${identityId} was deleted` };
  const newer = await store.invitations.find(identityId);
  const why =
    newer === null
      ? 'used or withdrawn, or its identity was disabled or got another password or email address'
      : `replaced by a newer one of ${isoTime(newer.createdAt)}`;
  return { of, why };
}

type State = 'usable' | 'unknown' | 'expired' | 'disabled' | 'beyond-help' | 'not-allowed';

/** @param by the credential that is chosen; undefined: it is looked at */
function stateOf(link: OpenLink, now: Millis, by?: keyof Allowed): State {
  const { invitation, identity } = link;
  if (invitation.expiresAt <= now) return 'expired';
  if (isDisabled(identity, now)) return 'disabled';
  if (invitation.isByHelper && hasPower(identity)) return 'beyond-help';
  const allowed = allowedBy(link, now);
  const isAllowed = by === undefined ? allowed.password || allowed.passkey : allowed[by];
  return isAllowed ? 'usable' : 'not-allowed';
}

/** Why a link does not work; the findings of each replace those of the caller. */
const refusals = {
  expired: { check: 'expiry', reason: 'invitation-expired', code: 'enrollment_expired' },
  disabled: { check: 'identity enabled', reason: 'identity-disabled' },
  'beyond-help': {
    check: 'made by an administrator',
    reason: 'invitation-not-allowed',
    saw: 'made by a helper; the identity administers or has a permission now',
  },
  'not-allowed': {
    check: 'method allowed',
    reason: 'method-not-allowed',
    saw: 'the policy does not allow it now, or the passkey would stand for a factor that the identity has',
  },
  unknown: { check: 'token', reason: 'invitation-unknown' },
} as const satisfies Readonly<Record<Exclude<State, 'usable'>, Parameters<typeof refusal>[1]>>;

function dead(attempt: AttemptRecorder, state: Exclude<State, 'usable'>, saw: string): Error {
  return refusal(attempt, { ...(state !== 'disabled' && { saw }), ...refusals[state] });
}

function takenMeanwhile(attempt: AttemptRecorder, error: unknown): unknown {
  if (!(error instanceof AlreadyTaken)) return error;
  const why = { check: 'user name free', reason: 'already-enrolled', saw: error.message } as const;
  const description = 'The user name belongs to another identity by now';
  return refusal(attempt, { ...why, code: 'already_enrolled', description });
}
