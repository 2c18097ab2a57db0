// A step of a login as the endpoints see it: which login, at which bind point, in which browser, and who reads the
// answer.

import { z } from 'zod';
import type { Config, Listener } from '../../config/config.ts';
import type { EnrollmentServices } from '../../enrollment/enroll-attempt.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { BoundAuthRequest } from '../../model/auth-request.ts';
import type { OidcBindPoint } from '../../oidc/flow/authorization-request.ts';
import { replacingSession } from '../../oidc/flow/browser-session.ts';
import { openAuthRequest } from '../../oidc/flow/open-auth-request.ts';
import type { OidcServices } from '../../oidc/services.ts';
import type { Html } from '../../pages/html.ts';
import type { View } from '../../pages/layout.ts';
import { type LoginInProgress, loginPaths } from '../../pages/login-forms.ts';
import type { Authenticate } from '../../sessions/authenticate-request.ts';
import type { Store } from '../../store/contracts/store.ts';
import { accountPaths, consolePaths } from '../pages/app-paths.ts';
import type { Views } from '../pages/views.ts';
import { type Answer, page } from '../request/answer.ts';
import type { RequestContext } from '../request/request-context.ts';
import { servesApi } from '../request/route.ts';
import { formTarget } from '../request/security-headers.ts';
import { bindBrowser, bindingsOf } from './browser-binding.ts';
import { sessionCookie } from './session-cookie.ts';
import { type Application, applicationOf, hrefOf, pageAsking, type RequestedLogin } from './sign-in-ways.ts';

/** Results of `oidcBindPointOf`, by issuer: the same for every request until the configuration is replaced. */
const bindPoints = new WeakMap<Listener, Map<string, OidcBindPoint>>();

/** The bind point of a request, as the OIDC endpoints see it: issuer and allowed redirect URIs. */
export function oidcBindPointOf({ listener, issuer }: RequestContext): OidcBindPoint {
  const known = bindPoints.get(listener) ?? new Map<string, OidcBindPoint>();
  bindPoints.set(listener, known);
  const bindPoint = known.get(issuer) ?? bindPointAt(listener, issuer);
  known.set(issuer, bindPoint);
  return bindPoint;
}

/**
 * Where the account page and the console are served, they are clients without any configuration, at the origin of this
 * bind point only.
 */
function bindPointAt(listener: Listener, issuer: string): OidcBindPoint {
  const api = listener.apis.find((bound) => bound.binding === 'edge-oidc');
  if (api?.binding !== 'edge-oidc')
    throw new Error('an OIDC endpoint is mounted on a listener without edge-oidc');
  const { redirectURIs, postLogoutURIs, browserSession } = api.options;
  const { origin } = new URL(issuer);
  const exact = (path: string) => ({ kind: 'exact' as const, uri: `${origin}${path}` });
  const own = [
    ...(servesApi(listener, 'account')
      ? [{ login: accountPaths.callback, logout: accountPaths.signedOut }]
      : []),
    ...(servesApi(listener, 'console')
      ? [{ login: consolePaths.callback, logout: consolePaths.signedOut }]
      : []),
  ];
  return {
    issuer,
    browserSession,
    redirectUris: [...redirectURIs, ...own.map(({ login }) => exact(login))],
    postLogoutUris: [...postLogoutURIs, ...own.map(({ logout }) => exact(logout))],
  };
}

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
 * The auth request id of a request. It may be given several times, in several spellings, if all agree.
 * @throws AuthError could_not_validate   there is none, or they differ
 */
function authRequestIdIn(...sources: readonly AuthRequestIdSpellings[]): string {
  const given = sources.flatMap((source) => [source.authRequestId, source.authRequestID, source.id]);
  const different = new Set(given.filter((value) => value !== undefined && value !== ''));
  const [id] = different;
  if (id === undefined)
    throw new AuthError('could_not_validate', {
      fields: [{ field: 'authRequestId', reason: 'is required' }],
    });
  if (different.size > 1) {
    const reason = 'is given more than once, with different values';
    throw new AuthError('could_not_validate', { fields: [{ field: 'authRequestId', reason }] });
  }
  return id;
}

