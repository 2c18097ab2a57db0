// Login without a browser, for programs that ask for the credentials themselves: a state machine over the JSON contract
// of the login. Each state says what is required next, and has the methods to answer.
//
// A refused answer throws a Refusal and changes nothing: answer the same state again.

import { secondaryTokenChallenge } from '../api/edge-api.ts';
import { ProtocolError, refusalIn, refusalOf } from '../errors.ts';
import { type Members, membersIn, membersOf, textOf, textsOf } from '../json-members.ts';
import {
  type AuthorizationOptions,
  finishLogin,
  isRedirectOf,
  type LoginAttempt,
} from '../oidc/code-flow.ts';
import type { Provider } from '../oidc/provider.ts';
import { jsonRequest, redirectIn, startAuthorization } from '../oidc/start-authorization.ts';
import type { Tokens } from '../oidc/tokens.ts';

export type LoginState =
  | AskingForCredentials
  | AskingForTotp
  | AskingForTotpEnrollment
  | AskingForFirstTotp
  | AskingForExternalJwt
  | AskingForPasskey
  | AskingForNewPasskey
  | AskingForNewPassword
  | AskingForUnknown
  /** The login is complete. */
  | { readonly kind: 'done'; readonly tokens: Tokens };

/** Who is it? */
export interface AskingForCredentials {
  readonly kind: 'credentials';
  /** @param credentials with the external JWT that the policy also requires, if you have it already */
  password(credentials: {
    readonly username: string;
    readonly password: string;
    readonly externalJwt?: string;
  }): Promise<LoginState>;
  /** With the client certificate of the transport. The tokens work on connections with that certificate only. */
  certificate(more?: { readonly externalJwt?: string }): Promise<LoginState>;
  externalJwt(token: string): Promise<LoginState>;
  /**
   * @param sign asks an authenticator of the program
   * @param username for a security key that does not say itself whose it is
   */
  passkey(sign: PasskeySigner, username?: string): Promise<LoginState>;
}

/**
 * Answers the options of a question with an authenticator, both as the JSON of WebAuthn level 3:
 * `PublicKeyCredentialRequestOptionsJSON` gives `AuthenticationResponseJSON`, and for a new passkey
 * `PublicKeyCredentialCreationOptionsJSON` gives `RegistrationResponseJSON`. Its `clientDataJSON` names the origin of the
 * server, as a browser on its pages would.
 */
export type PasskeySigner = (options: Readonly<Record<string, unknown>>) => Promise<object>;

/** A passkey, which the policy requires in addition. A program without an authenticator refers to a browser. */
export interface AskingForPasskey {
  readonly kind: 'passkey';
  /** @throws Refusal `INVALID_PASSKEY`; every error of `sign`, after which nothing was sent */
  submit(sign: PasskeySigner): Promise<LoginState>;
}

/** The policy requires a passkey, and there is none yet. */
export interface AskingForNewPasskey {
  readonly kind: 'passkey-set-up';
  /** @param passkey `name`: by which its owner recognises it */
  submit(passkey: { readonly name: string; readonly make: PasskeySigner }): Promise<LoginState>;
}

/** A code of the authenticator app, or a recovery code. */
export interface AskingForTotp {
  readonly kind: 'totp';
  /** Spaces and dashes are ignored. @throws Refusal `INVALID_TOTP_CODE`: wait for the next code */
  submit(code: string): Promise<LoginState>;
}

/** The policy requires one-time codes, and there is no authenticator app yet. */
export interface AskingForTotpEnrollment {
  readonly kind: 'totp-enrollment';
  begin(): Promise<AskingForFirstTotp>;
}

/** Set up the app with these values, which are not shown again, and confirm with a code. */
export interface AskingForFirstTotp {
  readonly kind: 'totp-confirmation';
  /** For a QR code. */
  readonly provisioningUrl: string;
  /** To type into the app; base32. */
  readonly secret: string;
  /** Each replaces a code of the app, once. */
  readonly recoveryCodes: readonly string[];
  /** @throws Refusal `INVALID_TOTP_CODE` */
  confirm(code: string): Promise<LoginState>;
  /** Sets nothing up. */
  cancel(): Promise<LoginState>;
}

/** A token of another provider, which every later call needs too. */
export interface AskingForExternalJwt {
  readonly kind: 'external-jwt';
  readonly signerId: string | undefined;
  readonly issuer: string | undefined;
  /** Where and how to get one, as far as the administrator has said. */
  readonly authorizationUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly scopes: readonly string[];
  /** @throws Refusal `INVALID_AUTH`, with the challenge that says why; try another token */
  submit(token: string): Promise<LoginState>;
}

