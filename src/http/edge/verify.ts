// Forward authentication: before a proxy forwards a request, it asks here for the caller. The answer is the guard's,
// with the identity in headers.

import { AuthError } from '../../errors/auth-error.ts';
import type { Principal } from '../../model/principal.ts';
import type { Answer } from '../request/answer.ts';
import { enforceGuard } from '../request/guard.ts';
import { type Route, route } from '../request/route.ts';

/** Every 200 has each of them, so a proxy that copies them replaces those of the same name that the client sent. */
const verifiedHeaders = {
  'remote-user': 'name of the identity; % and characters outside of ASCII as percent-encoded UTF-8',
  'remote-id': 'its id',
  'remote-groups': 'its role attributes, separated by commas; written as the name, and their own commas too',
  'remote-client': 'the client that the token was issued to; - for a zt-session',
  'x-auth-admin': 'true or false: whether it may administer this service',
  'x-auth-session-id': 'id of the API session',
  'x-auth-mechanism': 'oidc or legacy: an access token or a zt-session',
  'x-auth-methods': 'the factors of the login, separated by commas: password, cert, totp, …',
} as const;

/**
 * `/auth/verify`: 200 with the caller, or the 401 that an API call would get. 403 for a session that lacks a factor,
 * because no other token of that session would help. Decided from memory.
 */
export const verifyRoute: Route = route(['GET', 'HEAD'], '/auth/verify', {
  api: 'edge-client',
  errors: 'edge',
  guard: 'partial',
  summary: 'Identify the caller for a proxy',
  operationId: 'verifyCaller',
  answers: { 200: { description: 'The caller, in headers; no body', content: {}, headers: verifiedHeaders } },
  refusals: ['forbidden'],
  refusesPreflight: true,
  answersProxies: true,
  handler({ principal }) {
    if (principal.outstanding.length > 0 && principal.lackingJwt === undefined)
      throw new AuthError('forbidden', {
        description: 'The session lacks a factor that the policy asks for',
      });
    enforceGuard('full', principal);
    return verified(principal);
  },
});

function verified(principal: Principal): Answer {
  const { identityId, account, isAdmin, apiSessionId, mechanism, passed, clientId } = principal;
  const { name, roleAttributes } = account.identity;
  const groups = roleAttributes.map((attribute) => visible(attribute).replaceAll(',', '%2C'));
  const headers: Readonly<Record<keyof typeof verifiedHeaders, string>> = {
    'remote-user': visible(name),
    'remote-id': identityId,
    'remote-groups': groups.join(','),
    'remote-client': visible(clientId) || '-',
    'x-auth-admin': String(isAdmin),
    'x-auth-session-id': apiSessionId,
    'x-auth-mechanism': mechanism,
    'x-auth-methods': passed.map(visible).join(',') || '-',
  };
  return { status: 200, headers, body: null };
}

/** Encoded for a header: names may contain any script, and spaces, which only survive between other characters. */
function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/^ +| +$|[^\x20-\x24\x26-\x7e]/gu, (characters) => encodeURIComponent(characters));
}
