import { isDisabled } from '../../model/account.ts';
import type { Invitation } from '../../model/invitation.ts';
import { invitationListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  InvitationRedemption,
  InvitationStore,
  ListedInvitation,
  NewInvitation,
  OpenInvitation,
} from '../contracts/invitations.ts';
import { removeAuthenticator } from './authenticators.ts';
import {
  authPolicyOf,
  authPolicyTable,
  type Database,
  identityOf,
  identityTable,
  integer,
  text,
  textOrNull,
} from './codec.ts';
import { addPassword, passwordWasChosen, withdrawInvitation } from './identities.ts';
import { first, type Intent, run, type SqlRow } from './intent.ts';
import { listSource } from './list-source.ts';
import { passkeyObjection, storePasskey } from './passkeys.ts';
import { insert, reader } from './rows.ts';
import { endSessionsOf, forgetLogins } from './session-ends.ts';

const listed = listSource('invitations', invitationListFields, {
  identity: 'JOIN',
  columns: { id: 'identity_id' },
  select:
    '(SELECT makers.name FROM identities AS makers WHERE makers.id = invitations.made_by) AS made_by_name',
});

export const invitationIntents = { createInvitation, redeemInvitation, withdrawInvitation } as const;

export function invitationStore({
  writing,
  find,
  list,
}: Database<typeof invitationIntents>): InvitationStore {
  return {
    ...writing({ create: 'createInvitation', redeem: 'redeemInvitation', delete: 'withdrawInvitation' }),
    find: (identityId) => find(invitationOf, 'SELECT * FROM invitations WHERE identity_id = ?', identityId),
    list: (query) => list(listed, query, listedOf),
    findByTokenHash: (tokenHash) => find(openInvitationOf, invitationByHashSql, tokenHash),
  };
}

const invitationByHashSql = `SELECT invitations.*, authenticators.username AS username,
    ${identityTable.columns('identity__')}, ${authPolicyTable.columns('policy__')}
  FROM invitations
  JOIN identities ON identities.id = invitations.identity_id
  JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  LEFT JOIN authenticators ON authenticators.identity_id = identities.id AND authenticators.method = 'updb'
  WHERE invitations.token_hash = ?`;

const invitationColumns = 'identityId endSessions:flag isByHelper:flag madeBy? createdAt expiresAt';
const invitationOf = reader<Invitation>()(invitationColumns);
const listedOf = reader<ListedInvitation>()(`${invitationColumns} identityName madeByName?`);

function openInvitationOf(row: SqlRow): OpenInvitation {
  return {
    invitation: invitationOf(row),
    identity: identityOf(row, 'identity__'),
    policy: authPolicyOf(row, 'policy__'),
    username: textOrNull(row, 'username'),
  };
}

function* createInvitation(
  invitation: NewInvitation,
  now: Millis,
): Intent<'created' | 'unknown' | 'disabled' | 'beyond-help'> {
  const { identityId, isByHelper } = invitation;
  const row = yield* first('SELECT * FROM identities WHERE id = ?', identityId);
  if (row === undefined) return 'unknown';
  const identity = identityOf(row);
  if (isDisabled(identity, now)) return 'disabled';
  if (isByHelper && (identity.isAdmin || identity.permissions.length > 0)) return 'beyond-help';
  yield* withdrawInvitation(identityId);
  yield* insert('invitations', invitation);
  return 'created';
}

function* redeemInvitation({
  tokenHash,
  identityId,
  chosen,
  now,
}: InvitationRedemption): Intent<Awaited<ReturnType<InvitationStore['redeem']>>> {
  const row = yield* first('SELECT * FROM identities WHERE id = ?', identityId);
  if (row === undefined) return 'unknown';
  const identity = identityOf(row);
  if (isDisabled(identity, now)) return 'disabled';
  const hasPower = identity.isAdmin || identity.permissions.length > 0;
  if (chosen.method === 'passkey') {
    const objection = yield* passkeyObjection(chosen.passkey);
    if (objection !== null) return objection;
  }
  // If two transactions get this far with one token, only one deletes the row and continues.
  const used = yield* first(
    `DELETE FROM invitations WHERE token_hash = ? AND identity_id = ? AND expires_at > ?
       ${hasPower ? 'AND is_by_helper = 0' : ''} RETURNING end_sessions`,
    tokenHash,
    identity.id,
    now,
  );
  if (used === undefined) {
    const late = yield* first(
      'SELECT identity_id FROM invitations WHERE token_hash = ? AND expires_at <= ?',
      tokenHash,
      now,
    );
    return late === undefined ? 'unknown' : 'expired';
  }
  if (chosen.method === 'password') {
    yield* putPassword(chosen.password, now);
    yield* passwordWasChosen(identity.id, now);
  } else {
    yield* storePasskey(chosen.passkey, now);
    yield* dropPassword(identity.id, now);
  }
  yield* run(`DELETE FROM enrollments WHERE identity_id = ? AND method = 'updb'`, identity.id);
  // Logins in progress end in either case: they verified a password that is gone.
  if (integer(used, 'end_sessions') === 1)
    yield* endSessionsOf({ identityId: identity.id, reason: 'credential-changed', now });
  else yield* forgetLogins(identity.id);
  return 'set';
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
  const changed = yield* first(
    `UPDATE authenticators SET password_hash = ?, password_set_at = ?, updated_at = ?
     WHERE identity_id = ? AND method = 'updb' RETURNING id`,
    passwordHash,
    now,
    now,
    identityId,
  );
  if (changed === undefined) yield* addPassword({ ...password, tags: {} }, now);
  else yield* first('DELETE FROM attempts WHERE key = ?', `password:${text(changed, 'id')}`);
}
