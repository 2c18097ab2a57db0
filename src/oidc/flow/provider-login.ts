// Signing in at another provider from a page. A visit (provider-visit.ts) fetches a token of the provider, which is
// then judged like one that a program sends.

import { AuthError } from '../../errors/auth-error.ts';
import { enabledSigner } from '../../login/external-jwt/signer-directory.ts';
import type { RequestOrigin } from '../../model/audit-event.ts';
import type { AuthRequest, BoundAuthRequest } from '../../model/auth-request.ts';
import type { ExternalJwtSigner } from '../../model/entities/external-jwt-signer.ts';
import type { SignerId } from '../../model/ids.ts';
import type { OidcServices } from '../services.ts';
import { submitPrimary, submitSecondary } from './login-flow.ts';
import type { LoginStep } from './next-step.ts';
import {
  fetchVisitedToken,
  hasSignIn,
  type LoginVisit,
  leaveForProvider,
  type NoToken,
  type ProviderAnswer,
  type ProviderStep,
  type SignerForPeople,
} from './provider-visit.ts';

/** A signer at which people can sign in from a page. */
export function isForPeople(signer: ExternalJwtSigner): signer is SignerForPeople {
  return signer.enabled && hasSignIn(signer);
}

/** Why a visit to a provider led to no login. */
export interface ProviderFailure {
  readonly kind: 'failed';
  readonly reason: NoToken['outcome'];
  readonly signer: ExternalJwtSigner;
  readonly step: ProviderStep;
  readonly authRequest: AuthRequest;
}

/**
 * The address at the provider to which a login leads.
 * @throws AuthError not_found   there is no such signer with a sign-in for people
 */
export async function visitProvider(
  needs: OidcServices,
  { signerId, ...login }: { signerId: SignerId; authRequest: BoundAuthRequest; step: ProviderStep },
  origin: RequestOrigin,
): Promise<{ readonly kind: 'redirect'; readonly location: string } | ProviderFailure> {
  const signer = signerForPeople(needs, signerId);
  const left = await leaveForProvider(needs, signer, login);
  return left.kind === 'redirect' ? left : noted(needs, { signer, ...login, ...left }, origin);
}

/**
 * Takes the answer of a provider, fetches the token, and continues with the login.
 * @throws AuthError auth_request_unknown, not_found, rate_limited, busy
 */
export async function returnFromProvider(
  needs: OidcServices,
  visit: LoginVisit,
  { answer, origin }: { answer: ProviderAnswer; origin: RequestOrigin },
): Promise<LoginStep | ProviderFailure> {
  const { authRequest, step } = visit;
  const signer = signerForPeople(needs, visit.signerId);
  const fetched = await fetchVisitedToken(needs, { signer, visit, answer, source: origin.ipAddress });
  if (fetched.kind === 'no-token') return noted(needs, { signer, authRequest, step, ...fetched }, origin);
  const { token } = fetched;
  const refused = { kind: 'failed', reason: 'refused', signer, step, authRequest } as const;
  try {
    if (step === 'primary') {
      const credentials = { method: 'ext-jwt', tokens: [token], signerId: signer.id } as const;
      return await submitPrimary(needs, authRequest, {
        credentials,
        configTypes: [],
        bearers: [token],
        origin,
      });
    }
    const next = await submitSecondary(needs, authRequest, { tokens: [token], signerId: signer.id, origin });
    return next.kind === 'queries' && next.challenges.length > 0 ? refused : next;
  } catch (error) {
    if (error instanceof AuthError && error.code === 'invalid_auth') return refused;
    throw error;
  }
}

function signerForPeople(needs: OidcServices, id: SignerId): SignerForPeople {
  const signer = enabledSigner(needs.signers, id);
  if (signer === undefined || !isForPeople(signer))
    throw new AuthError('not_found', { detail: 'the signer is off or gone, or has no sign-in for people' });
  return signer;
}

/** Leaves a decision record of what failed before there was a token to judge. */
function noted(
  needs: OidcServices,
  {
    signer,
    authRequest,
    step,
    outcome,
    reason,
    saw,
  }: Pick<ProviderFailure, 'authRequest' | 'step' | 'signer'> & NoToken,
  origin: RequestOrigin,
): ProviderFailure {
  const method = step === 'primary' ? 'ext-jwt' : 'secondary-ext-jwt';
  const attempted = { step: method, mechanism: 'oidc', origin } as const;
  needs.attempts.refuse(attempted, {}, 'provider', reason, `${signer.name}: ${saw}`);
  needs.audit.record({ event: 'login.refused', method }, origin);
  return { kind: 'failed', reason: outcome, signer, step, authRequest };
}
