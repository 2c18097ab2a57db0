import { mayPasskeyOpen, userVerificationOf } from '../../model/account.ts';
import { asId } from '../../model/ids.ts';
import { nameKeys } from '../../model/names.ts';
import { mostPasskeys, type Passkey } from '../../model/passkey.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewPasskey, PasskeyStore } from '../contracts/passkeys.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { recordChange } from './changes.ts';
import { accountColumns, accountOf, authPolicyRulesOf, insert, reader, text } from './codec.ts';
import { concern } from './concern.ts';
import { affects, all, first, type Intent, raw, run } from './intent.ts';
import { endSessionsOfPasskey } from './session-ends.ts';

export const passkeys = concern<PasskeyStore>()({
  writes: {
    *add(passkey, { now, mustBeFirst }) {
      const sql = 'SELECT 1 AS one FROM passkeys WHERE identity_id = ? LIMIT 1';
      if (mustBeFirst && (yield* affects(sql, passkey.identityId))) return 'not-first';
      const objection = yield* passkeyObjection(passkey);
      if (objection !== null) return objection;
      yield* storePasskey(passkey, now);
      return 'added';
    },
    rename(identityId, id, name) {
      const sql = 'UPDATE passkeys SET name = ? WHERE id = ? AND identity_id = ? RETURNING id';
      return affects(sql, name, id, identityId);
    },
    *use({ id, counter, isBackedUp, now }) {
      const used = yield* affects`UPDATE passkeys SET counter = ${counter},
         is_backed_up = ${isBackedUp ? 1 : 0}, last_used_at = ${now}
         WHERE id = ${id} AND counter ${raw(counter === 0 ? '=' : '<')} ${counter} RETURNING id`;
      if (used) return 'used';
      const cloned = yield* affects('UPDATE passkeys SET cloned_at = ? WHERE id = ? RETURNING id', now, id);
      return cloned ? 'cloned' : 'gone';
    },
  },
  forced: { delete: (how, args) => keepingAnAdministrator(deletePasskey(...args), args[2].now, how) },
  methods: ({ dialect, read, find, all }) => ({
    findLogin: (credentialId) =>
      find((row) => ({ passkey: passkeyOf(row), account: accountOf(row) }), findLoginSql, credentialId),
    listOf(identityIds) {
      const sql = `SELECT * FROM passkeys
        WHERE identity_id IN (SELECT value FROM ${dialect.jsonTexts}(?)) ORDER BY id`;
      return all(passkeyOf, sql, JSON.stringify(identityIds));
    },
    countByDomain: () =>
      all(domainOf, 'SELECT rp_id, count(*) AS passkeys FROM passkeys GROUP BY rp_id ORDER BY rp_id'),
    async findByName(key) {
      const called = (await read(namedSql, key)).find((row) => nameKeys(text(row, 'called'))[0] === key);
      return called === undefined ? null : asId(text(called, 'id'));
    },
    async rules() {
      const policies = await all(
        authPolicyRulesOf,
        'SELECT primary_rules, secondary_rules FROM auth_policies',
      );
      const opening = policies.filter(mayPasskeyOpen);
      const mayBeUnverified = opening.some((policy) => userVerificationOf(policy, 'first') !== 'required');
      return { mayOpen: opening.length > 0, mayBeUnverified };
    },
  }),
});

const findLoginSql = `SELECT passkeys.*, ${accountColumns}
  FROM passkeys
  JOIN identities ON identities.id = passkeys.identity_id
  JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  WHERE passkeys.credential_id = ?`;
/** Identities with a name that has this key, which may be one of several, and their name at a login. */
const namedSql = `SELECT DISTINCT identities.id, coalesce(authenticators.username, identities.name) AS called
  FROM names
  JOIN identities ON identities.id = names.identity_id
  LEFT JOIN authenticators ON authenticators.identity_id = identities.id AND authenticators.method = 'updb'
  WHERE names.key = ? ORDER BY identities.id`;

const domainOf = reader<{ readonly rpId: string; readonly passkeys: number }>()('rpId passkeys');

const passkeyOf = reader<Passkey>()(
  `id identityId name rpId credentialId publicKey counter aaguid isModelProven:flag transports:json isDiscoverable:flag isBackupEligible:flag isBackedUp:flag clonedAt? createdAt lastUsedAt?`,
);

/** Why a passkey cannot be added; null when it can. */
export function* passkeyObjection({
  identityId,
  credentialId,
}: NewPasskey): Intent<'too-many' | 'taken' | null> {
  const known = 'SELECT 1 AS one FROM passkeys WHERE credential_id = ?';
  if (yield* affects(known, credentialId)) return 'taken';
  const others = yield* all('SELECT id FROM passkeys WHERE identity_id = ?', identityId);
  return others.length < mostPasskeys ? null : 'too-many';
}

/** Adds a passkey, if nothing objects to it. */
export function* storePasskey(passkey: NewPasskey, now: Millis): Intent<void> {
  yield* insert('passkeys', { ...passkey, createdAt: now });
  yield* recordChange('identity', passkey.identityId, now);
}

function* deletePasskey(
  ...[identityId, id, { now, mayBeLast }]: Parameters<PasskeyStore['delete']>
): Intent<'deleted' | 'unknown' | 'last'> {
  const known = 'SELECT 1 AS one FROM passkeys WHERE id = ? AND identity_id = ?';
  if ((yield* first(known, id, identityId)) === undefined) return 'unknown';
  const others = 'SELECT 1 AS one FROM passkeys WHERE identity_id = ? AND id <> ?';
  if (!mayBeLast && (yield* first(others, identityId, id)) === undefined) return 'last';
  yield* run('DELETE FROM passkeys WHERE id = ?', id);
  yield* endSessionsOfPasskey({ identityId, passkeyId: id, now });
  yield* recordChange('identity', identityId, now);
  return 'deleted';
}
