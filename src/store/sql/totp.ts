import type { IdentityId } from '../../model/ids.ts';
import { asId } from '../../model/ids.ts';
import type { Millis } from '../../platform/clock.ts';
import type { PendingTotp, TotpEnrollment, TotpStore } from '../contracts/totp.ts';
import { recordChange } from './changes.ts';
import { type Database, integer, text } from './codec.ts';
import { first, type Intent, run, type SqlRow } from './intent.ts';

export const totpIntents = {
  startTotp,
  verifyTotp,
  abandonTotp,
  burnTotpStep,
  burnRecoveryCode,
  replaceRecoveryCodes,
  removeTotp,
} as const;

export function totpStore({ dialect, write, read, find }: Database<typeof totpIntents>): TotpStore {
  return {
    find: (identityId) => find(totpEnrollmentOf, findTotpSql, identityId),
    async enrolledAmong(identityIds) {
      const rows = await read(enrolledAmongSql(dialect.jsonTexts), JSON.stringify(identityIds));
      return new Set(rows.map((row) => asId<IdentityId>(text(row, 'identity_id'))));
    },
    findPending: (flow, now) => find(pendingTotpOf, findPendingTotpSql, flow, now),
    start: (flow, pending, now) => write('startTotp', { flow, pending, now }),
    verify: (flow, enrollment) => write('verifyTotp', { flow, enrollment }),
    abandon: (flow) => write('abandonTotp', { flow }),
    async knowsRecoveryCode(identityId, hash) {
      const known = 'SELECT 1 AS one FROM recovery_codes WHERE identity_id = ? AND code_hash = ?';
      return (await read(known, identityId, hash)).length > 0;
    },
    burnStep: (identityId, step) => write('burnTotpStep', { identityId, step }),
    burnRecoveryCode: (identityId, hash, now) => write('burnRecoveryCode', { identityId, hash, now }),
    replaceRecoveryCodes: (identityId, hashes) => write('replaceRecoveryCodes', { identityId, hashes }),
    remove: (identityId, now) => write('removeTotp', { identityId, now }),
  };
}

const findTotpSql = `SELECT totp_enrollments.*,
    (SELECT count(*) FROM recovery_codes
      WHERE recovery_codes.identity_id = totp_enrollments.identity_id AND used_at IS NULL) AS codes_left
  FROM totp_enrollments WHERE identity_id = ?`;

function totpEnrollmentOf(row: SqlRow): TotpEnrollment {
  return {
    identityId: asId(text(row, 'identity_id')),
    sealedSeed: text(row, 'sealed_seed'),
    enrolledAt: integer(row, 'enrolled_at'),
    recoveryCodesLeft: integer(row, 'codes_left'),
  };
}

/** Parameter: ids as a JSON array. One look-up per id: PostgreSQL might read the whole table for a join. */
const enrolledAmongSql = (jsonTexts: string): string =>
  `SELECT ids.value AS identity_id FROM ${jsonTexts}(?) AS ids
   WHERE (SELECT 1 FROM totp_enrollments WHERE totp_enrollments.identity_id = ids.value) IS NOT NULL`;

const findPendingTotpSql = 'SELECT * FROM pending_totp WHERE flow = ? AND expires_at > ?';

function pendingTotpOf(row: SqlRow): PendingTotp {
  return {
    identityId: asId(text(row, 'identity_id')),
    sealedSeed: text(row, 'sealed_seed'),
    recoveryHashes: JSON.parse(text(row, 'recovery_hashes')) as string[],
    expiresAt: integer(row, 'expires_at'),
  };
}

