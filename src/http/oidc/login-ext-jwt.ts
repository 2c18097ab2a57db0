import type { LoginFlowNeeds } from '../../oidc/flow/login-flow.ts';
import { submitExternalJwts } from '../../oidc/flow/submit-external-jwt.ts';
import type { Route } from '../request/route.ts';
import type { StepNeeds } from './login-step.ts';
import { primaryLoginRoutes } from './primary-login.ts';
import { providerPage } from './provider-pages.ts';
import { providerPath } from './sign-in-ways.ts';

/**
 * `/oidc/login/ext-jwt` (spec 4.3): external JWTs stand in Authorization lines, for the primary proof and, where the
 * policy asks for one, for the secondary proof too, in any order. After another primary method the secondary one may come
 * alone. People get a page that leads to the providers.
 */
export function externalJwtLoginRoutes(needs: LoginFlowNeeds & StepNeeds): readonly Route[] {
  return primaryLoginRoutes(needs, {
    path: providerPath,
    words: 'a JWT of another identity provider',
    fields: {},
    entry: { header: 'Authorization: Bearer' },
    page: (step, options) => providerPage(needs.signers, step, options),
    submit: ({ authRequest, configTypes, bearers, origin, extras }) =>
      submitExternalJwts(needs, authRequest, bearers, configTypes, origin, extras),
  });
}
