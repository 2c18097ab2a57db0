import { z } from 'zod';
import { authPolicies } from '../../admin/auth-policies.ts';
import { type PolicyPreview, previewAuthPolicy, type SentPolicyOfId } from '../../admin/login-explanation.ts';
import { authPolicyEntity } from '../../model/entities/auth-policy.ts';
import { bodyShape, documentSchema, ignoring, membersOf } from '../documents/entity-schemas.ts';
import { inWholeTurn } from '../documents/lists.ts';
import { idText } from '../request/fields.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { entityRoutes } from './entity-routes.ts';

export const policyPreviewSchema = schemaNamed('AuthPolicyPreview', {
  touched: z.strictObject({ count: z.int() }),
  joins: z.strictObject({ count: z.int() }),
  leaves: z.strictObject({ count: z.int() }),
  asksMore: z.strictObject({ count: z.int() }),
  lockedOut: z.strictObject({
    count: z.int(),
    first: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  }),
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
        policyPreviewSchema,
        'How many identities have the policy or would get it, how many would get it (`joins`) or lose it (`leaves`), because `assignTo` or the order by name changes, how many would have to prove more than now, and how many could no longer log in; of those, the first are named. Nothing is changed.',
      ),
      body: askedPolicySchema,
      refusals: ['not_found', 'invalid_field'],
      async data({ principal }, { body }) {
        // Sound because the applied schema is the one without the ignored members.
        const policy = body as SentPolicyOfId;
        const preview = await inWholeTurn(principal.identityId, () =>
          previewAuthPolicy(needs, policy, principal),
        );
        return policyPreviewDocument(preview);
      },
    }),
  ];
}
