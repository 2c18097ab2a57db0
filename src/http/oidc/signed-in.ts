// `/oidc/login/continue`: the page that names the person who is signed in in this browser, and continues as them on a
// click.

import { z } from 'zod';
import { presentedSession } from '../../oidc/flow/browser-session.ts';
import { continueSignedIn, type SignedInBrowser, whoIsSignedIn } from '../../oidc/flow/continue-signed-in.ts';
import { signedInPage } from '../../pages/login.ts';
import { loginPaths } from '../../pages/login-forms.ts';
import { type Answer, htmlType, redirect } from '../request/answer.ts';
import type { RequestContext } from '../request/request-context.ts';
import { anonymous, contentAnswer, type Route, redirectAnswer, route } from '../request/route.ts';
import type { PageServices } from './login-step.ts';
import {
  authRequestIdMembers,
  loginInPage,
  loginPageAnswer,
  oidcBindPointOf,
  openStep,
  type Step,
} from './login-step.ts';
import { sessionCookie } from './session-cookie.ts';
import { hrefOf } from './sign-in-ways.ts';
import { handoverAnswer, stepRefusals } from './step-answers.ts';

const common = {
  ...anonymous('oidc', 'counted', 'html-or-edge'),
  // A browser that is not signed in is led to the login page, which proves nothing.
  produces: [htmlType],
} as const;
const query = z.object(authRequestIdMembers);
const form = z.object({ ...authRequestIdMembers, session: z.string().max(100) });

/** The browser of a request, with its session. */
export async function signedInBrowser(
  needs: PageServices,
  context: RequestContext,
): Promise<SignedInBrowser> {
  const session = await presentedSession(needs, oidcBindPointOf(context), sessionCookie(context));
  return { session, clientCertificates: context.sender.certificates, origin: context.origin };
}

export function signedInRoutes(needs: PageServices): readonly Route[] {
  const show = route('GET', loginPaths.continue, {
    ...common,
    summary: 'Show the person who is signed in in this browser',
    answers: {
      200: contentAnswer(htmlType, 'The page'),
      302: redirectAnswer('To the login page, if the browser has no session'),
    },
    refusals: stepRefusals,
    query,
    async handler(context, input) {
      const step = openStep(needs, context, input.query);
      return question(needs, step, await signedInBrowser(needs, context));
    },
  });

  const goOn = route('POST', loginPaths.continue, {
    ...common,
    summary: 'Continue as the person who is signed in in this browser',
    answers: {
      200: contentAnswer(
        htmlType,
        'The page again, if another person is signed in by now; or the form for the client',
      ),
      302: redirectAnswer('To the redirect URI of the client, with the code; or to the login page'),
    },
    refusals: stepRefusals,
    query,
    body: { json: false, form: true, schema: form },
    async handler(context, { query: asked, body }) {
      const step = openStep(needs, context, asked, body);
      const browser = await signedInBrowser(needs, context);
      // The person continues only under the name that the page showed.
      if (browser.session?.id !== body.session) return question(needs, step, browser);
      const handover = await continueSignedIn(needs, step.authRequest, browser);
      return handover === null ? toLogin(step) : handoverAnswer(step.view, handover);
    },
  });
  return [show, goOn];
}

async function question(needs: PageServices, step: Step, browser: SignedInBrowser): Promise<Answer> {
  const person = await whoIsSignedIn(needs, step.authRequest, browser);
  if (person === null || browser.session === null) return toLogin(step);
  const shown = { sessionId: browser.session.id, name: person.name };
  return loginPageAnswer(step, signedInPage(step.view(), loginInPage(step, 200), shown));
}

function toLogin(step: Step): Answer {
  return redirect(hrefOf(step, loginPaths.password));
}
