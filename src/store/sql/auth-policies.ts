import { type AuthPolicyPatch, type AuthPolicyRules, patchedRules } from '../../model/auth-policy.ts';
import { authPolicyListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type { AuthPolicyStore } from '../contracts/auth-policies.ts';
import { keepingAnAdministrator, type MayBeForced } from './administrators.ts';
import { recordChange } from './changes.ts';
import { authPolicyOf, type Database } from './codec.ts';
import { first, type Intent, run } from './intent.ts';
import { listSource } from './list-source.ts';

const listed = listSource('auth_policies', authPolicyListFields);

export const authPolicyIntents = {
  createAuthPolicy,
  replaceAuthPolicy,
  updateAuthPolicy,
  deleteAuthPolicy,
} as const;

export function authPolicyStore({ write, find, list }: Database<typeof authPolicyIntents>): AuthPolicyStore {
  return {
    find: (id) => find((row) => authPolicyOf(row), 'SELECT * FROM auth_policies WHERE id = ?', id),
    list: (query) => list(listed, query, (row) => authPolicyOf(row)),
    create: (id, rules, now) => write('createAuthPolicy', { id, rules, now }),
    replace: (id, rules, now) => write('replaceAuthPolicy', { id, rules, now }),
    update: (id, patch, now) => write('updateAuthPolicy', { id, patch, now }),
    delete: (id, now) => write('deleteAuthPolicy', { id, now }),
  };
}

function* createAuthPolicy(args: {
  readonly id: string;
  readonly rules: AuthPolicyRules;
  readonly now: Millis;
}): Intent<void> {
  const { rules, now } = args;
  yield* run(
    `INSERT INTO auth_policies (id, name, primary_rules, secondary_rules, tags, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    args.id,
    rules.name,
    JSON.stringify(rules.primary),
    JSON.stringify(rules.secondary),
    JSON.stringify(rules.tags),
    now,
    now,
  );
}

interface Replacement extends MayBeForced {
  readonly id: string;
  readonly rules: AuthPolicyRules;
}

function replaceAuthPolicy(args: Replacement): Intent<boolean> {
  return keepingAnAdministrator(applyReplacement(args), args);
}

function* applyReplacement({ id, rules, now }: Replacement): Intent<boolean> {
  const row = yield* first(
    `UPDATE auth_policies SET name = ?, primary_rules = ?, secondary_rules = ?, tags = ?, updated_at = ?
     WHERE id = ? RETURNING id`,
    rules.name,
    JSON.stringify(rules.primary),
    JSON.stringify(rules.secondary),
    JSON.stringify(rules.tags),
    now,
    id,
  );
  if (row === undefined) return false;
  yield* recordChange('auth-policy', id, now);
  return true;
}

interface PolicyUpdate extends MayBeForced {
  readonly id: string;
  readonly patch: AuthPolicyPatch;
}

function* updateAuthPolicy(args: PolicyUpdate): Intent<boolean> {
  const row = yield* first('SELECT * FROM auth_policies WHERE id = ?', args.id);
  if (row === undefined) return false;
  return yield* replaceAuthPolicy({ ...args, rules: patchedRules(authPolicyOf(row), args.patch) });
}

function* deleteAuthPolicy(args: {
  readonly id: string;
  readonly now: Millis;
}): Intent<'deleted' | 'referenced' | 'unknown'> {
  const row = yield* first(
    `DELETE FROM auth_policies WHERE id = ?
       AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.auth_policy_id = auth_policies.id)
       AND NOT EXISTS (SELECT 1 FROM external_jwt_signers WHERE enroll_auth_policy_id = auth_policies.id)
     RETURNING id`,
    args.id,
  );
  if (row !== undefined) {
    yield* recordChange('auth-policy', args.id, args.now);
    return 'deleted';
  }
  const kept = yield* first('SELECT id FROM auth_policies WHERE id = ?', args.id);
  return kept === undefined ? 'unknown' : 'referenced';
}
