import { isDisabled } from '../../model/account.ts';
import { canLogIn } from '../../model/administrator.ts';
import { type AssignedPolicy, assignedPolicy } from '../../model/assigned-policy.ts';
import { patched, type Tags } from '../../model/entities/entity.ts';
import { asSent, type Identity, identityDefaults, identityEntity } from '../../model/entities/identity.ts';
import type { NameKey } from '../../model/names.ts';
import { hasRight } from '../../model/principal.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewPassword } from '../contracts/authenticators.ts';
import type { IdentityPatch, IdentityStore, NewIdentity } from '../contracts/identities.ts';
import {
  administratorsSql,
  authoritiesSql,
  enabledSignersSql,
  keepingAnAdministrator,
  meansOf,
  vouchingOf,
} from './administrators.ts';
import { assigningPolicies } from './assigned-policies.ts';
import { recordChange } from './changes.ts';
import { accountOf, accountsSql, identityOf, identityTable, insert, text, textOrNull } from './codec.ts';
import { concern } from './concern.ts';
import { affects, all, type Force, first, type Intent, run, type SqlRow } from './intent.ts';
import { clientInfoOf, findClientInfoSql } from './last-logins.ts';
import { alikeSql, giveName, nameNew, namesByKeySql } from './names.ts';
import { endSessionsOf, endSessionsOfAuthenticator, forgetLogins } from './session-ends.ts';

export const identities = concern<IdentityStore>()({
  forced: {
    create: createIdentity,
    *update(how, [id, patch, now]) {
      const change = applyUpdate(how, [id, patch, now]);
      return yield* mayCostMeans(patch) ? keepingAnAdministrator(change, now, how) : change;
    },
    delete: (how, [id, now]) => keepingAnAdministrator(applyDeletion(id, now), now, how),
  },
  methods: ({ dialect, read, find, all, list }) => ({
    find: (id) => find(identityOf, identityTable.byId, id),
    findByName: (name) => find(identityOf, 'SELECT * FROM identities WHERE name = ?', name),
    findAccount: (id) => find(accountOf, `${accountsSql} WHERE identities.id = ?`, id),
    listAccountsByEmail(email, most) {
      const sql = `${accountsSql} WHERE identities.email_lower = ? AND identities.email_verified = 1
        AND EXISTS (SELECT 1 FROM authenticators WHERE identity_id = identities.id AND method = 'updb')
        ORDER BY identities.id LIMIT ?`;
      return all(accountOf, sql, email.toLowerCase(), most);
    },
    findAccountByExternalId: (externalId) =>
      find(accountOf, `${accountsSql} WHERE identities.external_id = ?`, externalId),
    findClientInfo: (id) => find(clientInfoOf, findClientInfoSql, id),
    list: (query) => list(identityTable.listed, query, identityOf),
    async listAlike(limit) {
      const groups = Map.groupBy(await read(alikeSql, limit), (row) => text(row, 'key'));
      return [...groups.values()].map((rows) => rows.map((row) => text(row, 'name')));
    },
    listByNameKeys: (keys) =>
      all(
        (row) => ({ key: text(row, 'key') as NameKey, name: text(row, 'name') }),
        namesByKeySql(dialect.jsonTexts),
        JSON.stringify(keys),
      ),
    listOfPolicy(policyId, after, limit) {
      const whose = policyId === null ? '' : 'auth_policy_id = ? AND';
      const sql = `SELECT * FROM identities WHERE ${whose} id > ? ORDER BY id LIMIT ?`;
      return all(identityOf, sql, ...(policyId === null ? [] : [policyId]), after, limit);
    },
    async countUsableAdmins(now) {
      const vouching = vouchingOf(await read(enabledSignersSql), await read(authoritiesSql));
      const rows = await read(administratorsSql, '', Number.MAX_SAFE_INTEGER);
      return rows.map(meansOf(vouching)).filter((means) => canLogIn(means, now) !== 'no').length;
    },
  }),
});

