// A visit to another provider and back: an authorization code flow with PKCE in which this service is the client
// (RFC 6749 4.1, RFC 7636, RFC 9700 2.1). It fetches a token and believes none of it. A login (provider-login.ts) and
// the test of a signer (signer-test.ts) use visits, and one kind cannot be taken for the other.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { isNumericDate, readForeignJwt, UnreadableJwt } from '../../login/external-jwt/foreign-jwt.ts';
import { jsonOf, type ProviderEndpoints } from '../../login/external-jwt/provider-endpoints.ts';
import { countRefusal, requireOpenSource, useOnce } from '../../login/throttle.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { BoundAuthRequest } from '../../model/auth-request.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { ApiSessionId, IdentityId, SignerId } from '../../model/ids.ts';
import type { RefusalReason } from '../../model/refusal-reason.ts';
import type { Millis } from '../../platform/clock.ts';
import { sha256 } from '../../platform/digest.ts';
import { quoted } from '../../platform/formats/quoted.ts';
import { FetchRefused } from '../../platform/network/fetch-refused.ts';
import type { OidcServices, ProviderServices } from '../services.ts';
import { authRequestLifetime, requireSameBrowser, signInOver } from './open-auth-request.ts';
import { type ProviderProof, proofForProvider } from './provider-proof.ts';

/** Whether the token is the primary proof, or the secondary one that the policy requires. */
export type ProviderStep = 'primary' | 'secondary';

/**
 * The purpose of a visit to a provider. Always in a browser: if a way back were bound to none, an attacker could begin
 * a visit, lure a victim to the provider, and continue with the victim's proof.
 */
export type VisitPurpose =
  | { readonly step: ProviderStep; readonly authRequest: BoundAuthRequest }
  | {
      readonly step: 'test';
      readonly test: SignerTest;
      /** SHA-256 of the binding cookie of the browser that was sent. */
      readonly browserBinding: string;
    };

/** A test of a signer: see signer-test.ts. */
export interface SignerTest {
  readonly id: string;
  readonly signerId: SignerId;
  /** Our issuer at the address where the test began. */
  readonly issuer: string;
  /** Whom the result is for. */
  readonly identityId: IdentityId;
  readonly sessionId: ApiSessionId;
  readonly begunAt: Millis;
}

/** The contents of the `state` parameter, sealed: the purpose of the visit, and its secrets. */
export type Visit = VisitPurpose & {
  readonly signerId: SignerId;
  /** Of the provider to which the signer led at the beginning. */
  readonly issuer: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly begunAt: Millis;
};

export type TestVisit = Extract<Visit, { step: 'test' }>;
export type LoginVisit = Exclude<Visit, TestVisit>;

/** A signer that says where people sign in, and as which client. */
export type SignerForPeople = ExternalJwtSigner & {
  readonly externalAuthUrl: string;
  readonly clientId: string;
};

/** Whether people can be sent to the provider of a signer. Whether its tokens count now is another question. */
export function hasSignIn(signer: ExternalJwtSigner): signer is SignerForPeople {
  return signer.externalAuthUrl !== null && signer.clientId !== null;
}

/** Each signer has its own callback below it: `callback/SIGNER_ID`. */
export const providerCallbackPath = '/oidc/login/ext-jwt/callback';

/** Why a visit returned no token. */
export interface NoToken {
  readonly kind: 'no-token';
  readonly outcome: 'refused' | 'cancelled' | 'unreachable';
  readonly reason: RefusalReason;
  /** For an administrator. */
  readonly saw: string;
}

