import { AuthError } from '../../errors/auth-error.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import { type Clock, isoTime, MINUTE, type Millis, SECOND } from '../../platform/clock.ts';
import { constantTimeEqual } from '../../platform/digest.ts';
import { dailySealer } from '../../platform/secrets/sealed-box.ts';
import { type ClientRegistry, redirectUrisOf } from '../clients.ts';
import { isForDevice, isRegisteredRedirectUri } from '../redirect-uri.ts';
import type { AuthRequestSealer } from '../services.ts';
import type { OidcBindPoint } from './authorization-request.ts';

/**
 * The authorization request behind an auth request id, for a step that arrives at a bind point. A request that did not
 * begin in a browser becomes bound to the browser that continues it: see `requireSameBrowser`.
 * @param browser the bindings that the browser presents; none for programs
 * @throws AuthError auth_request_unknown   not ours, expired, begun at another bind point or in another browser, and as
 * requireWayBack
 */
export function openAuthRequest(
  needs: { sealer: AuthRequestSealer; clients: ClientRegistry; clock: Clock },
  { authRequestId, browser }: { authRequestId: string; browser: readonly string[] },
  bindPoint: WayBackPoint,
): AuthRequest {
  const now = needs.clock.now();
  const authRequest = needs.sealer.open(authRequestId, now);
  if (authRequest === undefined) throw new AuthError('auth_request_unknown');
  if (authRequest.issuer !== bindPoint.issuer)
    throw new AuthError('auth_request_unknown', { detail: 'the request was begun at another bind point' });
  requireSameBrowser(authRequest.browserBinding, browser);
  // Only here: how it starts again, with the client's state and nonce, is for its own browser.
  if (now >= authRequest.createdAt + authRequestMaxLifetime) throw signInOver(needs, authRequest);
  const bound = { ...authRequest, browserBinding: authRequest.browserBinding ?? browser[0] ?? null };
  requireWayBack(needs, bound, bindPoint);
  return bound;
}

/** The addresses to which the logins of a bind point may lead. */
export type WayBackPoint = Pick<OidcBindPoint, 'issuer' | 'redirectUris'>;

/**
 * Whether a login may still lead to its client. The client or its redirect URI may have been taken away since the
 * authorization request was checked, perhaps because it fell into the wrong hands: then nothing leads there any more,
 * neither a code nor an error.
 * @throws AuthError auth_request_unknown
 */
export function requireWayBack(
  { clients }: { clients: ClientRegistry },
  authRequest: AuthRequest,
  { redirectUris }: WayBackPoint,
): void {
  const client = clients.find(authRequest.clientId);
  if (client === undefined)
    throw new AuthError('auth_request_unknown', { detail: 'the client is no longer configured' });
  if (isForDevice(authRequest)) return;
  const allowed = redirectUrisOf(client, redirectUris, authRequest.browserBinding);
  if (!isRegisteredRedirectUri(allowed, authRequest.redirectUri))
    throw new AuthError('auth_request_unknown', { detail: 'the redirect_uri is no longer registered' });
}

/**
 * A login that a browser has continued continues in that browser only, even if its id leaks (RFC 9700 4.7). That
 * includes a login which an attacker began to lure a person into entering their password for it.
 * @param binding   of the browser in which the login began or its primary step was done; null for none
 * @param presented those of the browser that asks now; none for programs
 * @throws AuthError auth_request_unknown
 */
export function requireSameBrowser(binding: string | null, presented: readonly string[]): void {
  if (isSameBrowser(binding, presented)) return;
  throw new AuthError('auth_request_unknown', {
    detail: 'the binding cookie is missing or another browser is used',
  });
}

/**
 * A login whose primary step is done continues where that was done: in that browser, or for a program in none. A victim
 * who is led to the page of a program's login would prove something for that program, which then continues.
 * @param done      where the primary step was done: the binding of the browser, or null
 * @param presented of the browser that asks now, or null
 * @throws AuthError auth_request_unknown
 */
