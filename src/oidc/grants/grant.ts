// What the grants of the token endpoint need and receive.

import type { RequestOrigin } from '../../model/audit-event.ts';
import type { Millis } from '../../platform/clock.ts';
import type { PresentedCertificates } from '../../sessions/session-certificate-view.ts';
import type { PresentedProof } from '../../tokens/dpop-proof.ts';
import type { Client } from '../clients.ts';
import type { Parameters } from '../parameters.ts';
import type { BasicCredentials } from './authenticate-client.ts';

export interface TokenRequest {
  readonly parameters: Parameters;
  readonly basic: BasicCredentials | null;
  readonly origin: RequestOrigin;
  /** Whether it says nothing of a browser. */
  readonly isFromProgram: boolean;
  /** Those on the connection, or null; called only if a code or a session may be bound to one. */
  readonly clientCertificates: () => PresentedCertificates | null;
  /** Of a key (RFC 9449); null for none. `provenKey` checks it. */
  readonly proof: PresentedProof | null;
  /** On the monotonic clock. */
  readonly arrivedAt: Millis;
}

/** What a grant receives: a known client and parameters that it reads with `required` and `optional`. */
export interface GrantRequest extends Omit<TokenRequest, 'basic'> {
  readonly client: Client;
  /** The resources that the access token is for (RFC 8707). */
  readonly resources: readonly string[];
}
