// How many connections each source has over all threads that listen on one interface, and how many bytes wait for it
// over all threads and interfaces, in a table of shared memory.

import { hmacSha256 } from '../../platform/digest.ts';
import type { SourceCounts } from './connections.ts';
import type { WaitingSums } from './waiting-bytes.ts';

/** Memory that each thread receives: the same table and key for all, and its own row. */
export interface CountedTogether {
  /** By thread: connections by slot, then waiting bytes by slot. Strangers must not know which slot a source has. */
  readonly table: Int32Array<SharedArrayBuffer>;
  /** 32 random bytes. */
  readonly key: Uint8Array;
  /** The row of this thread, from 0. */
  readonly row: number;
}

// Two sources may share a slot. A source notices only if another one of its slot is near the limit.
const slots = 16_384;
const rowLength = 2 * slots;
/** Where the waiting bytes of all sources together are. */
const allWaiting = slots;

export function countingTable(threads: number): CountedTogether['table'] {
  return new Int32Array(new SharedArrayBuffer(threads * rowLength * Int32Array.BYTES_PER_ELEMENT));
}

/** The connections of a thread that has died are closed. */
export function clearRow(table: CountedTogether['table'], row: number): void {
  for (let slot = 0; slot < rowLength; slot += 1) Atomics.store(table, row * rowLength + slot, 0);
}

function inAllThreads(table: CountedTogether['table'], slot: number): number {
  let sum = 0;
  for (let at = slot; at < table.length; at += rowLength) sum += Atomics.load(table, at);
  return sum;
}

/** @param name of the interface: each is counted separately */
export function sharedSourceCounts({ table, key, row }: CountedTogether, name: string): SourceCounts {
  const slotOf = (source: string) => hmacSha256(key, `${name} ${source}`).readUInt32LE(0) % slots;
  return {
    open(source, most) {
      const slot = slotOf(source);
      // Counted first: if two threads take the last place at once, they must not get more than there is.
      Atomics.add(table, row * rowLength + slot, 1);
      if (inAllThreads(table, slot) <= most) return true;
      Atomics.sub(table, row * rowLength + slot, 1);
      return false;
    },
    close(source) {
      Atomics.sub(table, row * rowLength + slotOf(source), 1);
    },
  };
}

export function sharedWaitingSums({ table, key, row }: CountedTogether): WaitingSums {
  const slotOf = (source: string) => slots + 1 + (hmacSha256(key, source).readUInt32LE(0) % (slots - 1));
  let used: ReadonlySet<number> = new Set();
  return {
    publish(bySource) {
      const sums = new Map<number, number>();
      for (const [source, bytes] of bySource) {
        for (const slot of [slotOf(source), allWaiting]) sums.set(slot, (sums.get(slot) ?? 0) + bytes);
      }
      for (const slot of used) if (!sums.has(slot)) Atomics.store(table, row * rowLength + slot, 0);
      for (const [slot, bytes] of sums) Atomics.store(table, row * rowLength + slot, bytes);
      used = new Set(sums.keys());
    },
    of: (source) => inAllThreads(table, slotOf(source)),
    all: () => inAllThreads(table, allWaiting),
  };
}