/** The address at the provider that begins a visit. */
export async function leaveForProvider(
  needs: ProviderServices,
  signer: SignerForPeople,
  purpose: VisitPurpose,
): Promise<{ readonly kind: 'redirect'; readonly location: string } | NoToken> {
  const endpoints = await endpointsOf(needs, signer);
  if (typeof endpoints === 'string') return unreachable(endpoints);
  const url = new URL(endpoints.authorizationEndpoint);
  // Where only our own redirects lead from our page, browsers say that a person has come from there.
  if (url.origin === new URL(startOf(purpose).issuer).origin)
    return unreachable(`the provider leads people to this service, to ${quoted(url.href)}`);
  const secret = () => needs.random.bytes(32).toString('base64url');
  const visit: Visit = {
    ...purpose,
    signerId: signer.id,
    issuer: signer.issuer,
    nonce: secret(),
    codeVerifier: secret(),
    begunAt: needs.clock.now(),
  };
  const parameters = {
    response_type: 'code',
    client_id: signer.clientId,
    redirect_uri: redirectUriOf(visit),
    scope: [...new Set(['openid', ...signer.scopes])].join(' '),
    state: needs.providerStates.seal(JSON.stringify(visit), visit.begunAt),
    nonce: visit.nonce,
    code_challenge: sha256(visit.codeVerifier),
    code_challenge_method: 'S256',
    ...wantedAge(purpose),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { kind: 'redirect', location: url.href };
}

/** The provider may know the person already, and must not let them pass where the client wants a new login. */
function wantedAge(purpose: VisitPurpose): Readonly<Record<string, string>> {
  const maxAge = purpose.step === 'test' ? undefined : purpose.authRequest.maxAge;
  return maxAge === undefined ? {} : { max_age: String(maxAge) };
}

/** The other parameters of the callback's query, besides the state. */
export interface ProviderAnswer {
  readonly code: string | null;
  readonly error: string | null;
  readonly iss: string | null;
}

/**
 * The visit that `state` names, when the answer arrives.
 * @param signerId whose callback received it
 * @param browser  the bindings that the browser presents
 * @throws AuthError auth_request_unknown   the state is not ours, too old, of another browser or of another signer
 */
export function openVisit(
  needs: OidcServices,
  { state, signerId, browser }: { state: string; signerId: string; browser: readonly string[] },
  origin: RequestOrigin,
): Visit {
  const now = needs.clock.now();
  const plain = needs.providerStates.open(state, now);
  const visit = plain === undefined ? undefined : (JSON.parse(plain) as Visit);
  const tooOld = new AuthError('auth_request_unknown', { detail: 'the state is not ours, or too old' });
  if (visit === undefined) throw tooOld;
  if (startOf(visit).issuer !== origin.issuer)
    throw new AuthError('auth_request_unknown', { detail: 'the request was begun at another bind point' });
  // A provider that forwards people to another one would otherwise receive that one's code and our verifier (RFC 9700
  // 4.4).
  if (visit.signerId !== signerId)
    throw new AuthError('auth_request_unknown', {
      detail: 'the answer came to the callback of another signer',
    });
  requireSameBrowser(startOf(visit).browserBinding, browser);
  if (now >= visit.begunAt + authRequestLifetime)
    throw visit.step === 'test' ? tooOld : signInOver(needs, visit.authRequest);
  return visit;
}

interface Returned {
  readonly signer: SignerForPeople;
  readonly visit: Visit;
  readonly answer: ProviderAnswer;
}

type Fetched = { readonly kind: 'token'; readonly token: string } | NoToken;

/**
 * The unverified token for which a visit was made; or why there is none. A visit works once on all nodes together.
 * @param source the address of the request; the identity of an administrator who tests the signer
 * @throws AuthError auth_request_unknown   the visit was used before
 * @throws AuthError busy                   too many are under way; the visit is not used up
 * @throws AuthError rate_limited           the provider has refused too many codes from this source
 */
export async function fetchVisitedToken(
  needs: ProviderServices,
  { source, ...returned }: Returned & { source: string },
): Promise<Fetched> {
  await requireOpenSource(needs, source, 'visit');
  const leave = needs.exchanges.take(returned.signer.issuer, source);
  try {
    const { visit } = returned;
    const id = visit.step === 'test' ? visit.test.id : sha256(visit.nonce);
    if (!(await useOnce(needs, `provider-visit:${id}`, authRequestLifetime)))
      throw new AuthError('auth_request_unknown', { detail: 'the visit was used before' });
    const fetched = await exchange(needs, returned);
    // For any reason: each visit has left a row, and a provider may be down because of made-up codes.
    if (fetched.kind === 'no-token') await countRefusal(needs, source, 'visit');
    return fetched;
  } finally {
    leave();
  }
}

async function exchange(needs: ProviderServices, { signer, visit, answer }: Returned): Promise<Fetched> {
  const endpoints = await endpointsOf(needs, signer);
  if (typeof endpoints === 'string') return unreachable(endpoints);
  // The person was sent to the former provider, whatever the answer says.
  if (visit.issuer !== signer.issuer) return refused('the signer was led to another provider meanwhile');
  // RFC 9207 2.4: the answer of another provider must not reach this one's token endpoint.
  if (answer.iss === null ? endpoints.promisesIssuer : answer.iss !== signer.issuer)
    return refused(
      answer.iss === null ? 'the answer has no iss' : `the answer came from ${answer.iss.slice(0, 200)}`,
    );
  if (answer.error !== null || answer.code === null) {
    const said = answer.error?.replace(/[^\w.-]/g, '?').slice(0, 60) ?? 'neither code nor error';
    return { ...refused(`the provider answered ${said}`), outcome: 'cancelled' };
  }
  const proof = proofForProvider(needs, signer, endpoints);
  if (typeof proof === 'string') return refused(proof);
  const tokens = await redeemAtProvider(needs, endpoints, { visit, code: answer.code, proof });
  return 'kind' in tokens ? tokens : chosenToken(signer, visit, tokens);
}

function unreachable(saw: string): NoToken {
  return { kind: 'no-token', outcome: 'unreachable', reason: 'provider-unavailable', saw };
}

function refused(saw: string, reason: RefusalReason = 'provider-refused'): NoToken {
  return { kind: 'no-token', outcome: 'refused', reason, saw };
}

function startOf(visit: VisitPurpose): Pick<BoundAuthRequest, 'issuer' | 'browserBinding'> {
  if (visit.step !== 'test') return visit.authRequest;
  return { issuer: visit.test.issuer, browserBinding: visit.browserBinding };
}

/** The issuer is the origin with the prefix `/oidc`; spec 5.7: it is that of the address that the browser used. */
function redirectUriOf(visit: Visit): string {
  return new URL(`${providerCallbackPath}/${encodeURIComponent(visit.signerId)}`, startOf(visit).issuer).href;
}

/** @returns why not, in words for an administrator, if the endpoints are not those of the signer's issuer */
async function endpointsOf(
  needs: ProviderServices,
  signer: SignerForPeople,
): Promise<ProviderEndpoints | string> {
  const endpoints = await needs.providers.find(signer.externalAuthUrl);
  if (typeof endpoints === 'string' || endpoints.issuer === signer.issuer) return endpoints;
  return `the provider says that it is ${endpoints.issuer}, the signer has ${signer.issuer}`;
}

const maxBytes = 256 * 1024;
/** RFC 6749 5.1 and 5.2. */
const tokenResponse = z.object({
  access_token: z.string().nullish(),
  id_token: z.string().nullish(),
  error: z.string().nullish(),
  error_description: z.string().nullish(),
});
type ProviderTokens = z.output<typeof tokenResponse>;

async function redeemAtProvider(
  needs: ProviderServices,
  endpoints: ProviderEndpoints,
  { visit, code, proof }: { visit: Visit; code: string; proof: ProviderProof },
): Promise<ProviderTokens | NoToken> {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUriOf(visit),
    code_verifier: visit.codeVerifier,
    ...proof.form,
  };
  let body: Buffer;
  try {
    body = await needs.poster.postForm(endpoints.tokenEndpoint, form, {
      accept: 'application/json',
      maxBytes,
      failures: [400, 401],
      authorization: proof.authorization,
    });
  } catch (error) {
    if (error instanceof FetchRefused)
      return unreachable(`the token endpoint of the provider: ${error.message}`);
    throw error;
  }
  const { data: answer = {} } = tokenResponse.safeParse(jsonOf(body));
  if (answer.error) {
    const { error, error_description: why } = answer;
    return refused(`the token endpoint answered ${quoted(error)}${why ? `, ${quoted(why)}` : ''}`);
  }
  return !answer.access_token && !answer.id_token
    ? unreachable('the token endpoint of the provider answered no token response')
    : answer;
}

