import { setImmediate } from 'node:timers/promises';

/** This many items are processed at once; in between, other work can run. */
export const chunkSize = 200;

/**
 * Applies `make` to the items in chunks, so that even many of them do not delay other work for long.
 * @param size smaller than usual if each item takes long
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
