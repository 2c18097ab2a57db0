// What a login asks of authenticators, and a new passkey during a login. The answer to a question goes to
// `/oidc/login/passkey`, which is in primary-login.ts.

import { z } from 'zod';
import { askToRegister, passkeyQuestion, registerInLogin } from '../../oidc/flow/submit-passkey.ts';
import { attestationSchema } from '../../platform/webauthn.ts';
import {
  creationOptionsSchema,
  requestOptionsSchema,
  webAuthnAnswer,
} from '../documents/passkey-document.ts';
import { json } from '../request/answer.ts';
import { originOf } from '../request/request-context.ts';
import { documentAnswer, type Route, route } from '../request/route.ts';
import { stepAnswers, stepRefusals } from './login-declarations.ts';
import { authRequestIdMembers, openStep, type PageServices } from './login-step.ts';
import { passkeyOptionsPath } from './sign-in-ways.ts';
import {
  forPeople,
  loginStepFor,
  newPasskeyPage,
  registerOptionsPath,
  registerPath,
} from './step-answers.ts';

const named = z.object({
  ...authRequestIdMembers,
  username: z
    .string()
    .max(1000)
    .optional()
    .describe('For a security key that does not say whose it is: the list of credentials is of this name'),
});
const idOnly = z.object(authRequestIdMembers);
const registration = z.object({
  ...authRequestIdMembers,
  response: webAuthnAnswer(attestationSchema),
  name: z.string().max(200).optional(),
});
const common = { api: 'oidc', guard: 'anonymous', errors: 'html-or-edge', query: idOnly } as const;
const refusals = [...stepRefusals, 'conflict', 'invalid_auth'] as const;

export function passkeyLoginRoutes(needs: PageServices): readonly Route[] {
  return [
    route({
      ...common,
      query: named,
      methods: ['GET'],
      path: passkeyOptionsPath,
      load: 'counted',
      summary: 'Ask for a passkey: what a browser or authenticator is given',
      answers: { 200: documentAnswer(requestOptionsSchema, 'For navigator.credentials.get') },
      refusals,
      async handler(context, { query }) {
        const step = openStep(needs, context, query);
        return json(await passkeyQuestion(needs, step.authRequest, query.username));
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path: registerOptionsPath,
      load: 'counted-unless-proven',
      summary: 'Ask for a new passkey, which the policy requires',
      answers: { 200: documentAnswer(creationOptionsSchema, 'For navigator.credentials.create') },
      refusals,
      body: { json: true, form: true, schema: idOnly },
      async handler(context, { query, body }) {
        const step = openStep(needs, context, query, body);
        return json(await askToRegister(needs, step.authRequest, originOf(context)));
      },
    }),
    route({
      ...common,
      methods: ['POST'],
      path: registerPath,
      load: 'counted-unless-proven',
      summary: 'Add a passkey during a login, which goes on with it',
      answers: stepAnswers,
      refusals: [
        ...refusals,
        'invalid_passkey',
        'client_not_allowed',
        'password_change_required',
        'passkey_required',
      ],
      body: { json: true, form: true, schema: registration },
      async handler(context, { query, body: { response, name, ...ids } }) {
        const step = openStep(needs, context, query, ids);
        const registered = { answer: response, name, origin: originOf(context) };
        const again = { invalid_passkey: (status: number) => newPasskeyPage(step, status) };
        return forPeople(step, again, async () =>
          loginStepFor(needs.signers, step, await registerInLogin(needs, step.authRequest, registered)),
        );
      },
    }),
  ];
}
