// The only translator between rows and model values, and how each concern of the store reads model values.

import type { Account } from '../../model/account.ts';
import type { ApiSession, SessionEndReason } from '../../model/api-session.ts';
import type { Authenticator } from '../../model/authenticator.ts';
import { type AuthPolicy, authPolicyEntity } from '../../model/entities/auth-policy.ts';
import type { Tags } from '../../model/entities/entity.ts';
import { type IdentityInTokens, identityEntity } from '../../model/entities/identity.ts';
import { asId } from '../../model/ids.ts';
import type { ListQuery, Page } from '../../model/list-query.ts';
import type { PassedMethod } from '../../model/login.ts';
import type { SigningAlgorithm, SigningKey } from '../../model/signing-key.ts';
import type { OwnSession } from '../contracts/api-sessions.ts';
import type { Engine, WriteOptions } from './engine.ts';
import { entityTable } from './entity-table.ts';
import type { ArgsOf, Intents, OutcomeOf, SqlRow, SqlValue } from './intent.ts';
import type { ListSource } from './list-source.ts';

/** What each concern builds its part of the store on: an engine, its own intents, and the reads that most use. */
export interface Database<Own extends Intents = Record<never, never>> extends Omit<Engine, 'write'> {
  /** See `Engine.write`. */
  write<Name extends keyof Own>(
    name: Name,
    args: ArgsOf<Own[Name]>,
    options?: WriteOptions,
  ): Promise<OutcomeOf<Own[Name]>>;
  /** @returns the first row, decoded by `read`; null when there is none */
  find<T>(read: (row: SqlRow) => T, sql: string, ...params: SqlValue[]): Promise<T | null>;
  list<T>(source: ListSource, query: ListQuery, read: (row: SqlRow) => T): Promise<Page<T>>;
  /** The entries of a list whose field has this value, in the order of their ids, at most `most`. */
  listed<T>(source: ListSource, named: NamedEntries, read: (row: SqlRow) => T): Promise<readonly T[]>;
}

interface NamedEntries {
  /** An indexed one, or this would not be a short read. */
  readonly field: string;
  readonly value: string;
  readonly most?: number;
}

/** @param Known all intents of the engine, of which each concern asks for its own */
export function databaseOf<Known extends Intents>(engine: Engine): Database<Known> {
  return {
    ...engine,
    write: (name, args, options) => engine.write(String(name), args, options) as Promise<never>,
    async find(read, sql, ...params) {
      const [row] = await engine.read(sql, ...params);
      return row === undefined ? null : read(row);
    },
    async listed(source, { field, value, most = 1 }, read) {
      const from = `${source.table} ${source.joined?.sql ?? ''}`;
      const sql = `SELECT ${source.select} FROM ${from} WHERE ${source.fields[field]?.column} = ?
        ORDER BY ${source.tieBreaker} LIMIT ?`;
      return (await engine.read(sql, value, most)).map(read);
    },
    async list<T>(source: ListSource, query: ListQuery, read: (row: SqlRow) => T) {
      // Loaded with the first list, because starting a controller needs no query builder.
      const { readList } = await import('./read-list.ts');
      const { rows, ...page } = await readList(engine, source, query);
      return { ...page, items: rows.map((row) => read(row)) };
    },
  };
}