/** A new password to replace the one used, which must change. Required once everything else is proven. */
export interface AskingForNewPassword {
  readonly kind: 'new-password';
  /** The minimum number of characters. */
  readonly minLength: number | undefined;
  /** @throws Refusal `INVALID_FIELD` with every reason; try again */
  submit(password: string): Promise<LoginState>;
}

/** Something that this version cannot answer: the person has to log in with a browser. */
export interface AskingForUnknown {
  readonly kind: 'unsupported';
  /** The `typeId`s of the queries. */
  readonly queries: readonly string[];
}

export interface DirectLoginOptions extends Pick<AuthorizationOptions, 'scope' | 'method'> {
  /**
   * Redirect URIs that the server may allow, in order of preference. Nothing listens there: the answer contains the
   * code.
   */
  readonly redirectUris?: readonly string[];
}

/** Port 1 of this computer, which is never opened. */
const unopened = ['http://127.0.0.1:1/auth/callback', 'http://localhost:1/auth/callback'];

/**
 * Begins a login. The transport has to return redirects instead of following them, as `httpsTransport` does. Pages in
 * browsers cannot see redirects, and use the login of `@overlay-auth/client/browser`.
 * @throws Refusal when the server allows none of the redirect URIs, or refuses the request
 * @throws ProtocolError, Unreachable
 */
export async function startDirectLogin(
  provider: Provider,
  options: DirectLoginOptions = {},
): Promise<AskingForCredentials> {
  const { redirectUris = unopened, ...authorization } = options;
  const { attempt, loginUrl } = await startAuthorization(provider, redirectUris, authorization);
  const authRequestId = loginUrl.searchParams.get('authRequestID');
  if (authRequestId === null) {
    throw new ProtocolError('answer_invalid', `${provider.origin} started no login`);
  }
  return credentialsState({ provider, attempt, authRequestId });
}

/** A login under way. */
interface Flow {
  readonly provider: Provider;
  readonly attempt: LoginAttempt;
  readonly authRequestId: string;
}

function credentialsState(flow: Flow): AskingForCredentials {
  const { authRequestId } = flow;
  return {
    kind: 'credentials',
    password: ({ externalJwt, username, password }) =>
      step(flow, 'username', { body: { authRequestId, username, password }, bearer: externalJwt }),
    certificate: ({ externalJwt } = {}) =>
      step(flow, 'cert', { body: { authRequestId }, bearer: externalJwt }),
    externalJwt: (token) => step(flow, 'ext-jwt', { body: { authRequestId }, bearer: token }),
    passkey: (sign, username) => usePasskey(flow, sign, username),
  };
}

interface Step {
  readonly body: Readonly<Record<string, string | object>>;
  readonly bearer?: string | undefined;
}

/** Sends one answer, and returns what is required next. */
async function step(flow: Flow, path: string, answer: Step): Promise<LoginState> {
  return nextState(flow, await send(flow, path, 'POST', answer));
}

async function send(
  { provider }: Flow,
  path: string,
  method: 'POST' | 'DELETE',
  { body, bearer }: Step,
): Promise<Response> {
  return provider.transport(jsonRequest(`${provider.issuer}/login/${path}`, { method, body, bearer }));
}

/** What follows a step: the tokens, or the next question. */
async function nextState(flow: Flow, response: Response): Promise<LoginState> {
  const { provider, attempt } = flow;
  const location = redirectIn(response, new URL(provider.issuer));
  if (location !== undefined) {
    if (!isRedirectOf(attempt, location)) {
      throw new ProtocolError(
        'redirect_elsewhere',
        `The login leads to ${location.origin} instead of back here`,
      );
    }
    return { kind: 'done', tokens: await finishLogin(provider, attempt, location) };
  }
  if (response.status !== 200) throw await refusalOf(response);
  const { authQueries } = await membersIn(response);
  if (!Array.isArray(authQueries) || authQueries.length === 0) {
    throw new ProtocolError('answer_invalid', `${provider.origin} neither ends the login nor asks for more`);
  }
  return queryState(flow, authQueries.map(membersOf));
}

