import { isDisabled } from '../../model/account.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { IdentityId } from '../../model/ids.ts';
import { hasRight, mayHelp } from '../../model/principal.ts';
import { CallerRefused } from '../contracts/store.ts';
import { identityOf, integer, integerOrNull } from './codec.ts';
import type { Caller, Engine } from './engine.ts';
import { first, forced, type Intent, sql } from './intent.ts';
import { requireReferred, requireUnchanged } from './versions.ts';

/**
 * Makes an intent take effect only if the caller may still act. The check is in the transaction that makes the change,
 * so the right cannot be taken away in between.
 * @throws CallerRefused, NotAsSeen, ReferenceGone
 */
export function* inTheNameOf<Outcome>(
  { actor, now, unchanged, referred, helped }: Caller,
  intent: Intent<Outcome>,
): Intent<Outcome> {
  const check = sql`SELECT identities.*, api_sessions.expires_at AS session_expires_at,
     api_sessions.ended_at AS session_ended_at
     FROM api_sessions JOIN identities ON identities.id = api_sessions.identity_id
     WHERE api_sessions.id = ${actor.sessionId} AND api_sessions.identity_id = ${actor.identityId}`;
  const [row] = yield { ...check, heldTable: 'api_sessions' };
  if (row === undefined || integerOrNull(row, 'session_ended_at') !== null)
    throw new CallerRefused('session');
  const identity = identityOf(row);
  if (integer(row, 'session_expires_at') <= now || isDisabled(identity, now))
    throw new CallerRefused('session');
  if (actor.right !== null && !hasRight(identity, actor.right)) throw new CallerRefused('right');
  if (helped !== null) yield* requireMayHelp(identity, helped);
  if (unchanged !== null) yield* requireUnchanged(unchanged);
  yield* requireReferred(referred);
  return yield* intent;
}

/** If the helped one is gone, the intent says so. @throws CallerRefused right */
function* requireMayHelp(helper: Identity, helped: IdentityId): Intent<void> {
  const row = yield* first('SELECT * FROM identities WHERE id = ?', helped);
  if (row !== undefined && !mayHelp(helper, identityOf(row))) throw new CallerRefused('right');
}

/** An engine whose intents ask neither whether an administrator is left nor whose names are alike. */
export function forcing(engine: Engine): Engine {
  return { ...engine, write: (name, args, options) => engine.write(name, args, { ...options, how: forced }) };
}

/** An engine whose intents run on behalf of a caller. */
export function engineFor(engine: Engine, caller: Caller): Engine {
  return { ...engine, write: (name, args, options) => engine.write(name, args, { ...options, caller }) };
}
