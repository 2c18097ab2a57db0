// The two meta pages of a bolt database. A writer changes them in turn, so that one of them is always complete.

import { BoltError } from './bolt-error.ts';

export interface BoltMeta {
  /** The number of its page, 0 or 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly rootPage: number;
  /** Pages from this one on are not part of the database. */
  readonly pages: number;
  readonly transaction: bigint;
}

const magicNumber = 0xed0cdaed;
const formatVersion = 2;
const headerBytes = 16;
const metaFlag = 0x04;
const checkedBytes = 56;
export const metaBytes = headerBytes + checkedBytes + 8;
const pageSizes = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

export interface ReadMeta {
  readonly meta: BoltMeta;
  /** Why the other one was rejected; undefined when it is sound. */
  readonly damaged: string | undefined;
}

/**
 * The meta page of the last transaction that was completely written.
 * @param readAt returns up to metaBytes from a position in the file
 * @throws BoltError neither is sound
 */
export function readMeta(readAt: (position: number) => Buffer): ReadMeta {
  const first = tryMeta(readAt(0), 0);
  const sizes = typeof first === 'string' ? pageSizes : [first.pageSize];
  const candidates = sizes.map((pageSize) => ({ pageSize, second: tryMeta(readAt(pageSize), 1) }));
  const fitting = candidates.find(
    (each) => typeof each.second !== 'string' && each.second.pageSize === each.pageSize,
  );
  const second = fitting?.second ?? candidates.at(-1)?.second ?? 'missing';
  if (typeof first === 'string') {
    if (typeof second === 'string' || fitting === undefined) throw new BoltError(noDatabase(first));
    return { meta: second, damaged: `page 0: ${first}` };
  }
  if (typeof second === 'string' || fitting === undefined)
    return { meta: first, damaged: `page 1: ${typeof second === 'string' ? second : 'another page size'}` };
  return { meta: second.transaction > first.transaction ? second : first, damaged: undefined };
}

function noDatabase(problem: string): string {
  return problem === 'no magic number'
    ? 'this is not a bolt database: its first pages have no magic number'
    : `no meta page is sound: ${problem}`;
}

function tryMeta(bytes: Buffer, page: number): BoltMeta | string {
  if (bytes.length < metaBytes) return 'the file ends in it';
  if (bytes.readUInt32LE(headerBytes) !== magicNumber) return 'no magic number';
  if (bytes.readUInt32LE(headerBytes + 4) !== formatVersion)
    return `version ${bytes.readUInt32LE(headerBytes + 4)} of the format, known is ${formatVersion}`;
  const checked = bytes.subarray(headerBytes, headerBytes + checkedBytes);
  if (bytes.readBigUInt64LE(headerBytes + checkedBytes) !== fnv1a64(checked)) return 'its checksum is wrong';
  if ((bytes.readUInt16LE(8) & metaFlag) === 0) return 'it is not marked as a meta page';
  const pageSize = bytes.readUInt32LE(headerBytes + 8);
  if (!pageSizes.includes(pageSize)) return `a page size of ${pageSize} bytes`;
  const pages = smallNumber(bytes.readBigUInt64LE(headerBytes + 40));
  const rootPage = smallNumber(bytes.readBigUInt64LE(headerBytes + 16));
  if (pages === undefined || rootPage === undefined) return 'its page numbers are absurd';
  return { page, pageSize, rootPage, pages, transaction: bytes.readBigUInt64LE(headerBytes + 48) };
}

/** A number that can be a page number: the position of the page's bytes must fit into a JavaScript number. */
export function smallNumber(value: bigint): number | undefined {
  return value < 1n << 36n ? Number(value) : undefined;
}

function fnv1a64(bytes: Buffer): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
}
