import type { Tags } from '../../model/identity.ts';
import { asId } from '../../model/ids.ts';
import { oidcClientListFields } from '../../model/list-fields.ts';
import {
  type ClientAuthMethod,
  type ClientSigningAlg,
  mostClientSecrets,
  type OidcClient,
  type OidcClientSecret,
  type OidcClientType,
} from '../../model/oidc-client.ts';
import type { Millis } from '../../platform/clock.ts';
import type { NewOidcClient, OidcClientPatch, OidcClientStore } from '../contracts/oidc-clients.ts';
import { recordChange } from './changes.ts';
import { type Database, integer, integerOrNull, text, textOrNull } from './codec.ts';
import { all, first, type Intent, run, type SqlRow, type SqlValue } from './intent.ts';
import { listSource } from './list-source.ts';

const listed = listSource('oidc_clients', oidcClientListFields);

export const oidcClientIntents = {
  createOidcClient,
  updateOidcClient,
  deleteOidcClient,
  addClientSecret,
  deleteClientSecret,
  noteSecretUse,
  useAssertion,
} as const;

export function oidcClientStore({ write, read, find, list }: Database): OidcClientStore {
  return {
    find: (id) => find(oidcClientOf, 'SELECT * FROM oidc_clients WHERE id = ?', id),
    list: (query) => list(listed, query, oidcClientOf),
    async listAll() {
      return (await read('SELECT * FROM oidc_clients ORDER BY id')).map(oidcClientOf);
    },
    create: (client, now) => write('createOidcClient', { client, now }),
    update: (id, patch, now) => write('updateOidcClient', { id, patch, now }),
    delete: (id, now) => write('deleteOidcClient', { id, now }),
    async listSecrets(id) {
      const sql = 'SELECT * FROM oidc_client_secrets WHERE client_id = ? ORDER BY created_at, id';
      return (await read(sql, id)).map(secretOf);
    },
    addSecret: (secret, now) => write('addClientSecret', { ...secret, now }),
    deleteSecret: (clientId, id, now) => write('deleteClientSecret', { clientId, id, now }),
    noteSecretUse: (id, now) => write('noteSecretUse', { id, now }),
    useAssertion: (key, expiresAt) => write('useAssertion', { key, expiresAt }),
  };
}

function oidcClientOf(row: SqlRow): OidcClient {
  return {
    id: asId(text(row, 'id')),
    name: text(row, 'name'),
    type: text(row, 'type') as OidcClientType,
    redirectUris: JSON.parse(text(row, 'redirect_uris')) as string[],
    postLogoutRedirectUris: JSON.parse(text(row, 'post_logout_redirect_uris')) as string[],
    tokenEndpointAuthMethod: text(row, 'auth_method') as ClientAuthMethod,
    jwks: textOrNull(row, 'jwks'),
    jwksUri: textOrNull(row, 'jwks_uri'),
    requirePkce: integer(row, 'require_pkce') === 1,
    idTokenSigningAlg: text(row, 'id_token_signing_alg') as ClientSigningAlg,
    scopes: JSON.parse(text(row, 'scopes')) as string[],
    apiAccess: integer(row, 'api_access') === 1,
    resources: JSON.parse(text(row, 'resources')) as string[],
    allowedRoleAttributes: JSON.parse(text(row, 'allowed_role_attributes')) as string[],
    claims: JSON.parse(text(row, 'claims')) as OidcClient['claims'],
    accessTokenDuration: integerOrNull(row, 'access_token_duration'),
    refreshTokenDuration: integerOrNull(row, 'refresh_token_duration'),
    tags: JSON.parse(text(row, 'tags')) as Tags,
    createdAt: integer(row, 'created_at'),
    updatedAt: integer(row, 'updated_at'),
  };
}

function secretOf(row: SqlRow): OidcClientSecret {
  return {
    id: asId(text(row, 'id')),
    clientId: asId(text(row, 'client_id')),
    hash: text(row, 'secret_hash'),
    createdAt: integer(row, 'created_at'),
    lastUsedAt: integerOrNull(row, 'last_used_at'),
  };
}

const columns: Readonly<Record<keyof OidcClientPatch, string>> = {
  name: 'name',
  type: 'type',
  redirectUris: 'redirect_uris',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  tokenEndpointAuthMethod: 'auth_method',
  jwks: 'jwks',
  jwksUri: 'jwks_uri',
  requirePkce: 'require_pkce',
  idTokenSigningAlg: 'id_token_signing_alg',
  scopes: 'scopes',
  apiAccess: 'api_access',
  resources: 'resources',
  allowedRoleAttributes: 'allowed_role_attributes',
  claims: 'claims',
  accessTokenDuration: 'access_token_duration',
  refreshTokenDuration: 'refresh_token_duration',
  tags: 'tags',
};

