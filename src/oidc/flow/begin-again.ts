import { AuthError } from '../../errors/auth-error.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import { isoTime } from '../../platform/clock.ts';

/** The refusal of a step of a login of ours that took too long or is finished. */
export function signInOver(authRequest: AuthRequest): AuthError {
  const begun = ['sign-in begun', isoTime(authRequest.createdAt)] as const;
  return new AuthError('auth_request_unknown', {
    startAgain: beginAgain(authRequest),
    detail: 'it took too long, or is finished',
    seen: { subject: authRequest.clientId, facts: [begun] },
  });
}

/**
 * The path at which an expired authorization request starts again, with everything that the client asked for (WCAG
 * 2.2.1). It is validated like any other request.
 */
function beginAgain(authRequest: AuthRequest): string {
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
    ['max_age', wish?.maxAge?.toString()],
    ['acr_values', wish?.acrValues.join(' ') || null],
    ['id_token_hint', wish?.idTokenHint],
    ...(authRequest.resources ?? []).map((resource) => ['resource', resource]),
    ...configTypes.map((configType) => ['configTypes', configType]),
  ].filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return `/oidc/authorization?${new URLSearchParams(parameters).toString()}`;
}
