// Signing in at another provider from a page: an authorization code flow with PKCE in which this service is the
// public client (RFC 6749 4.1, RFC 7636, RFC 9700 2.1). It ends in a token of the provider, which is judged like any
// that a program sends; this file only fetches it.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import { readForeignJwt } from '../../login/external-jwt/foreign-jwt.ts';
import {
  jsonOf,
  type ProviderDirectory,
  type ProviderEndpoints,
} from '../../login/external-jwt/provider-endpoints.ts';
import { enabledSigner } from '../../login/external-jwt/signer-directory.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import type { ExternalJwtSigner } from '../../model/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';
import type { RefusalReason } from '../../model/login-attempt.ts';
import type { Millis } from '../../platform/clock.ts';
import { sha256 } from '../../platform/digest.ts';
import { FetchRefused } from '../../platform/network/fetch-refused.ts';
import type { FormPoster } from '../../platform/network/outbound-client.ts';
import type { Random } from '../../platform/random.ts';
import type { DailySealer } from '../daily-sealer.ts';
import { submitPrimary, submitSecondary } from './login-flow.ts';
import type { LoginFlowNeeds, LoginStep } from './next-step.ts';
import { authRequestLifetime, requireSameBrowser } from './open-auth-request.ts';

export interface ProviderLoginNeeds extends LoginFlowNeeds {
  readonly random: Random;
  readonly providers: ProviderDirectory;
  readonly poster: FormPoster;
  /** Of the `state` that goes to the provider and comes back. */
  readonly providerStates: DailySealer;
}

/** Whether the token stands for the first proof, or for the one that the policy asks for besides. */
export type ProviderStep = 'primary' | 'secondary';

/** What the `state` parameter holds, sealed: the login, and the secrets of this visit to the provider. */
export interface Visit {
  readonly authRequest: AuthRequest;
  readonly signerId: SignerId;
  readonly step: ProviderStep;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly begunAt: Millis;
}

/** A signer at which people can sign in from a page: it says where, and as which client. */
export function isForPeople(
  signer: ExternalJwtSigner,
): signer is ExternalJwtSigner & { readonly externalAuthUrl: string; readonly clientId: string } {
  return signer.enabled && signer.externalAuthUrl !== null && signer.clientId !== null;
}

/** Below it, each signer has its own callback: `callback/SIGNER_ID`. */
export const providerCallbackPath = '/oidc/login/ext-jwt/callback';

/** Why a visit to a provider gave no login. */
export interface ProviderFailure {
  readonly kind: 'failed';
  readonly reason: 'refused' | 'cancelled' | 'unreachable';
  readonly signer: ExternalJwtSigner;
  readonly step: ProviderStep;
  readonly authRequest: AuthRequest;
}

/**
 * The address at the provider that begins a visit.
 * @param authRequest bound to the browser that is sent there
 * @throws AuthError not_found   there is no such signer for people
 */
