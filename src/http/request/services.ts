// The services of both Edge APIs. They are composed once, in controller/.

import type { AdminServices } from '../../admin/services.ts';
import type { Config } from '../../config/config.ts';
import type { PublishedAuthorities } from '../../enrollment/published-authorities.ts';
import type { LegacyServices } from '../../legacy/authenticate.ts';
import type { KeptAuditTrail } from '../../model/audit-event.ts';
import type { ApiSessionId } from '../../model/ids.ts';
import type { AttemptLog } from '../../model/login-attempt.ts';
import type { OwnCall } from '../../model/principal.ts';
import type { ClientRegistry } from '../../oidc/clients.ts';
import type { ProviderServices } from '../../oidc/services.ts';
import type {
  FormPoster,
  MessagePoster,
  OutboundClient,
  TlsConnector,
} from '../../platform/network/outbound-client.ts';
import type { CertificateFacts } from '../../platform/x509/x509.ts';
import type { OwnSessionView } from '../../sessions/own-session-view.ts';
import type { Store } from '../../store/contracts/store.ts';
import type { KeyRing } from '../../tokens/key-ring.ts';

export interface EdgeServices extends AdminServices, LegacyServices, ProviderServices {
  readonly store: Store;
  readonly audit: KeptAuditTrail;
  readonly attempts: AttemptLog & { flush(): Promise<void> };
  readonly config: Pick<Config, 'listeners' | 'edge'>;
  readonly build: Build;
  readonly clients: Pick<ClientRegistry, 'registered'>;
  /** The certificates that this node presents to clients, trusts and signs with, by the configuration in use. */
  readonly ownCertificates: readonly OwnCertificate[];
  /** Whether more than one node is online. */
  readonly node: { readonly isCluster: boolean };
  readonly publishedAuthorities: PublishedAuthorities;
  /** Of the SPIFFE ids in certificates of sessions; a host name. */
  readonly trustDomain: string;
  readonly ring: Pick<KeyRing, 'list' | 'signer'>;
  readonly ownSessions: OwnSessionView;
  readonly poster: FormPoster & MessagePoster & TlsConnector;
  /** Calls other servers, within the limits of `edge.externalJwtSigners.jwksFetch`. */
  readonly outbound: OutboundClient;
  /** Keeps legacy sessions alive. @returns how many of them are */
  keepAlive(ids: readonly ApiSessionId[]): Promise<number>;
  /** Tells the mechanism of the caller's session that enrolling has proven TOTP in it. */
  totpEnrolled(caller: OwnCall): Promise<void>;
}

export interface OwnCertificate extends CertificateFacts {
  readonly use: 'server' | 'authority' | 'client-signing';
  /** The names of the listeners that present it. */
  readonly listeners: readonly string[];
  readonly file: string;
  readonly pem: string;
  /** The certificates that it signs at present, if it is an authority: those of listeners, those of clients. */
  readonly signs: readonly ('server' | 'clients')[];
}

/** The running version, as in the version document. */
export interface Build {
  /** Revision of the sources. */
  readonly revision: string;
  /** RFC 3339. */
  readonly date: string;
  readonly runtime: string;
}
