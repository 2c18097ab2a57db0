// How a finished login leads back to the client: directly, or for clients of the compatibility profile through one more
// redirect on this service, because some of them follow the first redirect here even if it leads elsewhere. The address
// of the first redirect contains, sealed, the answer of the second one: nothing is stored, and the code can be read
// nowhere else.

import { AuthError, type ValidatedRedirect } from '../../errors/auth-error.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { Clock } from '../../platform/clock.ts';
import { dailySealer } from '../../platform/secrets/sealed-box.ts';
import type { ClientRegistry } from '../clients.ts';
import { withParameters } from '../redirect-uri.ts';
import type { CallbackSealer, FinishedLogin } from '../services.ts';
import { codeLifetime, requireSameBrowser } from './open-auth-request.ts';

/** Path of the second redirect below the issuer. */
export const callbackPath = '/authorize/callback';

/** How a client receives the result of its request. */
export type Handover =
  | { readonly kind: 'redirect'; readonly location: string }
  /** The browser posts the fields (OAuth 2.0 Form Post Response Mode). */
  | {
      readonly kind: 'form';
      readonly action: string;
      readonly fields: readonly (readonly [string, string])[];
    };

/** @param root the server secret that all nodes share */
export function callbackSealer(root: Buffer): CallbackSealer {
  const sealer = dailySealer(root, 'callback');
  return {
    seal: (login, now) => sealer.seal(JSON.stringify(login), now),
    open(text, now) {
      const plain = sealer.open(text, now);
      if (plain === undefined) return undefined;
      const login = JSON.parse(plain) as FinishedLogin;
      return now < login.expiresAt ? login : undefined;
    },
  };
}

/** Where to send an error that occurs after the request was validated. */
export function wayBack({ redirectUri, state, issuer, responseMode }: AuthRequest): ValidatedRedirect {
  return { redirectUri, state, issuer, ...(responseMode === undefined ? {} : { responseMode }) };
}

/** Gives a client whose login is finished its code. */
export function handOver(
  needs: { clients: ClientRegistry; callbacks: CallbackSealer; clock: Clock },
  authRequest: AuthRequest,
  code: string,
): Handover {
  const { issuer, browserBinding } = authRequest;
  const answer = wayBack(authRequest);
  if (needs.clients.find(authRequest.clientId)?.profile !== 'compatibility')
    return toClient({ ...answer, code });
  const now = needs.clock.now();
  const login = { ...answer, browserBinding, code, expiresAt: now + codeLifetime };
  return { kind: 'redirect', location: `${issuer}${callbackPath}?id=${needs.callbacks.seal(login, now)}` };
}

/**
 * Where the second redirect leads.
 * @param browser the bindings that the browser presents
 * @throws AuthError auth_request_unknown   not ours, the code has expired, another bind point or another browser
 */
export function followCallback(
  needs: { callbacks: CallbackSealer; clock: Clock },
  { id, browser }: { id: string; browser: readonly string[] },
  origin: RequestOrigin,
): Handover {
  const login = needs.callbacks.open(id, needs.clock.now());
  if (login === undefined || login.issuer !== origin.issuer) throw new AuthError('auth_request_unknown');
  requireSameBrowser(login.browserBinding, browser);
  return toClient(login);
}

/** The code comes before the state, because some clients take everything after `code=` for the code. */
function toClient(login: Omit<FinishedLogin, 'browserBinding' | 'expiresAt'>): Handover {
  const { redirectUri, code, state, issuer, responseMode } = login;
  const parameters = [['code', code] as const, ...stated(state), ['iss', issuer] as const];
  return responseMode === 'form_post'
    ? { kind: 'form', action: redirectUri, fields: parameters }
    : { kind: 'redirect', location: withParameters(redirectUri, parameters) };
}

function stated(state: string | null): readonly (readonly ['state', string])[] {
  return state === null ? [] : [['state', state]];
}
