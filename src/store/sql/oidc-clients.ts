import {
  mostClientSecrets,
  type OidcClient,
  type OidcClientSecret,
  oidcClientEntity,
} from '../../model/entities/oidc-client.ts';
import type { OidcClientStore } from '../contracts/entities.ts';
import { recordChange } from './changes.ts';
import { insert, insertOr, reader } from './codec.ts';
import { concern } from './concern.ts';
import { forgetSubscriber } from './deliveries.ts';
import { usualMethods, usualWrites } from './entity-methods.ts';
import { entityTable } from './entity-table.ts';
import { affects, all, first, run, type SqlRow, sql } from './intent.ts';
import { endSessionsWhere } from './session-ends.ts';

const table = entityTable(oidcClientEntity);

export const oidcClients = concern<OidcClientStore>()({
  writes: {
    ...usualWrites(table, 'oidc-client'),
    *delete(id, now) {
      yield* run('DELETE FROM oidc_client_secrets WHERE client_id = ?', id);
      if (!(yield* affects('DELETE FROM oidc_clients WHERE id = ? RETURNING id', id))) return false;
      yield* run('DELETE FROM auth_requests WHERE client_id = ? AND code_used_at IS NULL', id);
      yield* run('DELETE FROM device_logins WHERE client_id = ?', id);
      // A later client with the same id is a different client. Sessions come last: a code may just be opening one.
      yield* endSessionsWhere(sql`client_id = ${id}`, { reason: 'administrator', now });
      yield* forgetSubscriber('logout', id);
      yield* recordChange('oidc-client', id, now);
      return true;
    },
    *addSecret({ id, clientId, hash }, now) {
      if ((yield* first('SELECT id FROM oidc_clients WHERE id = ?', clientId)) === undefined)
        return 'unknown';
      const held = yield* all('SELECT id FROM oidc_client_secrets WHERE client_id = ?', clientId);
      if (held.length >= mostClientSecrets) return 'full';
      yield* insert('oidc_client_secrets', { id, clientId, secretHash: hash, createdAt: now });
      yield* recordChange('oidc-client', clientId, now);
      return 'added';
    },
    *deleteSecret(clientId, id, now) {
      const sql = 'DELETE FROM oidc_client_secrets WHERE id = ? AND client_id = ? RETURNING id';
      if (!(yield* affects(sql, id, clientId))) return false;
      yield* recordChange('oidc-client', clientId, now);
      return true;
    },
    noteSecretUse(id, now) {
      return run('UPDATE oidc_client_secrets SET last_used_at = ? WHERE id = ?', now, id);
    },
    /** Not a change by an administrator, so `updated_at` stays. */
    *noteDroppedScopes(id, scopes, now) {
      const row = yield* first('SELECT * FROM oidc_clients WHERE id = ?', id);
      if (row === undefined) return;
      const before = table.read(row).droppedScopes;
      const together = new Set([...before, ...scopes]);
      if (together.size === before.length) return;
      yield* run(
        'UPDATE oidc_clients SET dropped_scopes = ? WHERE id = ?',
        JSON.stringify([...together]),
        id,
      );
      yield* recordChange('oidc-client', id, now);
    },
    *useAssertion(id, expiresAt) {
      const end = 'ON CONFLICT (id) DO NOTHING RETURNING id';
      return (yield* insertOr('used_assertions', { id, expiresAt }, end)) !== undefined;
    },
  },
  methods: (database) => ({
    ...usualMethods({ ...table, read: clientOf }, database),
    listSecrets: (id) =>
      database.all(
        secretOf,
        'SELECT *, secret_hash AS hash FROM oidc_client_secrets WHERE client_id = ? ORDER BY created_at, id',
        id,
      ),
  }),
});

/** Scopes that it may have by now are no longer missing. */
function clientOf(row: SqlRow): OidcClient {
  const client = table.read(row);
  return { ...client, droppedScopes: client.droppedScopes.filter((scope) => !client.scopes.includes(scope)) };
}

const secretOf = reader<OidcClientSecret>()('id clientId hash createdAt lastUsedAt?');
