import type { Ca } from '../../model/entities/ca.ts';
import type { CaId } from '../../model/ids.ts';
import type { PathCertificate } from '../../platform/x509/path-certificate.ts';

/** The authorities that may issue certificates for logins now, in memory: the overlay's own PKI and third parties. */
export interface TrustedAuthorities {
  /**
   * The first one wins if a certificate leads to several: the overlay's own, then those that check revocation most
   * strictly, then those with a rule for external ids.
   */
  anchors(): readonly PathCertificate[];
  /** The third-party authority with this certificate; undefined for the overlay's own. */
  caOf(anchor: PathCertificate): Ca | undefined;
  /** Third-party authorities that are switched off: no path leads through them to another one. */
  barred(): readonly PathCertificate[];
  /** Third-party authorities that are registered and whose certificates may not log in now. */
  unused(): readonly { readonly ca: Ca; readonly anchor: PathCertificate }[];
  /** Undefined unless its certificates may log in now. */
  find(id: CaId): Ca | undefined;
  /** Whether a certificate is one of the overlay's own authorities. @param thumbprint SHA-256, base64url */
  isOwn(thumbprint: string): boolean;
}