/** The columns of the members that are present, with their values. */
function valuesOf(patch: OidcClientPatch): [string, SqlValue][] {
  const names = Object.keys(columns) as (keyof OidcClientPatch)[];
  return names.flatMap((name): [string, SqlValue][] => {
    const value = patch[name];
    if (value === undefined) return [];
    if (typeof value === 'boolean') return [[columns[name], value ? 1 : 0]];
    const isStructured = typeof value === 'object' && value !== null;
    return [[columns[name], isStructured ? JSON.stringify(value) : value]];
  });
}

function* createOidcClient(args: { readonly client: NewOidcClient; readonly now: Millis }): Intent<void> {
  const { client, now } = args;
  const set = [['id', client.id], ...valuesOf(client), ['created_at', now], ['updated_at', now]] as const;
  yield* run(
    `INSERT INTO oidc_clients (${set.map(([column]) => column).join(', ')})
     VALUES (${set.map(() => '?').join(', ')})`,
    ...set.map(([, value]) => value as SqlValue),
  );
  yield* recordChange('oidc-client', client.id, now);
}

function* updateOidcClient(args: {
  readonly id: string;
  readonly patch: OidcClientPatch;
  readonly now: Millis;
}): Intent<boolean> {
  const { id, patch, now } = args;
  const set: [string, SqlValue][] = [['updated_at', now], ...valuesOf(patch)];
  const row = yield* first(
    `UPDATE oidc_clients SET ${set.map(([column]) => `${column} = ?`).join(', ')} WHERE id = ? RETURNING id`,
    ...set.map(([, value]) => value),
    id,
  );
  if (row === undefined) return false;
  yield* recordChange('oidc-client', id, now);
  return true;
}

function* deleteOidcClient(args: { readonly id: string; readonly now: Millis }): Intent<boolean> {
  const { id, now } = args;
  yield* run('DELETE FROM oidc_client_secrets WHERE client_id = ?', id);
  const row = yield* first('DELETE FROM oidc_clients WHERE id = ? RETURNING id', id);
  if (row === undefined) return false;
  // A later client with the same id is a different client.
  const ended = yield* all(
    `UPDATE api_sessions SET ended_at = ?, end_reason = 'administrator', refresh_hash = NULL
     WHERE client_id = ? AND ended_at IS NULL AND expires_at > ? RETURNING id`,
    now,
    id,
    now,
  );
  for (const session of ended) yield* recordChange('session-ended', text(session, 'id'), now);
  yield* run('DELETE FROM auth_requests WHERE client_id = ? AND code_used_at IS NULL', id);
  yield* recordChange('oidc-client', id, now);
  return true;
}

function* addClientSecret(args: {
  readonly id: string;
  readonly clientId: string;
  readonly hash: string;
  readonly now: Millis;
}): Intent<'added' | 'full' | 'unknown'> {
  const { id, clientId, hash, now } = args;
  if ((yield* first('SELECT id FROM oidc_clients WHERE id = ?', clientId)) === undefined) return 'unknown';
  const held = yield* all('SELECT id FROM oidc_client_secrets WHERE client_id = ?', clientId);
  if (held.length >= mostClientSecrets) return 'full';
  yield* run(
    'INSERT INTO oidc_client_secrets (id, client_id, secret_hash, created_at) VALUES (?, ?, ?, ?)',
    id,
    clientId,
    hash,
    now,
  );
  yield* recordChange('oidc-client', clientId, now);
  return 'added';
}

function* deleteClientSecret(args: {
  readonly clientId: string;
  readonly id: string;
  readonly now: Millis;
}): Intent<boolean> {
  const { clientId, id, now } = args;
  const sql = 'DELETE FROM oidc_client_secrets WHERE id = ? AND client_id = ? RETURNING id';
  if ((yield* first(sql, id, clientId)) === undefined) return false;
  yield* recordChange('oidc-client', clientId, now);
  return true;
}

function* noteSecretUse({ id, now }: { readonly id: string; readonly now: Millis }): Intent<void> {
  yield* run('UPDATE oidc_client_secrets SET last_used_at = ? WHERE id = ?', now, id);
}

function* useAssertion(args: { readonly key: string; readonly expiresAt: Millis }): Intent<boolean> {
  const row = yield* first(
    `INSERT INTO used_assertions (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING RETURNING id`,
    args.key,
    args.expiresAt,
  );
  return row !== undefined;
}
