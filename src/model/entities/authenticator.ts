import type { AuthenticatorId, IdentityId } from '../ids.ts';
import { choice, entity, pem, reference, tags, text } from './entity.ts';

/** What administrators decide about a credential; model/authenticator.ts has all that is stored of each method. */
export const authenticatorEntity = entity<AuthenticatorId>()({
  kind: 'authenticator',
  table: 'authenticators',
  collection: 'authenticators',
  document: 'Authenticator',
  noun: 'an authenticator',
  fields: {
    method: choice(['updb', 'cert']),
    identityId: reference<IdentityId>('identity')(),
    /** Of a password: as the administrator entered it; shown, never compared. */
    username: text({ isOptional: true }),
    password: text({ isSecret: true, isOptional: true }),
    certPem: pem({ isOptional: true, isFixed: true }),
    tags: tags(),
  },
  arguments: { method: 'password or certificate', identityId: 'whose', username: 'of a password' },
  options: { certPem: 'the certificate', username: ['<name>', 'a new user name'] },
});

const { username, password, certPem, tags: ownTags } = authenticatorEntity.fields;
/** Those of a password (`updb`). */
export const passwordFields = { username, password, tags: ownTags };
/** Those of a client certificate (`cert`). */
export const certificateFields = { certPem, tags: ownTags };
