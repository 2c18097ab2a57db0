// Enrollments: permission to make an identity able to authenticate, handed out as a JWT with a one-time token.
// enrollment/ handles the use of the token.

import { AuthError, existing } from '../errors/auth-error.ts';
import type { TokenMethod } from '../model/enrollment.ts';
import type { Enrollment } from '../model/entities/enrollment.ts';
import { asId, type CaId, type EnrollmentId, type IdentityId } from '../model/ids.ts';
import { recentMap } from '../platform/caches.ts';
import { DAY, isoTime, type Millis } from '../platform/clock.ts';
import type { ListedEnrollment, NewEnrollment } from '../store/contracts/enrollments.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { mintOpaqueToken } from '../tokens/opaque-token.ts';
import { acceptableUsername, refusedField, takenRefused } from './acceptable-values.ts';
import { type AdminCall, actingFor, namesOf, recordChange } from './admin-call.ts';
import type { AdminServices } from './services.ts';

/** How an identity is to enroll. */
export interface EnrollmentFields {
  readonly method: TokenMethod;
  /** Null: the configured lifetime. */
  readonly expiresAt: Millis | null;
  /** Required for `ottca`, refused otherwise. */
  readonly caId: string | null;
  /** Required for `updb`, refused otherwise. */
  readonly username: string | null;
}

const longestLifetime: Millis = 366 * DAY;

/**
 * Creates an enrollment for an identity.
 * @throws AuthError could_not_validate   names the field: no such identity or CA, not acceptable, or taken
 * @throws AuthError conflict             the identity already has such an enrollment, or has enrolled that way
 */
export async function createEnrollment(
  needs: AdminServices,
  by: AdminCall,
  { identityId, fields }: { readonly identityId: string; readonly fields: EnrollmentFields },
): Promise<EnrollmentId> {
  const identity = await needs.store.identities.find(asId(identityId));
  if (identity === null) throw refusedField('identityId', 'names no identity', identityId);
  await refuseEnrolled(needs, identity.id, fields.method);
  const enrollment = await newEnrollment(needs, identity.id, fields);
  const step = actingFor(needs, by).enrollments.create(enrollment, needs.clock.now());
  await takenRefused({ username: fields.username }, step.catch(secondRefused(enrollment.method)));
  recordChange(needs, by, {
    action: 'create',
    of: ['enrollment', enrollment.id],
    identityId: identity.id,
    fields: ['identityId', ...namesOf(fields)],
  });
  return enrollment.id;
}

/** An enrollment that can be stored. @throws AuthError could_not_validate */
export async function newEnrollment(
  needs: AdminServices,
  identityId: IdentityId,
  fields: EnrollmentFields,
): Promise<NewEnrollment> {
  const { method } = fields;
  if (method === 'ott' && !needs.certificateIssuer.isAvailable)
    throw refusedField('method', 'needs edge.enrollment.signingCert in the configuration', method);
  const id = asId<EnrollmentId>(needs.random.id());
  const caId = await acceptableCa(needs, fields);
  const username = usernameToGive(fields);
  const expiresAt = acceptableEnd(needs, fields.expiresAt);
  return { id, identityId, method, caId, username, expiresAt, ...newToken(needs, id) };
}

/** @throws AuthError not_found */
export async function getEnrollment(needs: AdminServices, id: string): Promise<ListedEnrollment> {
  return existing(await needs.store.enrollments.findListed(id));
}

/** Tokens that were shown, with the session and address to which. A console reads its list again and again. */
const shown = recentMap<string, true>(10_000);

/**
 * The token of an enrollment and the JWT around it, as currently valid. Showing them is audited, once for each session
 * and address.
 * @returns the JWT for the device or person
 */
export function issuedEnrollment(
  { vault, enrollmentSigner, audit }: AdminServices,
  { actor, origin }: Pick<AdminCall, 'actor' | 'origin'>,
  { id, identityId, method, sealedToken, expiresAt }: Enrollment,
) {
  const { identityId: byIdentityId, sessionId } = actor;
  const shownTo = `${sessionId} ${origin.ipAddress} ${id} ${sealedToken}`;
  if (shown.get(shownTo) === undefined)
    audit.record({ event: 'enrollment.shown', enrollmentId: id, identityId, byIdentityId }, origin);
  shown.set(shownTo, true);
  const token = vault.open(sealedToken, enrollmentSealLabel(id)).toString();
  return { token, jwt: enrollmentSigner.signEnrollment({ identityId, method, token, expiresAt }) };
}

