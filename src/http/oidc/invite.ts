// `/invite`: the page that an invitation links to. The person chooses a password, and a normal login then signs them in
// to the account page, with everything else that login requires.

import { z } from 'zod';
import {
  askInvited,
  choosePasskey,
  choosePassword,
  type DeadInvitation,
  lookAtInvitation,
  type ShownInvitation,
} from '../../enrollment/with-invitation.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { passkeySiteOf } from '../../login/passkey/question.ts';
import { PasswordNotAcceptable, shortestPassword } from '../../login/password/password-rules.ts';
import { validateAuthorizationRequest } from '../../oidc/flow/authorization-request.ts';
import { submitPrimary } from '../../oidc/flow/login-flow.ts';
import { deadInvitePage, invitedPage, invitePage } from '../../pages/invite.ts';
import type { PasswordProblem } from '../../pages/new-password.ts';
import { attestationSchema } from '../../platform/webauthn.ts';
import { invitePasskeyPaths, invitePath } from '../documents/invite-path.ts';
import { creationOptionsSchema, webAuthnAnswer } from '../documents/passkey-document.ts';
import { accountPaths } from '../pages/app-paths.ts';
import { bundledFilesPath } from '../pages/bundled-files.ts';
import { type Answer, type AnsweredRefusal, htmlType, json, page } from '../request/answer.ts';
import type { RequestContext } from '../request/request-context.ts';
import {
  anonymous,
  documentAnswer,
  orPage,
  type Route,
  redirectAnswer,
  route,
  schemaNamed,
  servesApi,
  somePage,
} from '../request/route.ts';
import { bindBrowser } from './browser-binding.ts';
import { forgottenPathOf } from './forgotten.ts';
import { oidcBindPointOf, type PageServices, stepOf } from './login-step.ts';
import { signedInBrowser } from './signed-in.ts';
import { loginStepFor, stepAnswers } from './step-answers.ts';

/** Of an invitation 91 characters; of a link for a forgotten password some 300. */
const token = z.string().max(600);
const inviteQuery = z.object({ t: token.optional() });

/** From the login that the page's script has begun. Without scripts they are missing. */
const loginParameters = {
  state: z.string().max(200).optional(),
  nonce: z.string().max(200).optional(),
  code_challenge: z.string().max(200).optional(),
};
const inviteBody = z.object({ t: token, password: z.string(), repeated: z.string(), ...loginParameters });
type InviteBody = z.output<typeof inviteBody>;

const common = {
  ...anonymous('pages', 'counted-unless-proven', 'html-or-edge'),
  produces: [htmlType],
} as const;

/** GET and POST `/invite`. The token is in the form, so only its holder can post one. */
export function inviteRoutes(needs: PageServices): readonly Route[] {
  const show = route(['GET', 'HEAD'], invitePath, {
    ...common,
    summary: 'Show the page behind an invitation; nothing is used up',
    answers: { 200: somePage, 404: somePage, 410: somePage },
    query: inviteQuery,
    handler: (context, { query }) =>
      lookedAt(needs, context, { text: query.t ?? '', status: 200, problems: [] }),
  });
  const submit = route('POST', invitePath, {
    ...common,
    summary: 'Choose the password of an invitation, and log in to the account page',
    answers: {
      200: { ...somePage, headers: stepAnswers[200]?.headers ?? {} },
      302: redirectAnswer('To the account page, with a code'),
      400: somePage,
      404: somePage,
      409: somePage,
      410: somePage,
    },
    refusals: ['rate_limited', 'busy', 'already_enrolled'],
    body: { json: false, form: true, schema: inviteBody },
    handler: (context, { body }) => choose(needs, context, body),
  });
  return [show, submit, ...invitedPasskeyRoutes(needs)];
}

/** The answer to programs and the page's script once the passkey of an invitation is added. */
const addedAnswer = documentAnswer(
  schemaNamed('InvitationUsed', { username: z.string() }),
  'The passkey is added: a login with it can begin',
);

