// The pages for signing in at another provider.

import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import type { SignerId } from '../../model/ids.ts';
import { isForPeople as isProviderForPeople, type ProviderFailure } from '../../oidc/flow/provider-login.ts';
import { providerLoginPage, providerReturnPage, secondProviderPage } from '../../pages/login-provider.ts';
import type { Answer } from '../request/answer.ts';
import { loginInPage, loginPageAnswer, type Step } from './login-step.ts';
import { signInWays, visitHref } from './sign-in-ways.ts';

/** One button for each provider. */
export function providerPage(
  signers: SignerDirectory,
  step: Step,
  options: { status?: number; headers?: Readonly<Record<string, string>>; failure?: ProviderFailure } = {},
): Answer {
  const { status = 200, headers = {}, failure } = options;
  const html = providerLoginPage(step.view(), {
    application: step.application(),
    ways: signInWays(signers, step, 'ext-jwt'),
    failure: failure === undefined ? null : shownFailure(step, failure),
  });
  return loginPageAnswer(step, html, { status, headers });
}

/** The button of the provider whose token is required in addition. */
export function secondProviderAnswer(
  signers: SignerDirectory,
  step: Step,
  { signerId, ...options }: { signerId: SignerId | null; status?: number; failure?: ProviderFailure },
): Answer {
  const { status = 200, failure } = options;
  const signer = signerId === null ? undefined : signers.find(signerId);
  const isOffered = signer !== undefined && isProviderForPeople(signer);
  const html = secondProviderPage(step.view(), loginInPage(step, status), {
    provider: isOffered ? { name: signer.name, href: visitHref(step, signer.id, 'secondary') } : null,
    issuer: signer?.issuer ?? null,
    failure: failure === undefined ? null : shownFailure(step, failure),
  });
  return loginPageAnswer(step, html, { status });
}

/**
 * Asks whether the application of this login is to get its result.
 * @param returned the provider's answer, for the form
 */
export function returnPage(step: Step, returned: Readonly<Record<string, string | null>>): Answer {
  const html = providerReturnPage(step.view(), {
    application: step.application(),
    address: step.authRequest.redirectUri,
    action: step.context.path,
    returned,
  });
  return loginPageAnswer(step, html);
}

function shownFailure({ context }: Step, { reason, signer }: ProviderFailure) {
  return { reason, name: signer.name, referenceId: context.requestId };
}
