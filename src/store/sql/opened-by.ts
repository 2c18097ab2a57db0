import type { SessionEndReason } from '../../model/api-session.ts';
import type { Millis } from '../../platform/clock.ts';
import { recordChange } from './changes.ts';
import { text } from './codec.ts';
import { all, type Intent, run } from './intent.ts';

/** Who vouched for the primary proof of a session. */
export type Voucher = 'signer' | 'ca';

/**
 * Ends every live session that a signer or an authority opened, and deletes the logins in progress that depend on it,
 * so that what it vouched for before cannot open a session later.
 * @param byRule      for an authority: only sessions of identities that its rule found
 * @param openedUntil only sessions that were opened at or before this point
 * @returns how many sessions
 */
export function* endSessionsOpenedBy(
  voucher: Voucher,
  id: string,
  end: {
    readonly reason: SessionEndReason;
    readonly now: Millis;
    readonly byRule?: boolean;
    readonly openedUntil?: Millis | undefined;
  },
): Intent<number> {
  const { reason, now, byRule = false, openedUntil = Number.MAX_SAFE_INTEGER } = end;
  const column = voucher === 'signer' ? 'signer_id' : 'ca_id';
  const rows = yield* all(
    `UPDATE api_sessions SET ended_at = ?, end_reason = ?, refresh_hash = NULL
     WHERE ${column} = ? AND ended_at IS NULL AND expires_at > ?
       AND created_at <= ? ${byRule ? 'AND authenticator_id IS NULL' : ''} RETURNING id`,
    now,
    reason,
    id,
    now,
    openedUntil,
  );
  for (const row of rows) yield* recordChange('session-ended', text(row, 'id'), now);
  yield* run(
    `DELETE FROM browser_sessions WHERE ${column} = ? AND created_at <= ?
       ${byRule ? 'AND authenticator_id IS NULL' : ''}`,
    id,
    openedUntil,
  );
  // Progress names signers and authorities by id, and nothing else in that text can look like one. Used codes stay.
  yield* run(`DELETE FROM auth_requests WHERE code_used_at IS NULL AND progress LIKE '%' || ? || '%'`, id);
  return rows.length;
}
