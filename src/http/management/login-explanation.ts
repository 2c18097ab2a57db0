import { z } from 'zod';
import { explainLoginsOf, type SentPolicyOfId } from '../../admin/login-explanation.ts';
import type { AdminServices } from '../../admin/services.ts';
import { factorTypes } from '../../login/auth-query.ts';
import { type LoginExplanation, loginStandings } from '../../login/explain-login.ts';
import type { LanguageTag } from '../../model/languages.ts';
import { primaryMethods } from '../../model/login.ts';
import { refusalReasons } from '../../model/refusal-reason.ts';
import { isoTimeOrNull } from '../../platform/clock.ts';
import { wholeList } from '../documents/lists.ts';
import { timeSchema } from '../documents/wire.ts';
import { envelope, jsonType } from '../request/answer.ts';
import { adminRoute, dataAnswer, listAnswer, type Route, schemaNamed } from '../request/route.ts';
import { askedPolicySchema } from './auth-policies.ts';
import { checksFor } from './login-attempts.ts';

const explanationSchema = schemaNamed('LoginExplanation', {
  method: z.enum(primaryMethods),
  outcome: z.enum(['allowed', 'refused']),
  reason: z.enum(refusalReasons).nullable(),
  standing: z
    .enum(loginStandings)
    .describe(
      '`ready`: the identity has everything it needs, with every factor; `vouched`: it lacks a certificate or token of another party, which would be accepted',
    ),
  until: timeSchema.nullable().describe('Since when it has expired, or until when it is locked'),
  acceptedFrom: z.array(
    z.strictObject({ type: z.enum(['ca', 'ext-jwt-signer']), name: z.string(), naming: z.string() }),
  ),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      verdict: z.enum(['passed', 'failed', 'seen']),
      saw: z.string().nullable(),
    }),
  ),
  asks: z.array(z.enum(factorTypes)),
});

const described =
  'The factors that a login would need now, and its refusals; without `method`, one entry for each method. No session is opened, and a fresh proof is assumed to be valid.';
const shapes = [dataAnswer, listAnswer].map(
  (answer) => answer(explanationSchema, described).content[jsonType],
);

const path = 'identities/:id/login-explanation';
const method = z.enum(primaryMethods).optional().describe('The primary method; without it all of them');

/** `/identities/{id}/login-explanation` */
export function loginExplanationRoutes(needs: AdminServices): readonly Route[] {
  return [explanation(needs), explanationByPolicy(needs)];
}

function explanationByPolicy(needs: AdminServices): Route {
  return adminRoute('POST', path, {
    operationId: 'explainLoginByPolicy',
    summary: 'Say the same by another auth policy, saved or not',
    permission: 'read',
    answer: listAnswer(explanationSchema, `${described} Nothing is changed.`),
    body: z.strictObject({ method, policy: askedPolicySchema.optional() }),
    refusals: ['not_found', 'invalid_field'],
    async handler(context, { body }) {
      const methods = body.method === undefined ? primaryMethods : [body.method];
      // Sound because the applied schema is the one without the ignored members.
      const policy = body.policy as SentPolicyOfId | undefined;
      const found = await explainLoginsOf(needs, context.id, { methods, policy });
      return wholeList(found.map(documentIn(context.language)));
    },
  });
}

function explanation(needs: AdminServices): Route {
  return adminRoute('GET', path, {
    operationId: 'explainLogin',
    summary: 'Explain which factors an identity needs to log in, and what would refuse it',
    answer: { description: described, content: { [jsonType]: z.union(shapes as [z.ZodType, z.ZodType]) } },
    query: z.object({ method }),
    async handler(context, { query: { method } }) {
      const methods = method === undefined ? primaryMethods : [method];
      const found = await explainLoginsOf(needs, context.id, { methods });
      const documents = found.map(documentIn(context.language));
      if (method !== undefined) return envelope(documents[0] ?? {});
      return wholeList(documents);
    },
  });
}

function documentIn(language: LanguageTag) {
  return ({ checks, until, ...explanation }: LoginExplanation): object => ({
    ...explanation,
    until: isoTimeOrNull(until),
    checks: checksFor(checks, language).map(({ check: name, ...found }) => ({ name, ...found })),
  });
}
