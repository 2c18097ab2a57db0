// `/identities/bulk`: one change or action for many identities, all or nothing, and its preview.

import { z } from 'zod';
import { refusedField } from '../../admin/acceptable-values.ts';
import {
  type BulkOrder,
  type BulkWork,
  type Made,
  mostAtOnce,
  mostNamed,
  previewMany,
} from '../../admin/bulk.ts';
import { changeMany, type JobOutlook } from '../../admin/bulk-jobs.ts';
import { longestMinutes } from '../../admin/identities.ts';
import { invitationLifetime } from '../../admin/invitations.ts';
import { inLanguage } from '../../explain/in-language.ts';
import { bulkActions } from '../../model/bulk-actions.ts';
import type { LanguageTag } from '../../model/languages.ts';
import { MINUTE } from '../../platform/clock.ts';
import { issuerForLinks } from '../documents/invite-path.ts';
import { inWholeTurn } from '../documents/lists.ts';
import { changeParameters, durationField, idText, someTime } from '../request/fields.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { policyPreviewDocument, policyPreviewSchema } from './auth-policies.ts';
import { identityBodies } from './identities.ts';
import { invitationFields, issuedDocument, issuedFields } from './invitations.ts';

/** For one identity only: no two may have the same. */
const ofOne = ['name', 'externalId'] as const;
const attributes = z.array(z.string()).max(100).optional();
const change = z
  .strictObject({
    ...(identityBodies.some as unknown as z.ZodObject).shape,
    addRoleAttributes: attributes.describe('In addition to those of each identity'),
    removeRoleAttributes: attributes,
  })
  .meta({ id: 'BulkChange', description: 'As when one identity is changed, without name and externalId' });

/** The body of an order for many identities. */
export const order = z.strictObject({
  filter: z
    .string()
    .optional()
    .meta({ description: 'Selects as the filter of the list does', examples: ['name contains "sales"'] }),
  ids: z.array(idText).min(1).max(mostAtOnce).optional().describe('Instead of a filter'),
  matched: z
    .int()
    .min(0)
    .optional()
    .describe('How many identities the caller saw in the selection; refused if there is another number now'),
  change: change.optional(),
  action: z.enum(bulkActions).optional().describe('Instead of a change'),
  durationMinutes: z
    .int()
    .min(1)
    .max(longestMinutes)
    .optional()
    .describe('For disable; without it until it is enabled'),
  until: someTime.optional().describe('For disable, instead of the duration'),
  expiresIn: durationField.optional().meta({ description: 'For invite; without it 24h', examples: ['24h'] }),
  endSessions: z.boolean().optional().describe('For invite: using the link ends every session'),
  send: z.boolean().optional().describe('For invite: mails each link instead of showing it'),
});
export type Order = z.output<typeof order>;

const count = z.int();
export const named = z.strictObject({ id: z.string(), name: z.string() });
export const invitationsSchema = z.array(named.extend(issuedFields)).describe('For invite, each shown once');
const resultSchema = schemaNamed('BulkResult', {
  reference: z.string().describe('The reference id that all audit events of the call have (requestId)'),
  matched: count,
  invitations: invitationsSchema,
});
export const previewSchema = schemaNamed('BulkPreview', {
  matched: count,
  administrators: count.describe('How many of them administer'),
  first: z.array(named),
  refused: z.strictObject({
    count,
    first: z.array(
      z.strictObject({
        id: z.string().nullable().describe('Null for a row of a table, which has no identity yet'),
        name: z.string(),
        reason: z.string(),
      }),
    ),
  }),
  policy: policyPreviewSchema.nullable().describe('The effect of another auth policy on them'),
  objection: z.string().nullable().describe('Why the change as a whole is not possible'),
});

const refusals = ['invalid_filter', 'could_not_validate', 'not_found', 'conflict', 'forbidden'] as const;
/** Ten thousand ids. */
export const largestOrder = 1024 * 1024;

