// How many connections each source has over all threads that listen on one interface, in a table of shared memory.

import { hmacSha256 } from '../../platform/digest.ts';
import type { SourceCounts } from './connections.ts';

/** What each thread receives: the same table and key for all, and its own row. */
export interface CountedTogether {
  /** Connections by thread and by slot. Strangers must not know which slot a source has. */
  readonly table: Int32Array<SharedArrayBuffer>;
  /** 32 random bytes. */
  readonly key: Uint8Array;
  /** The row of this thread, from 0. */
  readonly row: number;
}

// Two sources may share a slot. A source notices only if another one of its slot is near the limit.
const slots = 16_384;

export function countingTable(threads: number): CountedTogether['table'] {
  return new Int32Array(new SharedArrayBuffer(threads * slots * Int32Array.BYTES_PER_ELEMENT));
}

/** The connections of a thread that has died are closed. */
export function clearRow(table: CountedTogether['table'], row: number): void {
  for (let slot = 0; slot < slots; slot += 1) Atomics.store(table, row * slots + slot, 0);
}

/** @param name of the interface: each is counted separately */
export function sharedSourceCounts({ table, key, row }: CountedTogether, name: string): SourceCounts {
  const slotOf = (source: string) => hmacSha256(key, `${name} ${source}`).readUInt32LE(0) % slots;
  function inAll(slot: number): number {
    let sum = 0;
    for (let at = slot; at < table.length; at += slots) sum += Atomics.load(table, at);
    return sum;
  }
  return {
    open(source, most) {
      const slot = slotOf(source);
      // Counted first: if two threads take the last place at once, they must not get more than there is.
      Atomics.add(table, row * slots + slot, 1);
      if (inAll(slot) <= most) return true;
      Atomics.sub(table, row * slots + slot, 1);
      return false;
    },
    close(source) {
      Atomics.sub(table, row * slots + slotOf(source), 1);
    },
  };
}
