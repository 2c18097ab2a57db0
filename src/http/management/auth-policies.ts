import { z } from 'zod';
import { authPolicies } from '../../admin/auth-policies.ts';
import { type PolicyPreview, previewAuthPolicy, type SentPolicyOfId } from '../../admin/login-explanation.ts';
import { inLanguage } from '../../explain/in-language.ts';
import { authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { bodyShape, documentSchema, ignoring, membersOf } from '../documents/entity-schemas.ts';
import { inWholeTurn } from '../documents/lists.ts';
import { changeParameters, idText } from '../request/fields.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { entityRoutes } from './entity-routes.ts';

export const policyPreviewSchema = schemaNamed('AuthPolicyImpact', {
  touched: z.strictObject({ count: z.int() }),
  joins: z.strictObject({ count: z.int() }),
  leaves: z.strictObject({ count: z.int() }),
  asksMore: z.strictObject({ count: z.int() }),
  lockedOut: z.strictObject({
    count: z.int(),
    first: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  }),
});

const savingPreviewSchema = schemaNamed('AuthPolicyPreview', {
  ...policyPreviewSchema.shape,
  objection: z.string().nullable().describe('Why saving it would be refused; null: it would not'),
});

export function policyPreviewDocument({ lockedOut, ...counts }: PolicyPreview): object {
  const counted = Object.entries(counts).map(([name, count]) => [name, { count }] as const);
  return { ...Object.fromEntries(counted), lockedOut };
}

/** A policy as it would be saved, to ask about its effects; `id` if it exists already. */
export const askedPolicySchema = ignoring(
  membersOf(documentSchema(authPolicyEntity)),
  z.strictObject({ ...bodyShape(authPolicyEntity.fields, 'whole'), id: idText.optional() }),
);

/** `/auth-policies` */
export function authPolicyRoutes(needs: EdgeServices): readonly Route[] {
  return [
    ...entityRoutes(authPolicies, needs),
    adminRoute('POST', 'auth-policies/preview', {
      operationId: 'previewAuthPolicy',
      summary: 'Preview the effect of saving an auth policy on its identities',
      permission: 'read',
      answer: dataAnswer(
        savingPreviewSchema,
        'How many identities have the policy or would get it, how many would get it (`joins`) or lose it (`leaves`), because `assignTo` or the order by name changes, how many would have to prove more than now, and how many could no longer log in; of those, the first are named. Nothing is changed.',
      ),
      body: askedPolicySchema,
      query: changeParameters,
      refusals: ['not_found', 'invalid_field'],
      async data(context, { body, query }) {
        const by = context.adminCall(query.force);
        // Sound because the applied schema is the one without the ignored members.
        const policy = body as SentPolicyOfId;
        const { objection, ...impact } = await inWholeTurn(by.actor.identityId, () =>
          previewAuthPolicy(needs, by, policy),
        );
        return {
          ...policyPreviewDocument(impact),
          objection: objection && inLanguage(objection, context.language),
        };
      },
    }),
  ];
}
