// The management API: entities, for administrators. admin/ decides what may be changed and how.

import { configTypes } from '../../admin/config-types.ts';
import { ownAccountRoutes } from '../edge/account.ts';
import { currentRoutes } from '../edge/current.ts';
import { ownMfaRoutes } from '../edge/mfa.ts';
import { networkJwtRoute } from '../edge/network.ts';
import { ownPasskeyRoutes } from '../edge/passkeys.ts';
import { descriptionRoutes, versionRoute } from '../edge/version.ts';
import { heartbeatRoute, legacyRoutes } from '../legacy/routes.ts';
import { managementApi, type Route } from '../request/route.ts';
import type { EdgeServices } from '../request/services.ts';
import { administratorNamerRoutes } from './administrator-namers.ts';
import { auditEventRoutes } from './audit-events.ts';
import { authPolicyRoutes } from './auth-policies.ts';
import { authenticatorRoutes, passkeyRoutes } from './authenticators.ts';
import { bulkJobRoutes } from './bulk-jobs.ts';
import { caRoutes } from './cas.ts';
import { controllerRoutes } from './controllers.ts';
import { dataPlaneRoutes } from './data-plane.ts';
import { enrollmentRoutes } from './enrollments.ts';
import { entityRoutes } from './entity-routes.ts';
import { eventSubscriptionRoutes } from './event-subscriptions.ts';
import { externalJwtSignerRoutes } from './external-jwt-signers.ts';
import { identityRoutes } from './identities.ts';
import { bulkIdentityRoutes } from './identities-bulk.ts';
import { identityTypeRoutes } from './identity-documents.ts';
import { invitationRoutes } from './invitations.ts';
import { loginAttemptRoutes } from './login-attempts.ts';
import { loginExplanationRoutes } from './login-explanation.ts';
import { mailRoutes } from './mails.ts';
import { oidcClientRoutes } from './oidc-clients.ts';
import { ownCertificateRoutes, signingKeyRoutes } from './own-certificates.ts';
import { revocationRoutes } from './revocations.ts';
import { apiSessionRoutes, browserSessionRoutes, lastLoginRoutes } from './sessions.ts';
import { stateRoutes } from './state.ts';

export function managementRoutes(needs: EdgeServices): readonly Route[] {
  return [
    versionRoute(needs, managementApi),
    ...descriptionRoutes(needs, managementApi),
    networkJwtRoute(needs, managementApi),
    ...currentRoutes(needs, managementApi),
    ...ownMfaRoutes(needs, managementApi),
    ...ownPasskeyRoutes(needs, managementApi),
    ...ownAccountRoutes(needs, managementApi),
    ...legacyRoutes(needs, managementApi),
    ...bulkIdentityRoutes(needs),
    ...bulkJobRoutes(needs),
    ...identityRoutes(needs),
    ...passkeyRoutes(needs),
    ...identityTypeRoutes,
    ...loginExplanationRoutes(needs),
    ...invitationRoutes(needs),
    ...authenticatorRoutes(needs),
    ...authPolicyRoutes(needs),
    heartbeatRoute(needs),
    ...apiSessionRoutes(needs),
    ...browserSessionRoutes(needs),
    ...lastLoginRoutes(needs),
    ...externalJwtSignerRoutes(needs),
    ...caRoutes(needs),
    ...administratorNamerRoutes(needs),
    // Names and ids, for what clients ask for at login.
    ...entityRoutes(configTypes, needs, { ignoredMembers: ['schema'] }),
    ...eventSubscriptionRoutes(needs),
    ...mailRoutes(needs),
    ...oidcClientRoutes(needs),
    ...enrollmentRoutes(needs),
    ...revocationRoutes(needs),
    ...loginAttemptRoutes(needs),
    ...auditEventRoutes(needs),
    ...signingKeyRoutes(needs),
    ...ownCertificateRoutes(needs),
    ...controllerRoutes(needs),
    ...stateRoutes(needs),
    ...(needs.config.edge.oidc.compatibility.clientIds.length > 0 ? dataPlaneRoutes() : []),
  ];
}
