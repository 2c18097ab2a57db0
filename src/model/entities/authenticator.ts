import type { AuthenticatorId, IdentityId } from '../ids.ts';
import * as field from './entity.ts';
import { entity } from './entity.ts';

/** The fields of a credential that administrators set; model/authenticator.ts has all stored fields of each method. */
export const authenticatorEntity = entity<AuthenticatorId>()({
  kind: 'authenticator',
  table: 'authenticators',
  collection: 'authenticators',
  document: 'Authenticator',
  noun: 'an authenticator',
  fields: {
    method: field.choice(['updb', 'cert']),
    identityId: field.reference<IdentityId>('identity')({ isDeletedWithIt: true }),
    /** Of a password: as the administrator entered it; shown, never compared. */
    username: field.text({ isOptional: true }),
    password: field.text({ isSecret: true, isOptional: true }),
    certPem: field.pem({ isOptional: true, isFixed: true }),
    tags: field.tags(),
  },
  arguments: { method: 'password or certificate', identityId: 'whose', username: 'of a password' },
  options: { certPem: 'the certificate', username: ['<name>', 'a new user name'] },
});

const { username, password, certPem, tags: ownTags } = authenticatorEntity.fields;
/** Fields of a password (`updb`). */
export const passwordFields = { username, password, tags: ownTags };
/** Fields of a client certificate (`cert`). */
export const certificateFields = { certPem, tags: ownTags };
