// The authorization_code grant (RFC 6749 4.1.3, RFC 7636 4.6).

import { requestedKeyOf } from '../../certificates/client-certificate-issuer.ts';
import { AuthError, type AuthErrorOptions } from '../../errors/auth-error.ts';
import { clientProgramOf } from '../../login/client-program.ts';
import { endOldestSessions, recordNewProgram } from '../../login/opened-session.ts';
import { standingObjection } from '../../login/standing.ts';
import { type ApiSessionId, type AuthRequestKey, asId } from '../../model/ids.ts';
import type { TokenResponse } from '../../model/tokens.ts';
import { pathOfChain } from '../../sessions/opening-certificate-view.ts';
import type { RedeemOutcome } from '../../store/contracts/auth-requests.ts';
import { firstRefreshToken, readOpaqueToken } from '../../tokens/opaque-token.ts';
import {
  clientObjection,
  isFapi,
  isForSome,
  redirectUrisOf,
  refreshTokenFormOf,
  requiresPkce,
  runsWithPerson,
} from '../clients.ts';
import { narrowed, optional, required, resourcesWithin } from '../parameters.ts';
import { codeChallengeOf, isCodeVerifier } from '../pkce.ts';
import { isForDevice, isRegisteredRedirectUri } from '../redirect-uri.ts';
import type { OidcServices } from '../services.ts';
import {
  type GrantRequest,
  issueTokens,
  keyObjection,
  mayBeCertified,
  patienceLeft,
  provenKey,
  sessionCertificate,
  sessionEnd,
  toldUntil,
} from './grant.ts';

/**
 * Redeems a code: one statement of the store decides, and opens the session in the same transaction. If an
 * administrator has changed something since the code was issued, so that the session would no longer be opened, it is
 * ended at once.
 * @throws AuthError invalid_request a parameter is missing or repeated; invalid_grant for everything else alike
 */
export async function redeemAuthorizationCode(
  needs: OidcServices,
  request: GrantRequest,
): Promise<TokenResponse> {
  const { parameters } = request;
  const codeText = required(parameters, 'code');
  const redirectUri = required(parameters, 'redirect_uri');
  const { client, origin } = request;
  // Its grant gives a device the code only once the person has agreed.
  if (isForDevice({ redirectUri, issuer: origin.issuer })) throw new AuthError('invalid_grant');
  // The conformance suite of FAPI 2.0 wants invalid_grant for a missing one (RFC 7636 4.6), as a wrong one gets.
  const verifier =
    requiresPkce(client) && !isFapi(client)
      ? required(parameters, 'code_verifier')
      : optional(parameters, 'code_verifier');
  return redeemCode(needs, request, { codeText, redirectUri, verifier });
}

/** The values that a client presents together with a code. */
export interface PresentedCode {
  readonly codeText: string;
  readonly redirectUri: string;
  /** PKCE verifier; null for none. */
  readonly verifier: string | null;
}

const malformedVerifier =
  'code_verifier is not 43 to 128 of the characters A-Z a-z 0-9 - . _ ~ (RFC 7636 4.1)';

