import type { EnrollmentNeeds } from '../../admin/enrollments.ts';
import type { Config } from '../../config/config.ts';
import type { TrustedAuthorities } from '../../login/certificate/trusted-authorities.ts';
import type { SignerDirectory } from '../../login/external-jwt/signer-directory.ts';
import type { PasswordHasher } from '../../login/password/password.ts';
import type { KeptAuditTrail } from '../../model/audit-event.ts';
import type { AttemptLog } from '../../model/login-attempt.ts';
import type { SignerTestNeeds } from '../../oidc/flow/signer-test.ts';
import type { Clock, Millis } from '../../platform/clock.ts';
import type { OutboundClient } from '../../platform/network/outbound-client.ts';
import type { Random } from '../../platform/random.ts';
import type { OwnSessionView } from '../../sessions/own-session-view.ts';
import type { Store } from '../../store/contracts/store.ts';
import type { KeyRing } from '../../tokens/key-ring.ts';
import type { OwnMfaNeeds } from '../edge/mfa.ts';
import type { VersionNeeds } from '../edge/version.ts';
import type { HeartbeatNeeds } from '../legacy/heartbeats.ts';
import type { LegacyRouteNeeds } from '../legacy/routes.ts';

/** What the management endpoints need. */
export interface ManagementNeeds
  extends OwnMfaNeeds,
    LegacyRouteNeeds,
    HeartbeatNeeds,
    EnrollmentNeeds,
    SignerTestNeeds {
  readonly store: Pick<
    Store,
    | 'identities'
    | 'authenticators'
    | 'authPolicies'
    | 'apiSessions'
    | 'browserSessions'
    | 'attempts'
    | 'totp'
    | 'loginAttempts'
    | 'auditEvents'
    | 'externalJwtSigners'
    | 'cas'
    | 'configTypes'
    | 'oidcClients'
    | 'revocations'
    | 'enrollments'
    | 'invitations'
    | 'nodes'
    | 'versions'
    | 'onBehalfOf'
    | 'gather'
  >;
  readonly config: Pick<Config, 'listeners' | 'edge'>;
  readonly node: VersionNeeds['node'];
  readonly build: VersionNeeds['build'];
  readonly ownSessions: OwnSessionView;
  readonly signers: SignerDirectory;
  readonly authorities: TrustedAuthorities;
  /** Our own issuers and those of the other nodes, with the real ports of the bind points. */
  readonly issuers: ReadonlySet<string>;
  readonly hasher: PasswordHasher;
  /** Calls other servers, within the limits of `edge.externalJwtSigners.jwksFetch`. */
  readonly outbound: OutboundClient;
  readonly clock: Clock;
  /** How long an access token issued now can remain unexpired on any node. */
  readonly tokenLifetime: Millis;
  readonly random: Random;
  readonly audit: KeptAuditTrail;
  readonly ring: Pick<KeyRing, 'list' | 'signer'>;
  readonly attempts: AttemptLog & { flush(): Promise<void> };
  /** Whether there is an external JWT signer with this id. */
  signerExists(id: string): Promise<boolean>;
}
