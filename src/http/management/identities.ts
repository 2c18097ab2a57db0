import { z } from 'zod';
import { listApiSessions } from '../../admin/api-sessions.ts';
import { listAuthenticators } from '../../admin/authenticators.ts';
import { type Locks, locksOf, removeTotp, unlockIdentity } from '../../admin/factors.ts';
import {
  createIdentity,
  deleteIdentity,
  disableIdentity,
  enableIdentity,
  endSessionsOfIdentity,
  getIdentity,
  listIdentities,
  updateIdentity,
} from '../../admin/identities.ts';
import { ofIdentity } from '../../admin/list-parameters.ts';
import { identityTypes } from '../../model/identity.ts';
import { defaultAuthPolicyId } from '../../model/ids.ts';
import {
  apiSessionListFields,
  authenticatorListFields,
  identityListFields,
} from '../../model/list-fields.ts';
import { apiSessionDocument, apiSessionSchema } from '../api-session-document.ts';
import { identityDocuments, identitySchema } from '../identity-document.ts';
import type { Route } from '../routes.ts';
import { timeSchema, wireTimeOrNull } from '../wire.ts';
import { authenticatorDocument, authenticatorSchema } from './authenticators.ts';
import { mapPage } from './map-page.ts';
import type { ManagementNeeds } from './needs.ts';
import { operation, resourceRoutes } from './resource.ts';
import { idText, tags } from './schemas.ts';

// Null is what some clients send for a field that they leave at its default.
const fields = z.object({
  name: z.string(),
  type: z.enum(identityTypes),
  isAdmin: z.boolean(),
  externalId: z.string().nullable(),
  authPolicyId: idText.nullable().transform((id) => id ?? defaultAuthPolicyId),
  roleAttributes: z
    .array(z.string())
    .nullable()
    .transform((attributes) => attributes ?? []),
  tags,
});

const { type, isAdmin, externalId, authPolicyId, roleAttributes } = fields.shape;

const replacement = fields.extend({
  externalId: externalId.default(null),
  authPolicyId: authPolicyId.default(defaultAuthPolicyId),
  roleAttributes: roleAttributes.default([]),
  tags: tags.default({}),
});

const newIdentity = replacement.extend({
  type: type.default('Default'),
  isAdmin: isAdmin.default(false),
  // Ignoring it would leave an identity that cannot be enrolled although its creator believes so.
  enrollment: z
    .record(z.string(), z.unknown())
    .nullish()
    .refine((wanted) => Object.keys(wanted ?? {}).length === 0, 'is not supported'),
});

const TEN_YEARS_IN_MINUTES = 10 * 366 * 24 * 60;
/** 0 or absent: until somebody enables it. */
const disabling = z.object({ durationMinutes: z.int().min(0).max(TEN_YEARS_IN_MINUTES).nullish() });

const identityDetail = z
  .strictObject({
    ...identitySchema.shape,
    lockedUntil: z.strictObject({ password: timeSchema.nullable(), totp: timeSchema.nullable() }),
  })
  .meta({ id: 'IdentityDetail' });

/** `/identities` */
export function identityRoutes(needs: ManagementNeeds): readonly Route[] {
  return resourceRoutes({
    collection: 'identities',
    noun: 'an identity',
    document: identitySchema,
    detail: identityDetail,
    listFields: identityListFields,
    async list(query) {
      const { items, totalCount } = await listIdentities(needs, query);
      return { items: await identityDocuments(needs, items), totalCount };
    },
    async get(id) {
      const identity = await getIdentity(needs, id);
      const [document] = await identityDocuments(needs, [identity]);
      return { ...document, lockedUntil: locksDocument(await locksOf(needs, identity.id)) };
    },
    create: operation(newIdentity, (by, { enrollment: _none, ...identity }) =>
      createIdentity(needs, by, identity),
    ),
    replace: operation(replacement, (by, identity, id) => updateIdentity(needs, by, id, identity)),
    patch: operation(fields.partial(), (by, some, id) => updateIdentity(needs, by, id, some)),
    remove: (by, id) => deleteIdentity(needs, by, id),
    actions: {
      disable: operation(disabling, (by, { durationMinutes }, id) =>
        disableIdentity(needs, by, id, durationMinutes ?? 0),
      ),
      enable: operation(z.object({}), (by, _body, id) => enableIdentity(needs, by, id)),
      unlock: operation(z.object({}), (by, _body, id) => unlockIdentity(needs, by, id)),
    },
    removals: { mfa: (by, id) => removeTotp(needs, by, id) },
    parts: {
      authenticators: {
        document: authenticatorSchema,
        listFields: authenticatorListFields,
        async list(id, query) {
          const mine = ofIdentity((await getIdentity(needs, id)).id, query);
          return mapPage(await listAuthenticators(needs, mine), authenticatorDocument(needs.clock));
        },
      },
      'api-sessions': {
        document: apiSessionSchema,
        listFields: apiSessionListFields,
        async list(id, query) {
          const mine = ofIdentity((await getIdentity(needs, id)).id, query);
          return mapPage(await listApiSessions(needs, mine), apiSessionDocument);
        },
        async removeAll(by, id) {
          await endSessionsOfIdentity(needs, by, id);
        },
      },
    },
  });
}

function locksDocument({ password, totp }: Locks): object {
  return { password: wireTimeOrNull(password), totp: wireTimeOrNull(totp) };
}
