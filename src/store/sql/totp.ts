import { asId } from '../../model/ids.ts';
import type { Millis } from '../../platform/clock.ts';
import type { PendingTotp, TotpEnrollment } from '../contracts/totp.ts';
import { recordChange } from './changes.ts';
import { integer, text } from './codec.ts';
import { first, type Intent, type SqlRow } from './intent.ts';

export const findTotpSql = `SELECT totp_enrollments.*,
    (SELECT count(*) FROM recovery_codes
      WHERE recovery_codes.identity_id = totp_enrollments.identity_id AND used_at IS NULL) AS codes_left
  FROM totp_enrollments WHERE identity_id = ?`;

export function totpEnrollmentOf(row: SqlRow): TotpEnrollment {
  return {
    identityId: asId(text(row, 'identity_id')),
    sealedSeed: text(row, 'sealed_seed'),
    enrolledAt: integer(row, 'enrolled_at'),
    recoveryCodesLeft: integer(row, 'codes_left'),
  };
}

/** Parameter: ids as a JSON array. */
export const enrolledAmongSql = (jsonTexts: string): string =>
  `SELECT identity_id FROM totp_enrollments WHERE identity_id IN (SELECT value FROM ${jsonTexts}(?))`;

export const findPendingTotpSql = 'SELECT * FROM pending_totp WHERE flow = ? AND expires_at > ?';

export function pendingTotpOf(row: SqlRow): PendingTotp {
  return {
    identityId: asId(text(row, 'identity_id')),
    sealedSeed: text(row, 'sealed_seed'),
    recoveryHashes: JSON.parse(text(row, 'recovery_hashes')) as string[],
    expiresAt: integer(row, 'expires_at'),
  };
}

export function* startTotp(args: {
  readonly flow: string;
  readonly pending: PendingTotp;
  readonly now: Millis;
}): Intent<'started' | 'exists'> {
  const { flow, pending, now } = args;
  yield* first('DELETE FROM pending_totp WHERE flow = ? AND expires_at <= ?', flow, now);
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

export function* verifyTotp(args: {
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
  yield* first('DELETE FROM pending_totp WHERE identity_id = ?', identityId);
  yield* keepRecoveryCodes(identityId, recoveryHashes);
  yield* recordChange('identity', identityId, now);
  return true;
}

export function* abandonTotp(args: { readonly flow: string }): Intent<boolean> {
  return (yield* first('DELETE FROM pending_totp WHERE flow = ? RETURNING flow', args.flow)) !== undefined;
}

export function* burnTotpStep(args: { readonly identityId: string; readonly step: number }): Intent<boolean> {
  const row = yield* first(
    'UPDATE totp_enrollments SET last_step = ? WHERE identity_id = ? AND last_step < ? RETURNING identity_id',
    args.step,
    args.identityId,
    args.step,
  );
  return row !== undefined;
}

export function* burnRecoveryCode(args: {
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

export function* replaceRecoveryCodes(args: {
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
  yield* first('DELETE FROM recovery_codes WHERE identity_id = ?', identityId);
  for (const hash of hashes) {
    yield* first('INSERT INTO recovery_codes (identity_id, code_hash) VALUES (?, ?)', identityId, hash);
  }
}

export function* removeTotp(args: { readonly identityId: string; readonly now: Millis }): Intent<boolean> {
  const row = yield* first(
    'DELETE FROM totp_enrollments WHERE identity_id = ? RETURNING identity_id',
    args.identityId,
  );
  yield* first('DELETE FROM recovery_codes WHERE identity_id = ?', args.identityId);
  yield* first('DELETE FROM pending_totp WHERE identity_id = ?', args.identityId);
  if (row === undefined) return false;
  yield* recordChange('identity', args.identityId, args.now);
  return true;
}
