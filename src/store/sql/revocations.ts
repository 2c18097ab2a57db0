import { asId } from '../../model/ids.ts';
import { revocationListFields } from '../../model/list-fields.ts';
import type { Revocation, RevocationType } from '../../model/revocation.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewRevocation, RevocationStore } from '../contracts/revocations.ts';
import { AlreadyTaken } from '../contracts/store.ts';
import { recordChange } from './changes.ts';
import { type Database, excluded, insertOr, integer, reader, text } from './codec.ts';
import { type ById, first, type Intent } from './intent.ts';
import { listSource } from './list-source.ts';
import { endSession, endSessionsOf, endSessionsOpenedBy } from './session-ends.ts';

const listed = listSource('revocations', revocationListFields);

export const revocationIntents = { revoke, deleteRevocation } as const;

export function revocationStore({
  write,
  read,
  find,
  list,
}: Database<typeof revocationIntents>): RevocationStore {
  return {
    find: (id) => find(revocationOf, 'SELECT * FROM revocations WHERE id = ?', id),
    list: (query) => list(listed, query, revocationOf),
    async listTokens(now) {
      const rows = await read(listRevokedTokensSql, now);
      return rows.map((row) => ({ id: asId(text(row, 'id')), expiresAt: integer(row, 'expires_at') }));
    },
    async revoke(revocation, now) {
      const done = await write('revoke', { revocation, now });
      if (done.outcome === 'other-type') throw new AlreadyTaken('id');
      return done.outcome === 'revoked' ? done.sessionsEnded : null;
    },
    delete: (id, now) => write('deleteRevocation', { id, now }),
  };
}

const revocationOf = reader<Revocation>()('id type issuedBefore? expiresAt tags:json createdAt updatedAt');

const listRevokedTokensSql = `SELECT id, expires_at FROM revocations WHERE type = 'JTI' AND expires_at > ?`;

/** The outcome as plain data, because errors do not cross threads. */
type RevokeOutcome =
  | { readonly outcome: 'revoked'; readonly sessionsEnded: number }
  | { readonly outcome: 'unknown' | 'other-type' };

function* revoke(args: { readonly revocation: NewRevocation; readonly now: Millis }): Intent<RevokeOutcome> {
  const { revocation, now } = args;
  const { id, type } = revocation;
  if (!(yield* exists(type, id))) return { outcome: 'unknown' };
  const kept = yield* insertOr(
    'revocations',
    { ...revocation, createdAt: now, updatedAt: now },
    `ON CONFLICT (id) DO UPDATE SET ${excluded('issued_before', 'expires_at', 'tags', 'updated_at')}
     WHERE revocations.type = excluded.type RETURNING id`,
  );
  if (kept === undefined) return { outcome: 'other-type' };
  return { outcome: 'revoked', sessionsEnded: yield* withdraw(revocation, now) };
}

const tables: Readonly<Record<Exclude<RevocationType, 'JTI'>, string>> = {
  IDENTITY: 'identities',
  API_SESSION: 'api_sessions',
  EXT_JWT_SIGNER: 'external_jwt_signers',
  CA: 'cas',
};

function* exists(type: RevocationType, id: string): Intent<boolean> {
  // Nothing is stored about a single token that could be looked up.
  if (type === 'JTI') return true;
  return (yield* first(`SELECT id FROM ${tables[type]} WHERE id = ?`, id)) !== undefined;
}

/** @returns how many sessions were ended */
function* withdraw({ id, type, issuedBefore }: NewRevocation, now: Millis): Intent<number> {
  if (type === 'IDENTITY') {
    const until = issuedBefore === null || issuedBefore === undefined ? {} : { openedUntil: issuedBefore };
    return yield* endSessionsOf({ identityId: id, reason: 'revoked', now, ...until });
  }
  if (type === 'EXT_JWT_SIGNER' || type === 'CA') {
    const end = { reason: 'revoked', now, openedUntil: issuedBefore ?? undefined } as const;
    return yield* endSessionsOpenedBy(type === 'CA' ? 'ca' : 'signer', id, end);
  }
  if (type === 'API_SESSION') return (yield* endSession(id, 'revoked', now)) ? 1 : 0;
  yield* recordChange('token-revocation', id, now);
  return 0;
}

function* deleteRevocation({ id, now }: ById): Intent<boolean> {
  const row = yield* first('DELETE FROM revocations WHERE id = ? RETURNING type', id);
  if (row === undefined) return false;
  if (text(row, 'type') === 'JTI') yield* recordChange('token-revocation', id, now);
  return true;
}
