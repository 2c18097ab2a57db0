import { authenticatorListFields } from '../../model/list-fields.ts';
import type { Millis } from '../../platform/clock.ts';
import type {
  AuthenticatorStore,
  CertificateLogin,
  ListedAuthenticator,
  LockableAuthenticator,
  NewCertificateAuthenticator,
  PasswordLogin,
} from '../contracts/authenticators.ts';
import { keepingAnAdministrator } from './administrators.ts';
import { clearAttempts } from './attempts.ts';
import { certificateEnd } from './certificate-ends.ts';
import { recordChange } from './changes.ts';
import {
  accountColumns,
  accountOf,
  authenticatorOf,
  authPolicyOf,
  columnsOfMembers,
  identityOf,
  insert,
  integer,
  integerOrNull,
  text,
  textOrNull,
} from './codec.ts';
import { concern } from './concern.ts';
import { addPassword, passwordWasChosen, withdrawInvitation } from './identities.ts';
import { affects, assigned, first, type Intent, raw, run, type SqlRow, sql } from './intent.ts';
import { listSource } from './list-source.ts';
import { dropName, giveName, refuseAddressOfAnother } from './names.ts';
import { endSessionsOf, endSessionsOfAuthenticator } from './session-ends.ts';

const lockOfPassword = `(SELECT attempts.locked_until FROM attempts
    WHERE authenticators.method = 'updb' AND attempts.key = 'password:' || authenticators.id) AS locked_until`;

const listed = listSource('authenticators', authenticatorListFields, {
  identity: 'JOIN',
  inFiltered: ['certExpiresAt'],
  named: { 'authenticators.username': 'authenticators.username_key' },
  select: lockOfPassword,
});

export const authenticators = concern<AuthenticatorStore>()({
  writes: {
    createCertificate,
    rehashPassword(id, oldHash, newHash) {
      const sql = 'UPDATE authenticators SET password_hash = ? WHERE id = ? AND password_hash = ?';
      return run(sql, newHash, id, oldHash);
    },
    requestExtension(id, rollKey, now) {
      // A successor fetched earlier may have the very key that has to go.
      const withdrawn = rollKey ? ', successor_pem = NULL, successor_thumbprint = NULL' : '';
      return affects`UPDATE authenticators SET is_extend_requested = 1,
         is_key_roll_requested = ${rollKey ? 1 : 0}, updated_at = ${now}${raw(withdrawn)}
         WHERE id = ${id} AND method = 'cert' RETURNING id`;
    },
    keepSuccessor(keep) {
      return affects`UPDATE authenticators SET successor_pem = ${keep.certPem},
         successor_thumbprint = ${keep.thumbprint}
         WHERE id = ${keep.id} AND method = 'cert' AND thumbprint = ${keep.currentThumbprint}
         AND is_key_roll_requested <= ${keep.hasNewKey ? 1 : 0} RETURNING id`;
    },
    *promoteSuccessor(args) {
      const before = yield* first`SELECT is_key_roll_requested, successor_pem FROM authenticators
        WHERE id = ${args.id}`;
      const successor = before === undefined ? null : textOrNull(before, 'successor_pem');
      const row = yield* first`UPDATE authenticators SET cert_pem = successor_pem,
           thumbprint = successor_thumbprint,
           cert_expires_at = ${successor === null ? null : certificateEnd(successor)},
           successor_pem = NULL, successor_thumbprint = NULL, is_extend_requested = 0, is_key_roll_requested = 0,
           updated_at = ${args.now}
         WHERE id = ${args.id} AND method = 'cert' AND successor_thumbprint = ${args.thumbprint}
         RETURNING identity_id`;
      if (row === undefined) return false;
      if (before !== undefined && integer(before, 'is_key_roll_requested') === 1) {
        const { id: authenticatorId, now, exceptSession: except } = args;
        yield* endSessionsOfAuthenticator({
          identityId: text(row, 'identity_id'),
          authenticatorId,
          now,
          except,
        });
      }
      return true;
    },
  },
  forced: {
    createPassword: addPassword,
    *updatePassword(how, [id, patch, { now, exceptSession, verifiedHash }]) {
      const { username, usernameKey, passwordHash, tags } = patch;
      const passwordSetAt = passwordHash === undefined ? undefined : now;
      const members = { updatedAt: now, username, usernameKey, passwordHash, passwordSetAt, tags };
      const isVerified = verifiedHash === undefined ? raw('') : sql` AND password_hash = ${verifiedHash}`;
      const row = yield* first`UPDATE authenticators SET ${assigned(columnsOfMembers(members))}
         WHERE id = ${id} AND method = 'updb'${isVerified} RETURNING identity_id,
           (SELECT email FROM identities WHERE identities.id = authenticators.identity_id
             AND email_verified = 1) AS email`;
      if (row === undefined) return false;
      const identityId = text(row, 'identity_id');
      if (username !== undefined) {
        const given = { identityId, kind: 'username', name: username } as const;
        const email = textOrNull(row, 'email');
        if (verifiedHash !== undefined) yield* refuseAddressOfAnother({ ...given, email });
        yield* giveName(how, given);
        yield* recordChange('identity', identityId, now);
      }
      if (passwordHash !== undefined) {
        yield* withdrawInvitation(identityId);
        // A person who forgot the one before has guessed at it.
        yield* clearAttempts([`password:${id}`]);
        const reason = 'credential-changed';
        yield* endSessionsOf({ identityId, reason, now, ...(exceptSession && { except: exceptSession }) });
        // The person who proved the current certificate is the owner.
        if (verifiedHash !== undefined) yield* passwordWasChosen(identityId, now);
      }
      return true;
    },
    delete: (how, [id, now]) => keepingAnAdministrator(removeAuthenticator(id, now), now, how),
  },
  methods: ({ dialect, find, all, list, findListed }) => ({
    async findPasswordLogin(usernameKey) {
      const login = await find(passwordLoginOf, findPasswordLoginSql, usernameKey);
      return login?.authenticator.usernameKey === usernameKey ? login : null;
    },
    findCertificateLogin: (thumbprint) => find(certificateLoginOf, findCertificateLoginSql, thumbprint),
    find: (id) => find(authenticatorOf, 'SELECT * FROM authenticators WHERE id = ?', id),
    findListed: (id) => findListed(listed, id, listedOf),
    list: (query) => list(listed, query, listedOf),
    listOf(identityIds) {
      const sql = `SELECT authenticators.*, ${lockOfPassword} FROM authenticators
        WHERE identity_id IN (SELECT value FROM ${dialect.jsonTexts}(?)) ORDER BY id`;
      return all(lockableOf, sql, JSON.stringify(identityIds));
    },
  }),
});

