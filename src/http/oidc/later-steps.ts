// The steps of a login after the first: outstanding factors, TOTP and its enrollment (spec 4.4), a new passkey, a new
// password. A passkey that exists answers at `/oidc/login/passkey`, which is in primary-login.ts.

import { z } from 'zod';
import { AuthError, AuthorizationError } from '../../errors/auth-error.ts';
import { errorCodes } from '../../errors/codes.ts';
import { PasswordNotAcceptable } from '../../login/password/password-rules.ts';
import { wayBack } from '../../oidc/flow/callback.ts';
import { outstandingQueries, replacePassword, requireOpen, resumeLogin } from '../../oidc/flow/login-flow.ts';
import type { LoginStep } from '../../oidc/flow/next-step.ts';
import { askToRegister, passkeyQuestion, registerInLogin } from '../../oidc/flow/submit-passkey.ts';
import {
  abandonTotpEnrollment,
  begunReplacement,
  enrollTotp,
  submitTotp,
  verifyEnrolledTotp,
} from '../../oidc/flow/submit-totp.ts';
import { loginPaths } from '../../pages/login-forms.ts';
import type { PasswordProblem } from '../../pages/new-password.ts';
import { attestationSchema } from '../../platform/webauthn.ts';
import {
  creationOptionsSchema,
  requestOptionsSchema,
  webAuthnAnswer,
} from '../documents/passkey-document.ts';
import { type Answer, htmlType, json } from '../request/answer.ts';
import {
  anonymous,
  contentAnswer,
  documentAnswer,
  orPage,
  type Route,
  redirectAnswer,
  route,
  schemaNamed,
} from '../request/route.ts';
import { authRequestIdMembers, isForPeople, openStep, type PageServices, type Step } from './login-step.ts';
import { cancelLoginPath, passkeyOptionsPath, queriesPath } from './sign-in-ways.ts';
import {
  codePage,
  confirmPage,
  introPage,
  loginStepFor,
  newPasskeyPage,
  newPasswordPage,
  offerPage,
  provisioningPage,
  registerOptionsPath,
  registerPath,
  stepAnswers,
  stepRefusals,
  stepRoute,
  totpRefusals,
} from './step-answers.ts';

const provisioning = documentAnswer(
  schemaNamed('TotpProvisioning', {
    isVerified: z.boolean(),
    provisioningUrl: z.string(),
    recoveryCodes: z.array(z.string()),
  }),
  'The enrollment, not verified yet',
);
const cancelled = documentAnswer(z.strictObject({}), 'Abandoned');

const longestCode = 52;

/** Anything that cannot be a code becomes one that is never right, which counts and is recorded like any other wrong one. */
const codeField = {
  code: z
    .unknown()
    .transform((code) => (typeof code === 'string' && code.length <= longestCode ? code : ''))
    .meta({ type: 'string' }),
};
const namedLogin = z.object({
  ...authRequestIdMembers,
  username: z
    .string()
    .max(1000)
    .optional()
    .describe('For a security key without discoverable passkeys: the list of credentials is of this name'),
});
const newPassword = {
  password: z.string().describe('The new one'),
  repeated: z.string().optional().describe('Of the form for people'),
};

export function laterStepRoutes(needs: PageServices): readonly Route[] {
  return [
    queriesRoute(needs),
    ...totpRoutes(needs),
    ...newPasskeyRoutes(needs),
    stepRoute(needs, {
      path: loginPaths.passwordChange,
      summary: 'Answer the query for a new password of a login',
      refusals: [
        ...stepRefusals,
        'invalid_auth',
        'conflict',
        'password_not_acceptable',
        'password_change_required',
        'busy',
      ],
      fields: newPassword,
      take: (step, sent) => changePassword(needs, step, sent),
    }),
  ];
}