function* startTotp(args: {
  readonly flow: string;
  readonly pending: PendingTotp;
  readonly now: Millis;
}): Intent<'started' | 'exists'> {
  const { flow, pending, now } = args;
  yield* run('DELETE FROM pending_totp WHERE flow = ? AND expires_at <= ?', flow, now);
  const row = yield* first(
    `INSERT INTO pending_totp (flow, identity_id, sealed_seed, recovery_hashes, expires_at)
     SELECT ?, ?, ?, ?, ?
     WHERE NOT EXISTS (SELECT 1 FROM totp_enrollments WHERE identity_id = ?)
     ON CONFLICT (flow) DO NOTHING RETURNING flow`,
    flow,
    pending.identityId,
    pending.sealedSeed,
    JSON.stringify(pending.recoveryHashes),
    pending.expiresAt,
    pending.identityId,
  );
  return row === undefined ? 'exists' : 'started';
}

function* verifyTotp(args: {
  readonly flow: string;
  readonly enrollment: { readonly sealedSeed: string; readonly step: number; readonly now: Millis };
}): Intent<boolean> {
  const { step, now } = args.enrollment;
  const row = yield* first(
    'DELETE FROM pending_totp WHERE flow = ? AND expires_at > ? RETURNING *',
    args.flow,
    now,
  );
  if (row === undefined) return false;
  const { identityId, recoveryHashes } = pendingTotpOf(row);
  const enrolled = yield* first(
    `INSERT INTO totp_enrollments (identity_id, sealed_seed, last_step, enrolled_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (identity_id) DO NOTHING RETURNING identity_id`,
    identityId,
    args.enrollment.sealedSeed,
    step,
    now,
  );
  if (enrolled === undefined) return false;
  yield* run('DELETE FROM pending_totp WHERE identity_id = ?', identityId);
  yield* keepRecoveryCodes(identityId, recoveryHashes);
  yield* recordChange('identity', identityId, now);
  return true;
}

function* abandonTotp(args: { readonly flow: string }): Intent<boolean> {
  return (yield* first('DELETE FROM pending_totp WHERE flow = ? RETURNING flow', args.flow)) !== undefined;
}

function* burnTotpStep(args: { readonly identityId: string; readonly step: number }): Intent<boolean> {
  const row = yield* first(
    'UPDATE totp_enrollments SET last_step = ? WHERE identity_id = ? AND last_step < ? RETURNING identity_id',
    args.step,
    args.identityId,
    args.step,
  );
  return row !== undefined;
}

function* burnRecoveryCode(args: {
  readonly identityId: string;
  readonly hash: string;
  readonly now: Millis;
}): Intent<boolean> {
  const row = yield* first(
    `UPDATE recovery_codes SET used_at = ? WHERE identity_id = ? AND code_hash = ? AND used_at IS NULL
     RETURNING code_hash`,
    args.now,
    args.identityId,
    args.hash,
  );
  return row !== undefined;
}

function* replaceRecoveryCodes(args: {
  readonly identityId: string;
  readonly hashes: readonly string[];
}): Intent<boolean> {
  const enrolled = yield* first(
    'SELECT 1 AS one FROM totp_enrollments WHERE identity_id = ?',
    args.identityId,
  );
  if (enrolled === undefined) return false;
  yield* keepRecoveryCodes(args.identityId, args.hashes);
  return true;
}

function* keepRecoveryCodes(identityId: string, hashes: readonly string[]): Intent<void> {
  yield* run('DELETE FROM recovery_codes WHERE identity_id = ?', identityId);
  for (const hash of hashes) {
    yield* run('INSERT INTO recovery_codes (identity_id, code_hash) VALUES (?, ?)', identityId, hash);
  }
}

function* removeTotp(args: { readonly identityId: string; readonly now: Millis }): Intent<boolean> {
  const row = yield* first(
    'DELETE FROM totp_enrollments WHERE identity_id = ? RETURNING identity_id',
    args.identityId,
  );
  yield* run('DELETE FROM recovery_codes WHERE identity_id = ?', args.identityId);
  yield* run('DELETE FROM pending_totp WHERE identity_id = ?', args.identityId);
  if (row === undefined) return false;
  yield* recordChange('identity', args.identityId, args.now);
  return true;
}