/** The first query that this version can answer. The others follow later. */
function queryState(flow: Flow, queries: readonly Members[]): LoginState {
  for (const query of queries) {
    if (query.typeId === 'MFA' || query.typeId === 'TOTP') {
      return query.isTotpEnrolled === false ? enrollmentState(flow) : totpState(flow);
    }
    if (query.typeId === 'PASSKEY') {
      return query.isPasskeyEnrolled === false
        ? newPasskeyState(flow)
        : { kind: 'passkey', submit: (sign) => usePasskey(flow, sign) };
    }
    if (query.typeId === 'EXT-JWT') return externalJwtState(flow, query);
    if (query.typeId === 'PASSWORD-CHANGE') return newPasswordState(flow, query);
  }
  return { kind: 'unsupported', queries: queries.map(({ typeId }) => String(typeId)) };
}

function totpState(flow: Flow): AskingForTotp {
  return {
    kind: 'totp',
    submit: (code) => step(flow, 'totp', { body: { id: flow.authRequestId, code } }),
  };
}

function enrollmentState(flow: Flow): AskingForTotpEnrollment {
  const { authRequestId } = flow;
  return {
    kind: 'totp-enrollment',
    async begin() {
      const response = await send(flow, 'totp/enroll', 'POST', { body: { authRequestId } });
      if (response.status !== 201) throw await refusalOf(response);
      return confirmationState(flow, await membersIn(response));
    },
  };
}

function confirmationState(flow: Flow, answer: Members): AskingForFirstTotp {
  const { authRequestId, provider } = flow;
  const { provisioningUrl, recoveryCodes } = answer;
  const secret =
    typeof provisioningUrl === 'string' ? URL.parse(provisioningUrl)?.searchParams.get('secret') : null;
  if (typeof provisioningUrl !== 'string' || typeof secret !== 'string') {
    throw new ProtocolError('answer_invalid', `${provider.origin} sent no key for the authenticator app`);
  }
  return {
    kind: 'totp-confirmation',
    provisioningUrl,
    secret,
    recoveryCodes: textsOf(recoveryCodes),
    confirm: (code) => step(flow, 'totp/enroll/verify', { body: { authRequestId, code } }),
    async cancel() {
      const response = await send(flow, 'totp/enroll', 'DELETE', { body: { authRequestId } });
      if (!response.ok) throw await refusalOf(response);
      return enrollmentState(flow);
    },
  };
}

async function usePasskey(flow: Flow, sign: PasskeySigner, username?: string): Promise<LoginState> {
  const { provider, authRequestId: id } = flow;
  const asked = new URLSearchParams({ id, ...(username === undefined ? {} : { username }) });
  const url = `${provider.issuer}/login/passkey/options?${asked}`;
  const response = await sign(await optionsIn(await provider.transport(jsonRequest(url, { method: 'GET' }))));
  return step(flow, 'passkey', { body: { id, response } });
}

function newPasskeyState(flow: Flow): AskingForNewPasskey {
  const { authRequestId: id } = flow;
  const path = 'passkey/register';
  return {
    kind: 'passkey-set-up',
    async submit({ name, make }) {
      const response = await make(
        await optionsIn(await send(flow, `${path}/options`, 'POST', { body: { id } })),
      );
      return step(flow, path, { body: { id, response, name } });
    },
  };
}

async function optionsIn(response: Response): Promise<Members> {
  if (!response.ok) throw await refusalOf(response);
  const options = await membersIn(response);
  if (textOf(options.challenge) !== undefined) return options;
  throw new ProtocolError('answer_invalid', 'The server sent no question for a passkey');
}

function newPasswordState(flow: Flow, { minLength }: Members): AskingForNewPassword {
  return {
    kind: 'new-password',
    minLength: typeof minLength === 'number' ? minLength : undefined,
    submit: (password) =>
      step(flow, 'password-change', { body: { authRequestId: flow.authRequestId, password } }),
  };
}

function externalJwtState(flow: Flow, query: Members): AskingForExternalJwt {
  return {
    kind: 'external-jwt',
    signerId: textOf(query.id),
    issuer: textOf(query.issuer),
    authorizationUrl: textOf(query.httpUrl),
    clientId: textOf(query.clientId),
    scopes: textsOf(query.scopes),
    async submit(token) {
      const body = { authRequestId: flow.authRequestId };
      const response = await send(flow, 'ext-jwt', 'POST', { body, bearer: token });
      // The login goes on after a refused token too: the answer is 200, with the challenge.
      const refusal = refusalIn(response, {
        error: 'INVALID_AUTH',
        error_description: 'The token was refused',
      });
      if (response.ok && secondaryTokenChallenge(refusal) !== undefined) throw refusal;
      return nextState(flow, response);
    },
  };
}
