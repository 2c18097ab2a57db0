// Forward authentication: a proxy asks here, before it passes a request on, who is calling. The answer is the guard's,
// with the identity in headers.

import type { Principal } from '../../model/principal.ts';
import type { Answer } from '../request/answer.ts';
import { type Route, route } from '../request/route.ts';

/** Each is in every 200, and never empty: a proxy that copies them replaces whatever the client sent under the name. */
export const verifiedHeaders = {
  'x-auth-identity-id': 'id of the identity',
  'x-auth-identity-name': 'its name; what is not visible ASCII, and %, as percent-encoded UTF-8',
  'x-auth-admin': 'true or false: whether it may administer this service',
  'x-auth-session-id': 'id of the API session',
  'x-auth-mechanism': 'oidc or legacy: an access token or a zt-session',
  'x-auth-methods': 'what the login proved, separated by commas: password, cert, totp, …',
  'x-auth-client-id': 'the client that the token was issued to; - for a zt-session',
} as const;

/** `/auth/verify`: 200 with who is calling, or the 401 that an API call would get. Decided from memory. */
export const verifyRoute: Route = route({
  methods: ['GET', 'HEAD'],
  path: '/auth/verify',
  api: 'edge-client',
  errors: 'edge',
  guard: 'full',
  summary: 'Find out for a proxy who is calling',
  operationId: 'verifyCaller',
  answers: {
    200: { description: 'Who is calling; no body', content: {}, headers: verifiedHeaders },
  },
  refusesPreflight: true,
  handler: ({ principal }) => verified(principal),
});

function verified(principal: Principal): Answer {
  const { identityId, identityName, isAdmin, apiSessionId, mechanism, passed, clientId } = principal;
  const headers: Readonly<Record<keyof typeof verifiedHeaders, string>> = {
    'x-auth-identity-id': identityId,
    'x-auth-identity-name': visible(identityName),
    'x-auth-admin': String(isAdmin),
    'x-auth-session-id': apiSessionId,
    'x-auth-mechanism': mechanism,
    'x-auth-methods': passed.map(visible).join(',') || '-',
    'x-auth-client-id': visible(clientId) || '-',
  };
  return { status: 200, headers, body: null };
}

/** As a header can hold it: names have spaces and every script there is. */
function visible(text: string): string {
  return text.replace(/[^\x21-\x24\x26-\x7e]/gu, (character) => encodeURIComponent(character));
}
