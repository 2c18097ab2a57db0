import type { NamedApiSession } from '../admin/api-sessions.ts';
import { entityRef, selfLink, wireTime } from './wire.ts';

/** A session without its tokens: nobody but their owner ever sees them. */
export function apiSessionDocument(session: NamedApiSession) {
  const { id, identityId } = session;
  const lastActivityAt = wireTime(session.lastActivityAt);
  return {
    id,
    createdAt: wireTime(session.createdAt),
    updatedAt: lastActivityAt,
    _links: { self: selfLink('api-sessions', id) },
    tags: {},
    mechanism: session.mechanism,
    identityId,
    identity: entityRef('identities', identityId, session.identityName),
    authenticatorId: session.authenticatorId,
    clientId: session.clientId,
    amr: session.passed,
    authTime: wireTime(session.authTime),
    ipAddress: session.ipAddress,
    configTypes: session.configTypes,
    lastActivityAt,
    cachedLastActivityAt: lastActivityAt,
    expiresAt: wireTime(session.expiresAt),
  };
}
