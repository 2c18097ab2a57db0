// The pages of a bolt database, read one run at a time. Only pages that the tree refers to are read, each once: a file
// cannot send its reader in circles, or make it read one page as two things.

import { BoltError } from './bolt-error.ts';
import { type BoltMeta, smallNumber } from './bolt-meta.ts';

export const pageHeader = 16;
/** Values longer than a page continue on the next ones. None worth reading is longer than this. */
const longestRun = 64 * 1024 * 1024;
const firstTreePage = 2;
const branchFlag = 0x01;
const leafFlag = 0x02;

export interface PageRun {
  readonly page: number;
  readonly kind: 'branch' | 'leaf';
  readonly count: number;
  /** The page and those that continue it, including the header. */
  readonly bytes: Buffer;
}

export interface BoltPages {
  /** @throws BoltError */
  read(page: number): PageRun;
}

/** @param readAt returns exactly so many bytes from a position, or fewer at the end of the file */
export function boltPages(
  { pageSize, pages }: BoltMeta,
  readAt: (position: number, length: number) => Buffer,
): BoltPages {
  const seen = new Uint8Array(Math.ceil(pages / 8));
  function claim(page: number, place: number): void {
    const bit = 1 << (page & 7);
    const byte = seen[page >>> 3] ?? 0;
    if ((byte & bit) !== 0) throw new BoltError('the tree leads here twice', { page: place, offset: 0 });
    seen[page >>> 3] = byte | bit;
  }
  return {
    read(page) {
      const at = (offset: number) => ({ page, offset });
      if (page < firstTreePage || page >= pages)
        throw new BoltError(`the tree leads here, and the database has the pages 0 to ${pages - 1}`, at(0));
      claim(page, page);
      const first = readAt(page * pageSize, pageSize);
      if (first.length < pageSize) throw new BoltError('the file ends in this page', at(first.length));
      if (smallNumber(first.readBigUInt64LE(0)) !== page)
        throw new BoltError('it says that it is another page', at(0));
      const kind = kindOf(first.readUInt16LE(8));
      if (kind === undefined) throw new BoltError('it is neither a branch nor a leaf', at(8));
      const count = first.readUInt16LE(10);
      const overflow = first.readUInt32LE(12);
      const length = (overflow + 1) * pageSize;
      if (page + overflow >= pages || length > longestRun)
        throw new BoltError(`it continues on ${overflow} pages, more than there can be`, at(12));
      for (let next = page + 1; next <= page + overflow; next += 1) claim(next, page);
      const bytes = overflow === 0 ? first : readAt(page * pageSize, length);
      if (bytes.length < length) throw new BoltError('the file ends in this page', at(bytes.length));
      return { page, kind, count, bytes };
    },
  };
}

function kindOf(flags: number): PageRun['kind'] | undefined {
  if (flags === branchFlag) return 'branch';
  return flags === leafFlag ? 'leaf' : undefined;
}

/** The only page of a small bucket, stored in the value of its parent. @throws BoltError */
export function inlinePage(
  bytes: Buffer,
  place: { readonly page: number; readonly offset: number },
): PageRun {
  if (bytes.length < pageHeader) throw new BoltError('a bucket inside a value is cut off', place);
  if (kindOf(bytes.readUInt16LE(8)) !== 'leaf' || bytes.readUInt32LE(12) !== 0)
    throw new BoltError('a bucket inside a value is not a single leaf', place);
  return { page: place.page, kind: 'leaf', count: bytes.readUInt16LE(10), bytes };
}