function listedOf(row: SqlRow): ListedAuthenticator {
  return { ...lockableOf(row), identityName: text(row, 'identity_name') };
}

function lockableOf(row: SqlRow): LockableAuthenticator {
  return { ...authenticatorOf(row), lockedUntil: integerOrNull(row, 'locked_until') };
}

/** Everything a primary login needs, in one read. */
const findLoginSql = `SELECT authenticators.*, ${lockOfPassword}, ${accountColumns}
  FROM authenticators
  JOIN identities ON identities.id = authenticators.identity_id
  JOIN auth_policies ON auth_policies.id = identities.auth_policy_id
  WHERE`;

/**
 * For an unknown user name another identity's row is read and ignored, so that timing does not reveal that the name is
 * unknown.
 */
const findPasswordLoginSql = `${findLoginSql} authenticators.id = COALESCE(
  (SELECT id FROM authenticators WHERE username_key = ?),
  (SELECT id FROM authenticators WHERE username_key >= '' ORDER BY username_key LIMIT 1))`;
const findCertificateLoginSql = `${findLoginSql} authenticators.thumbprint = ?`;

function passwordLoginOf(row: SqlRow): PasswordLogin {
  const authenticator = authenticatorOf(row);
  if (authenticator.method !== 'updb') throw new Error('a user name belongs to a certificate');
  return {
    authenticator,
    passwordHash: text(row, 'password_hash'),
    lockedUntil: integerOrNull(row, 'locked_until'),
    ...accountOf(row),
  };
}

function certificateLoginOf(row: SqlRow): CertificateLogin {
  const authenticator = authenticatorOf(row);
  if (authenticator.method !== 'cert') throw new Error('a thumbprint belongs to a password');
  return { authenticator, identity: identityOf(row, 'identity__'), policy: authPolicyOf(row, 'policy__') };
}

export function createCertificate(authenticator: NewCertificateAuthenticator, now: Millis): Intent<void> {
  const certExpiresAt = certificateEnd(authenticator.certPem);
  const times = { certExpiresAt, createdAt: now, updatedAt: now };
  return insert('authenticators', { ...authenticator, method: 'cert', ...times });
}

/** Deletes an authenticator and ends the sessions that it opened. @returns false when there is none */
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

// The certificate of an authenticator is replaced by its successor in two steps: a client that never received the new
// one still has the old one.
