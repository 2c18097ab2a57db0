import { isDisabled } from '../../model/account.ts';
import type { Enrollment } from '../../model/entities/enrollment.ts';
import { enrollmentListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewCertificateAuthenticator } from '../contracts/authenticators.ts';
import type {
  EnrollmentStore,
  ListedEnrollment,
  NewEnrollment,
  OpenEnrollment,
  Redemption,
  RedemptionOutcome,
} from '../contracts/enrollments.ts';
import type { NewIdentity } from '../contracts/identities.ts';
import { AlreadyTaken } from '../contracts/store.ts';
import { createCertificate, createPassword } from './authenticators.ts';
import {
  authPolicyOf,
  authPolicyTable,
  type Database,
  identityOf,
  identityTable,
  insert,
  integerOrNull,
  reader,
} from './codec.ts';
import { createIdentity } from './identities.ts';
import { affects, first, type Intent, run, type SqlRow } from './intent.ts';
import { listSource } from './list-source.ts';
import { holderOf, type MayShareName } from './names.ts';

const listed = listSource('enrollments', enrollmentListFields, { identity: 'JOIN' });

export const enrollmentIntents = {
  createEnrollment,
  createIdentityToEnroll,
  renewEnrollment,
  redeemEnrollment,
  enrollIdentity,
  deleteEnrollment,
} as const;

export function enrollmentStore(db: Database<typeof enrollmentIntents>): EnrollmentStore {
  const { dialect, write, writing, read, find, list } = db;
  return {
    ...writing({ create: 'createEnrollment', renew: 'renewEnrollment', delete: 'deleteEnrollment' }),
    ...writing({ enroll: 'enrollIdentity', redeem: 'redeemEnrollment' }),
    createIdentity: (identity, enrollments, now) =>
      write('createIdentityToEnroll', { identity, enrollments, now }),
    find: (id) => find(enrollmentOf, 'SELECT * FROM enrollments WHERE id = ?', id),
    findByTokenHash: (tokenHash) => find(openEnrollmentOf, enrollmentByHashSql, tokenHash),
    async listOf(identityIds) {
      const sql = enrollmentsOfSql(dialect.jsonTexts);
      return (await read(sql, JSON.stringify(identityIds))).map(enrollmentOf);
    },
    async findListed(id) {
      const [found = null] = await db.listed(listed, { field: 'id', value: id }, listedOf);
      return found;
    },
    list: (query) => list(listed, query, listedOf),
  };
}

const enrollmentByHashSql = `SELECT enrollments.*,
    ${identityTable.columns('identity__')}, ${authPolicyTable.columns('policy__')}
  FROM enrollments
  JOIN identities ON identities.id = enrollments.identity_id
  JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  WHERE enrollments.token_hash = ?`;

/** Takes the ids as one JSON array. @param jsonTexts of the dialect */
const enrollmentsOfSql = (jsonTexts: string): string =>
  `SELECT * FROM enrollments WHERE identity_id IN (SELECT value FROM ${jsonTexts}(?)) ORDER BY id`;

const enrollmentColumns = 'id identityId method caId? username? sealedToken expiresAt createdAt updatedAt';
const enrollmentOf = reader<Enrollment>()(enrollmentColumns);
const listedOf = reader<ListedEnrollment>()(`${enrollmentColumns} identityName`);

function openEnrollmentOf(row: SqlRow): OpenEnrollment {
  return {
    enrollment: enrollmentOf(row),
    identity: identityOf(row, 'identity__'),
    policy: authPolicyOf(row, 'policy__'),
  };
}

/** @param isImported it stays as it was, even with the user name of another identity: then it enrolls nobody */
function* createEnrollment(enrollment: NewEnrollment, now: Millis, isImported = false): Intent<void> {
  const { identityId, username } = enrollment;
  if (username !== null && !isImported && (yield* holderOf(username, identityId)) !== null) {
    throw new AlreadyTaken('username');
  }
  yield* run`DELETE FROM enrollments WHERE identity_id = ${enrollment.identityId}
    AND method = ${enrollment.method} AND expires_at <= ${now}`;
  yield* insert('enrollments', { ...enrollment, createdAt: now, updatedAt: now });
}

interface IdentityToEnroll extends MayShareName {
  readonly identity: NewIdentity;
  readonly enrollments: readonly NewEnrollment[];
  readonly now: Millis;
}

function* createIdentityToEnroll({ identity, enrollments, now, sharesName }: IdentityToEnroll): Intent<void> {
  yield* createIdentity({ identity, password: null, now, sharesName });
  for (const enrollment of enrollments) yield* createEnrollment(enrollment, now);
}

function renewEnrollment(
  id: string,
  renewal: Pick<NewEnrollment, 'tokenHash' | 'sealedToken' | 'expiresAt'>,
  now: Millis,
): Intent<boolean> {
  return affects`UPDATE enrollments SET token_hash = ${renewal.tokenHash},
     sealed_token = ${renewal.sealedToken}, expires_at = ${renewal.expiresAt}, updated_at = ${now}
     WHERE id = ${id} RETURNING id`;
}

function* redeemEnrollment({ tokenHash, method, authenticator, now }: Redemption): Intent<RedemptionOutcome> {
  const identity = yield* first`SELECT identities.disabled_at, identities.disabled_until FROM identities
     JOIN enrollments ON enrollments.identity_id = identities.id WHERE enrollments.token_hash = ${tokenHash}`;
  if (identity === undefined) return 'unknown';
  const disabledAt = integerOrNull(identity, 'disabled_at');
  const disabledUntil = integerOrNull(identity, 'disabled_until');
  if (isDisabled({ disabledAt, disabledUntil }, now)) return 'disabled';
  // If two transactions get this far with one token, only one deletes the row and continues.
  const used = yield* first`DELETE FROM enrollments WHERE token_hash = ${tokenHash} AND method = ${method}
     AND identity_id = ${authenticator.identityId} AND expires_at > ${now}
     RETURNING id`;
  if (used === undefined) {
    const late = yield* first`SELECT id FROM enrollments WHERE token_hash = ${tokenHash}
      AND method = ${method} AND expires_at <= ${now}`;
    return late === undefined ? 'unknown' : 'expired';
  }
  if (authenticator.method === 'cert') yield* createCertificate(authenticator, now);
  else yield* createPassword({ authenticator, now });
  return 'enrolled';
}

function* enrollIdentity(
  identity: NewIdentity,
  certificate: NewCertificateAuthenticator | null,
  now: Millis,
): Intent<void> {
  yield* createIdentity({ identity, password: null, now });
  if (certificate !== null) yield* createCertificate(certificate, now);
}

function deleteEnrollment(id: string): Intent<boolean> {
  return affects('DELETE FROM enrollments WHERE id = ? RETURNING id', id);
}
