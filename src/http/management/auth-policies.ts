import { z } from 'zod';
import {
  createAuthPolicy,
  deleteAuthPolicy,
  getAuthPolicy,
  replaceAuthPolicy,
  updateAuthPolicy,
} from '../../admin/auth-policies.ts';
import { previewAuthPolicy, type SentPolicyOfId } from '../../admin/login-explanation.ts';
import type { AuthPolicy } from '../../model/auth-policy.ts';
import { asId, type SignerId } from '../../model/ids.ts';
import { authPolicyListFields } from '../../model/list-fields.ts';
import { DAY, type Millis } from '../../platform/clock.ts';
import { mapPage } from '../documents/lists.ts';
import { inWholeTurn } from '../documents/whole-reads.ts';
import { entityHead, entityMembers } from '../documents/wire.ts';
import { envelope } from '../request/answer.ts';
import { dataAnswer } from '../request/declared-answers.ts';
import { durationField, durationText, idText, tags } from '../request/fields.ts';
import type { Route } from '../request/route.ts';
import { adminRoute } from './admin-route.ts';
import { ignoring, membersOf } from './known-members.ts';
import type { ManagementNeeds } from './needs.ts';
import { durationOf } from './oidc-clients.ts';
import { operation, resourceRoutes } from './resource.ts';

const oneYearInMinutes = 366 * 24 * 60;
/** The bounds of a password policy, for single policies and for documents of declarative state. */
export const passwordBounds = {
  // Values below eight are accepted because other clients send them, but no password may be that short.
  minPasswordLength: z.int().min(5).max(256),
  maxAttempts: z.int().min(0, 'must be at least 0, which means never locked').max(1000),
  lockoutDurationMinutes: z
    .int()
    .min(0, 'must be at least 0, which means until an administrator unlocks')
    .max(oneYearInMinutes),
};
const signerId = idText.transform((id) => asId<SignerId>(id));
/** The greatest age of a password. Less than a day would require a new one at most logins. */
export const mustChangeAfter = durationField
  .refine((millis) => millis >= DAY && millis <= 100 * 366 * DAY, 'must be between 24h and a hundred years')
  .meta({
    description: 'A login with a password that is so old asks for a new one; null: never',
    examples: ['2160h'],
  });
// Some clients send an empty text for none.
const requiredSigner = z.union([z.literal('').transform(() => null), signerId]).nullable();

const fields = z.strictObject({
  name: z.string(),
  primary: z
    .strictObject({
      cert: z.strictObject({ allowed: z.boolean(), allowExpiredCerts: z.boolean() }).partial(),
      extJwt: z
        .strictObject({
          allowed: z.boolean(),
          allowedSigners: z
            .array(signerId)
            .max(100)
            .nullable()
            .transform((signers) => [...new Set(signers ?? [])]),
        })
        .partial(),
      updb: z
        .strictObject({
          allowed: z.boolean(),
          minPasswordLength: passwordBounds.minPasswordLength,
          requireSpecialChar: z.boolean(),
          requireNumberChar: z.boolean(),
          requireMixedCase: z.boolean(),
          maxAttempts: passwordBounds.maxAttempts,
          lockoutDurationMinutes: passwordBounds.lockoutDurationMinutes,
          mustChangeAfter: mustChangeAfter.nullable(),
        })
        .partial(),
    })
    .partial(),
  secondary: z
    .strictObject({
      requireTotp: z.boolean(),
      requireExtJwt: requiredSigner,
      requireExtJwtSigner: requiredSigner,
    })
    .partial(),
  tags,
});

const patch = fields.partial();
const complete = patch.extend({ name: fields.shape.name });

const authPolicySchema = z
  .strictObject({
    ...entityMembers,
    name: z.string(),
    primary: z.strictObject({
      cert: z.strictObject({ allowed: z.boolean(), allowExpiredCerts: z.boolean() }),
      extJwt: z.strictObject({ allowed: z.boolean(), allowedSigners: z.array(z.string()) }),
      updb: z.strictObject({
        allowed: z.boolean(),
        minPasswordLength: z.int(),
        requireSpecialChar: z.boolean(),
        requireNumberChar: z.boolean(),
        requireMixedCase: z.boolean(),
        maxAttempts: z.int(),
        lockoutDurationMinutes: z.int(),
        mustChangeAfter: durationText.optional(),
      }),
    }),
    secondary: z.strictObject({
      requireTotp: z.boolean(),
      requireExtJwt: z.string().nullable(),
      requireExtJwtSigner: z.string().nullable(),
    }),
  })
  .meta({ id: 'AuthPolicy' });

const previewSchema = z
  .strictObject({
    touched: z.strictObject({ count: z.int() }),
    asksMore: z.strictObject({ count: z.int() }),
    lockedOut: z.strictObject({
      count: z.int(),
      first: z.array(z.strictObject({ id: z.string(), name: z.string() })),
    }),
  })
  .meta({ id: 'AuthPolicyPreview' });

/** A policy as it would be saved, to ask about its effects; `id` if it exists already. */
export const askedPolicySchema = ignoring(
  membersOf(authPolicySchema),
  complete.extend({ id: idText.optional() }),
);

/** `/auth-policies` */
export function authPolicyRoutes(needs: ManagementNeeds): readonly Route[] {
  const entities = resourceRoutes({
    collection: 'auth-policies',
    versioned: { entity: 'auth-policies', versions: needs.store.versions },
    noun: 'an auth policy',
    document: authPolicySchema,
    listFields: authPolicyListFields,
    list: async (query) => mapPage(await needs.store.authPolicies.list(query), authPolicyDocument),
    get: async (id) => authPolicyDocument(await getAuthPolicy(needs, id)),
    create: operation(complete, (by, policy) => createAuthPolicy(needs, by, policy)),
    replace: operation(complete, (by, policy, id) => replaceAuthPolicy(needs, by, { id, sent: policy })),
    patch: operation(patch, (by, some, id) => updateAuthPolicy(needs, by, { id, sent: some })),
    remove: (by, id) => deleteAuthPolicy(needs, by, id),
  });
  return [
    ...entities,
    adminRoute('POST', 'auth-policies/preview', {
      operationId: 'previewAuthPolicy',
      summary: 'Say what saving an auth policy like this would change for those who have it',
      permission: 'read',
      answer: dataAnswer(
        previewSchema,
        'How many identities have the policy, how many would have to prove more than now, and how many could no longer log in; of those, the first are named. Nothing is changed.',
      ),
      body: askedPolicySchema,
      refusals: ['not_found', 'invalid_field'],
      async handler({ principal }, { body }) {
        // Sound because the applied schema is the one without the ignored members.
        const policy = body as SentPolicyOfId;
        const { touched, asksMore, lockedOut } = await inWholeTurn(principal.identityId, () =>
          previewAuthPolicy(needs, policy, principal),
        );
        return envelope({ touched: { count: touched }, asksMore: { count: asksMore }, lockedOut });
      },
    }),
  ];
}

function authPolicyDocument(policy: AuthPolicy): object {
  const { secondary } = policy;
  return {
    ...entityHead('auth-policies', policy),
    name: policy.name,
    primary: { ...policy.primary, updb: updbDocument(policy.primary.updb) },
    secondary: { ...secondary, requireExtJwtSigner: secondary.requireExtJwt },
  };
}

/** Durations are text on the wire. Rules that are not set are omitted. */
export function updbDocument<Rules extends { readonly mustChangeAfter?: Millis | null | undefined }>({
  mustChangeAfter: age,
  ...rules
}: Rules): object {
  return age === null || age === undefined ? rules : { ...rules, mustChangeAfter: durationOf(age) };
}