/** The services of the endpoints of the OpenID provider. */
export interface PageServices extends OidcServices, EnrollmentServices {
  readonly store: Store;
  readonly config: Pick<Config, 'listeners'>;
  readonly views: Views;
  readonly authenticate: Authenticate;
}

export interface Step extends RequestedLogin {
  /** The application it leads to; null for one on the person's own device that has no name. */
  readonly application: () => Application | null;
  /** How pages look for the visitor. */
  readonly view: () => View;
}

/**
 * Opens the login that a request names.
 * @throws AuthError could_not_validate     no id, or several
 * @throws AuthError auth_request_unknown   not ours, expired, of another browser, without a way back, or a form that
 *   none of our pages made
 */
export function openStep(
  needs: PageServices,
  context: RequestContext,
  ...sources: readonly AuthRequestIdSpellings[]
): Step {
  const authRequestId = authRequestIdIn(...sources);
  if (isFormOfPerson(context)) requireBoundId(needs, authRequestId);
  const presented = { authRequestId, browser: bindingsOf(context) };
  const authRequest = replacingSession(
    needs,
    openAuthRequest(needs, presented, oidcBindPointOf(context)),
    sessionCookie(context),
  );
  const opened = stepOf(needs, { context, authRequest, authRequestId });
  // Programs keep the id that they know, and go back to no page.
  if (!isForPeople(opened)) return opened;
  const { browserBinding } = authRequest;
  return withPage(
    browserBinding === null ? opened : boundTo(needs, browserBinding, opened),
    pageAsking(context.path),
  );
}

/** With what only pages need, which is looked up when one is made. */
export function stepOf<Of extends RequestedLogin>(
  { clients, views }: Pick<PageServices, 'clients' | 'views'>,
  step: Of,
): Of & Step {
  return {
    ...step,
    application: () => applicationOf(clients, step.authRequest),
    view: () => views(step.context),
  };
}

/** A failure that may pass links back to this page of the login. */
export function withPage(step: Step, path: string): Step {
  step.context.loginPage = hrefOf(step, path);
  return step;
}

export function isForPeople({ context }: Pick<Step, 'context'>): boolean {
  return context.sender.isPerson;
}

/**
 * The step in a browser that has the binding cookie from now on, set before the first answer: a person who is lured
 * into a login that an attacker began is bound to it before typing a password. This applies to every request and every
 * step: if a program asks for a step that a browser has to continue, only a browser with that program's cookie can do
 * so.
 */
export function bindStep(
  needs: PageServices,
  step: Step,
): {
  readonly step: Step & { readonly authRequest: BoundAuthRequest };
  readonly headers: Readonly<Record<string, string>>;
} {
  const { binding, headers } = bindBrowser(needs.random, step.context, step.authRequest.browserBinding);
  return { step: boundTo(needs, binding, step), headers };
}

/**
 * In a page the id is bound to the browser that shows it, and so is the token that every form has to send: no other
 * site can make one that matches the cookie.
 */
function boundTo(
  needs: PageServices,
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

/** Whether a browser sends the form of a person, including old browsers without `Sec-Fetch` headers. */
function isFormOfPerson({ method, sender, headers }: RequestContext): boolean {
  const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '');
  return method === 'POST' && sender.isSubmitted && !isJson;
}

function requireBoundId({ sealer, clock }: PageServices, authRequestId: string): void {
  const begun = sealer.open(authRequestId, clock.now());
  if (begun !== undefined && begun.browserBinding === null)
    throw new AuthError('auth_request_unknown', { detail: 'a form with an id that is bound to no browser' });
}

/** The state of a login for its pages. @param status of the answer: from 400 on, the last input was refused */
export function loginInPage(step: Step, status: number): LoginInProgress {
  const { authRequestId, context, application } = step;
  const { requestId: referenceId } = context;
  const startOver = hrefOf(step, loginPaths.password);
  const failure = status < 400 ? null : { referenceId };
  return { authRequestId, application: application(), startOver, referenceId, failure };
}

/** A page of a login; its forms may lead to the application. Status 200 unless given. */
export function loginPageAnswer(
  { authRequest }: Step,
  document: Html,
  options: { status?: number; headers?: Readonly<Record<string, string>> } = {},
): Answer {
  return page(document, { ...options, formTargets: [formTarget(authRequest.redirectUri)] });
}
