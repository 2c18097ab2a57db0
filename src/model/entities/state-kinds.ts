/** The kinds of entities in declarative state, as documents and commands call them, in the order of their references. */
export const stateKinds = [
  'auth-policy',
  'ext-jwt-signer',
  'ca',
  'config-type',
  'event-subscription',
  'oidc-client',
  'identity',
] as const;
export type StateKind = (typeof stateKinds)[number];
