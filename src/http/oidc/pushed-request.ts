import { z } from 'zod';
import { pushRequest } from '../../oidc/flow/pushed-request.ts';
import type { OidcServices } from '../../oidc/services.ts';
import { SECOND } from '../../platform/clock.ts';
import { json } from '../request/answer.ts';
import { anyParameters } from '../request/fields.ts';
import { basicCredentials } from '../request/request-context.ts';
import { anonymous, documentAnswer, type Route, route } from '../request/route.ts';
import { authorizationParameters } from './authorization.ts';
import { oidcBindPointOf } from './login-step.ts';
import { clientFields } from './token.ts';

const pushedSchema = z
  .strictObject({ request_uri: z.string(), expires_in: z.int() })
  .meta({ id: 'PushedAuthorizationRequest' });

/** POST `/oidc/par` (RFC 9126 2). */
export function pushedRequestRoute(needs: OidcServices): Route {
  return route({
    methods: ['POST'],
    path: '/oidc/par',
    ...anonymous('oidc', 'counted-unless-proven', 'oauth'),
    // What a public client gets without a proof costs less than a request without this one.
    summary: 'Push an authorization request (RFC 9126)',
    answers: { 201: documentAnswer(pushedSchema, 'What names the request at the authorization endpoint') },
    described: { body: authorizationParameters.extend(clientFields) },
    body: { json: false, form: true, schema: anyParameters },
    refusals: [
      'invalid_client',
      'client_not_authenticated',
      'invalid_dpop_proof',
      'use_dpop_nonce',
      'could_not_validate',
      'invalid_scope',
      'invalid_target',
      'redirect_uri_not_registered',
      'registration_not_supported',
      'request_not_supported',
      'unsupported_response_type',
    ],
    async handler(context, { body }) {
      const basic = basicCredentials(context.authorization);
      const { proof } = context;
      const pushed = await pushRequest(needs, { parameters: body, basic, proof }, oidcBindPointOf(context));
      // Anybody can make a proof, and checking it costs something.
      context.hasProven = proof === null || pushed.isAuthenticated;
      return json({ request_uri: pushed.requestUri, expires_in: pushed.expiresIn / SECOND }, { status: 201 });
    },
  });
}
