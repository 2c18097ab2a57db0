import type { Millis } from '../platform/clock.ts';

/**
 * An entry of the ordered change feed. A node drops or updates what it keeps in memory when an entry names it.
 * `session-ended` has the session's id, `identity` the identity's, `auth-policy` the policy's, `external-jwt-signer`
 * the signer's, `ca` the authority's, as has `revocation-list`, `event-subscription` the subscription's, and `oidc-client`
 * the client's, also when its secrets change.
 * `session-certificate` has the thumbprint of a revoked one, `token-revocation` the `jti` of a token that was revoked
 * or is no longer, and `signing-keys` the key's id. `node` has the name of a controller that is new, changed its
 * addresses or is forgotten. `delivery` has the queue to which something was added.
 */
export interface Change {
  /** A change that was made after another one was committed has a higher number. */
  readonly seq: number;
  readonly kind: ChangeKind;
  readonly entityId: string;
  readonly at: Millis;
}

export type ChangeKind =
  | 'session-ended'
  | 'session-certificate'
  | 'token-revocation'
  | 'identity'
  | 'auth-policy'
  | 'external-jwt-signer'
  | 'ca'
  | 'revocation-list'
  | 'oidc-client'
  | 'event-subscription'
  | 'signing-keys'
  | 'delivery'
  | 'node';
