import { setImmediate } from 'node:timers/promises';

/** So many things are made at once; between two lots, others have their turn. */
export const chunkSize = 200;

/**
 * What `make` makes of the items, a chunk at a time, so that however many there are nobody else waits for long.
 * @param size smaller than usual where each item costs much
 */
export async function inChunks<Item, Made>(
  items: readonly Item[],
  make: (chunk: readonly Item[]) => readonly Made[] | Promise<readonly Made[]>,
  size = chunkSize,
): Promise<Made[]> {
  const made: Made[] = [];
  for (let at = 0; at < items.length; at += size) {
    if (at > 0) await setImmediate();
    for (const one of await make(items.slice(at, at + size))) made.push(one);
  }
  return made;
}
