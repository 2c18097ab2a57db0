import type { Tags } from '../../model/entities/entity.ts';
import { authenticatorListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  AuthenticatorStore,
  CertificateLogin,
  ListedAuthenticator,
  LockableAuthenticator,
  NewCertificateAuthenticator,
  NewPasswordAuthenticator,
  PasswordLogin,
  WhenPasswordChanges,
} from '../contracts/authenticators.ts';
import { keepingAnAdministrator, type MayBeForced } from './administrators.ts';
import { endSessionsOf, endSessionsOfAuthenticator } from './api-sessions.ts';
import { type certificateExtensionIntents, certificateExtensionStore } from './certificate-extension.ts';
import { recordChange } from './changes.ts';
import {
  accountColumns,
  accountOf,
  authenticatorOf,
  authPolicyOf,
  type Database,
  identityOf,
  integerOrNull,
  text,
} from './codec.ts';
import { addPassword, passwordWasChosen, withdrawInvitation } from './identities.ts';
import { first, type Intent, run, type SqlRow, type SqlValue } from './intent.ts';
import { listSource } from './list-source.ts';
import { dropName, giveName, type MayShareName } from './names.ts';
import { insert } from './rows.ts';

const lockOfPassword = `(SELECT attempts.locked_until FROM attempts
    WHERE authenticators.method = 'updb' AND attempts.key = 'password:' || authenticators.id) AS locked_until`;

const listed = listSource('authenticators', authenticatorListFields, {
  identity: 'JOIN',
  named: { 'authenticators.username': 'authenticators.username_key' },
  select: lockOfPassword,
});

export const authenticatorIntents = {
  createPassword,
  createCertificate,
  updatePassword,
  rehashPassword,
  deleteAuthenticator,
} as const;

export function authenticatorStore(
  db: Database<typeof authenticatorIntents & typeof certificateExtensionIntents>,
): AuthenticatorStore {
  const { dialect, write, read, find, list } = db;
  return {
    ...certificateExtensionStore(db),
    async findPasswordLogin(usernameKey) {
      const login = await find(passwordLoginOf, findPasswordLoginSql, usernameKey);
      return login?.usernameKey === usernameKey ? login.passwordLogin : null;
    },
    findCertificateLogin: (thumbprint) => find(certificateLoginOf, findCertificateLoginSql, thumbprint),
    createCertificate: (authenticator, now) => write('createCertificate', { authenticator, now }),
    createPassword: (authenticator, now) => write('createPassword', { authenticator, now }),
    find: (id) => find(authenticatorOf, 'SELECT * FROM authenticators WHERE id = ?', id),
    async findListed(id) {
      const [found = null] = await db.listed(listed, { field: 'id', value: id }, listedOf);
      return found;
    },
    list: (query) => list(listed, query, listedOf),
    async listOf(identityIds) {
      const sql = `SELECT authenticators.*, ${lockOfPassword} FROM authenticators
        WHERE identity_id IN (SELECT value FROM ${dialect.jsonTexts}(?)) ORDER BY id`;
      return (await read(sql, JSON.stringify(identityIds))).map(lockableOf);
    },
    updatePassword: (id, patch, when) => write('updatePassword', { id, patch, ...when }),
    rehashPassword: (id, oldHash, newHash) => write('rehashPassword', { id, oldHash, newHash }),
    delete: (id, now) => write('deleteAuthenticator', { id, now }),
  };
}

function listedOf(row: SqlRow): ListedAuthenticator {
  return { ...lockableOf(row), identityName: text(row, 'identity_name') };
}

function lockableOf(row: SqlRow): LockableAuthenticator {
  return { ...authenticatorOf(row), lockedUntil: integerOrNull(row, 'locked_until') };
}

/** Everything a primary login needs, in one read. */
const findLoginSql = `SELECT authenticators.*, ${accountColumns}
  FROM authenticators
  JOIN identities ON identities.id = authenticators.identity_id
  JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  WHERE`;

/**
 * For an unknown user name somebody else's row is read and ignored, so that timing does not reveal that nobody has the
 * name.
 */
const findPasswordLoginSql = `${findLoginSql} authenticators.id = COALESCE(
  (SELECT id FROM authenticators WHERE username_key = ?),
  (SELECT id FROM authenticators WHERE username_key >= '' ORDER BY username_key LIMIT 1))`;
const findCertificateLoginSql = `${findLoginSql} authenticators.thumbprint = ?`;

