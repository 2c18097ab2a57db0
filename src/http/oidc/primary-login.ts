// The primary methods: password, certificate, external JWT, passkey. Each has two routes: how to begin, as a page or for
// programs, and where to send the credentials.

import { z } from 'zod';
import { AuthError } from '../../errors/auth-error.ts';
import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import { passkeySiteOf } from '../../login/passkey/question.ts';
import { type CameWithLogin, requireOpen, submitPrimary } from '../../oidc/flow/login-flow.ts';
import type { LoginStep } from '../../oidc/flow/next-step.ts';
import { submitExternalJwts } from '../../oidc/flow/submit-external-jwt.ts';
import { submitPasskey } from '../../oidc/flow/submit-passkey.ts';
import { certificateLoginPage, loginPage } from '../../pages/login.ts';
import { loginPaths } from '../../pages/login-forms.ts';
import { assertionSchema } from '../../platform/webauthn.ts';
import { webAuthnAnswer } from '../documents/passkey-document.ts';
import { type Answer, json } from '../request/answer.ts';
import { clientInfoFields, clientInfoOfFields, configTypes, csrPem } from '../request/fields.ts';
import { anonymous, type Route, route } from '../request/route.ts';
import { forgottenPathOf } from './forgotten.ts';
import type { PageServices } from './login-step.ts';
import {
  authRequestIdMembers,
  bindStep,
  isForPeople,
  loginInPage,
  loginPageAnswer,
  openStep,
  type Step,
} from './login-step.ts';
import { providerPage } from './provider-pages.ts';
import {
  asksForCertificates,
  existingPasswordPath,
  passkeyAddresses,
  passkeyPath,
  providerPath,
  signInWays,
} from './sign-in-ways.ts';
import { entryAnswers, primaryRefusals, secondPasskeyPage, stepRefusals, stepRoute } from './step-answers.ts';

export function primaryLoginRoutes(needs: PageServices): readonly Route[] {
  return [
    ...passwordRoutes(needs),
    ...certificateRoutes(needs),
    ...externalJwtRoutes(needs),
    ...passkeyRoutes(needs),
  ];
}

/** How to answer with the page. A status is that of the refusal that a JSON client gets. */
interface PageOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fields that every method accepts. */
const cameFields = { configTypes, csrPem, ...clientInfoFields };

interface PrimaryMethodRoutes<Fields extends z.ZodRawShape> {
  readonly path: string;
  /** The method in words, such as `a user name and a password`. */
  readonly words: string;
  /** The method's fields in the body. */
  readonly fields: Fields;
  /** Values for programs, besides address and method. */
  readonly entry: object;
  page(step: Step, options: PageOptions): Answer;
  submit(step: Step, came: CameWithLogin, body: z.output<z.ZodObject<Fields>>): Promise<LoginStep>;
  readonly again?: Parameters<typeof stepRoute<Fields>>[1]['again'];
}

function routesOf<Fields extends z.ZodRawShape>(
  needs: PageServices,
  login: PrimaryMethodRoutes<Fields>,
): readonly Route[] {
  const { path, words, fields, again } = login;
  const show = route('GET', path, {
    ...anonymous('oidc', 'counted-unless-proven', 'html-or-edge'),
    summary: `Begin a login with ${words}`,
    answers: entryAnswers,
    refusals: stepRefusals,
    query: z.object(authRequestIdMembers),
    async handler(context, input) {
      const opened = openStep(needs, context, input.query);
      await requireOpen(needs, opened.authRequest);
      const { authRequestId } = opened;
      const own = { 'auth-request-id': authRequestId };
      if (isForPeople(opened)) {
        const { step, headers } = bindStep(needs, opened);
        return login.page(step, { headers: { ...own, ...headers } });
      }
      return json({ authRequestId, httpMethod: 'POST', httpUrl: path, ...login.entry }, { headers: own });
    },
  });

  const submit = stepRoute(needs, {
    path,
    summary: `Log in with ${words}`,
    refusals: primaryRefusals,
    fields: { ...fields, ...cameFields },
    ...(again && { again }),
    take(step, sent) {
      // Sound because the schema above contains the members of both.
      const body = sent as z.output<z.ZodObject<typeof cameFields>> & z.output<z.ZodObject<Fields>>;
      const came = {
        configTypes: body.configTypes,
        bearers: step.context.bearers,
        origin: step.context.origin,
        csrPem: body.csrPem,
        clientInfo: clientInfoOfFields(body),
      };
      return login.submit(step, came, body);
    },
  });
  return [show, submit];
}

