/**
 * An entry of the ordered change feed. Whatever a node keeps in memory is dropped or updated when an entry names it.
 * `session-ended` carries the session's id, `identity` the identity's, `auth-policy` the policy's,
 * `external-jwt-signer` the signer's, `ca` the authority's, `oidc-client` the client's, also when its secrets change; `session-certificate` carries the thumbprint of one that was
 * revoked, `token-revocation` the `jti` of a token that was revoked or is no longer, `node` the name of a controller that
 * is new, has other addresses or is forgotten; `signing-keys` carries the key's id.
 */
export interface Change {
  /** Strictly increasing; a node reads what is greater than the last one it has seen. */
  readonly seq: number;
  readonly kind: ChangeKind;
  readonly entityId: string;
}

export const changeKinds = [
  'session-ended',
  'session-certificate',
  'token-revocation',
  'identity',
  'auth-policy',
  'external-jwt-signer',
  'ca',
  'oidc-client',
  'signing-keys',
  'node',
] as const;
export type ChangeKind = (typeof changeKinds)[number];
