// What people see of the secondary factors during a login: the same endpoints, answered with pages. The JSON
// contract knows none of this.

import type { AuthRequest } from '../../model/auth-request.ts';
import type { AuthQuery } from '../../model/login.ts';
import type { LoginStep } from '../../oidc/login-flow.ts';
import { externalTokenPage } from '../../pages/external-token.ts';
import type { Html } from '../../pages/html.ts';
import { totpPage } from '../../pages/totp.ts';
import {
  type EnrollmentActions,
  enrollmentConfirmPage,
  enrollmentIntroPage,
  enrollmentPage,
} from '../../pages/totp-enrollment.ts';
import { type Answer, page } from '../answer.ts';
import { wantsHtml } from '../negotiate.ts';
import type { RequestContext } from '../request-context.ts';
import { formTarget } from './form-target.ts';
import { loginStepAnswer } from './login-answer.ts';

export const totpPath = '/oidc/login/totp';
export const enrollPath = '/oidc/login/totp/enroll';
export const verifyPath = '/oidc/login/totp/enroll/verify';
/** For forms, which cannot send DELETE. */
export const cancelPath = '/oidc/login/totp/enroll/cancel';

/** A login in progress, and the request that is being answered. */
export interface Step {
  readonly context: RequestContext;
  readonly authRequest: AuthRequest;
  /** As the client spelled it. */
  readonly authRequestId: string;
}

export function isForPeople({ context }: Step): boolean {
  return wantsHtml(context.headers.accept);
}

/** The answer to a login step; for people, the page that asks for what remains. */
export function loginStepFor(step: Step, outcome: LoginStep): Answer {
  const answer = loginStepAnswer(outcome);
  if (outcome.kind === 'redirect' || !isForPeople(step)) return answer;
  const { 'content-type': _json, ...headers } = answer.headers;
  const shown = nextPage(step, outcome.authQueries);
  return { ...shown, headers: { ...shown.headers, ...headers } };
}

function nextPage(step: Step, authQueries: readonly AuthQuery[]): Answer {
  const totp = authQueries.find(({ isTotpEnrolled }) => isTotpEnrolled !== undefined);
  if (totp !== undefined) return totp.isTotpEnrolled === true ? codePage(step, 200) : introPage(step, 200);
  const issuers = authQueries.flatMap(({ issuer }) => (issuer === undefined ? [] : [issuer]));
  const { startOver } = actionsOf(step);
  return shown(step, 200, externalTokenPage({ issuers, startOver, referenceId: step.context.requestId }));
}

/** @param status that of the refusal of the code, or 200 when none was submitted yet */
export function codePage(step: Step, status: number): Answer {
  return shown(
    step,
    status,
    totpPage({
      action: totpPath,
      authRequestId: step.authRequestId,
      startOver: actionsOf(step).startOver,
      failure: status === 200 ? null : { referenceId: step.context.requestId },
    }),
  );
}

export function introPage(step: Step, status: number): Answer {
  const failure = status === 200 ? null : { referenceId: step.context.requestId };
  return shown(step, status, enrollmentIntroPage(actionsOf(step), failure));
}

export function provisioningPage(
  step: Step,
  provisioning: { readonly provisioningUrl: string; readonly recoveryCodes: readonly string[] },
): Answer {
  return shown(step, 201, enrollmentPage(actionsOf(step), provisioning));
}

/** @param isRefused whether a code was refused, or none was submitted */
export function confirmPage(step: Step, status: number, isRefused: boolean): Answer {
  const failure = isRefused ? { referenceId: step.context.requestId } : null;
  return shown(step, status, enrollmentConfirmPage(actionsOf(step), failure));
}

function shown({ authRequest }: Step, status: number, document: Html): Answer {
  return page(document, { status, formTargets: [formTarget(authRequest.redirectUri)] });
}

function actionsOf({ authRequestId }: Step): EnrollmentActions {
  return {
    authRequestId,
    start: enrollPath,
    verify: verifyPath,
    cancel: cancelPath,
    startOver: `/oidc/login/username?authRequestID=${encodeURIComponent(authRequestId)}`,
  };
}
