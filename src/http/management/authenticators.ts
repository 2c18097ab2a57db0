import { z } from 'zod';
import {
  createCertificate,
  createPassword,
  deleteAuthenticator,
  getAuthenticator,
  replaceAuthenticator,
  requestExtension,
  updatePassword,
} from '../../admin/authenticators.ts';
import { passkeysOf, removePasskey } from '../../admin/factors.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { authenticatorEntity } from '../../model/entities/authenticator.ts';
import { authenticatorDocument, authenticatorList } from '../documents/authenticator-document.ts';
import { passkeyDocument, passkeySchema } from '../documents/passkey-document.ts';
import { changeParameters, idText, tags as tagsField } from '../request/fields.ts';
import { adminRoute, dataAnswer, type Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { describedResource } from './entity-routes.ts';
import { operation, resourceRoutes } from './resource.ts';

const filledText = z.string().min(1, 'must not be empty');
const { username, password, tags } = z.strictObject({
  username: filledText,
  // The rules of passwords say all that is wrong with one.
  password: z.string().meta({ minLength: 1 }),
  tags: tagsField.default({}),
}).shape;
const newPassword = z.strictObject({
  method: z.literal('updb'),
  identityId: idText,
  username,
  password,
  tags,
});
const newCertificate = z.strictObject({
  method: z.literal('cert'),
  identityId: idText,
  certPem: filledText,
  tags,
});
/** Of either kind, as it was read: a password is not in its document. */
const replacement = z.strictObject({
  username: username.optional(),
  password: password.optional(),
  certPem: filledText.optional(),
  tags,
});
const some = z.strictObject({ username, password, tags: tagsField }).partial();
const newAuthenticator = z.discriminatedUnion(
  'method',
  [newPassword, newCertificate],
  'must be updb or cert',
);

/** `/authenticators` */
export function authenticatorRoutes(needs: EdgeServices): readonly Route[] {
  const { list, ...described } = authenticatorList(needs);
  const resource = resourceRoutes({
    ...describedResource(authenticatorEntity, needs, described),
    list,
    get: async (id) => authenticatorDocument(needs)(await getAuthenticator(needs, id)),
    create: operation(newAuthenticator, (by, { identityId, ...fields }) =>
      fields.method === 'cert'
        ? createCertificate(needs, by, { identityId, fields: { certPem: fields.certPem, tags: fields.tags } })
        : createPassword(needs, by, {
            identityId,
            fields: { username: fields.username, password: fields.password, tags: fields.tags },
          }),
    ),
    replace: operation(replacement, (by, sent, id) => replaceAuthenticator(needs, by, { id, fields: sent })),
    patch: operation(some, (by, fields, id) => updatePassword(needs, by, { id, fields })),
    remove: (by, id) => deleteAuthenticator(needs, by, id),
  });
  const extend = adminRoute('POST', 'authenticators/:id/request-extend', {
    summary: 'Ask the owner of a certificate to replace it',
    body: z.strictObject({ rollKeys: z.boolean().default(false) }),
    does: (context, { body }) =>
      requestExtension(needs, context.adminCall(), { id: context.id, rollKey: body.rollKeys }),
  });
  return [...resource, extend];
}

/** `/identities/{id}/passkeys`: people add theirs themselves. */
export function passkeyRoutes(needs: EdgeServices): readonly Route[] {
  const path = 'identities/:id/passkeys';
  return [
    adminRoute('GET', path, {
      operationId: 'listIdentityPasskeys',
      summary: 'List the passkeys of an identity',
      answer: dataAnswer(z.array(passkeySchema), 'All of them'),
      data: async ({ id }) => (await passkeysOf(needs, id)).map(passkeyDocument),
    }),
    adminRoute('DELETE', `${path}/:passkeyId`, {
      operationId: 'deleteIdentityPasskey',
      permission: 'helpdesk',
      summary: 'Remove a passkey of an identity, and end the sessions that it opened',
      refusals: ['conflict'],
      query: changeParameters,
      async does(context, { query }) {
        const { passkeyId = '' } = context.params;
        if (!/^[\w.-]{1,64}$/.test(passkeyId)) throw new AuthError('not_found');
        await removePasskey(needs, context.adminCall(query.force), { id: context.id, passkeyId });
      },
    }),
  ];
}