function passwordLoginOf(row: SqlRow): {
  readonly usernameKey: string;
  readonly passwordLogin: PasswordLogin;
} {
  const authenticator = authenticatorOf(row);
  if (authenticator.method !== 'updb') throw new Error('a user name belongs to a certificate');
  return {
    usernameKey: text(row, 'username_key'),
    passwordLogin: { authenticator, passwordHash: text(row, 'password_hash'), ...accountOf(row) },
  };
}

function certificateLoginOf(row: SqlRow): CertificateLogin {
  const authenticator = authenticatorOf(row);
  if (authenticator.method !== 'cert') throw new Error('a thumbprint belongs to a password');
  return { authenticator, identity: identityOf(row, 'identity__'), policy: authPolicyOf(row, 'policy__') };
}

export function* createCertificate(args: {
  readonly authenticator: NewCertificateAuthenticator;
  readonly now: Millis;
}): Intent<void> {
  const { authenticator, now } = args;
  yield* insert('authenticators', { ...authenticator, method: 'cert', createdAt: now, updatedAt: now });
}

interface PasswordCreation extends MayShareName {
  readonly authenticator: NewPasswordAuthenticator;
  readonly now: Millis;
}

export function* createPassword({ authenticator, now, sharesName }: PasswordCreation): Intent<void> {
  yield* addPassword({ ...authenticator, sharesName }, now);
}

interface PasswordUpdate extends WhenPasswordChanges, MayShareName {
  readonly id: string;
  readonly patch: { username?: string; usernameKey?: string; passwordHash?: string; tags?: Tags };
}

function* updatePassword(args: PasswordUpdate): Intent<boolean> {
  const { id, patch, now, exceptSession, verifiedHash, sharesName } = args;
  const set: [string, SqlValue][] = [['updated_at', now]];
  if (patch.username !== undefined) set.push(['username', patch.username]);
  if (patch.usernameKey !== undefined) set.push(['username_key', patch.usernameKey]);
  if (patch.passwordHash !== undefined) {
    set.push(['password_hash', patch.passwordHash], ['password_set_at', now]);
  }
  if (patch.tags !== undefined) set.push(['tags', JSON.stringify(patch.tags)]);
  const row = yield* first(
    `UPDATE authenticators SET ${set.map(([column]) => `${column} = ?`).join(', ')}
     WHERE id = ? AND method = 'updb'${verifiedHash === undefined ? '' : ' AND password_hash = ?'} RETURNING identity_id`,
    ...set.map(([, value]) => value),
    id,
    ...(verifiedHash === undefined ? [] : [verifiedHash]),
  );
  if (row === undefined) return false;
  const identityId = text(row, 'identity_id');
  if (patch.username !== undefined) {
    yield* giveName({ identityId, kind: 'username', name: patch.username, sharesName });
    yield* recordChange('identity', identityId, now);
  }
  if (patch.passwordHash !== undefined) {
    yield* withdrawInvitation(identityId);
    const reason = 'credential-changed';
    yield* endSessionsOf({ identityId, reason, now, ...(exceptSession && { except: exceptSession }) });
    // Whoever proved the current certificate is the owner.
    if (verifiedHash !== undefined) yield* passwordWasChosen(identityId, now);
  }
  return true;
}

function* rehashPassword(args: {
  readonly id: string;
  readonly oldHash: string;
  readonly newHash: string;
}): Intent<void> {
  yield* run(
    'UPDATE authenticators SET password_hash = ? WHERE id = ? AND password_hash = ?',
    args.newHash,
    args.id,
    args.oldHash,
  );
}

function deleteAuthenticator(args: MayBeForced & { readonly id: string }): Intent<boolean> {
  return keepingAnAdministrator(removeAuthenticator(args.id, args.now), args);
}

/** Deletes an authenticator and ends what it opened. @returns false when there is none */
export function* removeAuthenticator(id: string, now: Millis): Intent<boolean> {
  const row = yield* first('DELETE FROM authenticators WHERE id = ? RETURNING identity_id, method', id);
  if (row === undefined) return false;
  const identityId = text(row, 'identity_id');
  if (text(row, 'method') === 'updb') {
    yield* withdrawInvitation(identityId);
    yield* dropName(identityId, 'username');
    yield* recordChange('identity', identityId, now);
  }
  yield* endSessionsOfAuthenticator({ identityId, authenticatorId: id, now });
  return true;
}
