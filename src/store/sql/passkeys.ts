import { mayPasskeyOpen, userVerificationOf } from '../../model/account.ts';
import { asId } from '../../model/ids.ts';
import { nameKeys } from '../../model/names.ts';
import { mostPasskeys, type Passkey } from '../../model/passkey.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewPasskey, PasskeyStore, PasskeyUse } from '../contracts/passkeys.ts';
import { keepingAnAdministrator, type MayBeForced } from './administrators.ts';
import { recordChange } from './changes.ts';
import {
  accountColumns,
  accountOf,
  authPolicyRulesOf,
  type Database,
  insert,
  integer,
  reader,
  text,
} from './codec.ts';
import { affects, all, first, type Intent, raw, run } from './intent.ts';
import { endSessionsOfPasskey } from './session-ends.ts';

export const passkeyIntents = { addPasskey, renamePasskey, usePasskey, deletePasskey } as const;

export function passkeyStore({
  dialect,
  write,
  writing,
  read,
  find,
}: Database<typeof passkeyIntents>): PasskeyStore {
  return {
    findLogin: (credentialId) =>
      find((row) => ({ passkey: passkeyOf(row), account: accountOf(row) }), findLoginSql, credentialId),
    async listOf(identityIds) {
      const sql = `SELECT * FROM passkeys
        WHERE identity_id IN (SELECT value FROM ${dialect.jsonTexts}(?)) ORDER BY id`;
      return (await read(sql, JSON.stringify(identityIds))).map(passkeyOf);
    },
    async countByDomain() {
      const rows = await read(
        'SELECT rp_id, count(*) AS passkeys FROM passkeys GROUP BY rp_id ORDER BY rp_id',
      );
      return rows.map((row) => ({ rpId: text(row, 'rp_id'), passkeys: integer(row, 'passkeys') }));
    },
    async findByName(key) {
      const called = (await read(namedSql, key)).find((row) => nameKeys(text(row, 'called'))[0] === key);
      return called === undefined ? null : asId(text(called, 'id'));
    },
    async rules() {
      const policies = (await read('SELECT primary_rules, secondary_rules FROM auth_policies')).map((row) =>
        authPolicyRulesOf(row),
      );
      const opening = policies.filter(mayPasskeyOpen);
      const mayBeUnverified = opening.some((policy) => userVerificationOf(policy, 'first') !== 'required');
      return { mayOpen: opening.length > 0, mayBeUnverified };
    },
    ...writing({ add: 'addPasskey', rename: 'renamePasskey', use: 'usePasskey' }),
    delete: (identityId, id, when) => write('deletePasskey', { identityId, id, ...when }),
  };
}

const findLoginSql = `SELECT passkeys.*, ${accountColumns}
  FROM passkeys
  JOIN identities ON identities.id = passkeys.identity_id
  JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  WHERE passkeys.credential_id = ?`;
/** Those with a name that has this key, which may be one of several, and how each is called at a login. */
const namedSql = `SELECT DISTINCT identities.id, coalesce(authenticators.username, identities.name) AS called
  FROM names
  JOIN identities ON identities.id = names.identity_id
  LEFT JOIN authenticators ON authenticators.identity_id = identities.id AND authenticators.method = 'updb'
  WHERE names.key = ? ORDER BY identities.id`;

const passkeyOf = reader<Passkey>()(
  `id identityId name rpId credentialId publicKey counter aaguid isModelProven:flag transports:json isDiscoverable:flag isBackupEligible:flag isBackedUp:flag clonedAt? createdAt lastUsedAt?`,
);

function* addPasskey(
  passkey: NewPasskey,
  { now, mustBeFirst }: Parameters<PasskeyStore['add']>[1],
): Intent<'added' | 'too-many' | 'taken' | 'not-first'> {
  const sql = 'SELECT 1 AS one FROM passkeys WHERE identity_id = ? LIMIT 1';
  if (mustBeFirst && (yield* affects(sql, passkey.identityId))) return 'not-first';
  const objection = yield* passkeyObjection(passkey);
  if (objection !== null) return objection;
  yield* storePasskey(passkey, now);
  return 'added';
}

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

function renamePasskey(identityId: string, id: string, name: string): Intent<boolean> {
  const sql = 'UPDATE passkeys SET name = ? WHERE id = ? AND identity_id = ? RETURNING id';
  return affects(sql, name, id, identityId);
}

function* usePasskey({ id, counter, isBackedUp, now }: PasskeyUse): Intent<'used' | 'cloned' | 'gone'> {
  const used = yield* affects`UPDATE passkeys SET counter = ${counter},
     is_backed_up = ${isBackedUp ? 1 : 0}, last_used_at = ${now}
     WHERE id = ${id} AND counter ${raw(counter === 0 ? '=' : '<')} ${counter} RETURNING id`;
  if (used) return 'used';
  const cloned = yield* affects('UPDATE passkeys SET cloned_at = ? WHERE id = ? RETURNING id', now, id);
  return cloned ? 'cloned' : 'gone';
}

interface PasskeyDeletion extends MayBeForced {
  readonly identityId: string;
  readonly id: string;
  readonly mayBeLast: boolean;
}

function deletePasskey(args: PasskeyDeletion): Intent<'deleted' | 'unknown' | 'last'> {
  return keepingAnAdministrator(applyDeletion(args), args);
}

function* applyDeletion({
  identityId,
  id,
  mayBeLast,
  now,
}: PasskeyDeletion): ReturnType<typeof deletePasskey> {
  const known = 'SELECT 1 AS one FROM passkeys WHERE id = ? AND identity_id = ?';
  if ((yield* first(known, id, identityId)) === undefined) return 'unknown';
  const others = 'SELECT 1 AS one FROM passkeys WHERE identity_id = ? AND id <> ?';
  if (!mayBeLast && (yield* first(others, identityId, id)) === undefined) return 'last';
  yield* run('DELETE FROM passkeys WHERE id = ?', id);
  yield* endSessionsOfPasskey({ identityId, passkeyId: id, now });
  yield* recordChange('identity', identityId, now);
  return 'deleted';
}
