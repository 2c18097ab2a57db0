import type { TrustedAuthorities } from '../login/trusted-authorities.ts';

/** PEM of the authorities of the overlay's own PKI. */
export function overlayAuthoritiesPem(authorities: TrustedAuthorities): string {
  const own = authorities.anchors().filter(({ thumbprint }) => authorities.isOwn(thumbprint));
  return own.map(({ x509 }) => x509.toString()).join('');
}
