// The two routes of a primary method: how to begin, as a page or for programs, and where the credentials go.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import {
  type LoginExtras,
  type LoginFlowNeeds,
  type LoginStep,
  requireOpen,
} from '../../oidc/flow/login-flow.ts';
import { type Answer, json } from '../request/answer.ts';
import { errorTable } from '../request/errors.ts';
import { clientInfoFields, clientInfoOfFields, configTypes, csrPem } from '../request/fields.ts';
import { bearerTokens, originOf } from '../request/request-context.ts';
import { type Route, route } from '../request/route.ts';
import { entryAnswers, primaryRefusals, stepAnswers, stepRefusals } from './login-declarations.ts';
import {
  authRequestIdMembers,
  bindStep,
  isForPeople,
  openStep,
  type Step,
  type StepNeeds,
} from './login-step.ts';
import { loginStepFor } from './totp-pages.ts';

/** How the page is answered; with a status, that of the refusal that a JSON client gets. */
export interface PageOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came with the credentials. */
export interface Submitted {
  readonly step: Step;
  readonly authRequest: AuthRequest;
  readonly configTypes: readonly string[];
  /** The tokens of the request; one may be the secondary proof. */
  readonly bearers: readonly string[];
  readonly origin: RequestOrigin;
  readonly extras: LoginExtras;
}

export interface PrimaryLogin<Fields extends z.ZodRawShape> {
  readonly path: string;
  /** The method in words, such as `a user name and a password`. */
  readonly words: string;
  /** What the method has in its body. */
  readonly fields: Fields;
  /** What programs are told besides address and method. */
  readonly entry: object;
  page(step: Step, options: PageOptions): Answer;
  submit(submitted: Submitted, body: z.output<z.ZodObject<Fields>>): Promise<LoginStep>;
  /** The page again for people whose credentials were refused; without it they get the page of the failure. */
  again?(step: Step, status: number, body: z.output<z.ZodObject<Fields>>): Answer;
}

export function primaryLoginRoutes<Fields extends z.ZodRawShape>(
  needs: LoginFlowNeeds & StepNeeds,
  login: PrimaryLogin<Fields>,
): readonly Route[] {
  const { path } = login;
  const common = { path, api: 'oidc', guard: 'anonymous', errors: 'html-or-edge' } as const;
  const query = z.object(authRequestIdMembers);
  const members = { ...authRequestIdMembers, configTypes, csrPem, ...clientInfoFields };
  const schema = z.object({ ...authRequestIdMembers, ...login.fields, ...members });
  const show = route({
    ...common,
    methods: ['GET'],
    summary: `Begin a login with ${login.words}`,
    answers: entryAnswers,
    refusals: stepRefusals,
    query,
    async handler(context, input) {
      const opened = openStep(needs, context, input.query);
      await requireOpen(needs, opened.authRequest);
      const { authRequestId } = opened;
      const own = { 'auth-request-id': authRequestId };
      if (isForPeople(opened)) {
        const { step, headers } = bindStep(needs, opened);
        return login.page(step, { headers: { ...own, ...headers } });
      }
      return json({ authRequestId, httpMethod: 'POST', httpUrl: path, ...login.entry }, { headers: own });
    },
  });

  const submit = route({
    ...common,
    methods: ['POST'],
    summary: `Log in with ${login.words}`,
    answers: stepAnswers,
    refusals: primaryRefusals,
    query,
    body: { json: true, form: true, schema },
    async handler(context, input) {
      // Sound because the schema above has the members of both.
      const body = input.body as z.output<z.ZodObject<typeof members>> & z.output<z.ZodObject<Fields>>;
      const step = openStep(needs, context, input.query, body);
      const submitted: Submitted = {
        step,
        authRequest: step.authRequest,
        configTypes: body.configTypes,
        bearers: bearerTokens(context.authorization),
        origin: originOf(context),
        extras: { csrPem: body.csrPem, clientInfo: clientInfoOfFields(body) },
      };
      try {
        return loginStepFor(needs.signers, step, await login.submit(submitted, body));
      } catch (error) {
        const isRefusal = error instanceof AuthError && error.code === 'invalid_auth';
        if (!isRefusal || login.again === undefined || !isForPeople(step)) throw error;
        return login.again(step, errorTable[error.code].status, body);
      }
    },
  });
  return [show, submit];
}
