import { type AdministratorMeans, hasMeansToLogIn } from '../../model/administrator.ts';
import type { Millis } from '../../platform/clock.ts';
import { NoAdministratorLeft } from '../contracts/store.ts';
import { authPolicyRulesOf, disablingOf, integer, integerOrNull, reader, text, textOrNull } from './codec.ts';
import { all, type Force, type Intent, type SqlRow, unforced } from './intent.ts';

// An administrator must remain who can undo a change. The step that makes the change decides this, so that two
// simultaneous changes cannot each rely on the administrator that the other one removes.

const pageSize = 100;

/** Administrators ordered by id. Parameters: the id to start after, and how many. */
export const administratorsSql = `SELECT identities.id, identities.disabled_at, identities.disabled_until,
    identities.external_id, auth_policies.primary_rules, auth_policies.secondary_rules, password.id AS password_id,
    (SELECT attempts.locked_until FROM attempts WHERE attempts.key = 'password:' || password.id) AS locked_until,
    (SELECT max(authenticators.cert_expires_at) FROM authenticators
      WHERE authenticators.identity_id = identities.id AND authenticators.method = 'cert') AS certificate_until,
    (SELECT count(*) FROM passkeys WHERE passkeys.identity_id = identities.id) AS passkeys
  FROM identities
  JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  LEFT JOIN authenticators AS password ON password.identity_id = identities.id AND password.method = 'updb'
  WHERE identities.is_admin = 1 AND identities.id > ?
  ORDER BY identities.id LIMIT ?`;

export const enabledSignersSql =
  'SELECT id, issuer, use_external_id FROM external_jwt_signers WHERE enabled = 1';

type EnabledSigners = AdministratorMeans['signers'];

const enabledSignerOf = reader<EnabledSigners[number]>()('id issuer useExternalId:flag');

export function enabledSignersOf(rows: readonly SqlRow[]): EnabledSigners {
  return rows.map(enabledSignerOf);
}

export function administratorMeansOf(row: SqlRow, signers: EnabledSigners): AdministratorMeans {
  return {
    identity: { ...disablingOf(row), externalId: textOrNull(row, 'external_id') },
    policy: authPolicyRulesOf(row),
    hasPassword: textOrNull(row, 'password_id') !== null,
    lockedUntil: integerOrNull(row, 'locked_until'),
    certificateUntil: integerOrNull(row, 'certificate_until'),
    hasPasskey: integer(row, 'passkeys') > 0,
    signers,
  };
}

/**
 * Makes a change, and undoes it if no administrator could log in afterwards although one could before.
 * @throws NoAdministratorLeft
 */
export function* keepingAnAdministrator<Outcome>(
  change: Intent<Outcome>,
  now: Millis,
  { force }: Pick<Force, 'force'> = unforced,
): Intent<Outcome> {
  if (force) return yield* change;
  const couldLogIn = yield* anAdministratorCanLogIn(now);
  const outcome = yield* change;
  if (couldLogIn && !(yield* anAdministratorCanLogIn(now))) throw new NoAdministratorLeft();
  return outcome;
}

function* anAdministratorCanLogIn(now: Millis): Intent<boolean> {
  const signers = enabledSignersOf(yield* all(enabledSignersSql));
  for (let after = ''; ; ) {
    const rows = yield* all(administratorsSql, after, pageSize);
    if (rows.some((row) => hasMeansToLogIn(administratorMeansOf(row, signers), now))) return true;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return false;
    after = text(last, 'id');
  }
}
