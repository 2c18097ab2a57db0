// The services that the OpenID provider uses. They are composed once, in controller/.

import type { ClientCertificateIssuer } from '../certificates/client-certificate-issuer.ts';
import type { ProviderDirectory } from '../login/external-jwt/provider-endpoints.ts';
import type { LoginServices } from '../login/services.ts';
import type { AuthRequest } from '../model/auth-request.ts';
import type { Millis } from '../platform/clock.ts';
import type { FormPoster } from '../platform/network/outbound-client.ts';
import type { DailySealer } from '../platform/secrets/sealed-box.ts';
import type { SessionView } from '../sessions/session-view.ts';
import type { Store } from '../store/contracts/store.ts';
import type { AccessTokenVerifier } from '../tokens/access-token.ts';
import type { DpopVerifier } from '../tokens/dpop-verifier.ts';
import type { KeyRing } from '../tokens/key-ring.ts';
import type { ClientProfile, ClientRegistry, IssuingRules } from './clients.ts';
import type { ExchangePlaces } from './flow/exchange-limit.ts';

export interface OidcServices extends LoginServices, ProviderServices, IssuingRules {
  readonly store: Store;
  readonly clients: ClientRegistry;
  /** Of all bind points of all nodes. */
  readonly issuers: ReadonlySet<string>;
  readonly sealer: AuthRequestSealer;
  readonly callbacks: CallbackSealer;
  /** Seals pushed authorization requests. */
  readonly pushedRequests: DailySealer;
  readonly ring: KeyRing;
  readonly accessTokens: AccessTokenVerifier;
  readonly proofs: DpopVerifier;
  readonly view: Pick<
    SessionView,
    'accounts' | 'signers' | 'authorities' | 'openingCertificates' | 'refreshed'
  >;
  readonly certificateIssuer: ClientCertificateIssuer;
  /** Of the SPIFFE ids in certificates of sessions; a host name. */
  readonly trustDomain: string;
  readonly devicePolls: DevicePolls;
  /** How long a client may retry a refresh, by its profile; 0: not at all. */
  readonly retryGrace: Readonly<Record<ClientProfile, Millis>>;
}

/** The services for a login at another provider. */
export interface ProviderServices
  extends Pick<LoginServices, 'store' | 'clock' | 'random' | 'signers' | 'vault'> {
  readonly ring: Pick<KeyRing, 'signer'>;
  readonly providers: ProviderDirectory;
  readonly poster: FormPoster;
  readonly exchanges: ExchangePlaces;
  /** Seals the `state` that goes to the provider and comes back. */
  readonly providerStates: DailySealer;
  readonly signerTests: SignerTestSealers;
}

/** Links lead to the provider, answers come from there; neither can be taken for the other. */
export interface SignerTestSealers {
  readonly links: DailySealer;
  readonly answers: DailySealer;
}

/**
 * Remembers on this node that a device asks now. Asking writes no row.
 * @returns when it asked before; undefined: never, or too long ago
 */
export type DevicePolls = (id: string, now: Millis) => Millis | undefined | Promise<Millis | undefined>;

export interface AuthRequestSealer {
  /** The text that clients carry; base64url. */
  seal(authRequest: AuthRequest): string;
  /** The request, also one that has expired; undefined when the text was not made here or is older than yesterday. */
  open(text: string, now: Millis): AuthRequest | undefined;
}

export interface FinishedLogin
  extends Pick<AuthRequest, 'redirectUri' | 'state' | 'issuer' | 'browserBinding' | 'responseMode'> {
  readonly code: string;
  /** Of the code. */
  readonly expiresAt: Millis;
}

export interface CallbackSealer {
  /** base64url. */
  seal(login: FinishedLogin, now: Millis): string;
  /** The login, or undefined when the text was not made here or its code has expired. */
  open(text: string, now: Millis): FinishedLogin | undefined;
}
