import { isDeepStrictEqual } from 'node:util';
import { authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { patched } from '../../model/entities/entity.ts';
import { usualPolicy } from '../../model/usual-policy.ts';
import type { Millis } from '../../platform/clock.ts';
import type { AuthPolicyStore, PatchOf, Unstored } from '../contracts/entities.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { assignEverybody, assigningPoliciesSql } from './assigned-policies.ts';
import { recordChange } from './changes.ts';
import { authPolicyOf, authPolicyRulesOf, authPolicyTable, text } from './codec.ts';
import { concern } from './concern.ts';
import { usualMethods, usualWrites } from './entity-methods.ts';
import { all, first, type Intent, run } from './intent.ts';

export const authPolicies = concern<AuthPolicyStore>()({
  writes: {
    delete: usualWrites(authPolicyTable, 'auth-policy').delete,
  },
  forced: {
    *create(how, [policy, now]) {
      const change = insert(policy, now);
      yield* policy.assignTo.length === 0 ? change : keepingAnAdministrator(change, now, how);
    },
    update: (how, [id, patch, now]) => keepingAnAdministrator(applyUpdate(id, patch, now), now, how),
  },
  methods: (database) => ({
    ...usualMethods(authPolicyTable, database),
    listAssigning: () => database.all(authPolicyOf, assigningPoliciesSql),
  }),
});

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

function* insert(policy: Unstored<typeof authPolicyEntity>, now: Millis): Intent<void> {
  yield* authPolicyTable.insertAll([policy], now);
  if (policy.assignTo.length > 0) yield* assignEverybody();
  yield* recordChange('auth-policy', policy.id, now);
}

function* applyUpdate(id: string, patch: PatchOf<typeof authPolicyEntity>, now: Millis): Intent<boolean> {
  const row = yield* first(authPolicyTable.byId, id);
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
