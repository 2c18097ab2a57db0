// Recently presented session certificates, in memory by their thumbprint.

import type { TrustedAuthorities } from '../login/certificate/trusted-authorities.ts';
import type { ApiSessionId } from '../model/ids.ts';
import { recentMap } from '../platform/caches.ts';
import type { Millis } from '../platform/clock.ts';
import type { PathCertificate } from '../platform/x509/path-certificate.ts';
import { validateClientPath } from '../platform/x509/path-validation.ts';
import type { SessionCertificateStore } from '../store/contracts/session-certificates.ts';

/** Certificates of a connection: the leaf is proven by the handshake, the others were only sent. */
export interface PresentedCertificates {
  /** SHA-256 of the leaf, base64url. */
  readonly leafThumbprint: string;
  /** DER, the leaf first. */
  readonly chain: readonly Buffer[];
}

export interface SessionCertificateView {
  /**
   * Whether the leaf was issued for this very session, is not expired or revoked, and leads to one of the overlay's own
   * authorities. The caller checks whether the session is alive. Answers at once if it is in memory.
   */
  standsFor(
    sessionId: ApiSessionId,
    presented: PresentedCertificates,
    now: Millis,
  ): boolean | Promise<boolean>;
  /** Call it when a certificate was revoked. */
  forget(thumbprint: string): void;
  /** Call it when any certificate may have been revoked. */
  forgetAll(): void;
}

interface Known {
  readonly sessionId: ApiSessionId;
  readonly expiresAt: Millis;
  /** The anchors that were searched for the path: when they change, it is searched again. */
  readonly anchors: readonly PathCertificate[];
}

/** @param threads number of request threads: together they keep 50,000 certificates */
export function sessionCertificateView(
  store: { sessionCertificates: SessionCertificateStore },
  authorities: TrustedAuthorities,
  threads = 1,
): SessionCertificateView {
  const known = recentMap<string, Known>(Math.ceil(50_000 / threads));
  // A read that began before a revocation must not be kept after it.
  let epoch = 0;

  async function read(
    sessionId: ApiSessionId,
    { leafThumbprint, chain }: PresentedCertificates,
    now: Millis,
  ): Promise<boolean> {
    const begun = epoch;
    const certificate = await store.sessionCertificates.findByThumbprint(leafThumbprint);
    if (certificate === null || certificate.sessionId !== sessionId) return false;
    const anchors = authorities.anchors();
    if (!leadsToOwn(chain, anchors, now)) return false;
    const { expiresAt } = certificate;
    if (begun === epoch) known.set(leafThumbprint, { sessionId, expiresAt, anchors });
    return now < expiresAt;
  }

  function leadsToOwn(chain: readonly Buffer[], anchors: readonly PathCertificate[], now: Millis): boolean {
    const [leaf, ...intermediates] = chain;
    if (leaf === undefined) return false;
    const own = anchors.filter(({ thumbprint }) => authorities.isOwn(thumbprint));
    const of = { leaf, intermediates, anchors: own, now, allowExpired: false };
    return validateClientPath(of).verdict === 'trusted';
  }

  return {
    standsFor(sessionId, presented, now) {
      const entry = known.get(presented.leafThumbprint);
      if (entry !== undefined && entry.anchors === authorities.anchors())
        return entry.sessionId === sessionId && now < entry.expiresAt;
      // Its SPIFFE id names the session. A certificate that does not costs no query.
      if (!presented.chain[0]?.includes(`/apiSession/${sessionId}/`)) return false;
      return read(sessionId, presented, now);
    },
    forget(thumbprint) {
      epoch += 1;
      known.delete(thumbprint);
    },
    forgetAll() {
      epoch += 1;
      known.clear();
    },
  };
}
