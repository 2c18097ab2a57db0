import { z } from 'zod';
import {
  createPassword,
  deleteAuthenticator,
  getAuthenticator,
  listAuthenticators,
  type NamedAuthenticator,
  updatePassword,
} from '../../admin/authenticators.ts';
import { authenticatorListFields } from '../../model/list-fields.ts';
import type { Route } from '../routes.ts';
import { entityRef, selfLink, wireTime } from '../wire.ts';
import { mapPage } from './map-page.ts';
import type { ManagementNeeds } from './needs.ts';
import { operation, resourceRoutes } from './resource.ts';
import { idText, tags } from './schemas.ts';

const fields = z.object({ username: z.string(), password: z.string(), tags });
const replacement = fields.extend({ tags: tags.default({}) });
const newPassword = replacement.extend({
  method: z.literal('updb', 'must be updb: certificates are added by enrolment'),
  identityId: idText,
});

/** `/authenticators` */
export function authenticatorRoutes(needs: ManagementNeeds): readonly Route[] {
  return resourceRoutes({
    collection: 'authenticators',
    listFields: authenticatorListFields,
    list: async (query) => mapPage(await listAuthenticators(needs, query), authenticatorDocument),
    get: async (id) => authenticatorDocument(await getAuthenticator(needs, id)),
    create: operation(newPassword, (by, { method: _updb, identityId, ...password }) =>
      createPassword(needs, by, identityId, password),
    ),
    replace: operation(replacement, (by, password, id) => updatePassword(needs, by, id, password)),
    patch: operation(fields.partial(), (by, some, id) => updatePassword(needs, by, id, some)),
    remove: (by, id) => deleteAuthenticator(needs, by, id),
  });
}

/** An authenticator without anything that would let somebody log in. */
export function authenticatorDocument(authenticator: NamedAuthenticator): object {
  const { id, identityId, method } = authenticator;
  return {
    id,
    createdAt: wireTime(authenticator.createdAt),
    updatedAt: wireTime(authenticator.updatedAt),
    _links: { self: selfLink('authenticators', id) },
    tags: authenticator.tags,
    method,
    identityId,
    identity: entityRef('identities', identityId, authenticator.identityName),
    ...(authenticator.method === 'updb'
      ? { username: authenticator.username }
      : { certPem: authenticator.certPem, fingerprint: authenticator.thumbprint }),
  };
}
