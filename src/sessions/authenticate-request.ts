// Turns the tokens of a request into a Principal, or into the challenges of a 401 (spec 5.1, 7.2).

import { AuthError } from '../errors/auth-error.ts';
import { type DpopError, dpopChallenge, noTokenChallenges, oidcChallenge } from '../errors/challenge.ts';
import { askedOfSessions, outstandingFactors } from '../login/outstanding-factors.ts';
import { type Opening, openingObjection, provenFactors } from '../login/standing.ts';
import type { Account } from '../model/account.ts';
import { isFapiClient } from '../model/entities/oidc-client.ts';
import type { Principal } from '../model/principal.ts';
import type { AccessTokenClaims } from '../model/tokens.ts';
import { after } from '../platform/after.ts';
import { type Clock, type Millis, SECOND } from '../platform/clock.ts';
import type { AccessTokenVerdict, AccessTokenVerifier } from '../tokens/access-token.ts';
import type { PresentedProof } from '../tokens/dpop-proof.ts';
import type { DpopVerifier } from '../tokens/dpop-verifier.ts';
import { allowsIdentity } from './account-view.ts';
import type { SecondaryTokens } from './secondary-tokens.ts';
import type { PresentedCertificates } from './session-certificate-view.ts';
import type { SessionView } from './session-view.ts';
import type { ZtSessions } from './zt-session.ts';

type VerifiedToken = Extract<AccessTokenVerdict, { verdict: 'valid' }>;

/** The tokens of a request, as its headers contain them. */
export interface PresentedTokens {
  readonly ztSession: string | null;
  /** The token of each `Authorization: Bearer` line. */
  readonly bearers: readonly string[];
  /** The token of an `Authorization: DPoP` line, with the proof of the request, if it has one; null: there is none. */
  readonly bound: { readonly accessToken: string; readonly proof: PresentedProof | null } | null;
  /** The client certificates of the connection; called only if a token is bound to one. */
  readonly clientCertificates: () => PresentedCertificates | null;
  /** When they count; now unless given. What has ended or was changed since counts in either case. */
  readonly at?: Millis | undefined;
}

/** Whether this node may decide by its clock. */
export interface ClockJudge {
  readonly isWrong: boolean;
  /** The answer to calls while it is wrong. */
  refusal(): Error;
}

export interface AuthenticateNeeds {
  readonly clockWatch: ClockJudge;
  readonly accessTokens: AccessTokenVerifier;
  readonly proofs: DpopVerifier;
  readonly view: SessionView;
  readonly secondary: SecondaryTokens;
  readonly ztSessions: ZtSessions;
  readonly clock: Clock;
}

/** Identifies the caller. */
export type Authenticate = (presented: PresentedTokens) => Principal | Promise<Principal>;

/**
 * Identifies the caller. In steady state this reads memory only, and then answers without a promise.
 * @throws AuthError unauthorized, with a challenge for each mechanism that could have been used
 * @throws StoreUnavailable   this node's clock is wrong
 */
export function requestAuthenticator(needs: AuthenticateNeeds): Authenticate {
  return (presented) => {
    if (needs.clockWatch.isWrong) throw needs.clockWatch.refusal();
    return authenticateRequest(needs, presented);
  };
}

