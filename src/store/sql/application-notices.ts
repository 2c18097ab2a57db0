// Applications that want to be told when a session of theirs ends (OIDC Back-Channel Logout 1.0).

import type { DeliveryPayloads } from '../../model/delivery.ts';
import { asId } from '../../model/ids.ts';
import type { Millis } from '../../platform/clock.ts';
import { text } from './codec.ts';
import { deliver } from './deliveries.ts';
import type { Intent, SqlRow } from './intent.ts';

/** A column of statements on `api_sessions`: whether the application wants to be told, without a read of its own. */
export const isToldSql = `(SELECT 1 FROM oidc_clients
  WHERE oidc_clients.id = api_sessions.client_id AND backchannel_logout_uri IS NOT NULL) AS is_told`;

/**
 * Queues the logout token of a session, if its application wants one.
 * @param session `id`, `identity_id`, `client_id`, `issuer` and what `isToldSql` says
 */
export function* tellApplication(session: SqlRow, now: Millis): Intent<void> {
  if (session.is_told === null) return;
  const id = text(session, 'id');
  const payload: DeliveryPayloads['logout'] = {
    sessionId: asId(id),
    identityId: asId(text(session, 'identity_id')),
    issuer: text(session, 'issuer'),
  };
  yield* deliver({ kind: 'logout', subscriber: text(session, 'client_id'), id, payload }, now);
}
