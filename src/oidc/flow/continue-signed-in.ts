// Continues without a login in a browser that is signed in. Checks again what the client asks for (OIDC Core
// 3.1.2.1), the identity, its policy and what the login depended on. The cookie alone gives nothing.

import { AuthError, AuthorizationError } from '../../errors/auth-error.ts';
import { droppedScopesNote } from '../../login/authenticate-primary.ts';
import { wouldStillOpen } from '../../login/certificate/certificate.ts';
import { provenFactors } from '../../login/standing.ts';
import type { Account } from '../../model/account.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import { openingStep } from '../../model/login-attempt.ts';
import { SECOND } from '../../platform/clock.ts';
import { acrOf } from '../../tokens/access-token.ts';
import { mintOpaqueToken } from '../../tokens/opaque-token.ts';
import type { OidcServices } from '../services.ts';
import { applicationKey, endOfSession, mayBeSilent, type PresentedSession } from './browser-session.ts';
import { type Handover, handOver, wayBack } from './callback.ts';
import { asStored, requireOpen } from './login-flow.ts';
import { noteDroppedScopes, outstandingFor, requireMayUse, stillAllowed } from './next-step.ts';
import { codeLifetime } from './open-auth-request.ts';

/** The browser of the request, with its session; null when it is not signed in. */
export interface SignedInBrowser {
  readonly session: PresentedSession | null;
  /** The certificates of its connection. */
  readonly clientCertificates: { readonly leafThumbprint: string; readonly chain: readonly Buffer[] } | null;
  readonly origin: RequestOrigin;
}

/** `log-in`: credentials are needed. `choose`: the person has to decide whether to continue with this identity. */
export type SignedInAnswer = Handover | { readonly kind: 'log-in' } | { readonly kind: 'choose' };

/**
 * The result of an authorization request in a browser that may be signed in: a code at once for a web application that
 * the person has used before, a question for another one, and always for programs on the person's own device.
 * @throws AuthorizationError with `prompt=none`, if a person would have to act; client_not_allowed
 */
export async function answerSignedIn(
  needs: OidcServices,
  authRequest: AuthRequest,
  browser: SignedInBrowser,
): Promise<SignedInAnswer> {
  const signedIn = signedInOf(authRequest, browser);
  if (signedIn === null) return { kind: 'log-in' };
  const { session, wish } = signedIn;
  const refuse = (code: 'login_required' | 'interaction_required' | 'account_selection_required') =>
    new AuthorizationError(code, wayBack(authRequest));
  const isSilent = wish.prompts.includes('none');
  const logIn = (): SignedInAnswer => {
    if (isSilent) throw refuse(isStrongEnough(needs, signedIn) ? 'login_required' : 'interaction_required');
    return { kind: 'log-in' };
  };
  const account = await signedInAccount(needs, signedIn);
  if (account === null) return logIn();
  const isAsked = wish.prompts.includes('select_account') || wish.prompts.includes('consent');
  const isUsedBefore = session.applications.includes(applicationKey(needs.clients, authRequest));
  if (isAsked || !isUsedBefore || !mayBeSilent(authRequest)) {
    if (isSilent) throw refuse('account_selection_required');
    return { kind: 'choose' };
  }
  return (await finish(needs, authRequest, { ...signedIn, account })) ?? logIn();
}

/** The signed-in identity, for the page that asks; null when a login is needed after all. */
export async function whoIsSignedIn(
  needs: OidcServices,
  authRequest: AuthRequest,
  browser: SignedInBrowser,
): Promise<{ readonly name: string } | null> {
  await requireOpen(needs, authRequest);
  const signedIn = signedInOf(authRequest, browser);
  const account = signedIn && (await signedInAccount(needs, signedIn));
  return account && { name: account.identity.name };
}

/**
 * The person chose to continue.
 * @returns null when a login is needed after all
 * @throws AuthError auth_request_unknown
 * @throws AuthorizationError client_not_allowed
 */
export async function continueSignedIn(
  needs: OidcServices,
  authRequest: AuthRequest,
  browser: SignedInBrowser,
): Promise<Handover | null> {
  await requireOpen(needs, authRequest);
  const signedIn = signedInOf(authRequest, browser);
  const account = signedIn && (await signedInAccount(needs, signedIn));
  return account && finish(needs, authRequest, { ...signedIn, account });
}

