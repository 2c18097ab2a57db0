// Services and parameters of the grants of the token endpoint, and how they turn a session into tokens.

import { isCertificateExtendable, type RequestedKey } from '../../certificates/client-certificate-issuer.ts';
import { certifySession } from '../../certificates/session-certificates.ts';
import { AuthError } from '../../errors/auth-error.ts';
import { provenFactors } from '../../login/standing.ts';
import type { ApiSession, ProvenSession } from '../../model/api-session.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthPolicy } from '../../model/entities/auth-policy.ts';
import type { IdentityInTokens } from '../../model/entities/identity.ts';
import { openingStep } from '../../model/login-attempt.ts';
import type { RedirectUriPattern } from '../../model/redirect-uri-pattern.ts';
import type { AccessTokenType, TokenResponse } from '../../model/tokens.ts';
import { type Clock, type Millis, SECOND } from '../../platform/clock.ts';
import type { PresentedCertificates } from '../../sessions/session-certificate-view.ts';
import type { Within } from '../../store/contracts/auth-requests.ts';
import { mintAccessToken, toSeconds } from '../../tokens/access-token.ts';
import type { PresentedProof } from '../../tokens/dpop-proof.ts';
import type { ProofUse } from '../../tokens/dpop-verifier.ts';
import { mintIdToken } from '../../tokens/id-token.ts';
import { type RefreshSecret, refreshTokenText } from '../../tokens/opaque-token.ts';
import { audienceOf, type Client, isFapi, requiresKey, type TokenLifetimes } from '../clients.ts';
import { optional, type Parameters, resourcesWithin } from '../parameters.ts';
import type { OidcServices } from '../services.ts';
import type { BasicCredentials } from './authenticate-client.ts';

export interface TokenRequest {
  readonly parameters: Parameters;
  readonly basic: BasicCredentials | null;
  readonly origin: RequestOrigin;
  /** Those of its bind point. */
  readonly redirectUris: readonly RedirectUriPattern[];
  /** Whether it says nothing of a browser. */
  readonly isFromProgram: boolean;
  /** The certificates of the connection, or null; called only if a code or a session may be bound to one. */
  readonly clientCertificates: () => PresentedCertificates | null;
  /** Of a key (RFC 9449); null for none. `provenKey` checks it. */
  readonly proof: PresentedProof | null;
  /** On the monotonic clock. */
  readonly arrivedAt: Millis;
}

/** The parameters of a grant: a known client and values that it reads with `required` and `optional`. */
export interface GrantRequest extends Omit<TokenRequest, 'basic'> {
  readonly client: Client;
  /** The resources that the access token is for (RFC 8707). */
  readonly resources: readonly string[];
}

// The key that a token request proves (RFC 9449 5), to which its tokens are bound.

/**
 * The thumbprint of the key that the request proves; null without a proof. Asked only once the request has presented
 * something that this service gave out: a stranger can make a proof, but not have it checked.
 * @throws AuthError invalid_dpop_proof, use_dpop_nonce   nothing but the proof is used up
 */
export async function provenKey(
  { proofs, clock }: Pick<OidcServices, 'proofs' | 'clock'>,
  { proof, client }: Pick<GrantRequest, 'proof' | 'client'>,
  use: Pick<ProofUse, 'owner' | 'needsNonce'>,
): Promise<string | null> {
  if (proof === null) return null;
  const verdict = await proofs.verify(
    proof,
    { accessToken: null, isFapi: isFapi(client), ...use },
    clock.now(),
  );
  if (verdict.verdict === 'proven') return verdict.keyThumbprint;
  const { reason: description } = verdict;
  throw new AuthError(verdict.verdict === 'invalid' ? 'invalid_dpop_proof' : 'use_dpop_nonce', {
    description,
  });
}

/** A session that is to get tokens, and whether they are bound to a key. */
interface Binding {
  readonly session: Pick<ApiSession, 'identityId' | 'passed'>;
  readonly policy: Pick<AuthPolicy, 'requireDpop'>;
  readonly isBound: boolean;
}

/**
 * The refusal of tokens that anybody could use, where the application or the auth policy demands a key; null where
 * nothing demands one. Records what demands it.
 */
export function keyObjection(
  { attempts }: Pick<OidcServices, 'attempts'>,
  { client, origin }: Pick<GrantRequest, 'client' | 'origin'>,
  { session, policy, isBound }: Binding,
): AuthError | null {
  if (isBound || !requiresKey(client, policy)) return null;
  const demanding = client.registered?.requireDpop
    ? `the application ${client.clientId}`
    : 'the auth policy of the identity';
  const saw = `${demanding} demands tokens that are bound to a key`;
  const { identityId } = session;
  attempts.refuse(openingStep(session, origin), { identityId }, 'key', 'dpop-required', saw);
  return new AuthError('invalid_dpop_proof', {
    description: 'tokens must be bound to a key here: log in with a client that sends DPoP proofs (RFC 9449)',
    detail: `dpop-required: ${demanding}`,
  });
}

// Turns a session into the answer of the token endpoint. Called after the store has committed, never before.

/** The contents of a token, and the time when it is issued. */
interface TokenSubject {
  readonly session: ApiSession;
  readonly identity: IdentityInTokens;
  readonly now: Millis;
}

interface TokensToIssue extends TokenSubject {
  /** From the authorization request; null after a refresh. */
  readonly nonce: string | null;
  /** Null when `offline_access` was not granted. */
  readonly refreshToken: RefreshSecret | null;
  /** PEM; null when none was requested. */
  readonly sessionCert: string | null;
}