function authenticateRequest(
  needs: AuthenticateNeeds,
  presented: PresentedTokens,
): Principal | Promise<Principal> {
  const { ztSession, bearers } = presented;
  if (ztSession !== null) {
    const call = () => needs.ztSessions.authenticate(ztSession, bearers, presented.at);
    return needs.view.feed.isBehind ? whenFresh(needs).then(call) : call();
  }
  const now = presented.at ?? needs.clock.now();
  if (presented.bound !== null) {
    const { accessToken } = presented.bound;
    const verdict = needs.accessTokens.verify(accessToken, now);
    if (verdict.verdict !== 'valid')
      throw refused(presented, verdict.verdict, `access token ${verdict.verdict}`);
    return callerOf(needs, { token: verdict, accessToken, presented, now });
  }
  if (bearers.length === 0) throw new AuthError('unauthorized', { challenges: noTokenChallenges });

  let sawExpired = false;
  for (const bearer of bearers) {
    const verdict = needs.accessTokens.verify(bearer, now);
    if (verdict.verdict === 'valid')
      return callerOf(needs, { token: verdict, accessToken: bearer, presented, now });
    if (verdict.verdict === 'expired') sawExpired = true;
  }
  if (!sawExpired && bearers.every((bearer) => needs.secondary.isForeign(bearer)))
    throw new AuthError('unauthorized', { challenges: noTokenChallenges, detail: 'external JWTs only' });
  throw refused(
    presented,
    sawExpired ? 'expired' : 'invalid',
    sawExpired ? 'access token expired' : 'no valid access token',
  );
}

/** A call with an access token whose signature and times are valid. */
interface Call {
  readonly token: VerifiedToken;
  /** Exactly as in its header. */
  readonly accessToken: string;
  readonly presented: PresentedTokens;
  readonly now: Millis;
}

function callerOf(needs: AuthenticateNeeds, call: Call): Principal | Promise<Principal> {
  const { claims } = call.token;
  // Starts over: the token may have been revoked meanwhile.
  if (needs.view.feed.isBehind)
    return whenFresh(needs).then(() => authenticateRequest(needs, call.presented));
  if (needs.view.ended.has(claims.z_asid))
    throw refused(call.presented, 'invalid', `session ${claims.z_asid} has ended`);
  return after(provesSession(needs, call), (isProven) => {
    if (isProven) return withKey(needs, call);
    throw notBound(call);
  });
}

/** A token that is bound to a key counts only with a proof of it, and as a DPoP token; any other only as a bearer token. */
function withKey(needs: AuthenticateNeeds, call: Call): Principal | Promise<Principal> {
  const { token, accessToken, presented, now } = call;
  const { cnf, sub: owner } = token.claims;
  const boundTo = cnf?.jkt;
  const { bound } = presented;
  if (bound === null) {
    if (boundTo !== undefined) throw refused(presented, 'invalid', 'the token is bound to a key');
    return withAccount(needs, call);
  }
  if (boundTo === undefined) throw refused(presented, 'invalid', 'the token is not bound to a key');
  if (bound.proof === null) throw proofRefused('invalid_dpop_proof', 'the DPoP header is missing');
  const client = needs.view.clients.find(token.claims.client_id);
  const isFapi = client !== undefined && isFapiClient(client);
  return after(needs.proofs.verify(bound.proof, { accessToken, owner, isFapi }, now), (verdict) => {
    if (verdict.verdict === 'needs-nonce') throw proofRefused('use_dpop_nonce', verdict.reason);
    if (verdict.verdict === 'invalid') throw proofRefused('invalid_dpop_proof', verdict.reason);
    if (verdict.keyThumbprint === boundTo) return withAccount(needs, call);
    throw refused(presented, 'invalid', 'the token is bound to another key');
  });
}

/** Whether the connection has the certificate that the token is bound to, or one issued for the session. */
function provesSession({ view }: AuthenticateNeeds, call: Call): boolean | Promise<boolean> {
  const { presented, now } = call;
  const { claims } = call.token;
  const boundTo = claims.cnf?.['x5t#S256'];
  if (boundTo === undefined) return true;
  const certificates = presented.clientCertificates();
  if (certificates === null) return false;
  if (boundTo === certificates.leafThumbprint) return true;
  return view.sessionCertificates.standsFor(claims.z_asid, certificates, now);
}

function notBound({ presented }: Call): AuthError {
  return refused(
    presented,
    'invalid',
    'the token is bound to a certificate that the connection does not have',
  );
}

function withAccount(needs: AuthenticateNeeds, call: Call): Principal | Promise<Principal> {
  const found = needs.view.accounts.find(call.token.claims.sub, call.now);
  return after(found, (account) => admit(needs, call, account));
}

