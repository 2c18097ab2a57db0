// The services that the rules for administrators use. They are composed once, in controller/.

import type { ClientCertificateIssuer } from '../certificates/client-certificate-issuer.ts';
import type { LoginServices } from '../login/services.ts';
import type { EntityKind } from '../model/entities/entity.ts';
import type { RedirectUriPattern } from '../model/redirect-uri-pattern.ts';
import type { Millis } from '../platform/clock.ts';
import type { OutboundLimits } from '../platform/network/outbound-targets.ts';
import type { EnrollmentSigner } from '../tokens/enrollment-jwt.ts';

export interface AdminServices extends LoginServices {
  readonly certificateIssuer: ClientCertificateIssuer;
  readonly enrollmentSigner: EnrollmentSigner;
  /** How long a token of an enrollment is valid unless the request says otherwise. */
  readonly enrollmentLifetime: Millis;
  /** How long an access token issued now can remain unexpired on any node. */
  readonly tokenLifetime: Millis;
  /** Our own issuers and those of the other nodes, with the real ports of the bind points. Only we vouch for them. */
  readonly issuers: ReadonlySet<string>;
  readonly limits: OutboundLimits;
  /** From the configuration. No client may exceed them. */
  readonly durations: { readonly accessTokenDuration: Millis; readonly refreshTokenDuration: Millis };
  /** Ids of the clients that exist without being registered. */
  readonly builtInClients: ReadonlySet<string>;
  readonly readRedirectUri: (text: string) => RedirectUriPattern;
  /** Whether there is an entity of this kind with this id. */
  exists(kind: EntityKind, id: string): Promise<boolean>;
}
