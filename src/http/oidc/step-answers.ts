// Answers to a step of a login: the redirect to the client, or the outstanding factors. Programs get JSON and no
// cookies; people get the page that asks for the next factor or for a new password.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { type ErrorCode, errorCodes } from '../../errors/codes.ts';
import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import { isMissing } from '../../login/outstanding-factors.ts';
import { shortestPassword } from '../../login/password/password-rules.ts';
import type { TotpProvisioning } from '../../login/totp/totp-enrollment.ts';
import type { Factor, NewPassword } from '../../model/login.ts';
import type { Handover } from '../../oidc/flow/callback.ts';
import type { LoginStep } from '../../oidc/flow/next-step.ts';
import type { Html } from '../../pages/html.ts';
import type { View } from '../../pages/layout.ts';
import type { LoginInProgress } from '../../pages/login-forms.ts';
import { type PasswordProblem, passwordChangePage } from '../../pages/new-password.ts';
import { passkeyPage, passkeySetUpPage } from '../../pages/passkey.ts';
import { totpPage } from '../../pages/totp.ts';
import {
  enrollmentConfirmPage,
  enrollmentIntroPage,
  enrollmentPage,
  newAppPage,
} from '../../pages/totp-enrollment.ts';
import { authQueriesSchema } from '../documents/api-session-document.ts';
import { type Answer, formPostAnswer, json, redirect } from '../request/answer.ts';
import { challengeLines } from '../request/challenges.ts';
import {
  anonymous,
  type DeclaredAnswers,
  documentAnswer,
  orPage,
  type Route,
  redirectAnswer,
  route,
  schemaNamed,
  totpRequiredHeader,
} from '../request/route.ts';
import {
  authRequestIdMembers,
  isForPeople,
  loginInPage,
  loginPageAnswer,
  openStep,
  type PageServices,
  type Step,
} from './login-step.ts';
import { secondProviderAnswer } from './provider-pages.ts';
import { sessionCookieHeader } from './session-cookie.ts';
import { passkeyAddresses, passkeyPath } from './sign-in-ways.ts';

export const registerPath = `${passkeyPath}/register`;
export const registerOptionsPath = `${registerPath}/options`;

/** The declaration of an endpoint that takes a step of a login. */
interface StepRules<Fields extends z.ZodRawShape> extends Pick<Route, 'path' | 'summary' | 'refusals'> {
  readonly method?: 'POST' | 'DELETE';
  /** By default the redirect to the client, or the outstanding factors. */
  readonly answers?: DeclaredAnswers;
  /** Of the body, beside the id of the login. */
  readonly fields?: Fields;
  /** The page again for people who were refused, by the refusal. Others get that of the failure. */
  again?(step: Step, body: z.output<z.ZodObject<Fields>>): PagesAgain;
  take(step: Step, body: z.output<z.ZodObject<Fields>>): Promise<LoginStep | Answer>;
}

/** The pages on which people can continue after a refusal. A status is that of the refusal. */
type PagesAgain = Partial<Record<ErrorCode, (status: number) => Answer | Promise<Answer>>>;

/** Declares an endpoint that takes a step of a login, which is opened before anything else. */
export function stepRoute<Fields extends z.ZodRawShape = Record<never, never>>(
  needs: PageServices,
  { method = 'POST', path, answers = stepAnswers, fields, again, take, ...rules }: StepRules<Fields>,
): Route {
  return route(method, path, {
    ...rules,
    ...anonymous('oidc', 'counted-unless-proven', 'html-or-edge'),
    answers,
    query: z.object(authRequestIdMembers),
    body: { json: true, form: true, schema: z.object({ ...authRequestIdMembers, ...fields }) },
    async handler(context, input) {
      const step = openStep(needs, context, input.query, input.body);
      // Sound because the schema contains these fields.
      const body = input.body as z.output<z.ZodObject<Fields>>;
      try {
        const taken = await take(step, body);
        return 'kind' in taken ? loginStepFor(needs.signers, step, taken) : taken;
      } catch (error) {
        if (!(error instanceof AuthError) || !isForPeople(step)) throw error;
        const shown = again?.(step, body)[error.code];
        if (shown === undefined) throw error;
        return shown(errorCodes[error.code].status);
      }
    },
  });
}

/** The answer to a login step. For people, the page that asks for the next factor. */
export function loginStepFor(signers: SignerDirectory, step: Step, outcome: LoginStep): Answer {
  if (outcome.kind !== 'queries') {
    // The JSON contract has no cookies.
    return handoverAnswer(step.view, isForPeople(step) ? outcome : { ...outcome, cookie: undefined });
  }
  if (outcome.refusesPrograms !== null && !isForPeople(step)) throw new AuthError(outcome.refusesPrograms);
  const answer = queriesAnswer(outcome);
  if (!isForPeople(step)) return answer;
  const { 'content-type': _json, ...headers } = answer.headers;
  const shown = nextPage(signers, step, outcome);
  return { ...shown, headers: { ...shown.headers, ...headers } };
}

/** Sends the browser on to the client, with the cookie of a session that was opened for it. */
export function handoverAnswer(
  view: () => View,
  handover: Handover & { readonly cookie?: string | undefined },
): Answer {
  const { cookie } = handover;
  const headers = cookie === undefined ? {} : { 'set-cookie': sessionCookieHeader(cookie) };
  return handover.kind === 'redirect'
    ? redirect(handover.location, { headers })
    : formPostAnswer(view(), handover, headers);
}

