// TOTP during an OIDC login: the outstanding questions, the code, and enrolment in the middle (spec 4.4).

import { z } from 'zod';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { AuthRequestSealer } from '../../oidc/auth-request-id.ts';
import {
  abandonTotpEnrollment,
  enrollTotp,
  type LoginFlowNeeds,
  outstandingQueries,
  submitTotp,
  verifyEnrolledTotp,
} from '../../oidc/login-flow.ts';
import { openAuthRequest } from '../../oidc/open-auth-request.ts';
import { json } from '../answer.ts';
import type { RequestContext } from '../request-context.ts';
import { type Route, route } from '../routes.ts';
import {
  type AuthRequestIdSpellings,
  authRequestIdIn,
  authRequestIdMembers,
} from './auth-request-id-input.ts';
import { originOf } from './bind-point.ts';
import { bindingCookie } from './browser-binding.ts';
import { loginStepAnswer } from './login-answer.ts';

const idOnly = z.object(authRequestIdMembers);
/** Any shape of code is one answer, "invalid": what it should look like is no help to whoever types it. */
const withCode = z.object({ ...authRequestIdMembers, code: z.unknown() });
const common = { api: 'oidc', guard: 'anonymous', errors: 'html-or-edge', query: idOnly } as const;

export function totpLoginRoutes(
  needs: LoginFlowNeeds & { readonly sealer: AuthRequestSealer },
): readonly Route[] {
  const opened = (context: RequestContext, ...sources: readonly AuthRequestIdSpellings[]): AuthRequest =>
    openAuthRequest(needs, authRequestIdIn(...sources), originOf(context), bindingCookie(context));

  return [
    route({
      ...common,
      methods: ['GET'],
      path: '/oidc/login/auth-queries',
      async handler(context, { query }) {
        return loginStepAnswer(await outstandingQueries(needs, opened(context, query)));
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path: '/oidc/login/totp',
      body: { json: true, form: true, schema: withCode },
      async handler(context, { query, body }) {
        const authRequest = opened(context, query, body);
        return loginStepAnswer(await submitTotp(needs, authRequest, codeIn(body), originOf(context)));
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path: '/oidc/login/totp/enroll',
      body: { json: true, form: true, schema: idOnly },
      async handler(context, { query, body }) {
        const provisioning = await enrollTotp(needs, opened(context, query, body));
        return json({ isVerified: false, ...provisioning }, { status: 201 });
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path: '/oidc/login/totp/enroll/verify',
      body: { json: true, form: true, schema: withCode },
      async handler(context, { query, body }) {
        const authRequest = opened(context, query, body);
        return loginStepAnswer(await verifyEnrolledTotp(needs, authRequest, codeIn(body), originOf(context)));
      },
    }),
    route({
      ...common,
      methods: ['DELETE'],
      path: '/oidc/login/totp/enroll',
      body: { json: true, form: true, schema: idOnly },
      async handler(context, { query, body }) {
        await abandonTotpEnrollment(needs, opened(context, query, body));
        return json({});
      },
    }),
  ];
}

const longestCode = 13;

/** What cannot be a code becomes one that is never right: it counts and is recorded like any other wrong one. */
function codeIn({ code }: { readonly code?: unknown }): string {
  return typeof code === 'string' && code.length <= longestCode ? code : '';
}