/** `/oidc/login/username` (spec 4.3): the page for people, and the endpoint behind it for every client. */
function passwordRoutes(needs: PageServices): readonly Route[] {
  return [loginPaths.password, existingPasswordPath].flatMap((path) =>
    routesOf(needs, {
      path,
      words: 'a user name and a password',
      fields: { username: z.string(), password: z.string() },
      entry: { fields: ['username', 'password'] },
      page: (step, options) => passwordForm(needs, step, options),
      submit({ authRequest }, came, { username, password }) {
        const credentials = { method: 'password', username, password } as const;
        return submitPrimary(needs, authRequest, { ...came, credentials });
      },
      again: (step, { username }) => ({
        invalid_auth: (status) => passwordForm(needs, step, { status, username }),
      }),
    }),
  );
}

function passwordForm(
  needs: PageServices,
  step: Step,
  options: PageOptions & { readonly username?: string; readonly refused?: 'password' | 'passkey' },
): Answer {
  const { status = 200, headers = {}, username = step.authRequest.loginHint ?? '' } = options;
  const { refused = 'password' } = options;
  const html = loginPage(step.view(), loginInPage(step, status), {
    username,
    ways: signInWays(needs.signers, step, 'password'),
    forgottenPath: forgottenPathOf(needs),
    passkey: offersPasskeys(needs, step) ? passkeyAddresses(step) : null,
    refused,
  });
  return loginPageAnswer(step, html, { status, headers });
}

/** Says nothing of a single name: some policy lets passkeys open logins, and they work at this address. */
function offersPasskeys(needs: PageServices, { authRequest: { issuer } }: Step): boolean {
  return needs.passkeyRules().mayOpen && passkeySiteOf(needs, issuer) !== null;
}

/**
 * `/oidc/login/cert` (spec 4.3): the certificate is that of the TLS connection, as the handshake proved it. No header
 * can replace it.
 */
function certificateRoutes(needs: PageServices): readonly Route[] {
  return routesOf(needs, {
    path: loginPaths.certificate,
    words: 'the certificate of the connection',
    fields: {},
    entry: {},
    page: (step, options) => certificateForm(needs.signers, step, options),
    async submit(step, came) {
      requireAskedFor(step);
      const credentials = { method: 'cert', chain: step.context.sender.certificates?.chain ?? null } as const;
      return submitPrimary(needs, step.authRequest, { ...came, credentials });
    },
    again: (step) => ({ invalid_auth: (status) => certificateForm(needs.signers, step, { status }) }),
  });
}

/** @throws AuthError invalid_auth   no certificate can arrive on this listener, even if the client has one */
function requireAskedFor(step: Step): void {
  if (asksForCertificates(step)) return;
  throw new AuthError('invalid_auth', {
    description: 'This address does not ask clients for a certificate; use an address that does',
  });
}

function certificateForm(
  signers: SignerDirectory,
  step: Step,
  { status = 200, headers = {} }: PageOptions,
): Answer {
  const html = certificateLoginPage(step.view(), loginInPage(step, status), {
    isAskedFor: asksForCertificates(step),
    ways: signInWays(signers, step, 'cert'),
  });
  return loginPageAnswer(step, html, { status, headers });
}

/**
 * `/oidc/login/ext-jwt` (spec 4.3): external JWTs come in Authorization lines, in any order: the primary proof and, if
 * the policy requires it, the secondary one. After another primary method the secondary one may come alone. People get
 * a page that leads to the providers.
 */
function externalJwtRoutes(needs: PageServices): readonly Route[] {
  return routesOf(needs, {
    path: providerPath,
    words: 'a JWT of another identity provider',
    fields: {},
    entry: { header: 'Authorization: Bearer' },
    page: (step, options) => providerPage(needs.signers, step, options),
    submit: ({ authRequest }, came) => submitExternalJwts(needs, authRequest, came),
  });
}

/**
 * `/oidc/login/passkey`: the answer of an authenticator, as the first proof or as the one that the login lacks. Programs
 * with an authenticator, and scripts of our pages, ask at `/oidc/login/passkey/options` first.
 */
function passkeyRoutes(needs: PageServices): readonly Route[] {
  return routesOf(needs, {
    path: passkeyPath,
    words: 'a passkey',
    fields: { response: webAuthnAnswer(assertionSchema) },
    entry: { fields: ['response'] },
    page: (step, options) => passwordForm(needs, step, options),
    submit: ({ authRequest }, came, { response }) =>
      submitPasskey(needs, authRequest, { ...came, answer: response }),
    again: (step) => ({
      invalid_auth: (status) => passwordForm(needs, step, { status, refused: 'passkey' }),
      invalid_passkey: (status) => secondPasskeyPage(step, status),
    }),
  });
}
