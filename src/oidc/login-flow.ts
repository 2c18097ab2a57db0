// oidc/ is the OpenID provider as plain functions: values in, values out. It knows the protocol's words, not HTTP.
//
// This file: the steps of a login on an authorization request. Each step ends in `nextStep`, the one place that
// decides between "here is your code" and "these questions remain"; steps never call each other.

import { AuthError } from '../errors/auth-error.ts';
import { authQueryOf } from '../login/auth-query.ts';
import { authenticatePrimary, type PrimaryNeeds, type PrimaryResult } from '../login/authenticate-primary.ts';
import { outstandingFactors } from '../login/outstanding-factors.ts';
import type { RequestOrigin } from '../model/audit-event.ts';
import type { AuthRequest } from '../model/auth-request.ts';
import type { AuthQuery, Credentials } from '../model/login.ts';
import { constantTimeEqual, sha256 } from '../platform/digest.ts';
import type { Random } from '../platform/random.ts';
import type { AuthRequestStore } from '../store/contracts/auth-requests.ts';
import { type AuthRequestSealer, authRequestLifetime } from './auth-request-id.ts';
import { codeLifetime, mintCode } from './authorization-code.ts';
import { withParameters } from './redirect-uri.ts';

/** What to answer to a login step. */
export type LoginStep =
  /** Finished: send the client to its redirect URI with the code. */
  | { readonly kind: 'redirect'; readonly location: string }
  /** Partially authenticated: these remain. */
  | {
      readonly kind: 'queries';
      readonly authQueries: readonly AuthQuery[];
      readonly isTotpRequired: boolean;
    };

export interface LoginFlowNeeds extends PrimaryNeeds {
  readonly store: PrimaryNeeds['store'] & { readonly authRequests: AuthRequestStore };
  readonly sealer: AuthRequestSealer;
  readonly random: Random;
  readonly tagKey: Buffer;
}

/** Path at which TOTP codes are submitted during an OIDC login. */
const totpUrl = '/oidc/login/totp';

/**
 * The authorization request behind an auth request id, for a step that arrives from `origin`.
 * @param browserCookie the binding cookie of the browser, or null
 * @throws AuthError auth_request_unknown   not ours, expired, begun at another bind point or in another browser
 */
export function openAuthRequest(
  needs: Pick<LoginFlowNeeds, 'sealer' | 'clock'>,
  authRequestId: string,
  origin: RequestOrigin,
  browserCookie: string | null,
): AuthRequest {
  const now = needs.clock.now();
  const authRequest = needs.sealer.open(authRequestId, now);
  if (authRequest === undefined || now >= authRequest.createdAt + authRequestLifetime) {
    throw new AuthError('auth_request_unknown');
  }
  if (authRequest.issuer !== origin.issuer) {
    throw new AuthError('auth_request_unknown', { detail: 'the request was begun at another bind point' });
  }
  const { browserBinding } = authRequest;
  // A login that began in a browser continues in that browser only, whoever has learnt the id (RFC 9700 4.7).
  if (
    browserBinding !== null &&
    (browserCookie === null || !constantTimeEqual(sha256(browserCookie), browserBinding))
  ) {
    throw new AuthError('auth_request_unknown', {
      detail: 'the binding cookie is missing or another browser is used',
    });
  }
  return authRequest;
}

/**
 * Takes primary credentials for an authorization request.
 * @param configTypes given with the login, added to those of the authorization request
 * @throws AuthError auth_request_unknown, invalid_auth, busy
 */
export async function submitPrimary(
  needs: LoginFlowNeeds,
  authRequest: AuthRequest,
  credentials: Credentials,
  configTypes: readonly string[],
  origin: RequestOrigin,
): Promise<LoginStep> {
  const result = await authenticatePrimary(needs, credentials, origin, authRequest.clientId);
  const merged = { ...authRequest, configTypes: [...new Set([...authRequest.configTypes, ...configTypes])] };
  return nextStep(needs, merged, result);
}

/**
 * Records what was proven, and answers with the code when nothing is outstanding. The code exists only in this
 * answer: no endpoint returns it again (RFC 9700 4.5).
 */
async function nextStep(
  needs: LoginFlowNeeds,
  authRequest: AuthRequest,
  result: PrimaryResult,
): Promise<LoginStep> {
  const now = needs.clock.now();
  const outstanding = outstandingFactors(result.policy, { isEnrolled: false }, result.progress.passed);
  const code = outstanding.length === 0 ? mintCode(needs, authRequest.key) : null;
  const recorded = await needs.store.authRequests.recordPrimaryLogin({
    authRequest,
    progress: result.progress,
    code: code === null ? null : { hash: code.hash, expiresAt: now + codeLifetime },
    expiresAt: authRequest.createdAt + authRequestLifetime,
    now,
  });
  if (recorded === 'finished') {
    throw new AuthError('auth_request_unknown', { detail: 'a code was already issued for this request' });
  }
  if (code === null) {
    return {
      kind: 'queries',
      authQueries: outstanding.map((factor) => authQueryOf(factor, totpUrl)),
      isTotpRequired: outstanding.some((factor) => factor.type === 'totp'),
    };
  }
  const location = withParameters(authRequest.redirectUri, [
    ['code', code.text],
    ['state', authRequest.state],
    ['iss', authRequest.issuer],
  ]);
  return { kind: 'redirect', location };
}
