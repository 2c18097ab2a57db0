// How many connections each source has over all threads that listen on one interface: a table in memory that they share.

import { hmacSha256 } from '../../platform/digest.ts';
import type { SourceCounts } from './connections.ts';

/** What each thread is given: the same table and key for all, and a row of the table. */
export interface CountedTogether {
  /** Connections by thread and by slot; which slot a source has is not for strangers to know. */
  readonly table: Int32Array<SharedArrayBuffer>;
  /** 32 random bytes. */
  readonly key: Uint8Array;
  /** Of this thread, from 0. */
  readonly row: number;
}

// Two sources may have one slot. That matters to a source only while another one of its slot is near the limit.
const slots = 16_384;

export function countingTable(threads: number): CountedTogether['table'] {
  return new Int32Array(new SharedArrayBuffer(threads * slots * Int32Array.BYTES_PER_ELEMENT));
}

/** The connections of a thread that has died are closed. */
export function clearRow(table: CountedTogether['table'], row: number): void {
  for (let slot = 0; slot < slots; slot += 1) Atomics.store(table, row * slots + slot, 0);
}

/** @param name of the interface: each counts by itself */
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
      // Counted first: of two threads that take the last place at once, none may get more than there is.
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
