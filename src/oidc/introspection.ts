// Token introspection (RFC 7662): whether a token is valid now. For resource servers that must not wait until a token
// expires.

import { provenFactors, standingObjection } from '../login/standing.ts';
import type { Account } from '../model/account.ts';
import type { ApiSession } from '../model/api-session.ts';
import { asId } from '../model/ids.ts';
import type { PassedMethod } from '../model/login.ts';
import type { Principal } from '../model/principal.ts';
import type { Millis } from '../platform/clock.ts';
import { confirmationOf, toSeconds } from '../tokens/access-token.ts';
import { type RefreshTokenForm, readRefreshToken } from '../tokens/opaque-token.ts';
import { isAuthenticated, mayRefresh, mayUse, refreshTokenFormOf, requiresKey } from './clients.ts';
import { type Parameters, required } from './parameters.ts';
import type { OidcServices } from './services.ts';

/** The whole answer for every token that is not active, for any reason (RFC 7662 2.2). */
const inactive = { active: false } as const;

/** The caller: a session, or an authenticated client. */
export type IntrospectionCaller =
  | ({ readonly kind: 'session' } & Pick<Principal, 'isAdmin' | 'apiSessionId' | 'isOfApplication'>)
  | { readonly kind: 'client'; readonly clientId: string };

/**
 * Whether a token is valid now. Administrators may ask about every token, other callers about those of their own
 * session, clients about those issued to them. Any other token is inactive to them, so that they cannot try out tokens.
 * @throws AuthError invalid_request   the parameter `token` is missing or repeated
 */
export async function introspect(needs: OidcServices, caller: IntrospectionCaller, parameters: Parameters) {
  const token = required(parameters, 'token');
  const now = needs.clock.now();
  const found =
    (await accessToken(needs, token, now)) ??
    (await refreshToken(needs, { form: 'opaque', text: token }, now)) ??
    (await refreshToken(needs, { form: 'jwt', text: token }, now));
  if (found === undefined) return inactive;
  return mayAskAbout(caller, found) ? found : inactive;
}

function mayAskAbout(
  caller: IntrospectionCaller,
  { client_id, z_asid }: { client_id: string; z_asid: string },
): boolean {
  if (caller.kind === 'client') return client_id === caller.clientId;
  // An application that holds an administrator's token does not have the administrator's rights.
  return (caller.isAdmin && caller.isOfApplication !== true) || z_asid === caller.apiSessionId;
}

/** What RFC 7662 2.2 says of a token, by its names on the wire. */
async function accessToken(needs: OidcServices, token: string, now: Millis) {
  const verdict = needs.accessTokens.verify(token, now);
  if (verdict.verdict !== 'valid') return undefined;
  const { iss, sub, aud, exp, iat, jti, client_id, scope, amr, auth_time, z_asid, cnf } = verdict.claims;
  const session = await needs.store.apiSessions.find(z_asid);
  if (session === null || session.endedAt !== null) return undefined;
  const username = (await usableAccount(needs, { session, passed: amr }, now))?.identity.name;
  if (username === undefined) return undefined;
  return {
    active: true,
    token_type: cnf?.jkt === undefined ? 'Bearer' : 'DPoP',
    scope,
    client_id,
    username,
    sub,
    aud,
    iss,
    exp,
    iat,
    jti,
    amr,
    auth_time,
    z_asid,
    ...(cnf === undefined ? {} : { cnf }),
  };
}

/** Looking uses nothing up. One with which every refresh would be refused is not active. */
async function refreshToken(
  needs: OidcServices,
  { form, text }: { form: RefreshTokenForm; text: string },
  now: Millis,
) {
  const token = readRefreshToken(needs, { form, text }, now);
  if (token === undefined) return undefined;
  const found = await needs.store.apiSessions.findByRefreshToken(asId(token.id), token.hash, now);
  if (found === null) return undefined;
  const { session, refreshExpiresAt } = found;
  const client = needs.clients.find(session.clientId);
  if (client === undefined || refreshTokenFormOf(client) !== form || !mayRefresh(client)) return undefined;
  // Its address may be gone.
  if (!needs.issuers.has(session.issuer)) return undefined;
  const account = await usableAccount(needs, { session, passed: session.passed }, now);
  if (account === null) return undefined;
  // A client that authenticates may prove a key yet.
  const mayBeBound = session.keyThumbprint !== null || isAuthenticated(client);
  if (requiresKey(client, account.policy) && !mayBeBound) return undefined;
  return {
    active: true,
    scope: session.scopes.join(' '),
    client_id: session.clientId,
    username: account.identity.name,
    sub: session.identityId,
    aud: session.issuer,
    iss: session.issuer,
    exp: toSeconds(refreshExpiresAt),
    iat: toSeconds(session.lastActivityAt),
    amr: provenFactors(needs.view, session),
    auth_time: toSeconds(session.authTime),
    z_asid: session.id,
    ...confirmationOf(session),
  };
}

/** The account; null when a call with it, or a refresh, would be refused. */
async function usableAccount(
  needs: OidcServices,
  { session, passed }: { session: ApiSession; passed: readonly PassedMethod[] },
  now: Millis,
): Promise<Account | null> {
  const account = await needs.view.accounts.find(session.identityId, now);
  const client = needs.clients.find(session.clientId);
  if (account === null || client === undefined || !mayUse(client, account.identity)) return null;
  const objection = standingObjection(needs.view, account, { ...session, passed });
  if (objection !== null || !(await needs.view.openingCertificates.isUnrevoked(session))) return null;
  return account;
}