/**
 * The token that the signer asks for. The ID token that comes with it must carry the nonce of this visit (OIDC Core
 * 3.1.3.7): an injected code belongs to another one.
 */
function chosenToken(signer: SignerForPeople, visit: Visit, tokens: ProviderTokens): Fetched {
  const idToken = tokens.id_token ?? null;
  const objection = idToken === null ? null : objectionTo(signer, visit, idToken);
  if (objection !== null) return objection;
  const token = signer.targetToken === 'ID' ? idToken : (tokens.access_token ?? null);
  if (token !== null) return { kind: 'token', token };
  const missing = signer.targetToken === 'ID' ? 'ID token' : 'access token';
  return refused(`the provider answered without an ${missing}`);
}

/**
 * Its signature is checked where the token proves something; this one came from the provider itself (OIDC Core
 * 3.1.3.7). Every ID token must have `iat` (OIDC Core 2). Null: none.
 */
function objectionTo({ clientId }: SignerForPeople, visit: Visit, idToken: string): NoToken | null {
  try {
    const { nonce, iat, azp } = readForeignJwt(idToken).claims;
    if (nonce === undefined || nonce === null) return refused('the ID token has no nonce', 'token-nonce');
    if (nonce !== visit.nonce) return refused('the ID token has the nonce of another request', 'token-nonce');
    if ((azp ?? clientId) !== clientId)
      return refused(`the ID token is for the client ${quoted(azp)} (azp), and not ${quoted(clientId)}`);
    if (iat === undefined || iat === null)
      return refused('the ID token has no iat', 'token-without-issue-time');
    if (!isNumericDate(iat)) return refused(`iat of the ID token is ${quoted(iat)}`, 'token-times');
    return null;
  } catch (error) {
    if (error instanceof UnreadableJwt) return refused(`the ID token: ${error.reason}`, error.refusal);
    throw error;
  }
}