function queriesRoute(needs: PageServices): Route {
  return route('GET', queriesPath, {
    ...anonymous('oidc', 'counted-unless-proven', 'html-or-edge'),
    summary: 'Read the outstanding factors of a login',
    answers: stepAnswers,
    refusals: [...stepRefusals, 'invalid_auth', 'client_not_allowed', 'password_change_required', 'conflict'],
    query: z.object(authRequestIdMembers),
    async handler(context, { query }) {
      const step = openStep(needs, context, query);
      // Programs read an empty list, and begin again.
      const outcome = isForPeople(step)
        ? await resumeLogin(needs, step.authRequest, context.origin)
        : await outstandingQueries(needs, step.authRequest);
      return loginStepFor(needs.signers, step, outcome);
    },
  });
}

function totpRoutes(needs: PageServices): readonly Route[] {
  const cancel = {
    summary: 'Abandon an enrollment in TOTP',
    answers: { ...stepAnswers, 200: orPage(cancelled) },
    refusals: totpRefusals,
    async take(step: Step) {
      const next = await abandonTotpEnrollment(needs, step.authRequest, step.context.origin);
      return next ?? (isForPeople(step) ? introPage(step, 200) : json({}));
    },
  };
  return [
    stepRoute(needs, {
      path: loginPaths.totp,
      summary: 'Answer the TOTP query of a login',
      refusals: totpRefusals,
      fields: { ...codeField, setUpApp: z.string().max(10).optional().describe('Of the form for people') },
      again: (step) => ({
        // An administrator may have removed the app meanwhile.
        invalid_totp_code: async (status) =>
          (await asksForCode(needs, step))
            ? codePage(step, status)
            : loginStepFor(
                needs.signers,
                step,
                await resumeLogin(needs, step.authRequest, step.context.origin),
              ),
      }),
      take(step, sent) {
        const wantsNewApp = isForPeople(step) && sent.setUpApp !== undefined;
        return submitTotp(needs, step.authRequest, { ...codeIn(step, sent), wantsNewApp });
      },
    }),
    stepRoute(needs, {
      path: loginPaths.enroll,
      summary: 'Start an enrollment in TOTP during a login',
      answers: {
        200: contentAnswer(htmlType, 'The page of an enrollment that was started before'),
        201: orPage(provisioning),
      },
      refusals: totpRefusals,
      // Of another code, to replace an app.
      fields: { code: codeField.code.optional() },
      again: (step) => ({
        // Begun already, as after a reload; or enrolled in another window.
        mfa_exists: async () =>
          (await asksForCode(needs, step)) ? codePage(step, 200) : begunPage(needs, step, 200),
        invalid_totp_code: (status) => startPage(needs, step, status),
      }),
      async take(step, sent) {
        const provisioning = await enrollTotp(needs, step.authRequest, codeIn(step, sent));
        if (!isForPeople(step)) return json({ isVerified: false, ...provisioning }, { status: 201 });
        const { newApp } = await outstandingQueries(needs, step.authRequest);
        return provisioningPage(step, provisioning, { status: 201, replaces: newApp !== null });
      },
    }),
    stepRoute(needs, {
      path: loginPaths.verify,
      summary: 'Complete the enrollment with a first code',
      refusals: totpRefusals,
      fields: codeField,
      again: (step) => ({
        invalid_totp_code: (status) => begunPage(needs, step, status),
        not_found: (status) => startPage(needs, step, status),
      }),
      take: (step, sent) => verifyEnrolledTotp(needs, step.authRequest, codeIn(step, sent)),
    }),
    stepRoute(needs, { ...cancel, method: 'DELETE', path: loginPaths.enroll }),
    stepRoute(needs, { ...cancel, path: loginPaths.cancelEnrollment }),
  ];
}

/** Whether the login lacks a code of an app that the person has. */
async function asksForCode(needs: PageServices, { authRequest }: Step): Promise<boolean> {
  const { authQueries } = await outstandingQueries(needs, authRequest);
  return authQueries.some(({ isTotpEnrolled }) => isTotpEnrolled === true);
}

/** The page from which a set-up begins. */
async function startPage(needs: PageServices, step: Step, status: number): Promise<Answer> {
  const { newApp } = await outstandingQueries(needs, step.authRequest);
  return newApp === null ? introPage(step, status) : offerPage(step, newApp, status);
}

