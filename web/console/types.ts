// The documents of the management API, as its OpenAPI document describes them.

import type { ManagementSchemas } from '@overlay-auth/client';
import type { RefusalReason } from '../../src/model/refusal-reason.ts';

type Schemas = ManagementSchemas['schemas'];

export type Reason = RefusalReason;
export type Identity = Schemas['ManagedIdentity'];
export type IdentityDetail = Schemas['IdentityDetail'];
export type Permission = Identity['permissions'][number];
export type Authenticator = Schemas['Authenticator'];
export type CertificateAuthenticator = Extract<Authenticator, { readonly method: 'cert' }>;
export type OwnCertificate = Schemas['OwnCertificate'];
export type Passkey = Schemas['Passkey'];
export type ApiSession = Schemas['ApiSession'];
export type LastLogin = Schemas['LastLogin'];
export type BrowserSession = Schemas['BrowserSession'];
export type AuditEvent = Schemas['AuditEvent'];
export type SigningKey = Schemas['SigningKey'];
export type LoginAttempt = Schemas['LoginAttempt'];
export type LoginExplanation = Schemas['LoginExplanation'];
export type Method = LoginExplanation['method'];
export type PolicyPreview = Schemas['AuthPolicyPreview'];
export type BulkPreview = Schemas['BulkPreview'];
export type BulkResult = Schemas['BulkResult'];
export type BulkJob = Schemas['BulkJob'];
export type CarriedOnBulkJob = Schemas['CarriedOnBulkJob'];
export type ImportResult = Schemas['ImportResult'];
export type Signer = Schemas['ExternalJwtSigner'];
export type HourlyAttempts = Schemas['HourlyLoginAttempts'];
export type Controller = Schemas['Controller'];
export type Enrollment = Schemas['Enrollment'];
export type ListedInvitation = Schemas['ListedInvitation'];
export type AdministratorNamers = Schemas['AdministratorNamers'];
export type Authority = Schemas['Ca'];
export type RevocationListState = Schemas['RevocationListState'];
export type TriedToken = Schemas['TriedExternalJwt'];
export type BegunTest = Schemas['BegunSignerTest'];
export type TestedSigner = Schemas['TestedExternalJwtSigner'];
export type DiscoveredSigner = Schemas['DiscoveredSigner'];
export type OidcClient = Schemas['OidcClient'];
export type EventSubscription = Schemas['EventSubscription'];
export type EventDelivery = Schemas['EventDelivery'];
export type Mail = Schemas['Mail'];
export type LogoutDelivery = Schemas['LogoutDelivery'];
export type OidcClientSecret = Schemas['OidcClientSecret'];
export type AuthPolicy = Schemas['AuthPolicy'];

/** Properties of the parts of a person's screen. */
export interface OfPerson {
  readonly person: IdentityDetail;
}