export function* createIdentity(
  how: Force,
  [identity, password, now]: Parameters<IdentityStore['create']>,
): Intent<void> {
  yield* createIdentities(how, [identity], now);
  if (password !== null)
    yield* insertPassword(how, [{ ...password, identityId: identity.id, tags: {} }, now]);
}

/** Many in few statements: an import makes millions. */
export function* createIdentities(how: Force, made: readonly NewIdentity[], now: Millis): Intent<void> {
  const identities = made.map((identity) => ({ ...identityDefaults, ...identity }));
  const isAssigned = identities.some(({ authPolicyId }) => authPolicyId === null);
  const policies = isAssigned ? yield* assigningPolicies() : [];
  const stored = identities.map((identity) => {
    return { ...identity, ...assignedPolicy(policies, identity.roleAttributes, identity.authPolicyId) };
  });
  yield* identityTable.insertAll(stored, now);
  yield* nameNew(
    how,
    made.map(({ id, name }) => ({ identityId: id, kind: 'name', name })),
  );
}

/** Deletes the link for setting the password, because the password was set or removed in another way. */
export function withdrawInvitation(identityId: string): Intent<boolean> {
  return affects('DELETE FROM invitations WHERE identity_id = ? RETURNING identity_id', identityId);
}

/** Withdraws the link that was mailed to another address than the identity's: it may be that of a stranger. */
function withdrawMailed({ id, email }: Identity): Intent<unknown> {
  return run('DELETE FROM invitations WHERE identity_id = ? AND mailed_to <> ?', id, email ?? '');
}

/**
 * Withdraws the invitations that an identity made: a person must not use a right that they lost to open a way in.
 * @param byHelper true: those made with the permission `helpdesk`; false: those made as administrator
 */
function* withdrawMadeBy(identityId: string, byHelper: readonly boolean[]): Intent<void> {
  for (const is of byHelper)
    yield* all`DELETE FROM invitations WHERE made_by = ${identityId} AND is_by_helper = ${is ? 1 : 0}
      RETURNING identity_id`;
}

/**
 * Ends the links for a forgotten password, which name the time at which it was last touched: an administrator who disables
 * a person in an emergency need not think of what was mailed before when enabling them again.
 */
function* endResetLinks(identityId: string, now: Millis): Intent<void> {
  yield* run(
    `UPDATE authenticators SET updated_at = ? WHERE identity_id = ? AND method = 'updb'`,
    now,
    identityId,
  );
}

/**
 * Withdraws the open enrollments of all who administer or have a permission. An administrator can read their tokens,
 * also those that another administrator made, and must not enroll as a colleague once the right is gone.
 */
function* withdrawEnrollmentsOfPowerful(): Intent<void> {
  yield* all(
    `DELETE FROM enrollments WHERE EXISTS (SELECT 1 FROM identities
       WHERE identities.id = enrollments.identity_id AND (is_admin = 1 OR permissions <> '[]')) RETURNING id`,
  );
}

/** The password authenticator of a new identity. */
export function* insertPassword(
  how: Force,
  [password, now]: [password: NewPassword & { identityId: string; tags: Tags }, now: Millis],
): Intent<void> {
  yield* withdrawInvitation(password.identityId);
  yield* insert('authenticators', { ...password, method: 'updb', createdAt: now, updatedAt: now });
  const { identityId, username } = password;
  yield* giveName(how, { identityId, kind: 'username', name: username });
}

/** The same for an identity that was there before. Accounts in memory have the user name. */
export function* addPassword(...[how, [password, now]]: Parameters<typeof insertPassword>): Intent<void> {
  yield* insertPassword(how, [password, now]);
  yield* recordChange('identity', password.identityId, now);
}

/** Whether a change of an administrator could leave none who can log in. */
export function mayCostMeans(patch: IdentityPatch): boolean {
  return (
    isDisabling(patch) ||
    patch.isAdmin === false ||
    patch.authPolicyId !== undefined ||
    patch.roleAttributes !== undefined ||
    patch.externalId !== undefined
  );
}