/** The page of a set-up that has begun. */
async function begunPage(needs: PageServices, step: Step, status: number): Promise<Answer> {
  const replacement = await begunReplacement(needs, step.authRequest);
  return replacement === null
    ? confirmPage(step, status)
    : provisioningPage(step, replacement, { status, replaces: true });
}

function codeIn({ context }: Step, { code = '' }: { code?: string | undefined }) {
  return { code, origin: context.origin };
}

function newPasskeyRoutes(needs: PageServices): readonly Route[] {
  const refusals = [...stepRefusals, 'conflict', 'invalid_auth'] as const;
  return [
    route('GET', passkeyOptionsPath, {
      ...anonymous('oidc', 'counted', 'html-or-edge'),
      summary: 'Ask for the options with which a browser or authenticator signs',
      answers: { 200: documentAnswer(requestOptionsSchema, 'For navigator.credentials.get') },
      refusals,
      query: namedLogin,
      async handler(context, { query }) {
        const step = openStep(needs, context, query);
        return json(await passkeyQuestion(needs, step.authRequest, query.username));
      },
    }),
    stepRoute(needs, {
      path: registerOptionsPath,
      summary: 'Ask for a new passkey, which the policy requires',
      answers: { 200: documentAnswer(creationOptionsSchema, 'For navigator.credentials.create') },
      refusals,
      take: async (step) => json(await askToRegister(needs, step.authRequest, step.context.origin)),
    }),
    stepRoute(needs, {
      path: registerPath,
      summary: 'Add a passkey during a login, which goes on with it',
      refusals: [
        ...refusals,
        'invalid_passkey',
        'client_not_allowed',
        'password_change_required',
        'passkey_required',
      ],
      fields: { response: webAuthnAnswer(attestationSchema), name: z.string().max(200).optional() },
      again: (step) => ({ invalid_passkey: (status) => newPasskeyPage(step, status) }),
      take(step, { response, name }) {
        const registered = { answer: response, name, origin: step.context.origin };
        return registerInLogin(needs, step.authRequest, registered);
      },
    }),
  ];
}

async function changePassword(
  needs: PageServices,
  step: Step,
  { password, repeated }: { password: string; repeated?: string | undefined },
): Promise<LoginStep | Answer> {
  /** The form again, as long as only this is outstanding. */
  const again = async (problems: readonly PasswordProblem[]) => {
    const outcome = await outstandingQueries(needs, step.authRequest);
    const { status } = errorCodes.password_not_acceptable;
    const [first] = outcome.outstanding;
    return first?.type === 'password-change' ? newPasswordPage(step, first, { status, problems }) : outcome;
  };
  if (isForPeople(step) && repeated !== password) return again(['repeated']);
  try {
    return await replacePassword(needs, step.authRequest, { password, origin: step.context.origin });
  } catch (error) {
    const isAboutPassword = error instanceof AuthError && error.code === 'password_not_acceptable';
    if (!isForPeople(step) || !isAboutPassword) throw error;
    return again(error instanceof PasswordNotAcceptable ? error.rules : ['too-long']);
  }
}

/**
 * `/oidc/login/cancel`: the person does not sign in, and goes back to the application.
 * A GET, because the link leads there; it changes nothing here. The answer says no more than anybody can
 * say who sends the browser to the application without us.
 */
export function cancelLoginRoute(needs: PageServices): Route {
  return route('GET', cancelLoginPath, {
    ...anonymous('oidc', 'counted', 'html-or-edge'),
    summary: 'Give a login up, and go back to the client with access_denied (RFC 6749 section 4.1.2.1)',
    answers: {
      200: contentAnswer(htmlType, 'The form for the client, with the error'),
      302: redirectAnswer('To the redirect URI of the client, with the error'),
    },
    refusals: stepRefusals,
    query: z.object(authRequestIdMembers),
    async handler(context, { query }) {
      const { authRequest } = openStep(needs, context, query);
      await requireOpen(needs, authRequest);
      throw new AuthorizationError('access_denied', wayBack(authRequest));
    },
  });
}