/**
 * `/invite/passkey/options` and `/invite/passkey`: a passkey instead of a password. The person then signs in with it, as
 * with every other one.
 */
function invitedPasskeyRoutes(needs: PageServices): readonly Route[] {
  const rules = anonymous('pages', 'counted-unless-proven', 'html-or-edge');
  const refusals = ['rate_limited', 'invalid_enrollment_token', 'enrollment_expired', 'conflict'] as const;
  return [
    route('POST', invitePasskeyPaths.options, {
      ...rules,
      summary: 'Ask for the passkey of an invitation; nothing is used up',
      answers: { 200: documentAnswer(creationOptionsSchema, 'For navigator.credentials.create') },
      refusals,
      body: { json: true, form: false, schema: z.object({ t: token }) },
      handler: async (context, { body }) => json(await askInvited(needs, body.t, context.origin)),
    }),
    route('POST', invitePasskeyPaths.add, {
      ...rules,
      summary: 'Use an invitation up by adding a passkey instead of choosing a password',
      answers: { 200: orPage(addedAnswer), 400: somePage, 404: somePage, 410: somePage },
      refusals: [...refusals, 'invalid_passkey'],
      body: {
        json: true,
        form: true,
        schema: z.object({
          t: token,
          response: webAuthnAnswer(attestationSchema),
          name: z.string().max(200).optional(),
        }),
      },
      async handler(context, { body: { t, response, name } }) {
        const { isPerson } = context.sender;
        const work = async () => {
          const invited = { token: t, answer: response, name };
          const { username } = await choosePasskey(needs, invited, context.origin);
          return isPerson ? doneAnswer(needs, context, { username, chosen: 'passkey' }) : json({ username });
        };
        return isPerson ? orAgain(needs, context, { text: t, work }) : work();
      },
    }),
  ];
}

async function choose(needs: PageServices, context: RequestContext, body: InviteBody): Promise<Answer> {
  const { t: text, password, repeated } = body;
  if (password !== repeated) return lookedAt(needs, context, { text, status: 400, problems: ['repeated'] });
  const work = async () => {
    const { username } = await choosePassword(needs, { token: text, password }, context.origin);
    return logIn(needs, context, { credentials: { username, password }, body });
  };
  return orAgain(needs, context, { text, work });
}

/** Uses the link. If what the person chose is refused, they see the form again; if the link is dead, why. */
async function orAgain(
  needs: PageServices,
  context: RequestContext,
  { text, work }: { text: string; work: () => Promise<Answer> },
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const dead = error instanceof AuthError ? deadBy[error.code] : undefined;
    if (dead !== undefined) return deadAnswer(needs, context, { state: dead });
    const isPasskeyRefused = error instanceof AuthError && error.code === 'invalid_passkey';
    const problems = isPasskeyRefused ? [] : problemsOf(error);
    if (problems === null) throw error;
    const invitation = await lookAtInvitation(needs, text);
    if (invitation.state !== 'usable') throw error;
    return formAnswer(needs, context, { text, status: 400, problems, isPasskeyRefused, invitation });
  }
}

/** It is done, and the person has to sign in. */
function doneAnswer(
  needs: PageServices,
  context: RequestContext,
  done: { username: string; chosen: 'password' | 'passkey' },
): Answer {
  return page(invitedPage(needs.views(context), { ...done, accountPath: accountPathAt(context) }));
}

/** Null where this listener has no account page. */
function accountPathAt({ listener }: RequestContext): string | null {
  return servesApi(listener, 'account') ? accountPaths.page : null;
}

const deadBy: Readonly<Partial<Record<AuthError['code'], DeadInvitation>>> = {
  invalid_enrollment_token: 'unknown',
  enrollment_expired: 'expired',
};

function problemsOf(error: unknown): readonly PasswordProblem[] | null {
  if (!(error instanceof AuthError) || error.code !== 'password_not_acceptable') return null;
  // The attempt's record wraps what the rules throw.
  const { cause } = error;
  return cause instanceof PasswordNotAcceptable ? cause.rules : ['too-long'];
}

