// Finds paths from a certificate to a trust anchor through certificates in any order, some of them superfluous or
// hostile. A path consists of verified signatures only; the caller's judge decides whether it is acceptable.

import { describeKey, isAcceptedKey } from './key-strength.ts';
import type { PathCertificate } from './path-certificate.ts';
import { nameCertificate, type PathRefusal } from './path-refusal.ts';
import type { CertificatePath } from './path-rules.ts';
import { displayIssuer, displaySubject } from './x509.ts';

export interface SearchGround {
  readonly intermediates: readonly PathCertificate[];
  readonly anchors: readonly PathCertificate[];
  /** The fault of a complete path. Undefined ends the search with it. */
  readonly judge: (path: CertificatePath) => PathRefusal | undefined;
}

export type SearchResult = { readonly path: CertificatePath } | { readonly refusal: PathRefusal };

/** Attempted pairs of a certificate and a possible issuer. An ordinary chain needs one for each of its certificates. */
const mostSteps = 48;
/** Checked signatures. The longest accepted chain needs eight; the rest is for authorities that share a name. */
const mostChecks = 12;

/**
 * The first path that the judge accepts, trying anchors before intermediates. Otherwise the refusal of the attempt that
 * got furthest.
 */
export function searchPath(leaf: PathCertificate, ground: SearchGround): SearchResult {
  const anchorIds = new Set(ground.anchors.map((anchor) => anchor.thumbprint));
  const intermediates = ground.intermediates.filter(({ thumbprint }) => !anchorIds.has(thumbprint));
  const misses = nearestMiss();
  const links = new Map<string, PathRefusal | undefined>();
  let steps = 0;
  let checks = 0;

  const extend = (path: CertificatePath, child: PathCertificate): CertificatePath | undefined => {
    const isIssuer = (candidate: PathCertificate) =>
      candidate.subject.key === child.issuer.key && !path.includes(candidate);
    const issuers = [
      ...preferKeyId(child, ground.anchors.filter(isIssuer)),
      ...preferKeyId(child, intermediates.filter(isIssuer)),
    ];
    if (issuers.length === 0) misses.add(path.length, noIssuer(child, path));
    for (const issuer of issuers) {
      steps += 1;
      const pair = `${child.thumbprint} ${issuer.thumbprint}`;
      if (steps > mostSteps || (checks === mostChecks && !links.has(pair))) {
        misses.add(gaveUpCost, { reason: 'too-much-work' });
        return undefined;
      }
      if (!links.has(pair)) {
        checks += 1;
        links.set(pair, brokenLink(child, issuer, { isLeaf: path.length === 1, anchorIds }));
      }
      const broken = links.get(pair);
      if (broken !== undefined) {
        misses.add(path.length, broken);
        continue;
      }
      const longer = [...path, issuer];
      if (!anchorIds.has(issuer.thumbprint)) {
        const found = extend(longer, issuer);
        if (found !== undefined) return found;
        continue;
      }
      const refusal = ground.judge(longer);
      if (refusal === undefined) return longer;
      misses.add(completeCost, refusal);
    }
    return undefined;
  };

  const path = extend([leaf], leaf);
  return path === undefined ? { refusal: misses.nearest() } : { path };
}

const completeCost = Number.POSITIVE_INFINITY;
const gaveUpCost = Number.MAX_SAFE_INTEGER;

/** Keeps the refusal of the attempt that got furthest; of several, the first. */
function nearestMiss() {
  let nearest: { progress: number; refusal: PathRefusal } = {
    progress: 0,
    refusal: { reason: 'too-much-work' },
  };
  return {
    add(progress: number, refusal: PathRefusal): void {
      if (progress > nearest.progress) nearest = { progress, refusal };
    },
    nearest: () => nearest.refusal,
  };
}

// Key identifiers prove nothing: they only say where to look first, and not which certificate of the same key.
function preferKeyId(child: PathCertificate, issuers: PathCertificate[]): PathCertificate[] {
  const { authorityKeyId } = child.extensions;
  if (authorityKeyId === undefined || issuers.length < 2) return issuers;
  const named = issuers.filter(({ extensions }) => extensions.subjectKeyId === authorityKeyId);
  const rank = ({ publicKey }: PathCertificate) =>
    named.some((issuer) => issuer.publicKey.equals(publicKey)) ? 0 : 1;
  return issuers.toSorted((a, b) => rank(a) - rank(b));
}

/** Why `issuer` did not issue `child`. Weak keys and algorithms are never used to verify. */
function brokenLink(
  child: PathCertificate,
  issuer: PathCertificate,
  place: { readonly isLeaf: boolean; readonly anchorIds: ReadonlySet<string> },
): PathRefusal | undefined {
  const certificate = () => nameCertificate(child, place.isLeaf ? 'leaf' : 'intermediate');
  const { name, accepted } = child.signatureAlgorithm;
  if (!accepted) return { reason: 'algorithm-not-accepted', certificate: certificate(), algorithm: name };
  if (!isAcceptedKey(issuer.publicKey)) {
    const role = place.anchorIds.has(issuer.thumbprint) ? 'anchor' : 'intermediate';
    return {
      reason: 'key-not-accepted',
      certificate: nameCertificate(issuer, role),
      key: describeKey(issuer.publicKey),
    };
  }
  if (!verifies(child, issuer))
    return { reason: 'bad-signature', certificate: certificate(), issuer: displaySubject(issuer.x509) };
  return undefined;
}

function verifies(child: PathCertificate, issuer: PathCertificate): boolean {
  try {
    return child.x509.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function noIssuer(child: PathCertificate, path: CertificatePath): PathRefusal {
  return {
    reason: 'untrusted',
    certificate: nameCertificate(child, path.length === 1 ? 'leaf' : 'intermediate'),
    issuer: displayIssuer(child.x509),
    isSelfSigned: child.issuer.key === child.subject.key,
  };
}
