// A step of a login as the endpoints see it: which login, in which browser, and for whom the answer is.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { AuthRequest, BoundAuthRequest } from '../../model/auth-request.ts';
import type { ClientRegistry } from '../../oidc/clients.ts';
import { type AuthRequestSealer, openAuthRequest } from '../../oidc/flow/open-auth-request.ts';
import type { Html } from '../../pages/html.ts';
import type { View } from '../../pages/view.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { Views } from '../pages/views.ts';
import { type Answer, page, wantsHtml } from '../request/answer.ts';
import { originOf, type RequestContext } from '../request/request-context.ts';
import { formTarget } from '../request/security-headers.ts';
import { bindBrowser, bindingCookie } from './browser-binding.ts';
import { type Application, applicationOf, hrefOf, pageAsking } from './sign-in-ways.ts';

/** The spellings of the auth request id, in body and query alike (spec 2.2, design 2.3). */
export const authRequestIdMembers = {
  authRequestId: z.string().optional(),
  authRequestID: z.string().optional(),
  id: z.string().optional(),
};

export type AuthRequestIdSpellings = {
  readonly [Name in keyof typeof authRequestIdMembers]?: string | undefined;
};

/**
 * The auth request id of a request. Several spellings and places may be used at once if they agree.
 * @throws AuthError could_not_validate   none is given, or they differ
 */
function authRequestIdIn(...sources: readonly AuthRequestIdSpellings[]): string {
  const given = sources.flatMap((source) => [source.authRequestId, source.authRequestID, source.id]);
  const different = new Set(given.filter((value) => value !== undefined && value !== ''));
  const [id] = different;
  if (id === undefined) {
    throw new AuthError('could_not_validate', {
      fields: [{ field: 'authRequestId', reason: 'is required' }],
    });
  }
  if (different.size > 1) {
    const reason = 'is given more than once, with different values';
    throw new AuthError('could_not_validate', { fields: [{ field: 'authRequestId', reason }] });
  }
  return id;
}

export interface StepNeeds {
  readonly sealer: AuthRequestSealer;
  readonly clients: ClientRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly views: Views;
}

/** A login in progress, and the request that is being answered. */
export interface Step {
  readonly context: RequestContext;
  readonly authRequest: AuthRequest;
  /** As the client spelled it; in a page, bound to the browser that shows it. */
  readonly authRequestId: string;
  /** To which it leads; null for one on the person's own device that has no name. */
  readonly application: Application | null;
  /** How pages look to whoever asks. */
  readonly view: () => View;
}

/**
 * Opens the login that a request names.
 * @throws AuthError could_not_validate     no id, or several
 * @throws AuthError auth_request_unknown   not ours, over, of another browser, or a form that no page of ours made
 */
export function openStep(
  needs: StepNeeds,
  context: RequestContext,
  ...sources: readonly AuthRequestIdSpellings[]
): Step {
  const authRequestId = authRequestIdIn(...sources);
  const browser = bindingCookie(context);
  if (isFormOfPerson(context)) requireBoundId(needs, authRequestId);
  const authRequest = openAuthRequest(needs, { authRequestId, browserCookie: browser }, originOf(context));
  const view = () => needs.views(context);
  const application = applicationOf(needs.clients, authRequest);
  const opened = { context, authRequest, authRequestId, application, view };
  const { browserBinding } = authRequest;
  // Programs keep the id that they know.
  const isBound = browserBinding !== null && isForPeople(opened);
  return withPage(isBound ? boundTo(needs, browserBinding, opened) : opened, pageAsking(context.path));
}

/** A failure that passes leads back to this page of the login. */
export function withPage(step: Step, path: string): Step {
  step.context.loginPage = hrefOf(step, path);
  return step;
}

export function isForPeople({ context }: Pick<Step, 'context'>): boolean {
  return wantsHtml(context.headers.accept);
}

/**
 * The step in a browser that has the binding cookie from now on, before anything is given: a person who is lured into a
 * login that somebody else began is bound to it before the password is typed. Whoever asks, and whatever for: where a
 * program asks for what a browser is to do next, only a browser with the cookie of that program's can do it.
 */
export function bindStep(
  needs: StepNeeds,
  step: Step,
): {
  readonly step: Step & { readonly authRequest: BoundAuthRequest };
  readonly headers: Readonly<Record<string, string>>;
} {
  const { binding, headers } = bindBrowser(needs.random, step.context);
  return { step: boundTo(needs, binding, step), headers };
}

/**
 * In a page the id is bound to the browser that shows it, and so is also the token that every form has to bring: no
 * other site can make one that fits the cookie.
 */
function boundTo(
  needs: StepNeeds,
  binding: string,
  step: Step,
): Step & { readonly authRequest: BoundAuthRequest } {
  const begun = needs.sealer.open(step.authRequestId, needs.clock.now());
  const authRequest = { ...step.authRequest, browserBinding: binding };
  const isBound = begun?.browserBinding === binding;
  return {
    ...step,
    authRequest,
    authRequestId: isBound ? step.authRequestId : needs.sealer.seal(authRequest),
  };
}

/** What a browser sends when somebody submits a form. Nothing else can be made to post from another site without CORS. */
function isFormOfPerson(context: RequestContext): boolean {
  if (context.method !== 'POST' || !wantsHtml(context.headers.accept)) return false;
  return !/^application\/json\b/i.test(context.headers['content-type'] ?? '');
}

function requireBoundId({ sealer, clock }: StepNeeds, authRequestId: string): void {
  const begun = sealer.open(authRequestId, clock.now());
  if (begun !== undefined && begun.browserBinding === null) {
    throw new AuthError('auth_request_unknown', { detail: 'a form with an id that is bound to no browser' });
  }
}

/** A page of a login; its forms may lead to the application. Status 200 unless given. */
export function loginPageAnswer(
  { authRequest }: Step,
  document: Html,
  options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Answer {
  return page(document, { ...options, scripts: true, formTargets: [formTarget(authRequest.redirectUri)] });
}
