import { z } from 'zod';
import {
  createCertificate,
  createPassword,
  deleteAuthenticator,
  getAuthenticator,
  listAuthenticators,
  requestExtension,
  updatePassword,
} from '../../admin/authenticators.ts';
import { authenticatorListFields } from '../../model/list-fields.ts';
import type { Clock, Millis } from '../../platform/clock.ts';
import type { ListedAuthenticator } from '../../store/contracts/authenticators.ts';
import {
  entityMembers,
  entityRef,
  entityRefSchema,
  selfLink,
  timeSchema,
  wireTime,
  wireTimeOrNull,
} from '../documents/wire.ts';
import { adminCallOf } from '../request/admin-call.ts';
import { envelope } from '../request/answer.ts';
import { doneAnswer } from '../request/declared-answers.ts';
import type { Route } from '../request/route.ts';
import { adminRoute, idOf } from './admin-route.ts';
import { mapPage } from './map-page.ts';
import type { ManagementNeeds } from './needs.ts';
import { operation, resourceRoutes } from './resource.ts';
import { idText, tags } from './schemas.ts';

const fields = z.object({ username: z.string(), password: z.string(), tags });
const replacement = fields.extend({ tags: tags.default({}) });
const newPassword = replacement.extend({ method: z.literal('updb'), identityId: idText });
const newCertificate = z.object({
  method: z.literal('cert'),
  identityId: idText,
  certPem: z.string(),
  tags: tags.default({}),
});
const newAuthenticator = z.discriminatedUnion(
  'method',
  [newPassword, newCertificate],
  'must be updb or cert',
);

const authenticatorMembers = { ...entityMembers, identityId: z.string(), identity: entityRefSchema };
export const authenticatorSchema = z
  .discriminatedUnion('method', [
    z.strictObject({
      ...authenticatorMembers,
      method: z.literal('updb'),
      username: z.string(),
      lockedUntil: timeSchema.nullable(),
    }),
    z.strictObject({
      ...authenticatorMembers,
      method: z.literal('cert'),
      certPem: z.string(),
      fingerprint: z.string(),
      isExtendRequested: z.boolean(),
      isKeyRollRequested: z.boolean(),
    }),
  ])
  .meta({ id: 'Authenticator' });

/** `/authenticators` */
export function authenticatorRoutes(needs: ManagementNeeds): readonly Route[] {
  const resource = resourceRoutes({
    collection: 'authenticators',
    noun: 'an authenticator',
    document: authenticatorSchema,
    listFields: authenticatorListFields,
    list: async (query) =>
      mapPage(await listAuthenticators(needs, query), authenticatorDocument(needs.clock)),
    get: async (id) => authenticatorDocument(needs.clock)(await getAuthenticator(needs, id)),
    create: operation(newAuthenticator, (by, { identityId, ...fields }) =>
      fields.method === 'cert'
        ? createCertificate(needs, by, identityId, { certPem: fields.certPem, tags: fields.tags })
        : createPassword(needs, by, identityId, {
            username: fields.username,
            password: fields.password,
            tags: fields.tags,
          }),
    ),
    replace: operation(replacement, (by, password, id) => updatePassword(needs, by, id, password)),
    patch: operation(fields.partial(), (by, some, id) => updatePassword(needs, by, id, some)),
    remove: (by, id) => deleteAuthenticator(needs, by, id),
  });
  const extend = adminRoute('POST', 'authenticators/:id/request-extend', {
    summary: 'Ask the owner of a certificate to replace it',
    answer: doneAnswer,
    body: z.object({ rollKeys: z.boolean().default(false) }),
    async handler(context, { body }) {
      await requestExtension(needs, adminCallOf(context), idOf(context), body.rollKeys);
      return envelope({});
    },
  });
  return [...resource, extend];
}

/** An authenticator without anything that would let somebody log in. */
export function authenticatorDocument(clock: Clock): (authenticator: ListedAuthenticator) => object {
  const now = clock.now();
  return (authenticator) => document(authenticator, now);
}

function document(authenticator: ListedAuthenticator, now: Millis): object {
  const { id, identityId, method, lockedUntil } = authenticator;
  const isLocked = lockedUntil !== null && lockedUntil > now;
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
      ? { username: authenticator.username, lockedUntil: wireTimeOrNull(isLocked ? lockedUntil : null) }
      : {
          certPem: authenticator.certPem,
          fingerprint: authenticator.thumbprint,
          isExtendRequested: authenticator.isExtendRequested,
          isKeyRollRequested: authenticator.isKeyRollRequested,
        }),
  };
}
