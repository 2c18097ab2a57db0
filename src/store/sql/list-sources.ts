// What can be listed, and by which fields. Names are those of the API.

import type { Millis } from '../../platform/clock.ts';
import type { ListField, ListSource } from './list-query.ts';

const everything = { sql: '1 = 1', params: [] } as const;

/** A question mark after the type: it may have no value. */
type FieldRow = readonly [name: string, column: string, type: ListField['type'] | `${ListField['type']}?`];

function fields(list: readonly FieldRow[]): Readonly<Record<string, ListField>> {
  return Object.fromEntries(
    list.map(([name, column, type]) => [
      name,
      { column, type: type.replace('?', '') as ListField['type'], isOptional: type.endsWith('?') },
    ]),
  );
}

export const identitiesSource: ListSource = {
  from: 'identities',
  select: '*',
  where: everything,
  tieBreaker: 'id',
  fields: fields([
    ['id', 'id', 'text'],
    ['name', 'name', 'text'],
    ['type', 'type', 'text'],
    ['typeId', 'type', 'text'],
    ['externalId', 'external_id', 'text?'],
    ['isAdmin', 'is_admin', 'boolean'],
    ['authPolicyId', 'auth_policy_id', 'text'],
    ['createdAt', 'created_at', 'time'],
    ['updatedAt', 'updated_at', 'time'],
    ['disabledAt', 'disabled_at', 'time?'],
  ]),
};

export const authenticatorsSource: ListSource = {
  from: 'authenticators',
  joined: { table: 'identities', sql: 'JOIN identities ON identities.id = authenticators.identity_id' },
  select: `authenticators.*, identities.name AS identity_name,
    (SELECT attempts.locked_until FROM attempts
      WHERE authenticators.method = 'updb' AND attempts.key = 'password:' || authenticators.id) AS locked_until`,
  where: everything,
  tieBreaker: 'authenticators.id',
  fields: fields([
    ['id', 'authenticators.id', 'text'],
    ['method', 'authenticators.method', 'text'],
    ['identityId', 'authenticators.identity_id', 'text'],
    ['identity', 'identities.name', 'text'],
    ['username', 'authenticators.username', 'text?'],
    ['createdAt', 'authenticators.created_at', 'time'],
    ['updatedAt', 'authenticators.updated_at', 'time'],
  ]),
};

export const enrollmentsSource: ListSource = {
  from: 'enrollments',
  joined: { table: 'identities', sql: 'JOIN identities ON identities.id = enrollments.identity_id' },
  select: 'enrollments.*, identities.name AS identity_name',
  where: everything,
  tieBreaker: 'enrollments.id',
  fields: fields([
    ['id', 'enrollments.id', 'text'],
    ['method', 'enrollments.method', 'text'],
    ['identityId', 'enrollments.identity_id', 'text'],
    ['identity', 'identities.name', 'text'],
    ['username', 'enrollments.username', 'text?'],
    ['caId', 'enrollments.ca_id', 'text?'],
    ['expiresAt', 'enrollments.expires_at', 'time'],
    ['createdAt', 'enrollments.created_at', 'time'],
    ['updatedAt', 'enrollments.updated_at', 'time'],
  ]),
};

/** Live sessions. Their identity is there: its deletion ends them. */
export function apiSessionsSource(now: Millis): ListSource {
  return {
    from: 'api_sessions',
    joined: { table: 'identities', sql: 'JOIN identities ON identities.id = api_sessions.identity_id' },
    select: 'api_sessions.*, identities.name AS identity_name',
    where: { sql: 'api_sessions.ended_at IS NULL AND api_sessions.expires_at > ?', params: [now] },
    tieBreaker: 'api_sessions.id',
    fields: fields([
      ['id', 'api_sessions.id', 'text'],
      ['type', 'api_sessions.mechanism', 'text'],
      ['identityId', 'api_sessions.identity_id', 'text'],
      ['identity', 'identities.name', 'text'],
      ['ipAddress', 'api_sessions.ip_address', 'text'],
      ['createdAt', 'api_sessions.created_at', 'time'],
      ['lastActivityAt', 'api_sessions.last_activity_at', 'time'],
      ['expiresAt', 'api_sessions.expires_at', 'time'],
    ]),
  };
}