/** Only for administrators: a permission helps one person at a time. */
export function bulkIdentityRoutes(needs: EdgeServices): readonly Route[] {
  return [
    adminRoute('POST', 'identities/bulk/preview', {
      operationId: 'previewBulkIdentities',
      summary: 'Preview a change or action for many identities; nothing is stored',
      answer: dataAnswer(previewSchema, 'The affected identities, and the obstacles'),
      refusals,
      bodyLimit: largestOrder,
      body: order,
      query: changeParameters,
      async data(context, { body, query }) {
        const by = context.adminCall(query.force);
        const { identities, ...outlook } = await inWholeTurn(by.actor.identityId, () =>
          previewMany(needs, by, orderOf(body, { now: needs.clock.now(), issuer: '' })),
        );
        const found = {
          ...outlook,
          matched: identities.length,
          administrators: identities.filter(({ isAdmin }) => isAdmin).length,
          first: identities.slice(0, mostNamed).map(({ id, name }) => ({ id, name })),
        };
        return previewDocument(found, context.language);
      },
    }),
    adminRoute('POST', 'identities/bulk', {
      operationId: 'changeBulkIdentities',
      summary: 'Change many identities, or do something for each of them, all or nothing',
      answer: dataAnswer(resultSchema, 'How many, and the links of invitations'),
      refusals,
      bodyLimit: largestOrder,
      body: order,
      query: changeParameters,
      async data(context, { body, query }) {
        const by = context.adminCall(query.force);
        // Before anything is changed, because there may be no page to link to.
        const issuer = body.action === 'invite' ? issuerForLinks(context, needs.config.listeners) : '';
        const { matched, invitations } = await inWholeTurn(by.actor.identityId, () =>
          changeMany(needs, by, orderOf(body, { now: needs.clock.now(), issuer })),
        );
        return {
          reference: context.requestId,
          matched,
          invitations: invitationDocuments(invitations, issuer),
        };
      },
    }),
  ];
}

export function previewDocument(found: JobOutlook & { readonly matched: number }, language: LanguageTag) {
  const { refused, policy, objection, ...counts } = found;
  const say = (text: string) => inLanguage(text, language);
  return {
    ...counts,
    refused: { ...refused, first: refused.first.map((one) => ({ ...one, reason: say(one.reason) })) },
    policy: policy === null ? null : policyPreviewDocument(policy),
    objection: objection && say(objection),
  };
}

/** @param issuer where their links lead */
export function invitationDocuments(invitations: Made['invitations'], issuer: string) {
  return invitations.map(({ id, name, ...issued }) => ({ id, name, ...issuedDocument(issued, issuer) }));
}

/** Values that an order depends on besides its body. */
interface At {
  readonly now: number;
  /** Where links lead; empty in a preview. */
  readonly issuer: string;
}

/** @throws AuthError could_not_validate   not exactly one selection and one kind of work */
export function orderOf(body: Order, at: At): BulkOrder {
  const { filter, ids, matched } = body;
  if (filter !== undefined && ids !== undefined) throw refusedField('ids', 'cannot be given with a filter');
  const work = workOf(body, at);
  if (ids !== undefined) return { selection: { ids }, work, matched };
  if (filter === undefined) throw refusedField('filter', 'or ids is required');
  return { selection: { filter }, work, matched };
}

function workOf({ change, action, until, durationMinutes, ...more }: Order, { now, issuer }: At): BulkWork {
  if (change !== undefined && action !== undefined)
    throw refusedField('action', 'cannot be given with a change');
  if (change !== undefined) {
    const single = ofOne.find((name) => name in change);
    if (single !== undefined) throw refusedField(`change.${single}`, 'is for one identity at a time');
    if (Object.keys(change).length === 0) throw refusedField('change', 'is empty');
    // Sound because its schema is that of the fields of an identity.
    return { change: change as Extract<BulkWork, { change: unknown }>['change'] };
  }
  if (action === undefined) throw refusedField('change', 'or an action is required');
  const end = until ?? (durationMinutes === undefined ? null : now + durationMinutes * MINUTE);
  const { expiresIn = invitationLifetime, endSessions = false, send = false } = more;
  return { action, until: end, invitation: invitationFields({ expiresIn, endSessions, send }, issuer) };
}
