import { asId, type IdentityId } from '../../model/ids.ts';
import type { PendingTotp, TotpEnrollment, TotpProof, TotpStore } from '../contracts/totp.ts';
import { clearAttempts } from './attempts.ts';
import { recordChange } from './changes.ts';
import { insert, insertOr, reader, text } from './codec.ts';
import { concern } from './concern.ts';
import { affects, first, type Intent, run } from './intent.ts';

export const totp = concern<TotpStore>()({
  writes: {
    *start(flow, { replaces, ...pending }, now) {
      const isOpen =
        replaces === undefined
          ? (yield* first(isEnrolledSql, pending.identityId)) === undefined
          : yield* holds(pending.identityId, replaces);
      if (!isOpen) return 'exists';
      yield* run('DELETE FROM pending_totp WHERE flow = ? AND expires_at <= ?', flow, now);
      const end = 'ON CONFLICT (flow) DO NOTHING RETURNING flow';
      const row = yield* insertOr('pending_totp', { flow, ...pending }, end);
      return row === undefined ? 'exists' : 'started';
    },
    *verify(flow, { sealedSeed, step, now, replaces = false }) {
      const row =
        yield* first`DELETE FROM pending_totp WHERE flow = ${flow} AND expires_at > ${now} RETURNING *`;
      if (row === undefined) return false;
      const { identityId, recoveryHashes } = pendingTotpOf(row);
      if (replaces) yield* run('DELETE FROM totp_enrollments WHERE identity_id = ?', identityId);
      const enrolled = yield* insertOr(
        'totp_enrollments',
        { identityId, sealedSeed, lastStep: step, enrolledAt: now },
        'ON CONFLICT (identity_id) DO NOTHING RETURNING identity_id',
      );
      if (enrolled === undefined) return false;
      yield* keepRecoveryCodes(identityId, recoveryHashes);
      yield* recordChange('identity', identityId, now);
      return true;
    },
    abandon(flow) {
      return affects('DELETE FROM pending_totp WHERE flow = ? RETURNING flow', flow);
    },
    burnStep(identityId, enrolledAt, step) {
      return affects`UPDATE totp_enrollments SET last_step = ${step}
        WHERE identity_id = ${identityId} AND enrolled_at = ${enrolledAt} AND last_step < ${step} RETURNING identity_id`;
    },
    burnRecoveryCode(identityId, hash, now) {
      const sql = `UPDATE recovery_codes SET used_at = ? WHERE identity_id = ? AND code_hash = ? AND used_at IS NULL
        RETURNING code_hash`;
      return affects(sql, now, identityId, hash);
    },
    *replaceRecoveryCodes(identityId, hashes, proof) {
      if (!(yield* holds(identityId, proof))) return false;
      yield* keepRecoveryCodes(identityId, hashes);
      return true;
    },
    *remove(identityId, now, proof) {
      if (proof !== null && !(yield* holds(identityId, proof))) return false;
      const sql = 'DELETE FROM totp_enrollments WHERE identity_id = ? RETURNING identity_id';
      const wasEnrolled = yield* affects(sql, identityId);
      yield* keepRecoveryCodes(identityId, []);
      // Guesses at the app that is gone must not lock the next one.
      if (wasEnrolled) yield* clearAttempts([`totp:${identityId}`]);
      if (wasEnrolled) yield* recordChange('identity', identityId, now);
      return wasEnrolled;
    },
  },
  methods: ({ dialect, read, find }) => ({
    find: (identityId) => find(totpEnrollmentOf, findTotpSql, identityId),
    async enrolledAmong(identityIds) {
      const rows = await read(enrolledAmongSql(dialect.jsonTexts), JSON.stringify(identityIds));
      return new Set(rows.map((row) => asId<IdentityId>(text(row, 'identity_id'))));
    },
    findPending: (flow, now) => find(pendingTotpOf, findPendingTotpSql, flow, now),
    async knowsRecoveryCode(identityId, hash) {
      const known = 'SELECT 1 AS one FROM recovery_codes WHERE identity_id = ? AND code_hash = ?';
      return (await read(known, identityId, hash)).length > 0;
    },
  }),
});

const isEnrolledSql = 'SELECT 1 AS one FROM totp_enrollments WHERE identity_id = ?';

const findTotpSql = `SELECT totp_enrollments.*,
    (SELECT count(*) FROM recovery_codes
      WHERE recovery_codes.identity_id = totp_enrollments.identity_id AND used_at IS NULL) AS recovery_codes_left
  FROM totp_enrollments WHERE identity_id = ?`;

const totpEnrollmentOf = reader<TotpEnrollment>()('identityId sealedSeed enrolledAt recoveryCodesLeft');

/** Parameter: ids as a JSON array. One look-up per id: PostgreSQL might read the whole table for a join. */
const enrolledAmongSql = (jsonTexts: string): string =>
  `SELECT ids.value AS identity_id FROM ${jsonTexts}(?) AS ids
   WHERE (SELECT 1 FROM totp_enrollments WHERE totp_enrollments.identity_id = ids.value) IS NOT NULL`;

const findPendingTotpSql = 'SELECT * FROM pending_totp WHERE flow = ? AND expires_at > ?';

const pendingTotpOf = reader<PendingTotp>()('identityId sealedSeed recoveryHashes:json expiresAt');

/** Whether a proof still holds. Written, not read, so that it does until the commit. */
function* holds(identityId: string, { enrolledAt, recoveryHash }: TotpProof): Intent<boolean> {
  const isApp = yield* affects`UPDATE totp_enrollments SET enrolled_at = enrolled_at
    WHERE identity_id = ${identityId} AND enrolled_at = ${enrolledAt} RETURNING identity_id`;
  if (!isApp || recoveryHash === null) return isApp;
  return yield* affects`SELECT 1 AS one FROM recovery_codes
    WHERE identity_id = ${identityId} AND code_hash = ${recoveryHash}`;
}

/** Replaces every recovery code. What earlier ones, or the earlier app, began ends with them. */
function* keepRecoveryCodes(identityId: string, hashes: readonly string[]): Intent<void> {
  for (const table of ['pending_totp', 'recovery_codes'])
    yield* run(`DELETE FROM ${table} WHERE identity_id = ?`, identityId);
  for (const codeHash of hashes) yield* insert('recovery_codes', { identityId, codeHash });
}
