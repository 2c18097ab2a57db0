import { z } from 'zod';
import {
  addClientSecret,
  deleteClientSecret,
  listClientSecrets,
  listLogoutDeliveries,
  oidcClients,
} from '../../admin/oidc-clients.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { inLanguage } from '../../explain/in-language.ts';
import { type Delivery, deliveryStates } from '../../model/delivery.ts';
import { documentsBy, timeSchema } from '../documents/wire.ts';
import type { RequestContext } from '../request/request-context.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { entityRoutes } from './entity-routes.ts';

const secretSchema = schemaNamed('OidcClientSecret', {
  id: z.string(),
  createdAt: timeSchema,
  lastUsedAt: timeSchema.nullable(),
});
const newSecretSchema = schemaNamed('AddedOidcClientSecret', {
  id: z.string(),
  secret: z.string().describe('Shown this once'),
});

/** Fields of every delivery. */
export const deliveryFields = {
  id: z.string(),
  state: z.enum(deliveryStates).describe('`failed`: given up'),
  attempts: z.int(),
  createdAt: timeSchema,
  lastAttemptAt: timeSchema.nullable(),
  result: z.string().nullable().describe('How the last attempt went'),
};
const deliverySchema = schemaNamed('LogoutDelivery', {
  ...deliveryFields,
  sessionId: z.string().describe('The session that ended'),
  identityId: z.string(),
});
const deliveryDocument = documentsBy(deliverySchema);
export const deliveryQuery = z.object({
  state: z.enum(deliveryStates, `must be ${deliveryStates.join(', ')}`).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

/** `/oidc-clients`, the secrets of each, and the logout tokens that were or are to be delivered to it. */
export function oidcClientRoutes(needs: EdgeServices): readonly Route[] {
  const secrets = 'oidc-clients/:id/secrets';
  return [
    ...entityRoutes(oidcClients, needs),
    adminRoute('GET', secrets, {
      operationId: 'listOidcClientSecrets',
      summary: 'List the secrets of an OIDC client, without the secrets themselves',
      answer: dataAnswer(z.array(secretSchema), 'At most two'),
      data: async ({ id }) => (await listClientSecrets(needs, id)).map(documentsBy(secretSchema)),
    }),
    adminRoute('POST', secrets, {
      operationId: 'addOidcClientSecret',
      summary: 'Make a secret of an OIDC client, which is shown once',
      status: 201,
      answer: dataAnswer(newSecretSchema, 'The secret'),
      refusals: ['conflict'],
      data: (context) => addClientSecret(needs, context.adminCall(), context.id),
    }),
    adminRoute('DELETE', `${secrets}/:secretId`, {
      operationId: 'deleteOidcClientSecret',
      summary: 'Delete a secret of an OIDC client',
      does: (context) =>
        deleteClientSecret(needs, context.adminCall(), {
          clientId: context.id,
          secretId: secretIdOf(context),
        }),
    }),
    adminRoute('GET', 'oidc-clients/:id/deliveries', {
      operationId: 'listOidcClientDeliveries',
      summary: 'List the logout tokens of an OIDC client that wait, were delivered or were given up',
      query: deliveryQuery,
      answer: dataAnswer(z.array(deliverySchema), 'The newest first'),
      data: async (context, { query }) =>
        (await listLogoutDeliveries(needs, context.id, query))
          .map(inReadersLanguage(context))
          .map(({ payload, ...delivery }) => deliveryDocument({ ...payload, ...delivery })),
    }),
  ];
}

/** @throws AuthError not_found   for text that cannot be an id */
function secretIdOf({ params }: RequestContext): string {
  const id = params.secretId ?? '';
  if (!/^[\w-]{1,64}$/.test(id)) throw new AuthError('not_found');
  return id;
}

/** How the last attempt went, for the reader. */
export function inReadersLanguage({ language }: RequestContext) {
  return <Of extends Pick<Delivery, 'result'>>(delivery: Of): Of => ({
    ...delivery,
    result: delivery.result && inLanguage(delivery.result, language),
  });
}
