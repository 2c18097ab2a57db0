import { revocationListFields } from '../../model/list-fields.ts';
import type { Revocation, RevocationType } from '../../model/revocation.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewRevocation, RevocationStore } from '../contracts/revocations.ts';
import { AlreadyTaken } from '../contracts/store.ts';
import { recordChange } from './changes.ts';
import { excluded, insertOr, reader, text } from './codec.ts';
import { concern } from './concern.ts';
import { first, type Intent } from './intent.ts';
import { listSource } from './list-source.ts';
import { endSession, endSessionsOf, endSessionsOpenedBy } from './session-ends.ts';

const listed = listSource('revocations', revocationListFields);

export const revocations = concern<RevocationStore>()({
  writes: {
    *revoke(revocation, now) {
      const { id, type } = revocation;
      if (!(yield* exists(type, id))) return null;
      const kept = yield* insertOr(
        'revocations',
        { ...revocation, createdAt: now, updatedAt: now },
        `ON CONFLICT (id) DO UPDATE SET ${excluded('issued_before expires_at tags updated_at')}
         WHERE revocations.type = excluded.type RETURNING id`,
      );
      if (kept === undefined) throw new AlreadyTaken('id');
      return yield* withdraw(revocation, now);
    },
    *delete(id, now) {
      const row = yield* first('DELETE FROM revocations WHERE id = ? RETURNING type', id);
      if (row === undefined) return false;
      if (text(row, 'type') === 'JTI') yield* recordChange('token-revocation', id, now);
      return true;
    },
  },
  methods: ({ find, all, list }) => ({
    find: (id) => find(revocationOf, 'SELECT * FROM revocations WHERE id = ?', id),
    list: (query) => list(listed, query, revocationOf),
    listTokens: (now) => all(tokenOf, listRevokedTokensSql, now),
  }),
});

const revocationOf = reader<Revocation>()('id type issuedBefore? expiresAt tags:json createdAt updatedAt');

const tokenOf = reader<Pick<Revocation, 'id' | 'expiresAt'>>()('id expiresAt');

const listRevokedTokensSql = `SELECT id, expires_at FROM revocations WHERE type = 'JTI' AND expires_at > ?`;

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