/**
 * Gives an enrollment a new token and a new end, even if it has expired. The previous token no longer works.
 * @throws AuthError not_found, could_not_validate
 */
export async function refreshEnrollment(
  needs: AdminServices,
  by: AdminCall,
  { id, expiresAt }: { readonly id: string; readonly expiresAt: Millis | null },
): Promise<void> {
  const enrollmentId = asId<EnrollmentId>(id);
  const renewal = { expiresAt: acceptableEnd(needs, expiresAt), ...newToken(needs, enrollmentId) };
  const identityId = await enrollingIdentity(needs, enrollmentId);
  existing(await actingFor(needs, by).enrollments.renew(enrollmentId, renewal, needs.clock.now()));
  recordChange(needs, by, {
    action: 'update',
    of: ['enrollment', id],
    identityId,
    fields: ['token', 'expiresAt'],
  });
}

/** From then on its token no longer works. @throws AuthError not_found */
export async function deleteEnrollment(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  const identityId = await enrollingIdentity(needs, asId(id));
  existing(await actingFor(needs, by).enrollments.delete(asId(id)));
  recordChange(needs, by, { action: 'delete', of: ['enrollment', id], identityId });
}

/** The identity that enrolls with it. @throws AuthError not_found */
async function enrollingIdentity(needs: AdminServices, id: EnrollmentId): Promise<IdentityId> {
  const enrollment = existing(await needs.store.enrollments.find(id));
  return enrollment.identityId;
}

/** For what a store method throws: tells the client that an identity has only one enrollment of each method. */
export const secondRefused = (method: string) => (error: unknown) => {
  if (!(error instanceof AlreadyTaken) || error.field !== 'method') throw error;
  const reason = 'the identity already has an enrollment of this method';
  throw new AuthError('conflict', {
    description: 'The identity has an enrollment of this method already; refresh or delete that one',
    fields: [{ field: 'method', reason, value: method }],
  });
};

function newToken(needs: AdminServices, id: EnrollmentId): Pick<NewEnrollment, 'tokenHash' | 'sealedToken'> {
  const { text, hash } = mintOpaqueToken(needs, 'enrollment', { id, generation: 1 });
  return { tokenHash: hash, sealedToken: needs.vault.seal(Buffer.from(text), enrollmentSealLabel(id)) };
}

/** Label under which a token is sealed. */
export function enrollmentSealLabel(id: EnrollmentId): string {
  return `enrollment:${id}`;
}

async function refuseEnrolled({ store }: AdminServices, id: IdentityId, method: TokenMethod): Promise<void> {
  if (method !== 'updb') return;
  const theirs = await store.authenticators.listOf([id]);
  if (theirs.every((authenticator) => authenticator.method !== 'updb')) return;
  throw new AuthError('conflict', {
    description: 'The identity has a password already; delete that authenticator first to enroll it again',
    fields: [{ field: 'method', reason: 'the identity is already enrolled by this method', value: method }],
  });
}

async function acceptableCa(
  { store }: AdminServices,
  { method, caId }: EnrollmentFields,
): Promise<CaId | null> {
  if (method !== 'ottca') {
    if (caId !== null) throw refusedField('caId', 'goes with the method ottca only', caId);
    return null;
  }
  if (caId === null) throw refusedField('caId', 'is required for the method ottca');
  const ca = await store.cas.find(asId(caId));
  if (ca === null) throw refusedField('caId', 'names no CA', caId);
  if (!ca.isOttCaEnrollmentEnabled)
    throw refusedField('caId', 'names a CA that does not allow this (isOttCaEnrollmentEnabled)', caId);
  return ca.id;
}

function usernameToGive({ method, username }: EnrollmentFields): string | null {
  if (method !== 'updb') {
    if (username !== null) throw refusedField('username', 'goes with the method updb only', username);
    return null;
  }
  if (username === null) throw refusedField('username', 'is required for the method updb');
  return acceptableUsername(username).username;
}

function acceptableEnd({ clock, enrollmentLifetime }: AdminServices, expiresAt: Millis | null): Millis {
  const now = clock.now();
  if (expiresAt === null) return now + enrollmentLifetime;
  if (expiresAt <= now) throw refusedField('expiresAt', 'must be in the future', isoTime(expiresAt));
  if (expiresAt > now + longestLifetime)
    throw refusedField('expiresAt', 'must be within a year', isoTime(expiresAt));
  return expiresAt;
}
