// Revocations: one access token, the sessions of an identity, or one API session are refused from now on. Revoking a
// session is recorded as its end, so that its refresh token stops working too and one deny set covers it; only single
// tokens have a deny set of their own. An entry stays until every token that it covers has expired.

import { existing } from '../errors/auth-error.ts';
import type { Tags } from '../model/entities/entity.ts';
import { asId, type RevocationId } from '../model/ids.ts';
import { hasManySessions, type Revocation, type RevocationType } from '../model/revocation.ts';
import { isoTime, type Millis } from '../platform/clock.ts';
import { acceptableTags, refusedField, takenRefused } from './acceptable-values.ts';
import { type AdminCall, actingFor, namesOf, recordChange } from './admin-call.ts';
import type { AdminServices } from './services.ts';

export interface RevocationFields {
  readonly type: RevocationType;
  /** The `jti` of an access token, or the id of the entity that the type names. */
  readonly id: string;
  /** See `hasManySessions`: spares sessions that were opened later; null spares none. */
  readonly issuedBefore: Millis | null;
  readonly tags: Tags;
}

const nouns: Readonly<Record<RevocationType, string>> = {
  JTI: 'access token',
  IDENTITY: 'identity',
  API_SESSION: 'API session',
  EXT_JWT_SIGNER: 'external JWT signer',
  CA: 'CA',
};

/**
 * Revokes. Applies on this node when this resolves, and on others as soon as they read the change feed.
 * @throws AuthError could_not_validate   names the field: no such identity, session, signer or CA, or an unusable time
 */
export async function createRevocation(
  needs: AdminServices,
  by: AdminCall,
  fields: RevocationFields,
): Promise<RevocationId> {
  const { type, issuedBefore } = fields;
  const now = needs.clock.now();
  if (issuedBefore !== null) {
    if (!hasManySessions(type))
      throw refusedField('issuedBefore', `is not for the type ${type}`, isoTime(issuedBefore));
    if (issuedBefore > now)
      throw refusedField('issuedBefore', 'must not be in the future', isoTime(issuedBefore));
  }
  const id = asId<RevocationId>(fields.id);
  const tags = acceptableTags(fields.tags);
  const revocation = { id, type, issuedBefore, tags, expiresAt: now + needs.tokenLifetime };
  const ended = await takenRefused({ id }, actingFor(needs, by).revocations.revoke(revocation, now));
  if (ended === null) throw refusedField('id', `names no ${nouns[type]}`, id);
  recordChange(needs, by, {
    action: 'create',
    of: ['revocation', id],
    fields: namesOf({ ...fields, issuedBefore: issuedBefore ?? undefined }),
  });
  if (type === 'API_SESSION' && ended > 0) {
    const event = {
      event: 'session.ended',
      sessionId: id,
      reason: 'revoked',
      byIdentityId: by.actor.identityId,
    } as const;
    needs.audit.record(event, by.origin);
  }
  return id;
}

/** @throws AuthError not_found */
export async function getRevocation(needs: AdminServices, id: string): Promise<Revocation> {
  return existing(await needs.store.revocations.find(asId(id)));
}

/** A revoked token works again; sessions stay ended. @throws AuthError not_found */
export async function deleteRevocation(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  existing(await actingFor(needs, by).revocations.delete(asId(id), needs.clock.now()));
  recordChange(needs, by, { action: 'delete', of: ['revocation', id] });
}
