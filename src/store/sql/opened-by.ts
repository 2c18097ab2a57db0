import type { SessionEndReason } from '../../model/api-session.ts';
import type { Millis } from '../../platform/clock.ts';
import { endSessionsWhere } from './api-sessions.ts';
import { endBrowserSessionsWhere } from './browser-sessions.ts';
import { type Intent, run } from './intent.ts';

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
  const condition = `${column} = ? AND created_at <= ?${byRule ? ' AND authenticator_id IS NULL' : ''}`;
  const params = [id, openedUntil];
  const ended = yield* endSessionsWhere({ condition, params }, { reason, now });
  yield* endBrowserSessionsWhere({ condition, params }, now);
  // Progress names signers and authorities by id, and nothing else in that text can look like one. Used codes stay.
  yield* run(`DELETE FROM auth_requests WHERE code_used_at IS NULL AND progress LIKE '%' || ? || '%'`, id);
  return ended;
}