function isDisabling(patch: IdentityPatch): boolean {
  return patch.disabledAt === undefined ? patch.disabledUntil !== undefined : patch.disabledAt !== null;
}

function* applyUpdate(how: Force, [id, patch, now]: Parameters<IdentityStore['update']>): Intent<boolean> {
  // Before its row, which the redemption of a code may want that this waits for.
  if (isDisabling(patch)) yield* forgetLogins(id);
  if (patch.externalId !== undefined) yield* endSessionsByClaim(id, patch.externalId, now);
  const before = yield* first('SELECT * FROM identities WHERE id = ?', id);
  if (before === undefined) return false;
  const row = yield* identityTable.update({
    id,
    patch: { ...patch, ...(yield* reassigned(before, patch)) },
    now,
  });
  if (row === undefined) return false;
  if (patch.name !== undefined) yield* giveName(how, { identityId: id, kind: 'name', name: patch.name });
  const identity = identityOf(row);
  if (isDisabled(identity, now)) {
    yield* endSessionsOf({ identityId: id, reason: 'identity-disabled', now });
    yield* withdrawInvitation(id);
    yield* withdrawMadeBy(id, [true, false]);
    if (!isDisabled(identityOf(before), now)) yield* endResetLinks(id, now);
  } else if (patch.isAdmin !== undefined || patch.permissions !== undefined) {
    const byHelper = [true, false].filter((is) => !hasRight(identity, is ? 'helpdesk' : 'administrator'));
    yield* withdrawMadeBy(id, byHelper);
  }
  if (patch.email !== undefined) yield* withdrawMailed(identity);
  if (administers(before, now) && !administers(row, now)) yield* withdrawEnrollmentsOfPowerful();
  yield* recordChange('identity', id, now);
  return true;
}

/** The policy after a change of role attributes, or of the policy that is named. */
function* reassigned(row: SqlRow, patch: IdentityPatch): Intent<Partial<AssignedPolicy>> {
  if (patch.authPolicyId === undefined && patch.roleAttributes === undefined) return {};
  const sent = patched(identityEntity.fields, asSent(identityOf(row)), patch);
  const policies = sent.authPolicyId === null ? yield* assigningPolicies() : [];
  return assignedPolicy(policies, sent.roleAttributes, sent.authPolicyId);
}

/** @param row of an identity */
function administers(row: SqlRow | undefined, now: Millis): boolean {
  if (row === undefined) return false;
  const identity = identityOf(row);
  return identity.isAdmin && !isDisabled(identity, now);
}

/** Removing an external id ends the sessions that it opened, as removing an authenticator does. */
function* endSessionsByClaim(id: string, nextExternalId: string | null, now: Millis): Intent<void> {
  const row = yield* first('SELECT external_id FROM identities WHERE id = ?', id);
  const former = row === undefined ? null : textOrNull(row, 'external_id');
  if (former === null || former === nextExternalId) return;
  yield* endSessionsOfAuthenticator({ identityId: id, authenticatorId: null, now });
}

function* applyDeletion(id: string, now: Millis): Intent<boolean> {
  yield* forgetLogins(id);
  const row = yield* first('DELETE FROM identities WHERE id = ? RETURNING *', id);
  if (row === undefined) return false;
  if (administers(row, now)) yield* withdrawEnrollmentsOfPowerful();
  yield* endSessionsOf({ identityId: id, reason: 'identity-deleted', now });
  yield* recordChange('identity', id, now);
  return true;
}

/** The person has chosen a new password, so the next login need not ask for one. */
export function* passwordWasChosen(identityId: string, now: Millis): Intent<void> {
  const row = yield* first`UPDATE identities SET password_must_change = 0
    WHERE id = ${identityId} AND password_must_change = 1 RETURNING id`;
  if (row !== undefined) yield* recordChange('identity', identityId, now);
}
