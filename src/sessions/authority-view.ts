// The authorities that are registered, in memory with their certificates parsed: parsing them again would
// double the time of a login.

import type { TrustedAuthorities } from '../login/certificate/trusted-authorities.ts';
import { type Ca, isTrustedForLogin } from '../model/entities/ca.ts';
import type { CaId } from '../model/ids.ts';
import { type PathCertificate, readPathCertificate } from '../platform/x509/path-certificate.ts';
import type { CaStore } from '../store/contracts/entities.ts';

export interface AuthorityView extends TrustedAuthorities {
  /** Replaces the overlay's own authorities. */
  replaceOwn(anchors: readonly PathCertificate[]): void;
  /** Reloads one third-party authority after it was created, changed or deleted. */
  reload(id: CaId): Promise<void>;
  /** Reloads all third-party authorities. */
  reloadAll(): Promise<void>;
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
  const thirdParties = new Map<CaId, ThirdParty>();
  for (const ca of await store.cas.listAll()) thirdParties.set(ca.id, withAnchor(ca));
  let ours = own;
  let anchors: readonly PathCertificate[] = [];
  let unused: readonly ThirdParty[] = [];
  let byThumbprint: ReadonlyMap<string, Ca> = new Map();
  function rebuild(): void {
    const isOurs = new Set(ours.map(({ thumbprint }) => thumbprint));
    const registered = [...thirdParties.values()].filter(({ anchor }) => !isOurs.has(anchor.thumbprint));
    const others = registered.filter(({ ca }) => isTrustedForLogin(ca));
    unused = registered.filter(({ ca }) => !isTrustedForLogin(ca));
    anchors = [...ours, ...others.map(({ anchor }) => anchor)];
    byThumbprint = new Map(others.map(({ ca, anchor }) => [anchor.thumbprint, ca]));
  }
  rebuild();

  async function reload(id: CaId): Promise<void> {
    const ca = await store.cas.find(id);
    if (ca === null) thirdParties.delete(id);
    else thirdParties.set(id, withAnchor(ca));
    rebuild();
  }

  return {
    anchors: () => anchors,
    caOf: (anchor) => byThumbprint.get(anchor.thumbprint),
    unused: () => unused,
    find(id) {
      const ca = thirdParties.get(id)?.ca;
      return ca !== undefined && isTrustedForLogin(ca) ? ca : undefined;
    },
    isOwn: (thumbprint) => ours.some((anchor) => anchor.thumbprint === thumbprint),
    replaceOwn(fresh) {
      ours = fresh;
      rebuild();
    },
    reload,
    async reloadAll() {
      const stored = await store.cas.listAll();
      for (const id of new Set([...thirdParties.keys(), ...stored.map((ca) => ca.id)])) await reload(id);
    },
  };
}

function withAnchor(ca: Ca): ThirdParty {
  return { ca, anchor: readPathCertificate(ca.certPem) };
}
