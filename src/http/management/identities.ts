import { z } from 'zod';
import { refusedField } from '../../admin/acceptable-values.ts';
import type { EnrollmentFields } from '../../admin/enrollments.ts';
import { type Locks, locksOf, removeTotp, unlockIdentity } from '../../admin/factors.ts';
import {
  createIdentity,
  deleteIdentity,
  disableIdentity,
  enableIdentity,
  endSessionsOfIdentity,
  getIdentity,
  longestMinutes,
  updateIdentity,
} from '../../admin/identities.ts';
import { findInvitation } from '../../admin/invitations.ts';
import { ofIdentity } from '../../admin/list-parameters.ts';
import { noClientInfo } from '../../model/client-info.ts';
import type { New } from '../../model/entities/entity.ts';
import { identityEntity, identityTypes } from '../../model/entities/identity.ts';
import { isoTimeOrNull, MINUTE, type Millis } from '../../platform/clock.ts';
import { apiSessionList } from '../documents/api-session-document.ts';
import { authenticatorList } from '../documents/authenticator-document.ts';
import { bodySchemas } from '../documents/entity-schemas.ts';
import { timeSchema } from '../documents/wire.ts';
import { idText, someTime } from '../request/fields.ts';
import { type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { enrollmentList } from './enrollments.ts';
import { describedResource } from './entity-routes.ts';
import {
  managedIdentityDocument,
  managedIdentityDocuments,
  managedIdentitySchema,
} from './identity-documents.ts';
import { invitationDocument, invitationSchema } from './invitations.ts';
import { operation, type Part, type Resource, resourceRoutes } from './resource.ts';

// Ignoring an unknown member would leave an identity that cannot be enrolled although its creator believes so.
const wantedEnrollment = z
  .strictObject({ ott: z.boolean().nullish(), ottca: idText.nullish(), updb: z.string().nullish() })
  .nullish()
  .transform((wanted) => enrollmentFields(wanted ?? {}));

function enrollmentFields(wanted: {
  ott?: boolean | null | undefined;
  ottca?: string | null | undefined;
  updb?: string | null | undefined;
}): readonly EnrollmentFields[] {
  const { ott, ottca, updb } = wanted;
  const none = { expiresAt: null, caId: null, username: null };
  return [
    ...(ott === true ? [{ ...none, method: 'ott' } as const] : []),
    ...(ottca ? [{ ...none, method: 'ottca', caId: ottca } as const] : []),
    ...(updb ? [{ ...none, method: 'updb', username: updb } as const] : []),
  ];
}

/** A document that was read may be sent back, and there the type is a reference. */
const type = z.preprocess(
  (sent) => (typeof sent === 'object' && sent !== null && 'id' in sent ? sent.id : sent),
  z.enum(identityTypes),
);
export const identityBodies = bodySchemas(identityEntity, {
  own: { type },
  fresh: { enrollment: wantedEnrollment },
});
type NewIdentity = New<typeof identityEntity> & { readonly enrollment: readonly EnrollmentFields[] };
const newIdentity = identityBodies.fresh as unknown as z.ZodType<NewIdentity>;

/**
 * The policy of a document that was read, where none was named for the identity: sent back with another name, it would
 * be named, and role attributes would no longer choose one. The document says twice which applied; a client that
 * chooses another changes `authPolicyId` only.
 */
function policyAsRead({ authPolicyId, authPolicyFrom, authPolicy }: Record<string, unknown>): string[] {
  const wasNamed = authPolicyFrom === undefined || authPolicyFrom === 'identity';
  const isSame = typeof authPolicy === 'object' && authPolicy !== null && 'id' in authPolicy;
  return !wasNamed && isSame && authPolicy.id === authPolicyId ? ['authPolicyId'] : [];
}

/** Members about the data plane, which this service does not have. */
const dataPlaneMembers = [
  'appData',
  'authenticators',
  'defaultHostingCost',
  'defaultHostingPrecedence',
  'edgeRouterConnectionStatus',
  'hasApiSession',
  'hasEdgeRouterConnection',
  'interfaces',
  'serviceHostingCosts',
  'serviceHostingPrecedences',
];

const disabling = z.strictObject({
  durationMinutes: z
    .int()
    .min(0)
    .max(longestMinutes)
    .nullish()
    .describe('0 or absent: until it is enabled again'),
  until: someTime.nullish().describe('A time within the next ten years, instead of the duration'),
});

function disabledUntil(
  { durationMinutes, until }: z.output<typeof disabling>,
  now: Millis,
): { readonly until: Millis | null; readonly field: string } {
  if (until != null && durationMinutes != null)
    throw refusedField('until', 'cannot be given together with durationMinutes');
  if (until != null) return { until, field: 'until' };
  return { until: durationMinutes ? now + durationMinutes * MINUTE : null, field: 'durationMinutes' };
}

const said = z.string().optional();
const envInfoSchema = z
  .strictObject({ arch: said, os: said, osRelease: said, osVersion: said, domain: said, hostname: said })
  .meta({ id: 'EnvInfo', description: 'The machine, as the client described it at login' });
const sdkInfoSchema = z
  .strictObject({ appId: said, appVersion: said, branch: said, revision: said, type: said, version: said })
  .meta({ id: 'SdkInfo', description: 'The program, as the client described it at login' });

const identityDetail = schemaNamed('IdentityDetail', {
  ...managedIdentitySchema.shape,
  envInfo: envInfoSchema,
  sdkInfo: sdkInfoSchema,
  lockedUntil: z.strictObject({ password: timeSchema.nullable(), totp: timeSchema.nullable() }),
  invitation: invitationSchema.nullable().describe('Of the link that works now; the link itself is not kept'),
});

/** `/identities` */
export function identityRoutes(needs: EdgeServices): readonly Route[] {
  const listed = ({ list, ...rest }: Pick<Resource, 'document' | 'listFields' | 'list'>): Part => ({
    ...rest,
    list: async (id, query, reader) => list(ofIdentity((await getIdentity(needs, id)).id, query), reader),
  });
  return resourceRoutes({
    ...describedResource(identityEntity, needs, { document: managedIdentitySchema }),
    detail: identityDetail,
    ignoredMembers: dataPlaneMembers,
    repeated: policyAsRead,
    async list(query) {
      const page = await needs.store.identities.list(query);
      return { ...page, items: await managedIdentityDocuments(needs, page.items) };
    },
    async get(id, reader) {
      const identity = await getIdentity(needs, id);
      const document = await managedIdentityDocument(needs, identity, reader);
      const clientInfo = (await needs.store.identities.findClientInfo(identity.id)) ?? noClientInfo;
      const lockedUntil = locksDocument(await locksOf(needs, identity.id));
      const invitation = await findInvitation(needs, identity.id);
      return {
        ...document,
        ...clientInfo,
        lockedUntil,
        invitation: invitation === null ? null : invitationDocument(invitation),
      };
    },
    create: operation(newIdentity, (by, { enrollment, ...identity }) =>
      createIdentity(needs, by, { fields: identity, enrollments: enrollment }),
    ),
    replace: operation(identityBodies.whole, (by, identity, id) =>
      updateIdentity(needs, by, { id, fields: identity, isWhole: true }),
    ),
    patch: operation(identityBodies.some, (by, some, id) => updateIdentity(needs, by, { id, fields: some })),
    remove: (by, id) => deleteIdentity(needs, by, id),
    // Actions that let people in again.
    permissions: { unlock: 'helpdesk', mfa: 'helpdesk', 'api-sessions': 'helpdesk' },
    actions: {
      disable: operation(disabling, async (by, body, id) =>
        disableIdentity(needs, by, { id, ...disabledUntil(body, needs.clock.now()) }),
      ),
      enable: operation(z.strictObject({}), (by, _body, id) => enableIdentity(needs, by, id)),
      unlock: operation(z.strictObject({}), (by, _body, id) => unlockIdentity(needs, by, id)),
    },
    removals: { mfa: (by, id) => removeTotp(needs, by, id) },
    parts: {
      authenticators: listed(authenticatorList(needs)),
      enrollments: listed(enrollmentList(needs)),
      'api-sessions': {
        ...listed(apiSessionList(needs)),
        async removeAll(by, id) {
          await endSessionsOfIdentity(needs, by, id);
        },
      },
    },
  });
}

function locksDocument({ password, totp }: Locks): object {
  return { password: isoTimeOrNull(password), totp: isoTimeOrNull(totp) };
}