export const authPoliciesSource: ListSource = {
  from: 'auth_policies',
  select: '*',
  where: everything,
  tieBreaker: 'id',
  fields: fields([
    ['id', 'id', 'text'],
    ['name', 'name', 'text'],
    ['createdAt', 'created_at', 'time'],
    ['updatedAt', 'updated_at', 'time'],
  ]),
};

export const externalJwtSignersSource: ListSource = {
  from: 'external_jwt_signers',
  select: '*',
  where: everything,
  tieBreaker: 'id',
  fields: fields([
    ['id', 'id', 'text'],
    ['name', 'name', 'text'],
    ['enabled', 'enabled', 'boolean'],
    ['issuer', 'issuer', 'text'],
    ['audience', 'audience', 'text'],
    ['clientId', 'client_id', 'text?'],
    ['kid', 'kid', 'text?'],
    ['createdAt', 'created_at', 'time'],
    ['updatedAt', 'updated_at', 'time'],
  ]),
};

export const casSource: ListSource = {
  from: 'cas',
  select: '*',
  where: everything,
  tieBreaker: 'id',
  fields: fields([
    ['id', 'id', 'text'],
    ['name', 'name', 'text'],
    ['fingerprint', 'thumbprint', 'text'],
    ['isAuthEnabled', 'is_auth_enabled', 'boolean'],
    ['isAutoCaEnrollmentEnabled', 'is_auto_ca_enrollment_enabled', 'boolean'],
    ['isOttCaEnrollmentEnabled', 'is_ott_ca_enrollment_enabled', 'boolean'],
    ['verifiedAt', 'verified_at', 'time?'],
    ['createdAt', 'created_at', 'time'],
    ['updatedAt', 'updated_at', 'time'],
  ]),
};

export const configTypesSource: ListSource = {
  from: 'config_types',
  select: '*',
  where: everything,
  tieBreaker: 'id',
  fields: fields([
    ['id', 'id', 'text'],
    ['name', 'name', 'text'],
    ['createdAt', 'created_at', 'time'],
    ['updatedAt', 'updated_at', 'time'],
  ]),
};

export const revocationsSource: ListSource = {
  from: 'revocations',
  select: '*',
  where: everything,
  tieBreaker: 'id',
  fields: fields([
    ['id', 'id', 'text'],
    ['type', 'type', 'text'],
    ['expiresAt', 'expires_at', 'time'],
    ['createdAt', 'created_at', 'time'],
    ['updatedAt', 'updated_at', 'time'],
  ]),
};

export const loginAttemptsSource: ListSource = {
  from: 'login_attempts',
  joined: {
    table: 'identities',
    sql: 'LEFT JOIN identities ON identities.id = login_attempts.identity_id',
  },
  select: 'login_attempts.*, identities.name AS identity_name',
  where: everything,
  tieBreaker: 'login_attempts.id',
  fields: fields([
    ['id', 'login_attempts.id', 'text'],
    ['reference', 'login_attempts.reference', 'text'],
    ['at', 'login_attempts.at', 'time'],
    ['step', 'login_attempts.step', 'text'],
    ['mechanism', 'login_attempts.mechanism', 'text'],
    ['outcome', 'login_attempts.outcome', 'text'],
    ['reason', 'login_attempts.reason', 'text?'],
    ['identityId', 'login_attempts.identity_id', 'text?'],
    ['identity', 'identities.name', 'text?'],
    ['subject', 'login_attempts.subject', 'text?'],
    ['ipAddress', 'login_attempts.ip_address', 'text'],
    ['issuer', 'login_attempts.issuer', 'text'],
  ]),
};

export const nodesSource: ListSource = {
  from: 'nodes',
  select: '*',
  where: everything,
  tieBreaker: 'id',
  fields: fields([
    ['id', 'id', 'text'],
    ['name', 'name', 'text'],
    ['ctrlAddress', 'address', 'text'],
    ['version', 'version', 'text'],
    ['createdAt', 'created_at', 'time'],
    ['updatedAt', 'last_seen_at', 'time'],
    ['lastJoinedAt', 'started_at', 'time'],
  ]),
};