/** @throws AuthError invalid_grant for everything alike */
export async function redeemCode(
  needs: OidcServices,
  request: GrantRequest,
  { codeText, redirectUri, verifier }: PresentedCode,
): Promise<TokenResponse> {
  const { client, origin } = request;
  const code = readOpaqueToken(needs.tagKey, 'code', codeText);
  if (code === undefined) throw refusedBecause('not a code of this service');
  if (verifier !== null && !isCodeVerifier(verifier)) throw refusedBecause(malformedVerifier);
  const key = asId<AuthRequestKey>(code.id);
  await requireGrantedResources(needs, request, key);
  const keyThumbprint = await provenKey(needs, request, { owner: key });
  const now = needs.clock.now();
  const sessionId = asId<ApiSessionId>(needs.random.id());
  const refresh = firstRefreshToken(needs, sessionId, refreshTokenFormOf(client));
  const refreshExpiresAt = now + needs.lifetimes.refreshToken;
  const isOfDevice = isForDevice({ redirectUri, issuer: origin.issuer });
  const isWithPerson = runsWithPerson(client) || isOfDevice;
  const outcome = await needs.store.authRequests.redeemCode({
    key,
    codeHash: code.hash,
    clientId: client.clientId,
    isRegistered: client.registered !== null,
    redirectUri,
    // A challenge without a verifier is wrong, and so is a verifier without a challenge (RFC 9700 4.8.2).
    codeChallenge: verifier === null ? '' : codeChallengeOf(verifier),
    issuer: origin.issuer,
    certThumbprint: request.clientCertificates()?.leafThumbprint ?? null,
    keyThumbprint,
    now,
    session: {
      id: sessionId,
      ipAddress: origin.ipAddress,
      program: isWithPerson ? clientProgramOf(origin.userAgent) : null,
      isForProgram: request.isFromProgram,
      expiresAt: sessionEnd(needs.lifetimes, refreshExpiresAt, now),
      toldUntil: toldUntil(needs.lifetimes, client, now),
      certChain: foreignChain(needs, request),
      refresh: {
        hash: refresh.hash,
        expiresAt: refreshExpiresAt,
        familyExpiresAt: now + needs.lifetimes.refreshFamily,
      },
    },
    within: patienceLeft(needs.clock, request.arrivedAt),
  });

  if (outcome.outcome === 'refused') throw await codeRefused(needs, request, outcome);
  const { session, identity, policy, openSessions, nonce, certificateKey } = outcome;
  // Also if the session ends at once: the next one with this program would not be new.
  recordNewProgram(needs, { session, origin }, outcome.newProgram);
  const account = isForSome(client) ? await needs.view.accounts.find(identity.id, now) : null;
  // The address to which the code was sent may have been taken from the client or the configuration since.
  const known = redirectUrisOf(client, request.redirectUris, null);
  const objection =
    (isOfDevice || isRegisteredRedirectUri(known, redirectUri) ? null : 'redirect-uri-removed') ??
    (account === null ? null : clientObjection(client, account.identity)) ??
    standingObjection(needs.view, { policy }, session) ??
    ((await needs.view.openingCertificates.isUnrevoked(session)) ? null : 'certificate');
  const isBound = keyThumbprint !== null;
  const unbound = objection === null ? keyObjection(needs, request, { session, policy, isBound }) : null;
  if (objection !== null || unbound !== null) {
    await needs.store.apiSessions.end(session.id, 'administrator', now);
    const of = { clientId: client.clientId, identityId: identity.id };
    const event = { reason: objection ?? 'dpop-required', endedSessionId: session.id, ...of };
    needs.audit.record({ event: 'code.refused', ...event }, origin);
    throw unbound ?? refusedBecause(String(objection));
  }
  needs.audit.record(
    { event: 'token.issued', identityId: identity.id, sessionId: session.id, clientId: client.clientId },
    origin,
  );
  if (openSessions > needs.maxSessionsPerIdentity)
    await endOldestSessions(needs, { ...session, lacksFactors: false }, origin);
  const present = narrowed(client, session, null);
  const refreshToken = present.scopes.includes('offline_access') ? refresh : null;
  const wanted = certificateKey === null || !mayBeCertified(client) ? null : requestedKeyOf(certificateKey);
  const sessionCert = await sessionCertificate(needs, { session, key: wanted, origin }, now);
  return issueTokens(needs, request, { session: present, identity, now, nonce, refreshToken, sessionCert });
}

/** The chain of a third-party authority, kept so that each call can check whether a certificate was revoked. */
function foreignChain(needs: OidcServices, request: GrantRequest): readonly string[] | null {
  const path = pathOfChain(needs, request.clientCertificates()?.chain ?? []);
  if (path === null || needs.authorities.caOf(path.anchor) === undefined) return null;
  return path.certificates.slice(0, -1).map(({ x509 }) => x509.raw.toString('base64'));
}

/** @param why for the log and the record only */
function refusedBecause(why: string, told: Pick<AuthErrorOptions, 'description'> = {}): AuthError {
  return new AuthError('invalid_grant', { ...told, detail: `code refused: ${why}` });
}

async function codeRefused(
  { store, audit }: OidcServices,
  { client, origin }: GrantRequest,
  { reason, endedSession }: Extract<RedeemOutcome, { outcome: 'refused' }>,
): Promise<AuthError> {
  const ended = endedSession === null ? null : await store.apiSessions.find(endedSession);
  const of = ended === null ? {} : { identityId: ended.identityId };
  const event = { reason, clientId: client.clientId, endedSessionId: endedSession, ...of };
  audit.record({ event: 'code.refused', ...event }, origin);
  if (reason !== 'wrong-certificate') return refusedBecause(reason);
  const description = 'The code of a login by certificate needs a connection with that certificate';
  return refusedBecause(reason, { description });
}

/**
 * RFC 8707 2.2, checked before the code is used up. Reads nothing unless the client asks for a resource.
 * @throws AuthError invalid_target
 */
async function requireGrantedResources(
  { store, clock }: OidcServices,
  { client, resources }: Pick<GrantRequest, 'client' | 'resources'>,
  key: AuthRequestKey,
): Promise<void> {
  if (resources.length === 0) return;
  const login = await store.authRequests.findLogin(key, clock.now());
  if (login?.authRequest.clientId !== client.clientId) return;
  resourcesWithin(client, login.authRequest.resources ?? [], resources);
}
