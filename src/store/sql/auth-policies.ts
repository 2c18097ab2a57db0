import { isDeepStrictEqual } from 'node:util';
import { authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { patched } from '../../model/entities/entity.ts';
import { usualPolicy } from '../../model/usual-policy.ts';
import type { Millis } from '../../platform/clock.ts';
import type { AuthPolicyStore } from '../contracts/auth-policies.ts';
import type { PatchOf, Unstored } from '../contracts/entities.ts';
import { keepingAnAdministrator, type MayBeForced } from './administrators.ts';
import { assignEverybody, assigningPoliciesSql } from './assigned-policies.ts';
import { recordChange } from './changes.ts';
import { authPolicyOf, authPolicyRulesOf, authPolicyTable, type Database, text } from './codec.ts';
import { all, first, type Intent, run } from './intent.ts';

const { listed } = authPolicyTable;

export const authPolicyIntents = { createAuthPolicy, updateAuthPolicy, deleteAuthPolicy } as const;

export function authPolicyStore({
  write,
  writing,
  read,
  find,
  list,
}: Database<typeof authPolicyIntents>): AuthPolicyStore {
  return {
    find: (id) => find(authPolicyOf, 'SELECT * FROM auth_policies WHERE id = ?', id),
    list: (query) => list(listed, query, authPolicyOf),
    listAssigning: async () => (await read(assigningPoliciesSql)).map((row) => authPolicyOf(row)),
    create: (policy, now) => write('createAuthPolicy', { policy, now }),
    update: (id, patch, now) => write('updateAuthPolicy', { id, patch, now }),
    ...writing({ delete: 'deleteAuthPolicy' }),
  };
}

/** Policies of a database from before there were passkeys do not allow them. */
export function* addPasskeyRules(): Intent<void> {
  const { passkey } = usualPolicy.primary;
  for (const row of yield* all('SELECT id, primary_rules, secondary_rules FROM auth_policies')) {
    const { primary, secondary } = authPolicyRulesOf(row);
    yield* run`UPDATE auth_policies SET primary_rules = ${JSON.stringify({ ...primary, passkey })},
      secondary_rules = ${JSON.stringify({ ...secondary, requirePasskey: false })}
      WHERE id = ${text(row, 'id')}`;
  }
}

interface PolicyCreation extends MayBeForced {
  readonly policy: Unstored<typeof authPolicyEntity>;
}

function* createAuthPolicy(args: PolicyCreation): Intent<void> {
  const { policy, now } = args;
  const change = insert(policy, now);
  return yield* policy.assignTo.length === 0 ? change : keepingAnAdministrator(change, args);
}

function* insert(policy: PolicyCreation['policy'], now: Millis): Intent<void> {
  yield* authPolicyTable.insert(policy, now);
  if (policy.assignTo.length > 0) yield* assignEverybody();
  yield* recordChange('auth-policy', policy.id, now);
}

interface PolicyUpdate extends MayBeForced {
  readonly id: string;
  readonly patch: PatchOf<typeof authPolicyEntity>;
}

function updateAuthPolicy(args: PolicyUpdate): Intent<boolean> {
  return keepingAnAdministrator(applyUpdate(args), args);
}

function* applyUpdate({ id, patch, now }: PolicyUpdate): Intent<boolean> {
  const row = yield* first('SELECT * FROM auth_policies WHERE id = ?', id);
  if (row === undefined) return false;
  const before = authPolicyOf(row);
  const after = patched(authPolicyEntity.fields, before, patch);
  yield* authPolicyTable.update({ id, patch: after, now });
  // The order of assigned policies is that of their names.
  if (!isDeepStrictEqual(before.assignTo, after.assignTo) || before.name !== after.name)
    yield* assignEverybody();
  yield* recordChange('auth-policy', id, now);
  return true;
}

function* deleteAuthPolicy(id: string, now: Millis): Intent<'deleted' | 'referenced' | 'unknown'> {
  const row = yield* first`DELETE FROM auth_policies WHERE id = ${id}
       AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.auth_policy_id = auth_policies.id)
       AND NOT EXISTS (SELECT 1 FROM external_jwt_signers WHERE enroll_auth_policy_id = auth_policies.id)
     RETURNING id`;
  if (row !== undefined) {
    yield* recordChange('auth-policy', id, now);
    return 'deleted';
  }
  const kept = yield* first('SELECT id FROM auth_policies WHERE id = ?', id);
  return kept === undefined ? 'unknown' : 'referenced';
}