/**
 * Logs in to the account page with the password that was just set, by the rules of every login, and asks for everything
 * else that the policy requires. If the login cannot begin or is refused, the person signs in on the account page.
 */
async function logIn(
  needs: PageServices,
  context: RequestContext,
  {
    credentials,
    body: { state, nonce, code_challenge: challenge },
  }: { credentials: { username: string; password: string }; body: InviteBody },
): Promise<Answer> {
  const { username } = credentials;
  const done = () => doneAnswer(needs, context, { username, chosen: 'password' });
  if (!servesApi(context.listener, 'account') || challenge === undefined) return done();
  const { binding, headers } = bindBrowser(needs.random, context);
  const parameters = {
    response_type: 'code',
    client_id: 'overlay',
    redirect_uri: `${new URL(context.issuer).origin}${accountPaths.callback}`,
    scope: 'openid offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: state ?? '',
    nonce: nonce ?? '',
  };
  try {
    const { session } = await signedInBrowser(needs, context);
    const browser = { binding, session };
    const authRequest = validateAuthorizationRequest(needs, parameters, {
      bindPoint: oidcBindPointOf(context),
      browser,
    });
    const step = stepOf(needs, { context, authRequest, authRequestId: needs.sealer.seal(authRequest) });
    const proof = { method: 'password', ...credentials } as const;
    const outcome = await submitPrimary(needs, authRequest, {
      credentials: proof,
      configTypes: [],
      bearers: [],
      origin: context.origin,
    });
    const answer = loginStepFor(needs.signers, step, outcome);
    const cookies = [headers['set-cookie'], answer.headers['set-cookie'] ?? []].flat();
    return { ...answer, headers: { ...answer.headers, 'set-cookie': cookies } };
  } catch (error) {
    if (error instanceof AuthError) return done();
    throw error;
  }
}

interface AskedForm {
  readonly text: string;
  readonly status: number;
  readonly problems: readonly PasswordProblem[];
  readonly isPasskeyRefused?: boolean;
}

/** The form, or why the link does not work. */
async function lookedAt(needs: PageServices, context: RequestContext, form: AskedForm): Promise<Answer> {
  const invitation = await lookAtInvitation(needs, form.text);
  return invitation.state === 'usable'
    ? formAnswer(needs, context, { ...form, invitation })
    : deadAnswer(needs, context, invitation);
}

async function formAnswer(
  needs: PageServices,
  context: RequestContext,
  {
    text,
    status,
    problems,
    isPasskeyRefused = false,
    invitation,
  }: AskedForm & { invitation: ShownInvitation },
): Promise<Answer> {
  const { username, purpose, policy, allows } = invitation;
  const scriptPath = servesApi(context.listener, 'account')
    ? `${await bundledFilesPath('account')}/invite.js`
    : null;
  const form = invitePage(needs.views(context), {
    action: invitePath,
    token: text,
    username,
    purpose,
    scriptPath,
    rules: allows.password ? { policy, shortest: shortestPassword(policy) } : null,
    passkey:
      allows.passkey && passkeySiteOf(needs, context.issuer) !== null
        ? {
            options: invitePasskeyPaths.options,
            action: invitePasskeyPaths.add,
            of: { name: 't', value: text },
          }
        : null,
    isPasskeyRefused,
    problems,
    referenceId: context.requestId,
  });
  return page(form, { status });
}

/** @param link.refusal none if the attempt to use it has recorded that */
function deadAnswer(
  needs: PageServices,
  context: RequestContext,
  { state, refusal }: { state: DeadInvitation; refusal?: AnsweredRefusal },
): Answer {
  const shown = deadInvitePage(
    needs.views(context),
    { state, accountPath: accountPathAt(context), forgottenPath: forgottenPathOf(needs) },
    context.requestId,
  );
  return page(shown, { status: state === 'expired' ? 410 : 404, refusal });
}
