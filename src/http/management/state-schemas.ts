// The document of declarative state, checked as strictly as single entities: unknown members are refused.

import { z } from 'zod';
import {
  type AuthPolicyState,
  type CaState,
  type OidcClientState,
  type State,
  stateKinds,
} from '../../admin/state/state.ts';
import { authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { caEntity } from '../../model/entities/ca.ts';
import { targetTokens } from '../../model/entities/external-jwt-signer.ts';
import { identityTypes } from '../../model/entities/identity.ts';
import { oidcClientEntity } from '../../model/entities/oidc-client.ts';
import { permissions } from '../../model/permission.ts';
import { bodyShape } from '../documents/entity-schemas.ts';
import { idText } from '../request/fields.ts';

const name = z.string();
const reference = z.string().describe('A name');
const flag = z.boolean().optional();
const texts = z.array(z.string()).optional();
const tags = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional();

const authPolicy = z.strictObject({
  ...bodyShape(authPolicyEntity.fields, 'state'),
  name,
}) as unknown as z.ZodType<AuthPolicyState>;

const extJwtSigner = z.strictObject({
  name,
  enabled: flag,
  issuer: z.string().optional(),
  audience: z.string().optional(),
  certPem: z.string().nullish(),
  jwksEndpoint: z.string().nullish(),
  kid: z.string().nullish(),
  claimsProperty: z.string().optional(),
  useExternalId: flag,
  requireVerifiedEmail: flag,
  leewaySeconds: z.number().optional(),
  maxLifetimeSeconds: z.number().nullish(),
  externalAuthUrl: z.string().nullish(),
  clientId: z.string().nullish(),
  scopes: texts,
  targetToken: z.enum(targetTokens).optional(),
  enrollToCertEnabled: flag,
  enrollToTokenEnabled: flag,
  enrollAuthPolicy: reference.nullish(),
  enrollNameClaimsSelector: z.string().optional(),
  enrollAttributeClaimsSelector: z.string().nullish(),
  tags,
});

const ca = z.strictObject({ ...bodyShape(caEntity.fields, 'some'), name }) as unknown as z.ZodType<CaState>;

const configType = z.strictObject({ name, id: idText.optional(), tags });

const oidcClient = z.strictObject({
  ...bodyShape(oidcClientEntity.fields, 'some'),
  name,
  id: idText.optional(),
}) as unknown as z.ZodType<OidcClientState>;

const identity = z.strictObject({
  name,
  type: z.enum(identityTypes).optional(),
  isAdmin: flag,
  permissions: z.array(z.enum(permissions)).max(permissions.length).optional(),
  externalId: z.string().nullish(),
  authPolicy: reference.optional(),
  passwordMustChange: flag,
  roleAttributes: texts,
  disabled: flag,
  disabledUntil: z.iso.datetime({ offset: true }).nullish(),
  tags,
});

/** It covers the kinds that it contains. */
const fileSchema = z.strictObject({
  'auth-policy': z.array(authPolicy).optional(),
  'ext-jwt-signer': z.array(extJwtSigner).optional(),
  ca: z.array(ca).optional(),
  'config-type': z.array(configType).optional(),
  'oidc-client': z.array(oidcClient).optional(),
  identity: z.array(identity).optional(),
} satisfies Record<(typeof stateKinds)[number], z.ZodType>);

export const stateSchema = fileSchema.meta({ id: 'State' }) satisfies z.ZodType<State>;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
/** Tags and rules count as one member each. */
const member = z.union([scalar, z.array(z.string()), z.record(z.string(), scalar)]);
const entry = { kind: z.enum(stateKinds), name: z.string() };
const entries = z.array(z.strictObject(entry));

/** The changes that a document led to. */
export const stateChangesSchema = z
  .strictObject({
    created: entries,
    changed: z.array(
      z.strictObject({
        ...entry,
        fields: z.array(z.strictObject({ field: z.string(), before: member.optional(), after: member })),
      }),
    ),
    deleted: entries,
    unchanged: entries,
  })
  .meta({ id: 'StateChanges' });

/** For editors: the JSON Schema of a file. */
export function stateJsonSchema(): object {
  return {
    ...z.toJSONSchema(fileSchema, { io: 'input' }),
    title: 'State of an overlay authentication service',
  };
}
