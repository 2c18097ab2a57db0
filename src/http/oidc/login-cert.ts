import { AuthError } from '../../errors/auth-error.ts';
import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import { type LoginFlowNeeds, submitPrimary } from '../../oidc/flow/login-flow.ts';
import { certificateLoginPage } from '../../pages/login-cert.ts';
import type { Answer } from '../request/answer.ts';
import type { Route } from '../request/route.ts';
import { loginPageAnswer, type Step, type StepNeeds } from './login-step.ts';
import { type PageOptions, primaryLoginRoutes } from './primary-login.ts';
import { applicationOf, asksForCertificates, certificatePath, signInWays } from './sign-in-ways.ts';

/**
 * `/oidc/login/cert` (spec 4.3): the certificate is that of the TLS connection, as the handshake proved it. No header
 * can stand for it.
 */
export function certificateLoginRoutes(needs: LoginFlowNeeds & StepNeeds): readonly Route[] {
  return primaryLoginRoutes(needs, {
    path: certificatePath,
    words: 'the certificate of the connection',
    fields: {},
    entry: {},
    page: (step, options) => form(needs.signers, step, options),
    async submit({ step, authRequest, configTypes, bearers, origin, extras }) {
      requireAskedFor(step);
      const credentials = { method: 'cert', chain: step.context.clientCertificates?.chain ?? null } as const;
      return submitPrimary(needs, authRequest, credentials, configTypes, bearers, origin, extras);
    },
    again: (step, status) => form(needs.signers, step, { status }),
  });
}

/** @throws AuthError invalid_auth   says that no certificate can arrive here, whatever the client has */
function requireAskedFor(step: Step): void {
  if (asksForCertificates(step)) return;
  throw new AuthError('invalid_auth', {
    description: 'Clients are not asked for a certificate at this address; use one where they are',
  });
}

function form(signers: SignerDirectory, step: Step, { status = 200, headers = {} }: PageOptions): Answer {
  const html = certificateLoginPage(step.view(), {
    action: certificatePath,
    authRequestId: step.authRequestId,
    application: applicationOf(step),
    isAskedFor: asksForCertificates(step),
    ways: signInWays(signers, step, 'cert'),
    failure: status === 200 ? null : { referenceId: step.context.requestId },
  });
  return loginPageAnswer(step, html, { status, headers });
}
