import { z } from 'zod';
import { explainLoginsOf, type LoginExplanationNeeds } from '../../admin/login-explanation.ts';
import type { LoginExplanation } from '../../login/explain-login.ts';
import { primaryMethods } from '../../model/login.ts';
import { refusalReasons } from '../../model/login-attempt.ts';
import { envelope, jsonType, listEnvelope } from '../request/answer.ts';
import { dataAnswer, listAnswer } from '../request/declared-answers.ts';
import { idOf } from '../request/fields.ts';
import type { Route } from '../request/route.ts';
import { adminRoute } from './admin-route.ts';

const explanationSchema = z
  .strictObject({
    method: z.enum(primaryMethods),
    outcome: z.enum(['allowed', 'refused']),
    reason: z.enum(refusalReasons).nullable(),
    checks: z.array(
      z.strictObject({ name: z.string(), verdict: z.enum(['passed', 'failed']), saw: z.string().nullable() }),
    ),
    asks: z.array(z.enum(['totp', 'ext-jwt'])),
  })
  .meta({ id: 'LoginExplanation' });

const described =
  'What a login would ask and what would refuse it now; without `method` a list of one for each. Nobody is logged in, and a fresh proof is taken to be good.';
const shapes = [dataAnswer, listAnswer].map(
  (answer) => answer(explanationSchema, described).content[jsonType],
);

/** `/identities/{id}/login-explanation` */
export function loginExplanationRoute(needs: LoginExplanationNeeds): Route {
  return adminRoute('GET', 'identities/:id/login-explanation', {
    operationId: 'explainLogin',
    summary: 'Say what an identity must prove to log in, and what would refuse it',
    answer: { description: described, content: { [jsonType]: z.union(shapes as [z.ZodType, z.ZodType]) } },
    query: z.object({
      method: z
        .enum(primaryMethods)
        .optional()
        .meta({ description: 'The primary method; without it all of them' }),
    }),
    async handler(context, { query: { method } }) {
      const methods = method === undefined ? primaryMethods : [method];
      const documents = (await explainLoginsOf(needs, idOf(context), methods)).map(explanationDocument);
      if (method !== undefined) return envelope(documents[0] ?? {});
      const count = documents.length;
      const pagination = { limit: count, offset: 0, totalCount: count };
      return listEnvelope(documents, { filterableFields: [], pagination });
    },
  });
}

function explanationDocument({ checks, ...explanation }: LoginExplanation): object {
  return { ...explanation, checks: checks.map(({ check: name, ...found }) => ({ name, ...found })) };
}
