// Authenticators: what proves an identity in a primary login.

import { isDeepStrictEqual } from 'node:util';
import { AuthError, existing } from '../errors/auth-error.ts';
import { hashNewPassword } from '../login/password/new-password.ts';
import type { Authenticator } from '../model/authenticator.ts';
import { certificateFields, passwordFields } from '../model/entities/authenticator.ts';
import type { Some, Tags } from '../model/entities/entity.ts';
import type { Identity } from '../model/entities/identity.ts';
import { type AuthenticatorId, asId } from '../model/ids.ts';
import type { ListedAuthenticator } from '../store/contracts/authenticators.ts';
import { AlreadyTaken } from '../store/contracts/store.ts';
import { acceptableTags, acceptableUsername, refusedField, takenRefused } from './acceptable-values.ts';
import {
  type AdminCall,
  actingFor,
  changesOf,
  namesOf,
  recordChange,
  withoutAdministrator,
} from './admin-call.ts';
import { acceptableLeaf } from './client-certificates.ts';
import type { AdminServices } from './services.ts';

export interface PasswordFields {
  readonly username: string;
  readonly password: string;
  readonly tags: Tags;
}

/**
 * Gives an identity a user name and a password.
 * @throws AuthError could_not_validate        no such identity; user name not acceptable or taken
 * @throws AuthError password_not_acceptable   with every reason
 * @throws AuthError conflict                  the identity has a password already
 */
export async function createPassword(
  needs: AdminServices,
  by: AdminCall,
  { identityId, fields }: { readonly identityId: string; readonly fields: PasswordFields },
): Promise<AuthenticatorId> {
  const { password } = fields;
  const identity = await ownerOf(needs, identityId);
  const named = acceptableUsername(fields.username);
  const { username } = named;
  const tags = acceptableTags(fields.tags);
  const passwordHash = await hashFor(needs, identity, { username, password });
  const id = asId<AuthenticatorId>(needs.random.id());
  const authenticator = { id, identityId: identity.id, ...named, passwordHash, tags };
  const step = actingFor(needs, by).authenticators.createPassword(authenticator, needs.clock.now());
  await takenRefused({ username }, step.catch(secondOneRefused));
  const changes = changesOf(passwordFields, null, { ...fields, username });
  const names = ['method', 'identityId', ...namesOf(fields)];
  const of = ['authenticator', id] as const;
  recordChange(needs, by, { action: 'create', of, identityId: identity.id, fields: names, changes });
  return id;
}

export interface CertificateFields {
  readonly certPem: string;
  readonly tags: Tags;
}

/**
 * Gives an identity a client certificate. Each login checks whether its issuer is trusted.
 * @throws AuthError could_not_validate   no such identity; not a client certificate, or an identity has it already
 */
export async function createCertificate(
  needs: AdminServices,
  by: AdminCall,
  { identityId, fields }: { readonly identityId: string; readonly fields: CertificateFields },
): Promise<AuthenticatorId> {
  const identity = await ownerOf(needs, identityId);
  const { certificate, pem } = acceptableLeaf('certPem', fields.certPem);
  const id = asId<AuthenticatorId>(needs.random.id());
  const authenticator = {
    id,
    identityId: identity.id,
    certPem: pem,
    thumbprint: certificate.thumbprint,
    tags: acceptableTags(fields.tags),
  };
  const step = actingFor(needs, by).authenticators.createCertificate(authenticator, needs.clock.now());
  await takenRefused({}, step);
  const changes = changesOf(certificateFields, null, authenticator);
  const names = ['method', 'identityId', ...namesOf(fields)];
  const of = ['authenticator', id] as const;
  recordChange(needs, by, { action: 'create', of, identityId: identity.id, fields: names, changes });
  return id;
}

async function ownerOf({ store }: AdminServices, identityId: string): Promise<Identity> {
  const identity = await store.identities.find(asId(identityId));
  if (identity === null) throw refusedField('identityId', 'names no identity', identityId);
  return identity;
}

/** @throws AuthError not_found */
export async function getAuthenticator(
  needs: { readonly store: Pick<AdminServices['store'], 'authenticators'> },
  id: string,
): Promise<ListedAuthenticator> {
  return existing(await needs.store.authenticators.findListed(id));
}

/**
 * Changes the fields that are given. A new password ends the sessions of the identity, except the caller's own.
 * @throws AuthError not_found
 * @throws AuthError conflict   not a password
 * @throws AuthError could_not_validate, password_not_acceptable   as when creating
 */
