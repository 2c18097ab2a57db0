import { isDisabled } from '../../model/account.ts';
import type { Enrollment } from '../../model/entities/enrollment.ts';
import { enrollmentListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  EnrollmentStore,
  ListedEnrollment,
  NewEnrollment,
  OpenEnrollment,
  Redemption,
} from '../contracts/enrollments.ts';
import { AlreadyTaken } from '../contracts/store.ts';
import { countAttempt } from './attempts.ts';
import { createCertificate } from './authenticators.ts';
import {
  authPolicyOf,
  authPolicyTable,
  disablingOf,
  identityOf,
  identityTable,
  insert,
  reader,
} from './codec.ts';
import { concern } from './concern.ts';
import { addPassword, createIdentity } from './identities.ts';
import { affects, first, type Intent, run, type SqlRow, unforced } from './intent.ts';
import { listSource } from './list-source.ts';
import { isUnchanged } from './login-row.ts';
import { holderOf, refuseAddressOfAnother } from './names.ts';

const listed = listSource('enrollments', enrollmentListFields, { identity: 'JOIN' });

export const enrollments = concern<EnrollmentStore>()({
  writes: {
    create: (enrollment, now) => createEnrollment(enrollment, now),
    renew(id, renewal, now) {
      return affects`UPDATE enrollments SET token_hash = ${renewal.tokenHash},
         sealed_token = ${renewal.sealedToken}, expires_at = ${renewal.expiresAt}, updated_at = ${now}
         WHERE id = ${id} RETURNING id`;
    },
    *redeem({ tokenHash, method, authenticator, now }) {
      const identity = yield* first`SELECT identities.disabled_at, identities.disabled_until FROM identities
         JOIN enrollments ON enrollments.identity_id = identities.id WHERE enrollments.token_hash = ${tokenHash}`;
      if (identity === undefined) return (yield* isEnrolled(authenticator)) ? 'enrolled' : 'unknown';
      if (isDisabled(disablingOf(identity), now)) return 'disabled';
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
      else yield* addPassword(unforced, [authenticator, now]);
      return 'enrolled';
    },
    *enroll(identity, { voucher, certificate = null, limit }, now) {
      if ((yield* first`SELECT 1 AS one FROM identities WHERE id = ${identity.id}`) !== undefined)
        return 'enrolled';
      if ((yield* first`SELECT 1 AS one WHERE ${isUnchanged(voucher)}`) === undefined) return 'changed';
      if (limit !== undefined && (yield* countAttempt([limit], 1, now)).outcome === 'refused') return 'full';
      const { id: identityId, name, emailVerified = false } = identity;
      const email = emailVerified ? (identity.email ?? null) : null;
      yield* refuseAddressOfAnother({ identityId, kind: 'name', name, email });
      yield* createIdentity(unforced, [identity, null, now]);
      if (certificate !== null) yield* createCertificate(certificate, now);
      return 'enrolled';
    },
    delete(id) {
      return affects('DELETE FROM enrollments WHERE id = ? RETURNING id', id);
    },
  },
  forced: {
    *createIdentity(how, [identity, made, now]) {
      yield* createIdentity(how, [identity, null, now]);
      for (const enrollment of made) yield* createEnrollment(enrollment, now);
    },
  },
  methods: ({ dialect, find, all, list, findListed }) => ({
    find: (id) => find(enrollmentOf, 'SELECT * FROM enrollments WHERE id = ?', id),
    findByTokenHash: (tokenHash) => find(openEnrollmentOf, enrollmentByHashSql, tokenHash),
    listOf: (identityIds) =>
      all(enrollmentOf, enrollmentsOfSql(dialect.jsonTexts), JSON.stringify(identityIds)),
    findListed: (id) => findListed(listed, id, listedOf),
    list: (query) => list(listed, query, listedOf),
  }),
});

/** Whether the same redemption has taken effect before, and only its answer was lost. */
function* isEnrolled({ id, identityId }: Redemption['authenticator']): Intent<boolean> {
  return (
    (yield* first`SELECT 1 AS one FROM authenticators WHERE id = ${id} AND identity_id = ${identityId}`) !==
    undefined
  );
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

/** @param isImported it stays as it was, even with the user name of another identity: then it can enroll no identity */
export function* createEnrollment(enrollment: NewEnrollment, now: Millis, isImported = false): Intent<void> {
  const { identityId, username } = enrollment;
  if (username !== null && !isImported && (yield* holderOf(username, identityId)) !== null)
    throw new AlreadyTaken('username');
  yield* run`DELETE FROM enrollments WHERE identity_id = ${enrollment.identityId}
    AND method = ${enrollment.method} AND expires_at <= ${now}`;
  yield* insert('enrollments', { ...enrollment, createdAt: now, updatedAt: now });
}
