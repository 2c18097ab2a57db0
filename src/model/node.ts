import { type Millis, SECOND } from '../platform/clock.ts';

/** A running controller, as announced in the database. Several share one database. */
export interface ControllerNode {
  readonly id: string;
  /** Unique among the nodes. */
  readonly name: string;
  /** The main address that clients dial, `host:port`. */
  readonly address: string;
  readonly apiAddresses: readonly ApiAddress[];
  /** Of the program. */
  readonly version: string;
  readonly createdAt: Millis;
  readonly startedAt: Millis;
  readonly lastSeenAt: Millis;
  /** When it was stopped in an orderly way; null while it runs, and after a crash. */
  readonly leftAt: Millis | null;
  /** The public ids of the key-encryption keys on its host. */
  readonly keyIds: readonly string[];
  /** Null: a node of an earlier release, which does not say. */
  readonly authorities: NodeAuthorities | null;
}

/** The authorities of the overlay's own PKI on a node, as SHA-256 thumbprints, base64url. */
export interface NodeAuthorities {
  readonly trusted: readonly string[];
  /** The authorities that issued its listeners' certificates, and those that sign client certificates. */
  readonly signing: readonly string[];
}

/** Where a node serves an API. */
export interface ApiAddress {
  /** Of the configuration, such as `edge-client`. */
  readonly binding: string;
  readonly url: string;
  /** Of the API, such as `v1`. */
  readonly version: string;
}

/** The issuers of its bind points, as tokens name them. */
export function issuersOf({ apiAddresses }: Pick<ControllerNode, 'apiAddresses'>): readonly string[] {
  // An issuer does not contain the default port.
  return apiAddresses.flatMap(({ binding, url }) => (binding === 'edge-oidc' ? [new URL(url).href] : []));
}

/** How often a node announces that it runs. */
export const heartbeatInterval: Millis = 10 * SECOND;
/** Allows two late beats. */
const onlineFor: Millis = 3 * heartbeatInterval;

/** Clocks of nodes may differ: a time in the future counts as now. */
export function isOnline(node: Pick<ControllerNode, 'lastSeenAt' | 'leftAt'>, now: Millis): boolean {
  return node.leftAt === null && now - node.lastSeenAt < onlineFor;
}
