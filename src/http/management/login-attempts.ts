import { z } from 'zod';
import { inLanguage } from '../../explain/in-language.ts';
import {
  attemptsByHour,
  explanationOf,
  findLoginAttempts,
  listLoginAttempts,
} from '../../explain/read-attempts.ts';
import type { LanguageTag } from '../../model/languages.ts';
import { loginAttemptListFields } from '../../model/list-fields.ts';
import { type AttemptCheck, attemptMechanisms } from '../../model/login-attempt.ts';
import { refusalReasons } from '../../model/refusal-reason.ts';
import { isoTime } from '../../platform/clock.ts';
import type { ListedAttempt } from '../../store/contracts/login-attempts.ts';
import { mapPage } from '../documents/lists.ts';
import { documentsBy, entityRefSchema, timeSchema } from '../documents/wire.ts';
import { adminRoute, dataAnswer, type Route, schemaNamed } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { resourceRoutes } from './resource.ts';

export const attemptCheckSchema = z.strictObject({
  check: z.string(),
  verdict: z.enum(['passed', 'failed', 'seen']),
  saw: z.string().nullable(),
});

/** In the language of the reader; the names of the checks are not translated. */
export function checksFor(checks: readonly AttemptCheck[], language: LanguageTag): readonly AttemptCheck[] {
  return checks.map((check) => ({ ...check, saw: check.saw && inLanguage(check.saw, language) }));
}

/** In the language of the reader. */
export const explanationSchema = z.strictObject({
  happened: z.string(),
  remedy: z.string(),
  command: z.string().nullable().describe('The command that helps at once, if there is one'),
});

const attemptSchema = schemaNamed('LoginAttempt', {
  reference: z.string(),
  at: timeSchema,
  step: z.string(),
  mechanism: z.enum(attemptMechanisms),
  outcome: z.enum(['passed', 'refused']),
  reason: z.enum(refusalReasons).nullable(),
  subject: z.string().nullable(),
  ipAddress: z.string(),
  issuer: z.string(),
  checks: z.array(attemptCheckSchema),
  identityId: z.string().nullable(),
  identity: entityRefSchema.nullable(),
  explanation: explanationSchema.nullable(),
});
const explainedReference = schemaNamed('ExplainedReference', {
  reference: z.string(),
  attempts: z.array(attemptSchema),
});

const hourlySchema = schemaNamed('HourlyLoginAttempts', {
  hours: z.array(z.strictObject({ from: timeSchema, passed: z.int(), refused: z.int() })),
});

/** `/login-attempts`: decisions and their reasons. The reference id that the answer showed serves as the id. */
export function loginAttemptRoutes(needs: EdgeServices): readonly Route[] {
  const entities = resourceRoutes({
    collection: 'login-attempts',
    noun: 'a login attempt',
    document: attemptSchema,
    detail: explainedReference,
    listFields: loginAttemptListFields,
    list: async (query, { language }) =>
      mapPage(await listLoginAttempts(needs, query), (attempt) => loginAttemptDocument(attempt, language)),
    async get(reference, { language }) {
      const attempts = await findLoginAttempts(needs, reference);
      return {
        reference: attempts[0]?.reference,
        attempts: attempts.map((attempt) => loginAttemptDocument(attempt, language)),
      };
    },
  });
  const hourly = adminRoute('GET', 'login-attempts/hourly', {
    operationId: 'countLoginAttempts',
    summary: 'Count the login attempts of the last 24 hours',
    answer: dataAnswer(
      hourlySchema,
      'One entry for each hour of UTC, the oldest first, including the current one',
    ),
    async data({ principal }) {
      const hours = await attemptsByHour(needs, principal);
      return { hours: hours.map(({ from, ...counts }) => ({ from: isoTime(from), ...counts })) };
    },
  });
  return [...entities, hourly];
}

const shown = documentsBy(attemptSchema);

function loginAttemptDocument(attempt: ListedAttempt, language: LanguageTag): object {
  const checks = checksFor(attempt.checks, language);
  const explanation = explanationOf({ ...attempt, name: attempt.identityName }, language);
  return shown({ ...attempt, checks, explanation });
}
