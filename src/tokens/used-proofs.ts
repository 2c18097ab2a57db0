// Which DPoP proofs were used (RFC 9449 11.1), in the memory of one process.

import { type Millis, SECOND } from '../platform/time-units.ts';

/** A proof that is presented. */
export interface PresentedOnce {
  /** A hash of its key and its `jti`. */
  readonly id: string;
  /** The client or identity in whose share of the memory it counts. */
  readonly owner: string;
  /** From then on it is refused anyway. */
  readonly until: Millis;
}

/** `full`: there is no room to remember it, so it must not count. */
export type ProofOnce = 'new' | 'used' | 'full';

/** Knows which proofs were used, for all that accept the same ones. */
export interface ProofMemory {
  /** Uses a proof up: exactly one of several calls says `new`. */
  use(proof: PresentedOnce, now: Millis): ProofOnce | Promise<ProofOnce>;
  /** Proofs that were used before are unknown; 0: all are known. */
  readonly startedAt: Millis;
  /** Part of every nonce. Nonces of another epoch are worthless. */
  readonly epoch: string;
}

/** Proofs are forgotten together with all others of their span. */
const span: Millis = 30 * SECOND;

interface Span {
  readonly ids: Set<string>;
  readonly byOwner: Map<string, number>;
}

/**
 * Remembers proofs in memory. Half of the room is free for all; beyond that each owner has a share of one in
 * sixteen, so that one session in a loop keeps no other out.
 * @param most how many at once; each takes about a hundred bytes
 */
export function usedProofs(most = 400_000): (proof: PresentedOnce, now: Millis) => ProofOnce {
  const spans = new Map<number, Span>();
  const sum = (of: (part: Span) => number) =>
    [...spans.values()].reduce((total, part) => total + of(part), 0);
  return ({ id, owner, until }, now) => {
    for (const at of spans.keys()) if ((at + 1) * span <= now) spans.delete(at);
    if ([...spans.values()].some(({ ids }) => ids.has(id))) return 'used';
    const size = sum(({ ids }) => ids.size);
    const isShareUsed = () => sum(({ byOwner }) => byOwner.get(owner) ?? 0) >= most / 16;
    if (size >= most || (size >= most / 2 && isShareUsed())) return 'full';
    const at = Math.floor(until / span);
    const part = spans.get(at) ?? { ids: new Set(), byOwner: new Map() };
    spans.set(at, part);
    part.ids.add(id);
    part.byOwner.set(owner, (part.byOwner.get(owner) ?? 0) + 1);
    return 'new';
  };
}
