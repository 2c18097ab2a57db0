import { isDisabled } from '../../model/account.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { Invitation } from '../../model/invitation.ts';
import { invitationListFields } from '../../model/list-fields.ts';
import { hasPower } from '../../model/permission.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  InvitationRedemption,
  InvitationStore,
  ListedInvitation,
  OpenInvitation,
  ResetProof,
} from '../contracts/invitations.ts';
import { clearAttempts } from './attempts.ts';
import { removeAuthenticator } from './authenticators.ts';
import { recordChange } from './changes.ts';
import { accountColumns, accountOf, identityOf, insert, integer, reader, text, textOrNull } from './codec.ts';
import { concern } from './concern.ts';
import { deliver } from './deliveries.ts';
import { addPassword, passwordWasChosen, withdrawInvitation } from './identities.ts';
import { first, type Intent, raw, run, type SqlRow, unforced } from './intent.ts';
import { listSource } from './list-source.ts';
import { passkeyObjection, storePasskey } from './passkeys.ts';
import { endSessionsOf, forgetLogins } from './session-ends.ts';

const listed = listSource('invitations', invitationListFields, {
  identity: 'JOIN',
  columns: { id: 'identity_id' },
  select:
    '(SELECT makers.name FROM identities AS makers WHERE makers.id = invitations.made_by) AS made_by_name',
});

export const invitations = concern<InvitationStore>()({
  writes: {
    *create(invitation, now, mail) {
      const { identityId, isByHelper } = invitation;
      const row = yield* first('SELECT * FROM identities WHERE id = ?', identityId);
      if (row === undefined) return 'unknown';
      const identity = identityOf(row);
      if (isDisabled(identity, now)) return 'disabled';
      if (isByHelper && hasPower(identity)) return 'beyond-help';
      yield* withdrawInvitation(identityId);
      yield* insert('invitations', invitation);
      if (mail !== undefined) yield* deliver(mail, now);
      return 'created';
    },
    *redeem(redemption) {
      const { identityId, chosen, now } = redemption;
      const row = yield* first('SELECT * FROM identities WHERE id = ?', identityId);
      if (row === undefined) return 'unknown';
      const identity = identityOf(row);
      if (isDisabled(identity, now)) return 'disabled';
      if (chosen.method === 'passkey') {
        const objection = yield* passkeyObjection(chosen.passkey);
        if (objection !== null) return objection;
      }
      const used =
        'reset' in redemption
          ? yield* useReset(redemption.reset, identity)
          : yield* useInvitation(redemption.tokenHash, identity, now);
      if (typeof used === 'string') return used;
      if (chosen.method === 'password') {
        yield* putPassword(chosen.password, now);
        yield* passwordWasChosen(identity.id, now);
      } else {
        yield* storePasskey(chosen.passkey, now);
        yield* dropPassword(identity.id, now);
      }
      yield* run(`DELETE FROM enrollments WHERE identity_id = ? AND method = 'updb'`, identity.id);
      // Logins in progress end in either case: they verified a password that is gone.
      if (used.endsSessions)
        yield* endSessionsOf({ identityId: identity.id, reason: 'credential-changed', now });
      else yield* forgetLogins(identity.id);
      return 'set';
    },
    delete: withdrawInvitation,
  },
  methods: ({ find, list }) => ({
    find: (identityId) => find(invitationOf, 'SELECT * FROM invitations WHERE identity_id = ?', identityId),
    list: (query) => list(listed, query, listedOf),
    findByTokenHash: (tokenHash) => find(openInvitationOf, invitationByHashSql, tokenHash),
  }),
});

const invitationByHashSql = `SELECT invitations.*, ${accountColumns}
  FROM invitations
  JOIN identities ON identities.id = invitations.identity_id
  JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  WHERE invitations.token_hash = ?`;

const invitationColumns =
  'identityId endSessions:flag isByHelper:flag isShown:flag madeBy? mailedTo? createdAt expiresAt';
const invitationOf = reader<Invitation>()(invitationColumns);
const listedOf = reader<ListedInvitation>()(`${invitationColumns} identityName madeByName?`);

function openInvitationOf(row: SqlRow): OpenInvitation {
  return { ...accountOf(row), invitation: invitationOf(row) };
}

type Used = { readonly endsSessions: boolean } | 'unknown' | 'expired';

/** If two transactions get this far with one token, only one deletes the row and continues. */
function* useInvitation(tokenHash: string, identity: Identity, now: Millis): Intent<Used> {
  const used = yield* first`DELETE FROM invitations WHERE token_hash = ${tokenHash}
       AND identity_id = ${identity.id} AND expires_at > ${now}
       ${raw(hasPower(identity) ? 'AND is_by_helper = 0' : '')} RETURNING end_sessions, mailed_to, is_shown`;
  if (used === undefined) {
    const late = yield* first`SELECT identity_id FROM invitations
      WHERE token_hash = ${tokenHash} AND expires_at <= ${now}`;
    return late === undefined ? 'unknown' : 'expired';
  }
  const mailedTo = textOrNull(used, 'mailed_to');
  if (mailedTo !== null && mailedTo === identity.email && integer(used, 'is_shown') === 0) {
    yield* run('UPDATE identities SET email_verified = 1 WHERE id = ?', identity.id);
    yield* recordChange('identity', identity.id, now);
  }
  return { endsSessions: integer(used, 'end_sessions') === 1 };
}

/** The new password makes the proof wrong: of several transactions one continues, and no older link works after it. */
function* useReset(proof: ResetProof, identity: Identity): Intent<Used> {
  const { passwordHash, passwordUpdatedAt, email, mayHavePower } = proof;
  if (identity.email !== email || !identity.emailVerified || (hasPower(identity) && !mayHavePower))
    return 'unknown';
  const password = yield* first`SELECT id FROM authenticators
    WHERE identity_id = ${identity.id} AND method = 'updb' AND password_hash = ${passwordHash}
      AND updated_at = ${passwordUpdatedAt}`;
  return password === undefined ? 'unknown' : { endsSessions: true };
}

function* dropPassword(identityId: string, now: Millis): Intent<void> {
  const sql = `SELECT id FROM authenticators WHERE identity_id = ? AND method = 'updb'`;
  const password = yield* first(sql, identityId);
  if (password !== undefined) yield* removeAuthenticator(text(password, 'id'), now);
}

/** Also ends the lock of the old password: it locks out people who forgot that password and guessed. */
function* putPassword(
  password: Extract<InvitationRedemption['chosen'], { method: 'password' }>['password'],
  now: Millis,
): Intent<void> {
  const { identityId, passwordHash } = password;
  const changed = yield* first`UPDATE authenticators SET password_hash = ${passwordHash},
     password_set_at = ${now}, updated_at = ${now}
     WHERE identity_id = ${identityId} AND method = 'updb' RETURNING id`;
  if (changed === undefined) yield* addPassword(unforced, [{ ...password, tags: {} }, now]);
  else yield* clearAttempts([`password:${text(changed, 'id')}`]);
}
