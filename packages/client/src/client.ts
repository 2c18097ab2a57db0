// What the package gives to every platform. `browser/browser.ts` and `node/node.ts` add what only they have.

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
export type { Transport } from './transport.ts';
