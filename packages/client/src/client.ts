// What the package exports on every platform. `browser/browser.ts` and `node/node.ts` add what only they have.

export {
  type Challenge,
  type ChallengeError,
  type ChallengeSigner,
  parseChallenges,
} from './api/challenge.ts';
export type { components as ClientSchemas } from './api/client-api.gen.ts';
export {
  type ClientApi,
  createClientApi,
  createManagementApi,
  type EdgeApi,
  type EdgeApiOptions,
  freshLoginAge,
  type ManagementApi,
  secondaryTokenChallenge,
  type TokenSource,
} from './api/edge-api.ts';
export type { components as ManagementSchemas } from './api/management-api.gen.ts';
export {
  ProtocolError,
  type ProtocolProblem,
  Refusal,
  type SessionEnd,
  SessionEnded,
  Unreachable,
} from './errors.ts';
export { type DeviceLogin, type DeviceLoginOptions, startDeviceLogin } from './login/device-login.ts';
export {
  type AskingForCredentials,
  type AskingForExternalJwt,
  type AskingForFirstTotp,
  type AskingForNewPasskey,
  type AskingForNewPassword,
  type AskingForPasskey,
  type AskingForTotp,
  type AskingForTotpEnrollment,
  type AskingForUnknown,
  type DirectLoginOptions,
  type LoginState,
  type PasskeySigner,
  startDirectLogin,
} from './login/direct-login.ts';
export {
  type AuthorizationOptions,
  authorizationUrl,
  finishLogin,
  hasStateOf,
  isRedirectOf,
  type LoginAttempt,
  newLoginAttempt,
} from './oidc/code-flow.ts';
export { newProofKey, type PrivateJwk, type ProofKey, type Proving, proving } from './oidc/proof-key.ts';
export { discover, type Provider, type ProviderOptions } from './oidc/provider.ts';
export { endSession, refreshTokens } from './oidc/refresh.ts';
export type { Tokens } from './oidc/tokens.ts';
export { openSession, type Session, type SessionEvent, type SessionOptions } from './session/session.ts';
export { memoryTokenStore, type TokenStore } from './session/token-store.ts';
export type { Transport } from './transport.ts';
