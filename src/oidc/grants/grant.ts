// What the grants of the token endpoint need and receive.

import type { SessionCertificateNeeds } from '../../certificates/session-certificates.ts';
import type { CertificateLoginNeeds } from '../../login/certificate/certificate.ts';
import type { SessionLimitNeeds } from '../../login/session-limit.ts';
import type { AuditTrail, RequestOrigin } from '../../model/audit-event.ts';
import type { AttemptLog } from '../../model/login-attempt.ts';
import type { Millis } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { KeyVault } from '../../platform/secrets/key-vault.ts';
import type { PresentedCertificates } from '../../sessions/session-certificate-view.ts';
import type { SessionView } from '../../sessions/session-view.ts';
import type { ApiSessionStore } from '../../store/contracts/api-sessions.ts';
import type { AuthRequestStore } from '../../store/contracts/auth-requests.ts';
import type { DeviceLoginStore } from '../../store/contracts/device-logins.ts';
import type { AccessTokenVerifier } from '../../tokens/access-token.ts';
import type { KeyRing } from '../../tokens/key-ring.ts';
import type { Client, IssuingRules } from '../clients.ts';
import type { Parameters } from '../parameters.ts';
import type { BasicCredentials, ClientAuthNeeds } from './authenticate-client.ts';

export interface TokenRequest {
  readonly parameters: Parameters;
  readonly basic: BasicCredentials | null;
  readonly origin: RequestOrigin;
  /** Whether it says nothing of a browser. */
  readonly isFromProgram: boolean;
  /** Those on the connection, or null; called only if a code or a session may be bound to one. */
  readonly clientCertificates: () => PresentedCertificates | null;
  /** On the monotonic clock. */
  readonly arrivedAt: Millis;
}

/** What a grant receives: a known client and parameters that it reads with `required` and `optional`. */
export interface GrantRequest extends Omit<TokenRequest, 'basic'> {
  readonly client: Client;
  /** The resources that the access token is for (RFC 8707). */
  readonly resources: readonly string[];
}

export interface StandingNeeds extends CertificateLoginNeeds {
  readonly view: Pick<SessionView, 'accounts' | 'signers' | 'authorities'>;
  readonly attempts: AttemptLog;
  readonly audit: AuditTrail;
}

/**
 * Remembers on this node that a device asks now. Asking writes no row.
 * @returns when it asked before; undefined: never, or too long ago
 */
export type DevicePolls = (id: string, now: Millis) => Millis | undefined | Promise<Millis | undefined>;

export interface DeviceGrantNeeds {
  readonly store: { readonly deviceLogins: Pick<DeviceLoginStore, 'find'> };
  readonly vault: KeyVault;
  readonly devicePolls: DevicePolls;
}

export interface GrantNeeds
  extends SessionLimitNeeds,
    StandingNeeds,
    SessionCertificateNeeds,
    DeviceGrantNeeds,
    ClientAuthNeeds,
    IssuingRules {
  readonly store: StandingNeeds['store'] &
    DeviceGrantNeeds['store'] &
    ClientAuthNeeds['store'] &
    SessionCertificateNeeds['store'] & {
      readonly authRequests: AuthRequestStore;
      readonly apiSessions: ApiSessionStore;
    };
  /** How long a refresh may be retried; 0: not at all. */
  readonly retryGrace: Millis;
  readonly ring: KeyRing;
  readonly accessTokens: AccessTokenVerifier;
  readonly tagKey: Buffer;
  readonly random: Random;
}
