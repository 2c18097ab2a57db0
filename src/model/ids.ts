import { usualPolicyId } from './usual-policy.ts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Ids of different kinds cannot be mixed up: a wrong one does not compile. All are UUIDv7 unless said otherwise. */
export type IdentityId = Branded<'identity'>;
export type AuthenticatorId = Branded<'authenticator'>;
/** UUIDv7, or the word `default` for the policy that exists from the start. */
export type AuthPolicyId = Branded<'auth-policy'>;
export type SignerId = Branded<'external-jwt-signer'>;
export type ConfigTypeId = Branded<'config-type'>;
export type EventSubscriptionId = Branded<'event-subscription'>;
/** The `client_id`: a text that an administrator chose, or a UUIDv7. */
export type OidcClientId = Branded<'oidc-client'>;
export type OidcClientSecretId = Branded<'oidc-client-secret'>;
export type CaId = Branded<'ca'>;
export type EnrollmentId = Branded<'enrollment'>;
/** The API session; `z_asid` in tokens. Constant over every refresh. */
export type ApiSessionId = Branded<'api-session'>;
/** Identifies a browser session. */
export type BrowserSessionId = Branded<'browser-session'>;
/** Identifies one authorization request in the store; inside the sealed text that clients call the auth request id. */
export type AuthRequestKey = Branded<'auth-request'>;
export type SessionCertificateId = Branded<'session-certificate'>;
/** Identifies a revocation: the `jti` of a token, or the id of an identity or of an API session. */
export type RevocationId = Branded<'revocation'>;

declare const stored: unique symbol;
/** A name, role attribute or email address in the one form that is stored (`typedName`): it is no id, nor raw text. */
export type StoredName = string & { readonly [stored]: true };

/** Marks a string that was read from the store or made by `random.id()` as the id of a kind. */
export function asId<Id extends Branded<string>>(text: string): Id {
  return text as Id;
}

/** The policy of every new identity unless another one is named. It can be changed, not deleted. */
export const defaultAuthPolicyId = asId<AuthPolicyId>(usualPolicyId);
