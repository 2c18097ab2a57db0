import type { Account } from '../../model/account.ts';
import { authPolicyColumns, authPolicyOf, identityColumns, identityOf } from './codec.ts';
import type { SqlRow } from './intent.ts';

/** `SELECT` list of an account, where `identities` is joined with `auth_policies`, for `accountOf`. */
export const accountColumns = `${identityColumns('identities', 'identity__')},
    ${authPolicyColumns('auth_policies', 'policy__')},
    (SELECT identity_id FROM totp_enrollments WHERE identity_id = identities.id) AS enrolled`;

/** A policy that is missing is no reason to find nobody: reading the row then fails, and no check is skipped. */
export const findAccountSql = `SELECT ${accountColumns}
  FROM identities LEFT JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  WHERE identities.id = ?`;

export function accountOf(row: SqlRow): Account {
  return {
    identity: identityOf(row, 'identity__'),
    policy: authPolicyOf(row, 'policy__'),
    isTotpEnrolled: row.enrolled !== null,
  };
}