export async function updatePassword(
  needs: AdminServices,
  by: AdminCall,
  { id, fields }: { readonly id: string; readonly fields: Some<PasswordFields> },
): Promise<void> {
  const { authenticator, identity } = await findWithIdentity(needs, id);
  if (authenticator.method !== 'updb')
    throw new AuthError('conflict', { description: 'Only passwords can be changed; replace a certificate' });
  const { username, password, tags } = fields;
  const named = username === undefined ? {} : acceptableUsername(username);
  const tagged = tags === undefined ? {} : { tags: acceptableTags(tags) };
  const own = { username: username ?? authenticator.username };
  const hashed =
    password === undefined ? {} : { passwordHash: await hashFor(needs, identity, { ...own, password }) };
  const patch = { ...named, ...tagged, ...hashed };
  const namesAndTags = { ...named, ...tagged };
  const { authenticators } = actingFor(needs, by);
  const when = { now: needs.clock.now(), exceptSession: by.actor.sessionId };
  const step = authenticators.updatePassword(authenticator.id, patch, when);
  existing(await takenRefused({ username }, step));
  recordChange(needs, by, {
    action: 'update',
    of: ['authenticator', id],
    identityId: identity.id,
    fields: namesOf(fields),
    changes: changesOf(passwordFields, authenticator, { ...authenticator, ...namesAndTags, password }),
  });
}

/**
 * Replaces a password by its document, in which the password itself may be missing: it stays then. The document of a
 * certificate is accepted as it was read.
 * @throws AuthError as updatePassword
 */
export async function replaceAuthenticator(
  needs: AdminServices,
  by: AdminCall,
  { id, fields }: { readonly id: string; readonly fields: SentAuthenticator },
): Promise<void> {
  const { certPem, ...password } = fields;
  const { authenticator } = await findWithIdentity(needs, id);
  if (authenticator.method === 'updb') {
    if (certPem !== undefined) throw refusedField('certPem', 'goes with a certificate only');
    if (fields.username === undefined) throw refusedField('username', 'is required');
    await updatePassword(needs, by, { id, fields: password });
    return;
  }
  const isSame =
    certPem === authenticator.certPem && isDeepStrictEqual({ ...fields.tags }, authenticator.tags);
  if (!isSame || fields.username !== undefined || fields.password !== undefined)
    await updatePassword(needs, by, { id, fields: password });
}

/** A document of either kind. */
type SentAuthenticator = Some<Omit<PasswordFields, 'tags'> & Pick<CertificateFields, 'certPem'>> &
  Pick<PasswordFields, 'tags'>;

/**
 * Asks the owner of a certificate to replace it. Their session tells clients that support this.
 * @param rollKey also asks for a new key
 * @throws AuthError not_found   no such authenticator, or a password
 */
export async function requestExtension(
  needs: AdminServices,
  by: AdminCall,
  { id, rollKey }: { readonly id: string; readonly rollKey: boolean },
): Promise<void> {
  const { identityId } = await getAuthenticator(needs, id);
  existing(await actingFor(needs, by).authenticators.requestExtension(asId(id), rollKey, needs.clock.now()));
  const fields = ['isExtendRequested', 'isKeyRollRequested'];
  recordChange(needs, by, { action: 'update', of: ['authenticator', id], identityId, fields });
}

/**
 * Deletes an authenticator and ends the sessions that it opened.
 * @throws AuthError not_found
 * @throws AuthError conflict   the last administrator could no longer log in
 */
export async function deleteAuthenticator(needs: AdminServices, by: AdminCall, id: string): Promise<void> {
  const authenticator = await getAuthenticator(needs, id);
  const { identityId, method } = authenticator;
  const step = actingFor(needs, by).authenticators.delete(asId(id), needs.clock.now());
  existing(await step.catch(withoutAdministrator));
  recordChange(needs, by, {
    action: 'delete',
    of: ['authenticator', id],
    identityId,
    changes: changesOf(method === 'updb' ? passwordFields : certificateFields, authenticator, null),
  });
}

async function findWithIdentity(
  needs: AdminServices,
  id: string,
): Promise<{ authenticator: Authenticator; identity: Identity }> {
  const authenticator = existing(await needs.store.authenticators.find(asId(id)));
  return { authenticator, identity: existing(await needs.store.identities.find(authenticator.identityId)) };
}

async function hashFor(
  needs: AdminServices,
  identity: Identity,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<string> {
  const policy = await needs.store.authPolicies.find(identity.authPolicyId);
  if (policy === null) throw new Error(`identity ${identity.id} has no readable auth policy`);
  return hashNewPassword(needs, password, {
    policy: policy.primary.updb,
    ownNames: [username, identity.name],
    source: identity.id,
  });
}

function secondOneRefused(error: unknown): never {
  if (!(error instanceof AlreadyTaken) || error.field !== 'method') throw error;
  throw new AuthError('conflict', {
    description: 'The identity has a password already; change that authenticator',
    fields: [{ field: 'method', reason: 'the identity already has one', value: 'updb' }],
  });
}