export function requireSamePlace(done: string | null, presented: string | null): void {
  if (isSamePlace(done, presented)) return;
  throw new AuthError('auth_request_unknown', {
    detail: 'the primary step was done in another browser, or by a program',
  });
}

/** Whether `requireSameBrowser` lets this pass. */
export function isSameBrowser(binding: string | null, presented: readonly string[]): boolean {
  return binding === null || presented.some((one) => constantTimeEqual(one, binding));
}

/** Whether `requireSamePlace` lets this pass. */
export function isSamePlace(done: string | null, presented: string | null): boolean {
  return done === null ? presented === null : presented !== null && isSameBrowser(done, [presented]);
}

// The auth request id that clients carry is the sealed authorization request itself: a stranger who has proven nothing
// costs no stored row, and any node can continue.

/** Of a code, from issue to the last moment of use (RFC 6749 4.1.2). */
export const codeLifetime: Millis = 60 * SECOND;
/** The same for a device: the person has to confirm, and the device to ask. It works only with the device code. */
export const deviceCodeLifetime: Millis = 10 * MINUTE;
/** How long primary login may take. */
export const authRequestLifetime: Millis = 10 * MINUTE;
/** The latest end of an authorization request, even while TOTP is being enrolled. */
export const authRequestMaxLifetime: Millis = 30 * MINUTE;

/** @param root the server secret that all nodes share */
export function authRequestSealer(root: Buffer): AuthRequestSealer {
  const sealer = dailySealer(root, 'auth-request');
  return {
    seal: (authRequest) => sealer.seal(JSON.stringify(authRequest), authRequest.createdAt),
    open(text, now) {
      const plain = sealer.open(text, now);
      return plain === undefined ? undefined : (JSON.parse(plain) as AuthRequest);
    },
  };
}

/** The refusal of a step of a login of ours that took too long or is finished. */
export function signInOver(
  { clients }: { clients: Pick<ClientRegistry, 'find'> },
  authRequest: AuthRequest,
): AuthError {
  const begun = ['sign-in begun', isoTime(authRequest.createdAt)] as const;
  // A page cannot push the request again.
  const mustPush = clients.find(authRequest.clientId)?.registered?.requirePushedAuthorizationRequests;
  return new AuthError('auth_request_unknown', {
    ...(mustPush ? {} : { startAgain: beginAgain(authRequest) }),
    detail: 'it took too long, or is finished',
    seen: { client: authRequest.clientId, facts: [begun] },
  });
}

/**
 * The path at which an expired authorization request starts again, with everything that the client asked for (WCAG
 * 2.2.1). It is validated like any other request. For a device: where a person enters its code.
 */
function beginAgain(authRequest: AuthRequest): string {
  if (isForDevice(authRequest)) return '/oidc/device';
  const { state, nonce, requestedMethod, configTypes } = authRequest;
  const wish = authRequest.browserSession?.wish;
  const parameters = [
    ['response_type', 'code'],
    ['client_id', authRequest.clientId],
    ['redirect_uri', authRequest.redirectUri],
    ['scope', authRequest.scopes.join(' ')],
    ['state', state],
    ['nonce', nonce],
    ['code_challenge', authRequest.codeChallenge || null],
    ['code_challenge_method', authRequest.codeChallenge === '' ? null : 'S256'],
    ['dpop_jkt', authRequest.keyThumbprint],
    ['method', requestedMethod],
    ['login_hint', authRequest.loginHint],
    ['response_mode', authRequest.responseMode],
    ['prompt', wish?.prompts.join(' ') || null],
    ['max_age', authRequest.maxAge?.toString()],
    ['acr_values', wish?.acrValues.join(' ') || null],
    ['id_token_hint', authRequest.meant?.idTokenHint],
    ...(authRequest.resources ?? []).map((resource) => ['resource', resource]),
    ...configTypes.map((configType) => ['configTypes', configType]),
  ].filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return `/oidc/authorization?${new URLSearchParams(parameters).toString()}`;
}
