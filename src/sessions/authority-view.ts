// The authorities whose certificates may log in, in memory with their certificates parsed: parsing them again would
// double the time of a login.

import type { TrustedAuthorities } from '../login/certificate/trusted-authorities.ts';
import { type Ca, isTrustedForLogin } from '../model/entities/ca.ts';
import type { CaId } from '../model/ids.ts';
import { readTrustAnchor, type TrustAnchor } from '../platform/x509/path-validation.ts';
import { parseCertificate } from '../platform/x509/x509.ts';
import type { CaStore } from '../store/contracts/cas.ts';

export interface AuthorityView extends TrustedAuthorities {
  /** Replaces the overlay's own authorities. */
  replaceOwn(anchors: readonly TrustAnchor[]): void;
  /** Reloads one third-party authority after it was created, changed or deleted. */
  reload(id: CaId): Promise<void>;
  /** Reloads all third-party authorities. */
  reloadAll(): Promise<void>;
}

interface ThirdParty {
  readonly ca: Ca;
  readonly anchor: TrustAnchor;
}

/** Resolves when all third-party authorities are in memory. @param own authorities of the overlay's PKI */
export async function openAuthorityView(
  store: { readonly cas: CaStore },
  own: readonly TrustAnchor[],
): Promise<AuthorityView> {
  const thirdParties = new Map<CaId, ThirdParty>();
  for (const ca of await store.cas.listTrusted()) thirdParties.set(ca.id, withAnchor(ca));
  let ours = own;
  let anchors: readonly TrustAnchor[] = [];
  let byThumbprint: ReadonlyMap<string, Ca> = new Map();
  function rebuild(): void {
    const isOurs = new Set(ours.map(({ thumbprint }) => thumbprint));
    const others = [...thirdParties.values()].filter(({ anchor }) => !isOurs.has(anchor.thumbprint));
    anchors = [...ours, ...others.map(({ anchor }) => anchor)];
    byThumbprint = new Map(others.map(({ ca, anchor }) => [anchor.thumbprint, ca]));
  }
  rebuild();

  async function reload(id: CaId): Promise<void> {
    const ca = await store.cas.find(id);
    if (ca !== null && isTrustedForLogin(ca)) thirdParties.set(id, withAnchor(ca));
    else thirdParties.delete(id);
    rebuild();
  }

  return {
    anchors: () => anchors,
    caOf: (anchor) => byThumbprint.get(anchor.thumbprint),
    find: (id) => thirdParties.get(id)?.ca,
    isOwn: (thumbprint) => ours.some((anchor) => anchor.thumbprint === thumbprint),
    replaceOwn(fresh) {
      ours = fresh;
      rebuild();
    },
    reload,
    async reloadAll() {
      const trusted = await store.cas.listTrusted();
      for (const id of new Set([...thirdParties.keys(), ...trusted.map((ca) => ca.id)])) await reload(id);
    },
  };
}

function withAnchor(ca: Ca): ThirdParty {
  return { ca, anchor: readTrustAnchor(parseCertificate(ca.certPem).raw) };
}
