import { z } from 'zod';
import {
  addClientSecret,
  createOidcClient,
  deleteClientSecret,
  deleteOidcClient,
  getOidcClient,
  listClientSecrets,
  type OidcClientNeeds,
  replaceOidcClient,
  updateOidcClient,
} from '../../admin/oidc-clients.ts';
import { parseRedirectUri } from '../../config/redirect-uris.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { oidcClientListFields } from '../../model/list-fields.ts';
import {
  clientAuthMethods,
  clientSigningAlgs,
  type OidcClient,
  type OidcClientSecret,
  oidcClientTypes,
} from '../../model/oidc-client.ts';
import { mainClientId } from '../../oidc/clients.ts';
import { isoTime, isoTimeOrNull, type Millis } from '../../platform/clock.ts';
import { formatDuration } from '../../platform/formats/durations.ts';
import { mapPage } from '../documents/lists.ts';
import { entityHead, entityMembers, timeSchema } from '../documents/wire.ts';
import { adminCallOf } from '../request/admin-call.ts';
import { envelope } from '../request/answer.ts';
import { dataAnswer, doneAnswer } from '../request/declared-answers.ts';
import { durationField, durationText, idOf, idText, tags } from '../request/fields.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Route } from '../request/route.ts';
import { adminRoute } from './admin-route.ts';
import type { ManagementNeeds } from './needs.ts';
import { operation, resourceRoutes } from './resource.ts';

const texts = z.array(z.string());
const mapping = z.record(z.string(), z.string());
const jwks = z.looseObject({ keys: z.array(z.looseObject({})) });
const duration = durationField.nullable();

const required = { name: z.string(), type: z.enum(oidcClientTypes) };
export const clientMembers = {
  redirectUris: texts.optional(),
  postLogoutRedirectUris: texts.optional(),
  tokenEndpointAuthMethod: z.enum(clientAuthMethods).optional(),
  jwks: jwks.nullish(),
  jwksUri: z.string().nullish(),
  requirePkce: z.boolean().optional(),
  idTokenSigningAlg: z.enum(clientSigningAlgs).optional(),
  scopes: texts.optional(),
  apiAccess: z.boolean().optional(),
  resources: texts.optional(),
  allowedRoleAttributes: texts.optional(),
  claims: mapping.optional(),
  accessTokenDuration: duration.optional(),
  refreshTokenDuration: duration.optional(),
  tags: tags.optional(),
};
const whole = z.strictObject({ ...required, ...clientMembers });
const fresh = whole.extend({ id: idText.optional() });
const some = z.strictObject({ ...z.object(required).partial().shape, ...clientMembers });

const clientSchema = z
  .strictObject({
    ...entityMembers,
    ...required,
    redirectUris: texts,
    postLogoutRedirectUris: texts,
    tokenEndpointAuthMethod: z.enum(clientAuthMethods),
    jwks: jwks.nullable(),
    jwksUri: z.string().nullable(),
    requirePkce: z.boolean(),
    idTokenSigningAlg: z.enum(clientSigningAlgs),
    scopes: texts,
    apiAccess: z.boolean(),
    resources: texts,
    allowedRoleAttributes: texts,
    claims: mapping,
    accessTokenDuration: durationText.nullable(),
    refreshTokenDuration: durationText.nullable(),
  })
  .meta({ id: 'OidcClient' });

const secretSchema = z
  .strictObject({ id: z.string(), createdAt: timeSchema, lastUsedAt: timeSchema.nullable() })
  .meta({ id: 'OidcClientSecret' });
const newSecretSchema = z
  .strictObject({ id: z.string(), secret: z.string().meta({ description: 'Shown this once' }) })
  .meta({ id: 'NewOidcClientSecret' });

/** What the rules for clients take from the configuration. */
export function clientNeeds({
  config,
}: ManagementNeeds): Pick<OidcClientNeeds, 'limits' | 'durations' | 'builtInClients' | 'readRedirectUri'> {
  const { oidc, externalJwtSigners } = config.edge;
  return {
    limits: externalJwtSigners.jwksFetch,
    durations: oidc,
    builtInClients: new Set([mainClientId, ...oidc.compatibility.clientIds]),
    readRedirectUri: parseRedirectUri,
  };
}

/** `/oidc-clients`, and the secrets of each. */
export function oidcClientRoutes(managementNeeds: ManagementNeeds): readonly Route[] {
  const needs = { ...managementNeeds, ...clientNeeds(managementNeeds) };
  const secrets = 'oidc-clients/:id/secrets';
  return [
    ...resourceRoutes({
      collection: 'oidc-clients',
      versioned: { entity: 'oidc-clients', versions: needs.store.versions },
      noun: 'an OIDC client',
      document: clientSchema,
      listFields: oidcClientListFields,
      list: async (query) => mapPage(await needs.store.oidcClients.list(query), clientDocument),
      get: async (id) => clientDocument(await getOidcClient(needs, id)),
      create: operation(fresh, (by, { id, ...client }) =>
        createOidcClient(needs, by, { wantedId: id, fields: client }),
      ),
      replace: operation(whole, (by, client, id) => replaceOidcClient(needs, by, { id, fields: client })),
      patch: operation(some, (by, fields, id) => updateOidcClient(needs, by, { id, fields })),
      remove: (by, id) => deleteOidcClient(needs, by, id),
    }),
    adminRoute('GET', secrets, {
      operationId: 'listOidcClientSecrets',
      summary: 'List the secrets of an OIDC client, without the secrets themselves',
      answer: dataAnswer(z.array(secretSchema), 'At most two'),
      handler: async (context) =>
        envelope((await listClientSecrets(needs, idOf(context))).map(secretDocument)),
    }),
    adminRoute('POST', secrets, {
      operationId: 'addOidcClientSecret',
      summary: 'Make a secret of an OIDC client, which is shown once',
      status: 201,
      answer: dataAnswer(newSecretSchema, 'The secret'),
      refusals: ['conflict'],
      handler: async (context) =>
        envelope(await addClientSecret(needs, adminCallOf(context), idOf(context)), {}, { status: 201 }),
    }),
    adminRoute('DELETE', `${secrets}/:secretId`, {
      operationId: 'deleteOidcClientSecret',
      summary: 'Delete a secret of an OIDC client',
      answer: doneAnswer,
      async handler(context) {
        await deleteClientSecret(needs, adminCallOf(context), {
          clientId: idOf(context),
          secretId: secretIdOf(context),
        });
        return envelope({});
      },
    }),
  ];
}

/** @throws AuthError not_found   for text that cannot be an id */
function secretIdOf({ params }: RequestContext): string {
  const id = params.secretId ?? '';
  if (!/^[\w-]{1,64}$/.test(id)) throw new AuthError('not_found');
  return id;
}

function clientDocument({ createdAt, updatedAt, tags: ownTags, ...client }: OidcClient): object {
  const { id, jwks: keys, accessTokenDuration, refreshTokenDuration, ...rest } = client;
  return {
    ...entityHead('oidc-clients', { id, createdAt, updatedAt, tags: ownTags }),
    ...rest,
    jwks: keys === null ? null : JSON.parse(keys),
    accessTokenDuration: durationOf(accessTokenDuration),
    refreshTokenDuration: durationOf(refreshTokenDuration),
  };
}

export function durationOf(millis: Millis | null): string | null {
  return millis === null ? null : formatDuration(millis);
}

function secretDocument({ id, createdAt, lastUsedAt }: OidcClientSecret): object {
  return { id, createdAt: isoTime(createdAt), lastUsedAt: isoTimeOrNull(lastUsedAt) };
}
