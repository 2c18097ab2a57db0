// TOTP during an OIDC login: the outstanding questions, the code, and enrollment during the login (spec 4.4).

import { z } from 'zod';
import {
  abandonTotpEnrollment,
  enrollTotp,
  outstandingQueries,
  submitTotp,
  verifyEnrolledTotp,
} from '../../oidc/flow/login-flow.ts';
import { htmlType, json } from '../request/answer.ts';
import { originOf, type RequestContext } from '../request/request-context.ts';
import { anonymous, contentAnswer, documentAnswer, orPage, type Route, route } from '../request/route.ts';
import { stepAnswers, stepRefusals, totpRefusals } from './login-declarations.ts';
import type { PageServices } from './login-step.ts';
import { type AuthRequestIdSpellings, authRequestIdMembers, isForPeople, openStep } from './login-step.ts';
import { queriesPath } from './sign-in-ways.ts';
import {
  cancelPath,
  codePage,
  confirmPage,
  enrollPath,
  forPeople,
  introPage,
  loginStepFor,
  provisioningPage,
  totpPath,
  verifyPath,
} from './step-answers.ts';

const idOnly = z.object(authRequestIdMembers);
const provisioning = documentAnswer(
  z
    .strictObject({
      isVerified: z.boolean(),
      provisioningUrl: z.string(),
      recoveryCodes: z.array(z.string()),
    })
    .meta({ id: 'TotpProvisioning' }),
  'The enrollment, not verified yet',
);
const cancelled = documentAnswer(z.strictObject({}), 'Abandoned');

/** A code of any shape is simply "invalid": what it should look like does not help whoever types it. */
const withCode = z.object({ ...authRequestIdMembers, code: z.unknown().meta({ type: 'string' }) });
const common = {
  ...anonymous('oidc', 'counted-unless-proven', 'html-or-edge'),
  query: idOnly,
} as const;

export function totpLoginRoutes(needs: PageServices): readonly Route[] {
  return [...codeRoutes(needs), ...enrollmentRoutes(needs), ...cancelRoutes(needs)];
}

function codeRoutes(needs: PageServices): readonly Route[] {
  return [
    route({
      ...common,
      methods: ['GET'],
      path: queriesPath,
      summary: 'Read what remains of a login',
      answers: stepAnswers,
      refusals: [...stepRefusals, 'invalid_auth', 'password_change_required', 'conflict'],
      async handler(context, { query }) {
        const step = openStep(needs, context, query);
        return loginStepFor(needs.signers, step, await outstandingQueries(needs, step.authRequest));
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path: totpPath,
      summary: 'Answer the TOTP query of a login',
      answers: stepAnswers,
      refusals: totpRefusals,
      body: { json: true, form: true, schema: withCode },
      async handler(context, { query, body }) {
        const step = openStep(needs, context, query, body);
        return forPeople(step, { invalid_totp_code: (status) => codePage(step, status) }, async () =>
          loginStepFor(
            needs.signers,
            step,
            await submitTotp(needs, step.authRequest, {
              code: codeIn(body),
              origin: originOf(context),
            }),
          ),
        );
      },
    }),
  ];
}

function enrollmentRoutes(needs: PageServices): readonly Route[] {
  return [
    route({
      ...common,
      methods: ['POST'],
      path: enrollPath,
      summary: 'Start an enrollment in TOTP during a login',
      answers: {
        200: contentAnswer(htmlType, 'The page of an enrollment that was started before'),
        201: orPage(provisioning),
      },
      refusals: totpRefusals,
      body: { json: true, form: true, schema: idOnly },
      async handler(context, { query, body }) {
        const step = openStep(needs, context, query, body);
        // Begun already, as after a reload; or enrolled in another window.
        const pageOfCurrentState = async () => {
          const { authQueries } = await outstandingQueries(needs, step.authRequest);
          const isEnrolled = authQueries.some(({ isTotpEnrolled }) => isTotpEnrolled === true);
          return isEnrolled ? codePage(step, 200) : confirmPage(step, 200);
        };
        return forPeople(step, { mfa_exists: pageOfCurrentState }, async () => {
          const provisioning = await enrollTotp(needs, step.authRequest, originOf(context));
          return isForPeople(step)
            ? provisioningPage(step, provisioning)
            : json({ isVerified: false, ...provisioning }, { status: 201 });
        });
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path: verifyPath,
      summary: 'Complete the enrollment with a first code',
      answers: stepAnswers,
      refusals: totpRefusals,
      body: { json: true, form: true, schema: withCode },
      async handler(context, { query, body }) {
        const step = openStep(needs, context, query, body);
        const again = {
          invalid_totp_code: (status: number) => confirmPage(step, status),
          not_found: (status: number) => introPage(step, status),
        };
        return forPeople(step, again, async () =>
          loginStepFor(
            needs.signers,
            step,
            await verifyEnrolledTotp(needs, step.authRequest, {
              code: codeIn(body),
              origin: originOf(context),
            }),
          ),
        );
      },
    }),
  ];
}

function cancelRoutes(needs: PageServices): readonly Route[] {
  const cancel = {
    ...common,
    summary: 'Abandon an enrollment in TOTP',
    answers: { 200: orPage(cancelled) },
    refusals: totpRefusals,
    body: { json: true, form: true, schema: idOnly },
    async handler(
      context: RequestContext,
      { query, body }: { query: AuthRequestIdSpellings; body: AuthRequestIdSpellings },
    ) {
      const step = openStep(needs, context, query, body);
      await abandonTotpEnrollment(needs, step.authRequest);
      return isForPeople(step) ? introPage(step, 200) : json({});
    },
  } as const;

  return [
    route({ ...cancel, methods: ['DELETE'], path: enrollPath }),
    route({ ...cancel, methods: ['POST'], path: cancelPath }),
  ];
}

const longestCode = 52;

/** Text that cannot be a code becomes a code that is never right, which counts and is recorded like any other wrong one. */
function codeIn({ code }: { code?: unknown }): string {
  return typeof code === 'string' && code.length <= longestCode ? code : '';
}