/** A signed-in browser, and the client's conditions for using its session. */
type SignedIn = SignedInBrowser & { readonly session: PresentedSession } & Pick<AuthRequest, 'meant'> &
  NonNullable<AuthRequest['browserSession']>;

function signedInOf({ browserSession, meant }: AuthRequest, browser: SignedInBrowser): SignedIn | null {
  const { session } = browser;
  if (session === null || browserSession === undefined) return null;
  return { ...browser, ...browserSession, ...(meant && { meant }), session };
}

/** The signed-in account, if it satisfies this request and could log in today; otherwise null. */
async function signedInAccount(needs: OidcServices, signedIn: SignedIn): Promise<Account | null> {
  if (!answersWish(needs, signedIn)) return null;
  const { session, clientCertificates, origin } = signedIn;
  const account = await standingAccount(needs, session, origin);
  if (account === null) return null;
  const { certThumbprint } = session.progress;
  if (certThumbprint === null) return account;
  // A thief of the cookie does not have the key.
  if (clientCertificates?.leafThumbprint !== certThumbprint) return null;
  const presented = { chain: clientCertificates.chain, identityId: account.identity.id };
  return (await wouldStillOpen(needs, presented, { mechanism: 'oidc', origin })) ? account : null;
}

function answersWish(needs: OidcServices, signedIn: SignedIn): boolean {
  const { session, wish, meant } = signedIn;
  // Not by the clock, which may be behind that of the node where the person logged in.
  if (wish.prompts.includes('login') || wish.maxAge === 0) return false;
  const { identityId, authTime } = session.progress;
  if (wish.maxAge !== null && needs.clock.now() - authTime > wish.maxAge * SECOND) return false;
  if (meant !== undefined && meant.identityId !== identityId) return false;
  return isStrongEnough(needs, signedIn);
}

/** A login may prove more than this session did. If the client asks for that, try one. */
function isStrongEnough(needs: OidcServices, { session, wish: { acrValues } }: SignedIn): boolean {
  return acrValues.length === 0 || acrValues.includes(acrOf(provenFactors(needs, session.progress)));
}

/** Applies the one rule of what still counts. Ends a session that no longer does. */
async function standingAccount(
  needs: OidcServices,
  { id, progress }: PresentedSession,
  origin: RequestOrigin,
): Promise<Account | null> {
  const account = await stillAllowed(needs, progress, origin);
  if (account !== null && outstandingFor(needs, account, progress).length === 0) return account;
  if (await needs.store.browserSessions.end(id, needs.clock.now())) {
    const ended = { browserSessionId: id, reason: 'no-longer-enough', byIdentityId: null } as const;
    needs.audit.record({ event: 'browser-session.ended', ...ended }, origin);
  }
  return null;
}

/** @returns null when the session has ended meanwhile */
async function finish(
  needs: OidcServices,
  authRequest: AuthRequest,
  { account, session, rules, origin }: { account: Account } & SignedIn,
): Promise<Handover | null> {
  const { id, tokenHash, progress } = session;
  await requireMayUse(needs, authRequest, { origin, account, progress });
  const merged = await asStored(needs, authRequest);
  const code = mintOpaqueToken(needs, 'code', { id: authRequest.key, generation: 1 });
  const now = needs.clock.now();
  const outcome = await needs.store.browserSessions.continueWith({
    id,
    tokenHash,
    application: applicationKey(needs.clients, authRequest),
    authRequest: merged,
    progress,
    code: { hash: code.hash, expiresAt: now + codeLifetime, forgetFailures: [] },
    now,
    expiresAt: endOfSession(rules, session.createdAt, now),
  });
  if (outcome === 'gone') return null;
  if (outcome === 'finished')
    throw new AuthError('auth_request_unknown', { detail: 'the login is finished' });
  const { clientId, droppedScopes } = authRequest;
  const identityId = account.identity.id;
  needs.audit.record({ event: 'browser-session.used', identityId, browserSessionId: id, clientId }, origin);
  if (droppedScopes !== undefined) {
    // Otherwise nothing would show them: this is no login, which has a record.
    await needs.attempts.decide(openingStep(progress, origin), async (attempt) => {
      attempt.about({ identityId });
      attempt.passed('browser session', `${clientId} got its code without a login`);
      attempt.passed('scopes', droppedScopesNote(droppedScopes));
      return { verdict: 'passed' };
    });
    await noteDroppedScopes(needs, authRequest);
  }
  return handOver(needs, merged, code.text);
}
