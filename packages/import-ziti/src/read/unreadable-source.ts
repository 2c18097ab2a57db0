import type { BoltPlace } from '../bolt/bolt-error.ts';

/** A value of the source cannot be read, so nothing is imported. The message names the place, never the value. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource';

  /** @param path as in the source: `identities / ID / name` */
  constructor(path: string, problem: string, place?: BoltPlace) {
    const where = place === undefined ? '' : ` (page ${place.page}, offset ${place.offset})`;
    super(`${path}${where}: ${problem}`);
  }
}
