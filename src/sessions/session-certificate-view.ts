// Recently presented session certificates, in memory by their thumbprint.

import type { TrustedAuthorities } from '../login/certificate/trusted-authorities.ts';
import type { ApiSessionId } from '../model/ids.ts';
import type { SessionCertificate } from '../model/session-certificate.ts';
import { recentView } from '../platform/caches.ts';
import type { Millis } from '../platform/clock.ts';
import { validateClientPath } from '../platform/x509/path-validation.ts';
import type { SessionCertificateStore } from '../store/contracts/session-certificates.ts';

/** Certificates of a connection: the leaf is proven by the handshake, the others were only sent. */
export interface PresentedCertificates {
  /** SHA-256 of the leaf, base64url. */
  readonly leafThumbprint: string;
  /** DER, the leaf first. */
  readonly chain: readonly Buffer[];
}

/** @param threads number of request threads: together they keep 50,000 certificates */
export function sessionCertificateView(
  store: { sessionCertificates: SessionCertificateStore },
  authorities: TrustedAuthorities,
  threads = 1,
) {
  type Known = Pick<SessionCertificate, 'sessionId' | 'expiresAt'>;
  const known = recentView<string, Known>(Math.ceil(50_000 / threads), {
    // When the authorities change, the path is searched again.
    dependsOn: authorities.anchors,
  });

  async function load(
    id: ApiSessionId,
    { leafThumbprint, chain }: PresentedCertificates,
    now: Millis,
  ): Promise<Known | null> {
    const certificate = await store.sessionCertificates.findByThumbprint(leafThumbprint);
    if (certificate?.sessionId !== id || !leadsToOwn(chain, now)) return null;
    return { sessionId: id, expiresAt: certificate.expiresAt };
  }

  function leadsToOwn([leaf, ...intermediates]: readonly Buffer[], now: Millis): boolean {
    if (leaf === undefined) return false;
    const anchors = authorities.anchors().filter(({ thumbprint }) => authorities.isOwn(thumbprint));
    const barred = authorities.barred();
    const of = { leaf, intermediates, anchors, barred, now, allowExpired: false };
    return validateClientPath(of).verdict === 'trusted';
  }

  return {
    /**
     * Whether the leaf was issued for this very session, is not expired or revoked, and leads to one of the overlay's
     * own authorities. The caller checks whether the session is alive. Answers at once if it is in memory.
     */
    standsFor(
      sessionId: ApiSessionId,
      presented: PresentedCertificates,
      now: Millis,
    ): boolean | Promise<boolean> {
      const stands = (found: Known | null) => found?.sessionId === sessionId && now < found.expiresAt;
      const { leafThumbprint } = presented;
      const entry = known.get(leafThumbprint);
      if (entry !== undefined) return stands(entry);
      // Its SPIFFE id names the session. A certificate that does not costs no query.
      if (!presented.chain[0]?.includes(`/apiSession/${sessionId}/`)) return false;
      return known.read(leafThumbprint, () => load(sessionId, presented, now)).then(stands);
    },
    changed: known.changed,
    allChanged: known.allChanged,
  };
}
