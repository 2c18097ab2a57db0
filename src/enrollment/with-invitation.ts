// An invitation: whoever has the link chooses the password, so the link is the secret. It works once, for a limited
// time, and looking at it does not use it up.

import { acceptableUsername } from '../admin/acceptable-values.ts';
import type { Seen } from '../errors/auth-error.ts';
import { hashNewPassword } from '../login/password/new-password.ts';
import { isDisabled } from '../model/account.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { PasswordPolicy } from '../model/entities/auth-policy.ts';
import { type AuthenticatorId, asId } from '../model/ids.ts';
import type { AttemptRecorder } from '../model/login-attempt.ts';
import type { RefusalReason } from '../model/refusal-reason.ts';
import { isoTime } from '../platform/clock.ts';
import type { OpenInvitation } from '../store/contracts/invitations.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { readOpaqueToken } from '../tokens/opaque-token.ts';
import type { EnrollmentServices } from './enroll-attempt.ts';
import { attemptToEnroll, type Enrolled, recordedRefusal, refusal } from './enroll-attempt.ts';

/** Whom a link is for, as its page shows it. */
export interface ShownInvitation {
  readonly state: 'usable';
  /** The user name that the person will log in with. */
  readonly username: string;
  /** Whether it replaces an existing password. */
  readonly isReset: boolean;
  readonly policy: PasswordPolicy;
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
  needs: Pick<EnrollmentServices, 'store' | 'tagKey' | 'clock'>,
  token: string,
): Promise<ShownInvitation | DeadLink> {
  const found = await find(needs, token);
  if (found === null) return { state: 'unknown', refusal: { reason: 'invitation-unknown' } };
  const state = stateOf(found, needs.clock.now());
  const { identity, policy, username, invitation } = found;
  if (state !== 'usable') {
    const facts = [['valid until', isoTime(invitation.expiresAt)]] as const;
    return {
      state: state === 'expired' ? 'expired' : 'unknown',
      refusal: { reason: reasons[state], identityId: identity.id, seen: { subject: identity.name, facts } },
    };
  }
  return {
    state,
    username: username ?? identity.name,
    isReset: username !== null,
    policy: policy.primary.updb,
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
  { token, password }: { readonly token: string; readonly password: string },
  origin: RequestOrigin,
): Promise<Enrolled & { readonly username: string }> {
  return attemptToEnroll(needs, { method: 'invitation', origin }, async (attempt) => {
    const open = await requireUsable(needs, token, attempt);
    const { identity, policy } = open;
    const username = open.username ?? identity.name;
    const usernameKey = acceptableUsername(username);
    const { updb } = policy.primary;
    const passwordHash = await hashNewPassword(needs, password, {
      policy: updb,
      ownNames: [username, identity.name],
      source: origin.ipAddress,
    }).catch((error) => {
      throw recordedRefusal(attempt, { check: 'password', reason: 'enrollment-password-refused' }, error);
    });
    attempt.passed('password', `rules of policy ${policy.name}`);
    const id = asId<AuthenticatorId>(needs.random.id());
    const { hash } = readOpaqueToken(needs.tagKey, 'invitation', token) ?? { hash: '' };
    const outcome = await needs.store.invitations
      .redeem({
        tokenHash: hash,
        password: { id, identityId: identity.id, username, usernameKey, passwordHash },
        now: needs.clock.now(),
      })
      .catch((error) => {
        throw takenMeanwhile(attempt, error);
      });
    if (outcome !== 'set') throw dead(attempt, outcome, 'another request used it first');
    return { identityId: identity.id, certificateChain: null, username };
  });
}

async function requireUsable(
  needs: EnrollmentServices,
  token: string,
  attempt: AttemptRecorder,
): Promise<OpenInvitation> {
  const found = await find(needs, token);
  if (found === null) throw dead(attempt, 'unknown', 'no link of this service, or used or withdrawn');
  const { invitation, identity } = found;
  attempt.about({ identityId: identity.id, subject: identity.name });
  attempt.passed('token', `invitation of ${identity.name}`);
  const state = stateOf(found, needs.clock.now());
  if (state !== 'usable') throw dead(attempt, state, `valid until ${isoTime(invitation.expiresAt)}`);
  attempt.passed('expiry', isoTime(invitation.expiresAt));
  return found;
}

async function find(
  { store, tagKey }: Pick<EnrollmentServices, 'store' | 'tagKey'>,
  token: string,
): Promise<OpenInvitation | null> {
  // A link that we did not make costs no query.
  const read = readOpaqueToken(tagKey, 'invitation', token);
  return read === undefined ? null : store.invitations.findByTokenHash(read.hash);
}

type State = 'usable' | 'unknown' | 'expired' | 'disabled' | 'beyond-help' | 'no-passwords';

function stateOf({ invitation, identity, policy }: OpenInvitation, now: number): State {
  if (invitation.expiresAt <= now) return 'expired';
  if (isDisabled(identity, now)) return 'disabled';
  if (invitation.isByHelper && (identity.isAdmin || identity.permissions.length > 0)) return 'beyond-help';
  return policy.primary.updb.allowed ? 'usable' : 'no-passwords';
}

const reasons = {
  expired: 'invitation-expired',
  disabled: 'identity-disabled',
  'beyond-help': 'invitation-not-allowed',
  'no-passwords': 'method-not-allowed',
  unknown: 'invitation-unknown',
} as const satisfies Readonly<Record<Exclude<State, 'usable'>, RefusalReason>>;

function dead(attempt: AttemptRecorder, state: Exclude<State, 'usable'>, saw: string): Error {
  switch (state) {
    case 'expired':
      return refusal(
        attempt,
        { check: 'expiry', reason: 'invitation-expired', saw },
        { code: 'enrollment_expired' },
      );
    case 'disabled':
      return refusal(
        attempt,
        { check: 'identity enabled', reason: 'identity-disabled' },
        { code: 'invalid_enrollment_token' },
      );
    case 'beyond-help':
      return refusal(
        attempt,
        {
          check: 'made by an administrator',
          reason: 'invitation-not-allowed',
          saw: 'made by a helper; the identity administers or has a permission now',
        },
        { code: 'invalid_enrollment_token' },
      );
    case 'no-passwords':
      return refusal(
        attempt,
        { check: 'method allowed', reason: 'method-not-allowed', saw: 'the policy allows no passwords now' },
        { code: 'invalid_enrollment_token' },
      );
    case 'unknown':
      return refusal(
        attempt,
        { check: 'token', reason: 'invitation-unknown', saw },
        { code: 'invalid_enrollment_token' },
      );
  }
}

function takenMeanwhile(attempt: AttemptRecorder, error: unknown): unknown {
  if (!(error instanceof AlreadyTaken)) return error;
  const why = { check: 'user name free', reason: 'already-enrolled', saw: error.message } as const;
  const description = 'The user name belongs to another identity by now';
  return refusal(attempt, why, { code: 'already_enrolled', description });
}