export function accountOf(row: SqlRow): Account {
  return {
    identity: identityOf(row, 'identity__'),
    policy: authPolicyOf(row, 'policy__'),
    isTotpEnrolled: row.enrolled !== null,
    passwordSetAt: integerOrNull(row, 'account_password_set_at'),
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

function json<T>(row: SqlRow, column: string): T {
  return JSON.parse(text(row, column)) as T;
}

export const identityTable = entityTable(identityEntity);
export const { read: identityOf } = identityTable;

export function identityInTokensOf(row: SqlRow): IdentityInTokens {
  return { id: asId(text(row, 'id')), name: text(row, 'name'), isAdmin: integer(row, 'is_admin') === 1 };
}

export const authPolicyTable = entityTable(authPolicyEntity);
export const { read: authPolicyOf } = authPolicyTable;

/** `SELECT` list of an account, where `identities` is joined with `auth_policies`, for `accountOf`. */
export const accountColumns = `${identityTable.columns('identity__')},
    ${authPolicyTable.columns('policy__')},
    (SELECT identity_id FROM totp_enrollments WHERE identity_id = identities.id) AS enrolled,
    (SELECT COALESCE(held.password_set_at, held.created_at) FROM authenticators AS held
      WHERE held.identity_id = identities.id AND held.method = 'updb') AS account_password_set_at`;

/** A missing policy must not look like an unknown identity: reading the row then fails, and no check is skipped. */
export const accountsSql = `SELECT ${accountColumns}
  FROM identities LEFT JOIN auth_policies ON auth_policies.id = identities.auth_policy_id`;

/** What a policy allows and requires. */
export function authPolicyRulesOf(row: SqlRow, prefix = ''): Pick<AuthPolicy, 'primary' | 'secondary'> {
  return {
    primary: json<AuthPolicy['primary']>(row, `${prefix}primary_rules`),
    secondary: json<AuthPolicy['secondary']>(row, `${prefix}secondary_rules`),
  };
}

export function authenticatorOf(row: SqlRow): Authenticator {
  const base = {
    id: asId<Authenticator['id']>(text(row, 'id')),
    identityId: asId<Authenticator['identityId']>(text(row, 'identity_id')),
    tags: json<Tags>(row, 'tags'),
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
  };
  if (text(row, 'method') === 'updb')
    return {
      ...base,
      method: 'updb',
      username: text(row, 'username'),
      passwordSetAt: integerOrNull(row, 'password_set_at') ?? base.createdAt,
    };
  return {
    ...base,
    method: 'cert',
    certPem: text(row, 'cert_pem'),
    thumbprint: text(row, 'thumbprint'),
    isExtendRequested: integer(row, 'is_extend_requested') === 1,
    isKeyRollRequested: integer(row, 'is_key_roll_requested') === 1,
  };
}

/** The columns that the owner of a session is shown. */
export function ownSessionOf(row: SqlRow): OwnSession {
  const authenticatorId = textOrNull(row, 'authenticator_id');
  return {
    authenticatorId: authenticatorId === null ? null : asId(authenticatorId),
    passed: json<PassedMethod[]>(row, 'passed'),
    authTime: integer(row, 'auth_time'),
    ipAddress: text(row, 'ip_address'),
    loginIpAddress: textOrNull(row, 'login_ip_address'),
    program: textOrNull(row, 'program'),
    operatingSystem: textOrNull(row, 'operating_system'),
    createdAt: integer(row, 'created_at'),
    lastActivityAt: integer(row, 'last_activity_at'),
    expiresAt: integer(row, 'expires_at'),
  };
}

export function apiSessionOf(row: SqlRow): ApiSession {
  const signerId = textOrNull(row, 'signer_id');
  const caId = textOrNull(row, 'ca_id');
  const resources = textOrNull(row, 'resources');
  return {
    id: asId(text(row, 'id')),
    mechanism: text(row, 'mechanism') as ApiSession['mechanism'],
    identityId: asId(text(row, 'identity_id')),
    ...ownSessionOf(row),
    certThumbprint: textOrNull(row, 'cert_thumbprint'),
    signerId: signerId === null ? null : asId(signerId),
    caId: caId === null ? null : asId(caId),
    clientId: text(row, 'client_id'),
    openedByProgram: integer(row, 'opened_by_program') === 1,
    scopes: json<string[]>(row, 'scopes'),
    issuer: text(row, 'issuer'),
    configTypes: json<string[]>(row, 'config_types'),
    resources: resources === null ? [] : (JSON.parse(resources) as string[]),
    endedAt: integerOrNull(row, 'ended_at'),
    endReason: textOrNull(row, 'end_reason') as SessionEndReason | null,
  };
}

export function signingKeyOf(row: SqlRow): SigningKey {
  return {
    kid: text(row, 'kid'),
    alg: text(row, 'alg') as SigningAlgorithm,
    publicJwk: text(row, 'public_jwk'),
    sealedPrivateKey: text(row, 'sealed_private_key'),
    createdAt: integer(row, 'created_at'),
    activeFrom: integer(row, 'active_from'),
    retiredAt: integerOrNull(row, 'retired_at'),
    removedAt: integerOrNull(row, 'removed_at'),
  };
}
