// The only translator between rows and model values, and how each concern of the store reads model values.

import type { Account } from '../../model/account.ts';
import type { ApiSession } from '../../model/api-session.ts';
import type {
  Authenticator,
  CertificateAuthenticator,
  PasswordAuthenticator,
} from '../../model/authenticator.ts';
import { type AuthPolicy, authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { type Identity, type IdentityInTokens, identityEntity } from '../../model/entities/identity.ts';
import type { SigningKey } from '../../model/signing-key.ts';
import type { OwnSession } from '../contracts/api-sessions.ts';
import { entityTable } from './entity-table.ts';
import {
  among,
  type Column,
  type Intent,
  insertRows,
  memberOf,
  raw,
  type SqlRow,
  type StoredAs,
  sql,
  sqlOf,
} from './intent.ts';
import { snakeCase } from './list-source.ts';

export function accountOf(row: SqlRow): Account {
  const username = textOrNull(row, 'account_username');
  return {
    identity: identityOf(row, 'identity__'),
    policy: authPolicyOf(row, 'policy__'),
    isTotpEnrolled: row.enrolled !== null,
    hasPasskey: row.a_passkey !== null,
    password: username === null ? null : { username, setAt: integer(row, 'account_password_set_at') },
  };
}

/** The text in a NOT NULL column. */
export function text(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new Error(`column ${column} holds no text`);
  return value;
}

export function textOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

/** The integer in a NOT NULL column. */
export function integer(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new Error(`column ${column} holds no integer`);
  return value;
}

export function integerOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

/** Whether what a row is bound to was proven: a row without a thumbprint is bound to none. */
export function isProven(row: SqlRow, column: string, proven: string | null): boolean {
  return [null, proven].includes(textOrNull(row, column));
}

function json<T>(row: SqlRow, column: string): T {
  return JSON.parse(text(row, column)) as T;
}

const hasOne = (table: string) =>
  `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.identity_id = identities.id)`;
export const identityTable = entityTable(identityEntity, {
  conditions: { isMfaEnabled: hasOne('totp_enrollments'), hasPasskey: hasOne('passkeys') },
  inOrder: ['createdAt', 'updatedAt', 'lastLoginAt', 'type', 'authPolicyId'],
  inParts: ['email', 'disabledAt'],
});
export const { read: identityOf } = identityTable;

export const identityInTokensOf = reader<IdentityInTokens>()('id name isAdmin:flag');

/** The fields that `isDisabled` reads. */
export const disablingOf = reader<Pick<Identity, 'disabledAt' | 'disabledUntil'>>()(
  'disabledAt? disabledUntil?',
);

export const authPolicyTable = entityTable(authPolicyEntity);
export const { read: authPolicyOf } = authPolicyTable;

/** `SELECT` list of an account, where `identities` is joined with `auth_policies`, for `accountOf`. */
export const accountColumns = `${identityTable.columns('identity__')},
    ${authPolicyTable.columns('policy__')},
    (SELECT identity_id FROM totp_enrollments WHERE identity_id = identities.id) AS enrolled,
    (SELECT min(id) FROM passkeys WHERE passkeys.identity_id = identities.id) AS a_passkey,
    (SELECT COALESCE(held.password_set_at, held.created_at) FROM authenticators AS held
      WHERE held.identity_id = identities.id AND held.method = 'updb') AS account_password_set_at,
    (SELECT held.username FROM authenticators AS held
      WHERE held.identity_id = identities.id AND held.method = 'updb') AS account_username`;

/** A missing policy must not look like an unknown identity: reading the row then fails, and no check is skipped. */
export const accountsSql = `SELECT ${accountColumns}
  FROM identities LEFT JOIN auth_policies ON auth_policies.id = identities.auth_policy_id`;

/** The methods and factors that a policy allows and requires. */
export function authPolicyRulesOf(row: SqlRow): Pick<AuthPolicy, 'primary' | 'secondary'> {
  return {
    primary: json<AuthPolicy['primary']>(row, 'primary_rules'),
    secondary: json<AuthPolicy['secondary']>(row, 'secondary_rules'),
  };
}

const authenticatorColumns = 'id identityId tags:json createdAt updatedAt method';
const certificateOf = reader<CertificateAuthenticator>()(
  `${authenticatorColumns} certPem thumbprint certExpiresAt? isExtendRequested:flag isKeyRollRequested:flag`,
);
const passwordOf = reader<Omit<PasswordAuthenticator, 'passwordSetAt'>>()(
  `${authenticatorColumns} username usernameKey`,
);

export function authenticatorOf(row: SqlRow): Authenticator {
  if (row.method === 'cert') return certificateOf(row);
  return {
    ...passwordOf(row),
    passwordSetAt: integerOrNull(row, 'password_set_at') ?? integer(row, 'created_at'),
  };
}

/** The columns that the owner of a session is shown. */
export const ownSessionOf = reader<OwnSession>()(
  'authenticatorId? caId? keyThumbprint? passed:json authTime ipAddress loginIpAddress? program? operatingSystem? createdAt lastActivityAt expiresAt',
);

export const apiSessionOf = reader<ApiSession>()(
  'id mechanism identityId authenticatorId? passed:json authTime certThumbprint? keyThumbprint? signerId? caId? clientId openedByProgram:flag scopes:json issuer configTypes:json resources:list ipAddress loginIpAddress? program? operatingSystem? createdAt lastActivityAt expiresAt endedAt? endReason?',
);

export const signingKeyOf = reader<SigningKey>()(
  'kid alg publicJwk sealedPrivateKey createdAt activeFrom retiredAt? removedAt?',
);

// Rows as values and values as rows, where a column has the name of its member: `createdAt` is in `created_at`.
// Structures are stored as JSON, booleans as 0 and 1.

/** A word of a reader: `name` for a text or a number, `name?` where it may be null, `name:flag`, `name:json`. */
type MemberOf<Word extends string> = Word extends `${infer Name}:${string}`
  ? Name
  : Word extends `${infer Name}?`
    ? Name
    : Word;
type MembersOf<Words extends string> = Words extends `${infer Word} ${infer Rest}`
  ? MemberOf<Word> | MembersOf<Rest>
  : MemberOf<Words>;
/** The words if they name every member, and no other. */
type AllOf<Value, Words extends string> = [keyof Value, MembersOf<Words>] extends [
  MembersOf<Words>,
  keyof Value,
]
  ? Words
  : `not the members: ${Exclude<MembersOf<Words>, keyof Value> | Exclude<keyof Value & string, MembersOf<Words>>}`;

/**
 * Reads rows as values, of the named columns only: `reader<Key>()('kid publicJwk:json retiredAt?')`. A `list` is a JSON
 * array, or null for an empty one.
 */
export function reader<Value extends object>() {
  return <const Words extends string>(words: Words & AllOf<Value, Words>): ((row: SqlRow) => Value) => {
    const columns = words.split(' ').map((word) => {
      const [, member = '', given = ''] = /^(\w+):?(\w*)/.exec(word) ?? [];
      const kind = (given === '' ? 'plain' : given) as StoredAs | 'list';
      return { member, column: snakeCase(member), kind, isNullable: word.endsWith('?') || kind === 'list' };
    });
    return (row) => {
      const value: Record<string, unknown> = {};
      for (const { member, column, kind, isNullable } of columns) {
        const found = row[column];
        if (found === undefined || (found === null && !isNullable))
          throw new Error(`column ${column} holds nothing`);
        if (kind === 'list') value[member] = found === null ? [] : memberOf(found, 'json');
        else value[member] = memberOf(found, kind);
      }
      // Sound because the words name the members, and a value is read as it was stored.
      return value as Value;
    };
  };
}

/** Inserts a row. Members that are undefined are left out. */
export function insert(table: string, members: object): Intent<void> {
  return insertAll(table, [members]);
}

/** @param end `ON CONFLICT …` */
export function insertAll(table: string, rows: readonly object[], end = ''): Intent<void> {
  return insertRows(table, rows.map(columnsOfMembers), end);
}

/**
 * Inserts a row unless something conflicts with it.
 * @param end `ON CONFLICT …`, and `RETURNING …` for those who need the row
 * @returns the row that was inserted or changed; undefined: none, or it is not returned
 */
export function* insertOr(table: string, members: object, end: string): Intent<SqlRow | undefined> {
  const columns = columnsOfMembers(members);
  const names = raw(columns.map(([name]) => name).join(', '));
  const values = among(columns.map(([, value]) => value));
  const [row] = yield {
    ...sql`INSERT INTO ${raw(table)} (${names}) VALUES ${values} ${raw(end)}`,
    isUnread: !end.includes('RETURNING'),
  };
  return row;
}

/** The columns of members, except those that are undefined. */
export function columnsOfMembers(members: object): readonly Column[] {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return given.map(([member, value]) => [columnName(member), sqlOf(value)]);
}

const known = new Map<string, string>();

function columnName(member: string): string {
  const found = known.get(member) ?? snakeCase(member);
  known.set(member, found);
  return found;
}

/** For `DO UPDATE SET`: the columns, named in one text, get the values of the insertion. */
export function excluded(columns: string): string {
  return columns
    .split(' ')
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');
}