export async function visitProvider(
  needs: ProviderLoginNeeds,
  authRequest: AuthRequest,
  signerId: SignerId,
  step: ProviderStep,
  origin: RequestOrigin,
): Promise<{ readonly kind: 'redirect'; readonly location: string } | ProviderFailure> {
  const signer = signerForPeople(needs, signerId);
  const failed = (saw: string): ProviderFailure => {
    record(needs, step, signer, 'provider-unavailable', saw, origin);
    return { kind: 'failed', reason: 'unreachable', signer, step, authRequest };
  };
  const endpoints = await endpointsOf(needs, signer);
  if (typeof endpoints === 'string') return failed(endpoints);
  const secret = () => needs.random.bytes(32).toString('base64url');
  const visit: Visit = {
    authRequest,
    signerId,
    step,
    nonce: secret(),
    codeVerifier: secret(),
    begunAt: needs.clock.now(),
  };
  const url = new URL(endpoints.authorizationEndpoint);
  const parameters = {
    response_type: 'code',
    client_id: signer.clientId,
    redirect_uri: redirectUriOf(visit),
    scope: [...new Set(['openid', ...signer.scopes])].join(' '),
    state: needs.providerStates.seal(JSON.stringify(visit), visit.begunAt),
    nonce: visit.nonce,
    code_challenge: sha256(visit.codeVerifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { kind: 'redirect', location: url.href };
}

/** What the provider sent back with the state, in the query of the callback. */
export interface ProviderAnswer {
  readonly code: string | null;
  readonly error: string | null;
  readonly iss: string | null;
}

/**
 * Takes the answer of a provider, fetches the token, and continues with the login.
 * @throws AuthError auth_request_unknown, not_found, rate_limited, busy
 */
export async function returnFromProvider(
  needs: ProviderLoginNeeds,
  visit: Visit,
  answer: ProviderAnswer,
  origin: RequestOrigin,
): Promise<LoginStep | ProviderFailure> {
  const { authRequest, step } = visit;
  const signer = signerForPeople(needs, visit.signerId);
  const failed = (reason: ProviderFailure['reason']) =>
    ({ kind: 'failed', reason, signer, step, authRequest }) as const;
  const noted = (reason: ProviderFailure['reason'], why: RefusalReason, saw: string) => {
    record(needs, step, signer, why, saw, origin);
    return failed(reason);
  };
  const endpoints = await endpointsOf(needs, signer);
  if (typeof endpoints === 'string') return noted('unreachable', 'provider-unavailable', endpoints);
  // RFC 9207 2.4: the answer of another provider must not reach this one's token endpoint.
  if (answer.iss === null ? endpoints.promisesIssuer : answer.iss !== signer.issuer) {
    const saw =
      answer.iss === null ? 'the answer has no iss' : `the answer came from ${answer.iss.slice(0, 200)}`;
    return noted('refused', 'provider-refused', saw);
  }
  if (answer.error !== null || answer.code === null) {
    const said = answer.error?.replace(/[^\w.-]/g, '?').slice(0, 60) ?? 'neither code nor error';
    return noted('cancelled', 'provider-refused', `the provider answered ${said}`);
  }
  const tokens = await redeemAtProvider(needs, endpoints, { signer, visit, code: answer.code });
  if (typeof tokens === 'string') return noted('unreachable', 'provider-unavailable', tokens);
  const token = chosenToken(signer, visit, tokens);
  if (token === undefined) {
    return noted(
      'refused',
      'provider-refused',
      'the ID token is missing, has no iat, or is not the answer to this request',
    );
  }
  try {
    if (step === 'primary') {
      const credentials = { method: 'ext-jwt', tokens: [token] } as const;
      return await submitPrimary(needs, authRequest, {
        credentials,
        configTypes: [],
        bearers: [token],
        origin,
      });
    }
    const next = await submitSecondary(needs, authRequest, token, origin);
    return next.kind === 'queries' && next.challenges.length > 0 ? failed('refused') : next;
  } catch (error) {
    if (error instanceof AuthError && error.code === 'invalid_auth') return failed('refused');
    throw error;
  }
}

/**
 * The visit to a provider that `state` names, when an answer arrives.
 * @param came.signerId whose callback it came to
 * @param came.browser  SHA-256 of the browser's binding cookie, or null
 * @throws AuthError auth_request_unknown   the state is not ours, too old, of another browser or of another signer
 */
export function openVisit(
  needs: ProviderLoginNeeds,
  state: string,
  came: { readonly signerId: string; readonly browser: string | null },
  origin: RequestOrigin,
): Visit {
  const now = needs.clock.now();
  const plain = needs.providerStates.open(state, now);
  const visit = plain === undefined ? undefined : (JSON.parse(plain) as Visit);
  if (visit === undefined || now >= visit.begunAt + authRequestLifetime) {
    throw new AuthError('auth_request_unknown', { detail: 'the state is not ours, or too old' });
  }
  if (visit.authRequest.issuer !== origin.issuer) {
    throw new AuthError('auth_request_unknown', { detail: 'the request was begun at another bind point' });
  }
  // A provider that forwards people to another one would get that one's code, and our verifier with it (RFC 9700 4.4).
  if (visit.signerId !== came.signerId) {
    throw new AuthError('auth_request_unknown', {
      detail: 'the answer came to the callback of another signer',
    });
  }
  requireSameBrowser(visit.authRequest.browserBinding, came.browser);
  return visit;
}

function signerForPeople(needs: ProviderLoginNeeds, id: SignerId) {
  const signer = enabledSigner(needs.signers, id);
  if (signer === undefined || !isForPeople(signer)) throw new AuthError('not_found');
  return signer;
}

/** The issuer is the origin with the prefix `/oidc`; spec 5.7: it is that of the address that the browser used. */
function redirectUriOf({ authRequest, signerId }: Pick<Visit, 'authRequest' | 'signerId'>): string {
  return new URL(`${providerCallbackPath}/${encodeURIComponent(signerId)}`, authRequest.issuer).href;
}

type SignerForPeople = ReturnType<typeof signerForPeople>;

/** @returns why not, in words for an administrator, when they are not those of the signer's issuer */
async function endpointsOf(
  needs: ProviderLoginNeeds,
  signer: SignerForPeople,
): Promise<ProviderEndpoints | string> {
  const endpoints = await needs.providers.find(signer.externalAuthUrl);
  if (typeof endpoints === 'string' || endpoints.issuer === signer.issuer) return endpoints;
  return `the provider says that it is ${endpoints.issuer}, the signer has ${signer.issuer}`;
}

const maxBytes = 256 * 1024;
const tokenResponse = z.object({ access_token: z.string().optional(), id_token: z.string().optional() });
type ProviderTokens = z.output<typeof tokenResponse>;

/** @returns why not, in words for an administrator, when there are no tokens */
async function redeemAtProvider(
  needs: ProviderLoginNeeds,
  endpoints: ProviderEndpoints,
  { signer, visit, code }: { readonly signer: SignerForPeople; readonly visit: Visit; readonly code: string },
): Promise<ProviderTokens | string> {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUriOf(visit),
    client_id: signer.clientId,
    code_verifier: visit.codeVerifier,
  };
  let body: Buffer;
  try {
    body = await needs.poster.postForm(endpoints.tokenEndpoint, form, {
      accept: 'application/json',
      maxBytes,
    });
  } catch (error) {
    if (error instanceof FetchRefused) return `the token endpoint of the provider: ${error.message}`;
    throw error;
  }
  const parsed = tokenResponse.safeParse(jsonOf(body));
  return parsed.success ? parsed.data : 'the token endpoint of the provider answered no token response';
}

/**
 * The token that the signer asks for. The ID token that comes along must carry the nonce of this visit (OIDC Core
 * 3.1.3.7): a code that somebody slipped in belongs to another one.
 */
function chosenToken(signer: ExternalJwtSigner, visit: Visit, tokens: ProviderTokens): string | undefined {
  const { id_token: idToken, access_token: accessToken } = tokens;
  if (idToken !== undefined && !isAnswerTo(visit, idToken)) return undefined;
  return signer.targetToken === 'ID' ? idToken : accessToken;
}

/**
 * Its signature is checked where it proves something; here it came from the provider itself (OIDC Core 3.1.3.7). `iat`
 * is required of every ID token (OIDC Core 2).
 */
function isAnswerTo(visit: Visit, idToken: string): boolean {
  try {
    const { nonce, iat } = readForeignJwt(idToken).claims;
    return nonce === visit.nonce && typeof iat === 'number';
  } catch {
    return false;
  }
}

function record(
  needs: ProviderLoginNeeds,
  step: ProviderStep,
  signer: ExternalJwtSigner,
  reason: RefusalReason,
  saw: string,
  origin: RequestOrigin,
): void {
  const method = step === 'primary' ? 'ext-jwt' : 'secondary-ext-jwt';
  const attempt = needs.attempts.begin(method, 'oidc', origin);
  attempt.failed('provider', reason, `${signer.name}: ${saw}`);
  attempt.conclude();
  needs.audit.record({ event: 'login.refused', method }, origin);
}