/**
 * While the feed cannot be read, or after a long silence of the database, ended sessions may be unknown. Every call is
 * refused then.
 * @throws AuthError unavailable
 */
async function whenFresh({ view }: AuthenticateNeeds): Promise<void> {
  try {
    await view.feed.beFresh();
  } catch (cause) {
    throw new AuthError('unavailable', { detail: 'what has ended cannot be read from the database', cause });
  }
}

/** The login's proofs count, except for the external JWT of a policy, which must come with every call. */
function admit(
  needs: AuthenticateNeeds,
  call: Call,
  account: Account | null,
): Principal | Promise<Principal> {
  const { token, presented } = call;
  const { claims } = token;
  if (account === null) throw refused(presented, 'invalid', `identity ${claims.sub} is disabled or deleted`);
  const opening = openedBy(claims);
  const objection = openingObjection(needs.view, account.policy, opening);
  if (objection !== null) throw refused(presented, 'invalid', `session ${claims.z_asid}: ${objection}`);
  const session = { id: claims.z_asid, caId: opening.caId };
  return after(needs.view.openingCertificates.isUnrevoked(session), (isUnrevoked) => {
    if (isUnrevoked) return withSecondary(needs, call, account);
    throw refused(presented, 'invalid', `session ${claims.z_asid}: its certificate was revoked`);
  });
}

function withSecondary(
  needs: AuthenticateNeeds,
  call: Call,
  account: Account,
): Principal | Promise<Principal> {
  const { token, accessToken, presented, now } = call;
  const { claims } = token;
  const opening = openedBy(claims);
  const client = needs.view.clients.find(claims.client_id);
  if (client !== undefined && !allowsIdentity(client, account.identity))
    throw refused(presented, 'invalid', `identity ${claims.sub} may not use the client ${claims.client_id}`);
  const signerId = account.policy.secondary.requireExtJwt;
  const { passed } = opening;
  const admitted = (proven: Opening & Pick<Principal, 'lackingJwt'>) =>
    principalOf(call, account, { ...proven, passed: provenFactors(needs.view, proven) });
  if (signerId === null) return admitted(opening);
  const tokens = presented.bearers.filter((bearer) => bearer !== accessToken);
  const proven = needs.secondary.proven(signerId, { passed, identity: account.identity, tokens, now });
  return after(proven, (jwt) => admitted({ ...opening, ...jwt }));
}

/** The claims of an access token about the proof that opened its session. */
function openedBy({ amr, z_ejsid, z_caid }: AccessTokenClaims): Opening {
  return { passed: amr, signerId: z_ejsid ?? null, caId: z_caid ?? null };
}

function principalOf(
  { token, presented }: Call,
  account: Account,
  { passed, lackingJwt }: Pick<Principal, 'passed' | 'lackingJwt'>,
): Principal {
  const { claims, use } = token;
  return {
    identityId: account.identity.id,
    account,
    isAdmin: account.identity.isAdmin,
    permissions: account.identity.permissions,
    apiSessionId: claims.z_asid,
    mechanism: 'oidc',
    issuer: claims.iss,
    clientId: claims.client_id,
    scopes: claims.scope.split(' '),
    isOfApplication: use === 'application',
    provesKey: presented.bound !== null,
    configTypes: claims.z_ct,
    passed,
    ...(lackingJwt === undefined ? {} : { lackingJwt }),
    authTime: claims.auth_time * SECOND,
    issuedAt: claims.iat * SECOND,
    expiresAt: claims.exp * SECOND,
    outstanding: outstandingFactors(account.policy, askedOfSessions, passed),
  };
}

/** @param description for the caller */
function proofRefused(error: DpopError, description: string): AuthError {
  return new AuthError('unauthorized', {
    challenges: [dpopChallenge(error, description)],
    detail: description,
  });
}

/** In the scheme of the caller. */
function refused({ bound }: PresentedTokens, error: 'invalid' | 'expired', detail: string): AuthError {
  return new AuthError('unauthorized', { challenges: [oidcChallenge(error, bound !== null)], detail });
}