function nextPage(
  signers: SignerDirectory,
  step: Step,
  { outstanding, newApp }: Extract<LoginStep, { kind: 'queries' }>,
): Answer {
  if (newApp !== null) return offerPage(step, newApp, 200);
  const next = nextFactor(outstanding);
  switch (next?.type) {
    case 'totp':
      return next.isEnrolled ? codePage(step, 200) : introPage(step, 200);
    case 'passkey':
      return next.isEnrolled ? secondPasskeyPage(step, 200) : newPasskeyPage(step, 200);
    case 'password-change':
      return newPasswordPage(step, next, { status: 200, problems: [] });
    case 'ext-jwt':
    case undefined:
      return secondProviderAnswer(signers, step, { signerId: next?.signerId ?? null });
  }
}

/** An app or a passkey may be set up only after what can be proven, and a new password comes last. */
function nextFactor(outstanding: readonly Factor[]): Factor | undefined {
  const isProvable = (factor: Factor) => factor.type !== 'password-change' && !isMissing(factor);
  return outstanding.find(isProvable) ?? outstanding[0];
}

// The pages of a step. Each status is that of the refusal of what was sent, or a success if nothing was sent yet.

function shown(step: Step, status: number, make: (view: View, login: LoginInProgress) => Html): Answer {
  return loginPageAnswer(step, make(step.view(), loginInPage(step, status)), { status });
}

export function codePage(step: Step, status: number): Answer {
  return shown(step, status, totpPage);
}

export function secondPasskeyPage(step: Step, status: number): Answer {
  return shown(step, status, (view, login) => passkeyPage(view, login, passkeyAddresses(step)));
}

export function newPasskeyPage(step: Step, status: number): Answer {
  const addresses = { ...passkeyAddresses(step), options: registerOptionsPath, action: registerPath };
  return shown(step, status, (view, login) => passkeySetUpPage(view, login, addresses));
}

export function introPage(step: Step, status: number): Answer {
  return shown(step, status, enrollmentIntroPage);
}

export function offerPage(step: Step, newApp: { recoveryCodesLeft: number }, status: number): Answer {
  return shown(step, status, (view, login) => newAppPage(view, login, newApp.recoveryCodesLeft));
}

/** @param shows.status 201 when it was just begun, 200 when it is shown again */
export function provisioningPage(
  step: Step,
  provisioning: TotpProvisioning,
  { status, replaces }: { status: number; replaces: boolean },
): Answer {
  return shown(step, status, (view, login) => enrollmentPage(view, login, { ...provisioning, replaces }));
}

export function confirmPage(step: Step, status: number): Answer {
  return shown(step, status, enrollmentConfirmPage);
}

export function newPasswordPage(
  step: Step,
  { rules: policy, username }: NewPassword,
  { status, problems }: { status: number; problems: readonly PasswordProblem[] },
): Answer {
  const rules = { policy, shortest: shortestPassword(policy) };
  return shown(step, status, (view, login) => passwordChangePage(view, login, { username, rules, problems }));
}

/** 200 with the outstanding factors (spec 3.1). */
function queriesAnswer(step: Extract<LoginStep, { kind: 'queries' }>): Answer {
  const challenges = challengeLines(step.challenges);
  const headers = {
    ...(step.outstanding.some(({ type }) => type === 'totp') ? { 'totp-required': 'true' } : {}),
    ...(challenges.length > 0 ? { 'www-authenticate': challenges } : {}),
  };
  return json({ authQueries: step.authQueries }, { headers });
}

// The possible answers of login steps, for their declarations.

const queries = documentAnswer(
  schemaNamed('OutstandingQueries', { authQueries: authQueriesSchema }),
  'The outstanding factors',
);

/** A step ends in the redirect with the code or in the outstanding factors (spec 3.1). */
export const stepAnswers: DeclaredAnswers = {
  200: {
    ...orPage(queries),
    headers: { ...totpRequiredHeader, 'www-authenticate': 'Which external JWT is still to be sent' },
  },
  302: redirectAnswer('To the redirect URI of the client, with the code'),
};

/** For programs, how to submit a login; for people, the page. */
export const entryAnswers: DeclaredAnswers = {
  200: {
    ...orPage(
      documentAnswer(
        schemaNamed('LoginEntry', {
          authRequestId: z.string(),
          httpMethod: z.string(),
          httpUrl: z.string(),
          fields: z.array(z.string()).optional(),
          header: z.string().optional(),
        }),
        'How to continue',
      ),
    ),
    headers: { 'auth-request-id': 'The id of the login, for the steps that follow' },
  },
};

/** Every step may be refused for these: the auth request, and the browser in which it began. */
export const stepRefusals: readonly ErrorCode[] = ['auth_request_unknown'];
/** A proof may be refused, or what follows from it. */
const proofRefusals: readonly ErrorCode[] = [
  ...stepRefusals,
  'invalid_auth',
  'client_not_allowed',
  'password_change_required',
  'passkey_required',
];
export const primaryRefusals: readonly ErrorCode[] = [
  ...proofRefusals,
  'invalid_passkey',
  'csr_not_acceptable',
  'conflict',
  'rate_limited',
];
export const totpRefusals: readonly ErrorCode[] = [
  ...proofRefusals,
  'invalid_totp_code',
  'mfa_exists',
  'not_found',
  'conflict',
  'rate_limited',
];