export function issueTokens(
  needs: OidcServices,
  request: Pick<GrantRequest, 'client' | 'resources'>,
  tokens: TokensToIssue,
): TokenResponse {
  const { session, identity, now, nonce, refreshToken: secret, sessionCert } = tokens;
  const accessToken = issueAccessToken(needs, request, tokens);
  const idToken = issueIdToken(needs, request.client, { session, identity, now, accessToken, nonce });
  return {
    access_token: accessToken,
    token_type: tokenTypeOf(session),
    expires_in: toSeconds(needs.lifetimes.accessToken),
    id_token: idToken,
    scope: session.scopes.join(' '),
    ...(secret === null ? {} : { refresh_token: issueRefreshToken(needs, { secret, session }, now) }),
    ...(sessionCert === null ? {} : { session_cert: sessionCert }),
  };
}

/** @param session with the key that the request has proven */
export function tokenTypeOf({ keyThumbprint }: ApiSession): AccessTokenType {
  return keyThumbprint === null ? 'Bearer' : 'DPoP';
}

export function issueAccessToken(
  needs: OidcServices,
  { client, resources }: Pick<GrantRequest, 'client' | 'resources'>,
  { session, identity, now }: TokenSubject,
): string {
  const token = {
    session: proven(needs, session),
    isAdmin: identity.isAdmin,
    isCertExtendable:
      session.passed[0] === 'cert' && isCertificateExtendable(needs.certificateIssuer, session),
    lifetime: needs.lifetimes.accessToken,
    audience: audienceOf(client, resourcesWithin(client, session.resources, resources)),
  };
  return mintAccessToken(needs, token, now);
}

interface IdTokenSubject extends TokenSubject {
  /** The access token issued with it, or null. */
  readonly accessToken: string | null;
  readonly nonce: string | null;
}

export function issueIdToken(
  needs: OidcServices,
  client: Client,
  { session, identity, now, accessToken, nonce }: IdTokenSubject,
): string {
  const signing = { ring: needs.ring, alg: needs.idTokenAlg };
  const name = client.profile === 'compatibility' ? identity.name : null;
  const lifetime = needs.lifetimes.idToken;
  return mintIdToken(signing, { session: proven(needs, session), accessToken, nonce, name, lifetime }, now);
}

/** Tokens say what counts now. */
function proven(needs: OidcServices, session: ApiSession): ProvenSession {
  return { ...session, passed: provenFactors(needs.view, session) };
}

/** @param secret of the refresh token that the store has committed */
export function issueRefreshToken(
  { ring, lifetimes }: OidcServices,
  { secret, session }: { secret: RefreshSecret; session: ApiSession },
  now: Millis,
): string {
  const expiresAt = Math.min(now + lifetimes.refreshToken, session.createdAt + lifetimes.refreshFamily);
  return refreshTokenText({ ring }, { secret, session, expiresAt }, now);
}

/** When the last token of a session that gets tokens at `now` will have expired. */
export function sessionEnd(lifetimes: TokenLifetimes, refreshExpiresAt: Millis | null, now: Millis): Millis {
  return Math.max(now + lifetimes.accessToken, refreshExpiresAt ?? 0);
}

/**
 * How long an application is told when a session that opens at `now` ends: as long as a login may count, with its last
 * access token, since the application keeps its own session. Null: it does not want to be told.
 */
export function toldUntil(lifetimes: TokenLifetimes, { registered }: Client, now: Millis): Millis | null {
  if (registered === null || registered.backchannelLogoutUri === null) return null;
  return now + lifetimes.refreshFamily + lifetimes.accessToken;
}

/**
 * The key that a token request wants certified (`csr_pem`), or null. Read before anything is used up.
 * @throws AuthError csr_not_acceptable
 */
export function requestedKey(
  { certificateIssuer }: Pick<OidcServices, 'certificateIssuer'>,
  { parameters, client }: Pick<GrantRequest, 'parameters' | 'client'>,
): RequestedKey | null {
  const csrPem = optional(parameters, 'csr_pem');
  if (csrPem === null) return null;
  if (mayBeCertified(client)) return certificateIssuer.readRequest(csrPem);
  throw new AuthError('csr_not_acceptable', {
    description: 'sessions of an application without apiAccess get no certificate',
  });
}

/** Whether sessions of a client can get a certificate, which is for the Edge APIs. */
export function mayBeCertified({ registered }: Client): boolean {
  return registered === null || registered.apiAccess;
}

/**
 * The certificate issued with the tokens of a session; PEM, the leaf first. It is valid for as long as the session can
 * be refreshed, and ends with the session.
 * @param key null when none was requested; then the result is null
 * @throws AuthError invalid_grant   the session has ended meanwhile
 */
export async function sessionCertificate(
  needs: OidcServices,
  { session, key, origin }: { session: ApiSession; key: RequestedKey | null; origin: RequestOrigin },
  now: Millis,
): Promise<string | null> {
  if (key === null) return null;
  const end = session.scopes.includes('offline_access')
    ? session.createdAt + needs.lifetimes.refreshFamily
    : session.expiresAt;
  try {
    return (await certifySession(needs, session, { key, lifetime: end - now, origin })).chainPem;
  } catch (error) {
    if (!(error instanceof AuthError) || error.code !== 'unauthorized') throw error;
    throw new AuthError('invalid_grant', { cause: error });
  }
}

/** A client that has waited this long may have turned to another node. */
const patience: Millis = 3 * SECOND;

/**
 * How long the code or token that this request uses up may still wait for the database.
 * @param arrivedAt on the monotonic clock
 * @throws AuthError unavailable   no longer: the request itself has waited too long
 */
export function patienceLeft(clock: Clock, arrivedAt: Millis): Within {
  const left = arrivedAt + patience - clock.monotonic();
  if (left <= 0) throw new AuthError('unavailable', { detail: 'the request has waited for too long' });
  return left;
}
