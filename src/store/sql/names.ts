// The names of identities and the user names of passwords are one namespace (model/names.ts). The intents that give a name
// hold its keys or run alone, so a look-up here stays true until they commit.

import { nameKeys, typedName } from '../../model/names.ts';
import { AlreadyTaken } from '../contracts/store.ts';
import { insert, insertAll, text } from './codec.ts';
import { all, among, batchesOf, type Force, first, forced, type Intent, run } from './intent.ts';

interface GivenName {
  readonly identityId: string;
  /** The name of the identity, or its user name: each replaces the former one of its kind. */
  readonly kind: 'name' | 'username';
  readonly name: string;
}

/**
 * Records that an identity, which is stored already, has this name. What it is called already, by either kind of name,
 * is no other identity's loss.
 * @throws AlreadyTaken   the name passes for one of another identity
 */
export function* giveName({ sharesName }: Force, { identityId, kind, name }: GivenName): Intent<void> {
  const holder = sharesName ? null : yield* holderOf(name, identityId);
  if (holder !== null) throw new AlreadyTaken(kind, holder);
  yield* dropName(identityId, kind);
  for (const key of nameKeys(name)) yield* insert('names', { identityId, kind, key });
}

/** The same for identities that were just stored and have no names yet. */
export function* nameNew({ sharesName }: Force, given: readonly GivenName[]): Intent<void> {
  const named = given.flatMap((one) => nameKeys(one.name).map((key) => ({ ...one, key })));
  for (const batch of batchesOf(named)) {
    if (!sharesName) yield* refuseTaken(batch);
    yield* insertAll(
      'names',
      batch.map(({ identityId, kind, key }) => ({ identityId, kind, key })),
    );
  }
}

/** @throws AlreadyTaken   a key is in use, or two new identities share one */
function* refuseTaken(batch: readonly (GivenName & { readonly key: string })[]): Intent<void> {
  const holders = yield* all`SELECT names.key, identities.name FROM names
    JOIN identities ON identities.id = names.identity_id
    WHERE names.key IN ${among(batch.map(({ key }) => key))}`;
  const holderOf = new Map(holders.map((row) => [text(row, 'key'), text(row, 'name')]));
  for (const { kind, key, name } of batch) {
    const holder = holderOf.get(key);
    if (holder !== undefined) throw new AlreadyTaken(kind, holder);
    holderOf.set(key, name);
  }
}

/**
 * For a name that no administrator gives. An address is the name of whom it reaches: some applications recognize people
 * by one, and administrators use it to name them.
 * @param given.email of the identity itself, if it is verified
 * @throws AlreadyTaken   the name passes for the verified address of another identity
 */
export function* refuseAddressOfAnother(given: GivenName & { readonly email: string | null }): Intent<void> {
  const own = given.email?.toLowerCase();
  const keys = nameKeys(given.name).filter((key) => key.includes('@') && key !== own);
  if (keys.length === 0) return;
  const taken = yield* first`SELECT 1 AS one FROM identities
    WHERE email_verified = 1 AND email_lower IN ${among(keys)} AND NOT EXISTS (SELECT 1 FROM names
      WHERE names.identity_id = ${given.identityId} AND names.key IN ${among(keys)})`;
  if (taken !== undefined) throw new AlreadyTaken(given.kind);
}

/** The identity has no longer a name of this kind. */
export function* dropName(identityId: string, kind: GivenName['kind']): Intent<void> {
  yield* run('DELETE FROM names WHERE identity_id = ? AND kind = ?', identityId, kind);
}

/** The identity, by its name, for which an identity of this name would pass. Null: none, or it is called so already. */
export function* holderOf(name: string, identityId: string): Intent<string | null> {
  for (const key of nameKeys(name)) {
    const holders = yield* all`SELECT names.identity_id, identities.name FROM names
       JOIN identities ON identities.id = names.identity_id WHERE names.key = ${key}`;
    const [holder] = holders;
    if (holder !== undefined && holders.every((row) => row.identity_id !== identityId))
      return text(holder, 'name');
  }
  return null;
}

/**
 * Records the names of a database from before they were one namespace: those that pass for one another stay. User names
 * were not stored in one form either, and `=` in a filter compares that form.
 */
export function* nameEverybody(): Intent<void> {
  const named = (yield* all(
    `SELECT id, 'name' AS kind, name FROM identities
     UNION ALL SELECT identity_id, 'username', username FROM authenticators WHERE username IS NOT NULL`,
  )).map((row) => ({
    identityId: text(row, 'id'),
    kind: text(row, 'kind') as GivenName['kind'],
    name: text(row, 'name'),
  }));
  yield* run('DELETE FROM names');
  yield* nameNew(forced, named);
  for (const { identityId, kind, name } of named)
    if (kind === 'username' && typedName(name) !== name)
      yield* run(composeUsernameSql, typedName(name), identityId, name);
}

const composeUsernameSql = 'UPDATE authenticators SET username = ? WHERE identity_id = ? AND username = ?';

/** The identities with names of some keys. Parameter: the keys, JSON. */
export const namesByKeySql = (jsonTexts: string): string => `SELECT names.key, identities.name FROM names
  JOIN identities ON identities.id = names.identity_id
  WHERE names.key IN (SELECT value FROM ${jsonTexts}(?)) ORDER BY names.key, identities.name`;

/** The names behind keys that several identities have. Parameter: how many keys. */
export const alikeSql = `SELECT DISTINCT names.key, identities.name FROM names
  JOIN identities ON identities.id = names.identity_id
  WHERE names.key IN (SELECT key FROM names GROUP BY key HAVING count(DISTINCT identity_id) > 1 ORDER BY key LIMIT ?)
  ORDER BY names.key, identities.name`;
