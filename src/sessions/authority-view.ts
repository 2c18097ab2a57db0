// The authorities that are registered, in memory with their certificates parsed: parsing them again would
// double the time of a login.

import type { TrustedAuthorities } from '../login/certificate/trusted-authorities.ts';
import { type Ca, isBarred, isTrustedForLogin, revocationModes } from '../model/entities/ca.ts';
import type { CaId } from '../model/ids.ts';
import { type Followed, openWholeView } from '../platform/caches.ts';
import { type PathCertificate, readPathCertificate } from '../platform/x509/path-certificate.ts';
import type { CaStore } from '../store/contracts/entities.ts';

export interface AuthorityView extends TrustedAuthorities, Followed<CaId> {
  /** Replaces the overlay's own authorities. */
  replaceOwn(anchors: readonly PathCertificate[]): void;
}

interface ThirdParty {
  readonly ca: Ca;
  readonly anchor: PathCertificate;
}

/** Resolves when all third-party authorities are in memory. @param own authorities of the overlay's PKI */
export async function openAuthorityView(
  store: { cas: CaStore },
  own: readonly PathCertificate[],
): Promise<AuthorityView> {
  let ours = own;
  let anchors: readonly PathCertificate[] = [];
  let unused: readonly ThirdParty[] = [];
  let barred: readonly PathCertificate[] = [];
  let byThumbprint: ReadonlyMap<string, Ca> = new Map();
  const thirdParties = await openWholeView({
    store: store.cas,
    ready: (ca): ThirdParty => ({ ca, anchor: readPathCertificate(ca.certPem) }),
    onChange: rebuild,
  });
  function rebuild(): void {
    const isOurs = new Set(ours.map(({ thumbprint }) => thumbprint));
    const registered = thirdParties.all().filter(({ anchor }) => !isOurs.has(anchor.thumbprint));
    const others = registered.filter(({ ca }) => isTrustedForLogin(ca)).sort(strictestFirst);
    unused = registered.filter(({ ca }) => !isTrustedForLogin(ca));
    barred = unused.filter(({ ca }) => isBarred(ca)).map(({ anchor }) => anchor);
    anchors = [...ours, ...others.map(({ anchor }) => anchor)];
    byThumbprint = new Map(others.map(({ ca, anchor }) => [anchor.thumbprint, ca]));
  }
  rebuild();

  return {
    anchors: () => anchors,
    caOf: (anchor) => byThumbprint.get(anchor.thumbprint),
    unused: () => unused,
    barred: () => barred,
    find(id) {
      const ca = thirdParties.find(id)?.ca;
      return ca !== undefined && isTrustedForLogin(ca) ? ca : undefined;
    },
    isOwn: (thumbprint) => ours.some((anchor) => anchor.thumbprint === thumbprint),
    replaceOwn(fresh) {
      ours = fresh;
      rebuild();
    },
    changed: thirdParties.changed,
    allChanged: thirdParties.allChanged,
  };
}

/**
 * An authority that was renewed with its key is registered twice, and each certificate leads to both. What one of them
 * knows to be revoked must not get in through the other, on any node, before or after a restart.
 */
function strictestFirst({ ca: one }: ThirdParty, { ca: other }: ThirdParty): number {
  const strictness = ({ revocation: { mode } }: Ca) => revocationModes.indexOf(mode);
  const hasRule = ({ externalIdClaim }: Ca) => Number(externalIdClaim !== null);
  return strictness(other) - strictness(one) || hasRule(other) - hasRule(one) || (one.id < other.id ? -1 : 1);
}
