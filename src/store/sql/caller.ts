// The conditions of a change, checked in its transaction: the caller may still act, the entity is as the caller has seen it,
// and what it refers to is there.

import { isDisabled } from '../../model/account.ts';
import { entityNamed, type Referred } from '../../model/entities/all-entities.ts';
import type { EntityKind } from '../../model/entities/entity.ts';
import type { Identity } from '../../model/entities/identity.ts';
import type { IdentityId } from '../../model/ids.ts';
import { hasRight, mayHelp } from '../../model/principal.ts';
import { sha256 } from '../../platform/digest.ts';
import { NotAsSeen } from '../contracts/gathered.ts';
import { CallerRefused, ReferenceGone } from '../contracts/store.ts';
import type { Unchanged, VersionedEntity, VersionStore } from '../contracts/versions.ts';
import { identityOf, integer, integerOrNull } from './codec.ts';
import { concern } from './concern.ts';
import type { Caller, Engine } from './engine.ts';
import { first, forced, type Intent, type SqlRow, sql } from './intent.ts';

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

const rowOf = (entity: VersionedEntity | EntityKind) =>
  `SELECT * FROM ${entityNamed(entity).table} WHERE id = ?`;

export const versions = concern<VersionStore>()({
  methods: ({ find }) => ({ find: (entity, id) => find(versionOf, rowOf(entity), id) }),
});

/**
 * Checks the version in the transaction of the change. If the entity is gone, the intent says so.
 * @throws NotAsSeen changed
 */
export function* requireUnchanged({ entity, id, versions }: Unchanged): Intent<void> {
  const row = yield* first(rowOf(entity), id);
  if (row !== undefined && !versions.includes(versionOf(row))) throw new NotAsSeen('changed');
}

/** The columns of JSON have no foreign keys. @throws ReferenceGone */
export function* requireReferred(referred: readonly Referred[]): Intent<void> {
  for (const { to, id } of referred)
    if ((yield* first(`SELECT id FROM ${entityNamed(to).table} WHERE id = ?`, id)) === undefined)
      throw new ReferenceGone();
}

/** The time alone is not enough: two changes may fall into one millisecond. */
function versionOf(row: SqlRow): string {
  // Logins renew these without a decision of a person. A new password changes `updated_at`.
  const { password_hash: _hash, last_login_at: _login, dropped_scopes: _scopes, ...fields } = row;
  return sha256(JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 22);
}
