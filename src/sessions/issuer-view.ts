// The issuers whose access tokens are accepted here: those of this node's bind points, and those of the other nodes on
// the same database. All of them sign with the same keys, so the signature shows that one of our nodes made a token;
// the issuer says at which address.

import { issuersOf } from '../model/node.ts';
import type { NodeStore } from '../store/contracts/nodes.ts';

/** @param configured the issuers of this node's bind points */
export async function openIssuerView(
  store: { nodes: Pick<NodeStore, 'listAll'> },
  configured: readonly string[],
) {
  const own = new Set(configured);
  const all = new Set(own);
  async function reload(): Promise<void> {
    const announced = (await store.nodes.listAll()).flatMap(issuersOf);
    const current = new Set([...own, ...announced]);
    for (const issuer of all) if (!current.has(issuer)) all.delete(issuer);
    for (const issuer of current) all.add(issuer);
  }
  await reload();
  return {
    /** Always current: keep a reference to it, not a copy. */
    all: all as ReadonlySet<string>,
    /** Adds an issuer of this node. */
    add(issuer: string) {
      own.add(issuer);
      all.add(issuer);
    },
    /** Reloads the announcements of the nodes. */
    reload,
  };
}
