import {
  mostClientSecrets,
  type OidcClient,
  type OidcClientSecret,
  oidcClientEntity,
} from '../../model/entities/oidc-client.ts';
import type { Millis } from '../../platform/clock.ts';
import type { PatchOf } from '../contracts/entities.ts';
import type { NewOidcClient, OidcClientStore } from '../contracts/oidc-clients.ts';
import { recordChange } from './changes.ts';
import { type Database, insert, insertOr, reader } from './codec.ts';
import { forgetSubscriber } from './deliveries.ts';
import { entityTable } from './entity-table.ts';
import { affects, all, first, type Intent, run, type SqlRow, sql } from './intent.ts';
import { endSessionsWhere } from './session-ends.ts';

const table = entityTable(oidcClientEntity);

export const oidcClientIntents = {
  createOidcClient,
  updateOidcClient,
  deleteOidcClient,
  addClientSecret,
  deleteClientSecret,
  noteSecretUse,
  noteDroppedScopes,
  useAssertion,
} as const;

export function oidcClientStore({
  writing,
  read,
  find,
  list,
}: Database<typeof oidcClientIntents>): OidcClientStore {
  return {
    find: (id) => find(clientOf, 'SELECT * FROM oidc_clients WHERE id = ?', id),
    list: (query) => list(table.listed, query, clientOf),
    async listAll() {
      return (await read('SELECT * FROM oidc_clients ORDER BY id')).map(clientOf);
    },
    ...writing({ create: 'createOidcClient', update: 'updateOidcClient', delete: 'deleteOidcClient' }),
    async listSecrets(id) {
      const sql =
        'SELECT *, secret_hash AS hash FROM oidc_client_secrets WHERE client_id = ? ORDER BY created_at, id';
      return (await read(sql, id)).map(secretOf);
    },
    ...writing({ addSecret: 'addClientSecret', deleteSecret: 'deleteClientSecret' }),
    ...writing({
      noteSecretUse: 'noteSecretUse',
      noteDroppedScopes: 'noteDroppedScopes',
      useAssertion: 'useAssertion',
    }),
  };
}

/** Scopes that it may have by now are no longer missing. */
function clientOf(row: SqlRow): OidcClient {
  const client = table.read(row);
  return { ...client, droppedScopes: client.droppedScopes.filter((scope) => !client.scopes.includes(scope)) };
}

const secretOf = reader<OidcClientSecret>()('id clientId hash createdAt lastUsedAt?');

function* createOidcClient(client: NewOidcClient, now: Millis): Intent<void> {
  yield* table.insert(client, now);
  yield* recordChange('oidc-client', client.id, now);
}

function* updateOidcClient(
  id: string,
  patch: PatchOf<typeof oidcClientEntity>,
  now: Millis,
): Intent<boolean> {
  if ((yield* table.update({ id, patch, now })) === undefined) return false;
  yield* recordChange('oidc-client', id, now);
  return true;
}

function* deleteOidcClient(id: string, now: Millis): Intent<boolean> {
  yield* run('DELETE FROM oidc_client_secrets WHERE client_id = ?', id);
  if (!(yield* affects('DELETE FROM oidc_clients WHERE id = ? RETURNING id', id))) return false;
  // A later client with the same id is a different client.
  yield* endSessionsWhere(sql`client_id = ${id}`, { reason: 'administrator', now });
  yield* forgetSubscriber('logout', id);
  yield* run('DELETE FROM auth_requests WHERE client_id = ? AND code_used_at IS NULL', id);
  yield* recordChange('oidc-client', id, now);
  return true;
}

function* addClientSecret(
  { id, clientId, hash }: Parameters<OidcClientStore['addSecret']>[0],
  now: Millis,
): Intent<'added' | 'full' | 'unknown'> {
  if ((yield* first('SELECT id FROM oidc_clients WHERE id = ?', clientId)) === undefined) return 'unknown';
  const held = yield* all('SELECT id FROM oidc_client_secrets WHERE client_id = ?', clientId);
  if (held.length >= mostClientSecrets) return 'full';
  yield* insert('oidc_client_secrets', { id, clientId, secretHash: hash, createdAt: now });
  yield* recordChange('oidc-client', clientId, now);
  return 'added';
}

function* deleteClientSecret(clientId: string, id: string, now: Millis): Intent<boolean> {
  const sql = 'DELETE FROM oidc_client_secrets WHERE id = ? AND client_id = ? RETURNING id';
  if (!(yield* affects(sql, id, clientId))) return false;
  yield* recordChange('oidc-client', clientId, now);
  return true;
}

function noteSecretUse(id: string, now: Millis): Intent<void> {
  return run('UPDATE oidc_client_secrets SET last_used_at = ? WHERE id = ?', now, id);
}

/** Not a change by an administrator, so `updated_at` stays. */
function* noteDroppedScopes(id: string, scopes: readonly string[], now: Millis): Intent<void> {
  const row = yield* first('SELECT * FROM oidc_clients WHERE id = ?', id);
  if (row === undefined) return;
  const before = table.read(row).droppedScopes;
  const together = new Set([...before, ...scopes]);
  if (together.size === before.length) return;
  yield* run('UPDATE oidc_clients SET dropped_scopes = ? WHERE id = ?', JSON.stringify([...together]), id);
  yield* recordChange('oidc-client', id, now);
}

function* useAssertion(id: string, expiresAt: Millis): Intent<boolean> {
  const end = 'ON CONFLICT (id) DO NOTHING RETURNING id';
  return (yield* insertOr('used_assertions', { id, expiresAt }, end)) !== undefined;
}
