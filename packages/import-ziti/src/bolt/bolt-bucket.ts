// Buckets: sorted keys, each with a value or with its own bucket.

import { BoltError, type BoltPlace } from './bolt-error.ts';
import { smallNumber } from './bolt-meta.ts';
import { type BoltPages, inlinePage, type PageRun, pageHeader } from './bolt-pages.ts';

/** Bytes are views of the page they were read from: copy what you keep. */
export type BoltEntry = { readonly key: Buffer; readonly place: BoltPlace } & (
  | { readonly kind: 'value'; readonly value: Buffer }
  | { readonly kind: 'bucket'; readonly bucket: BoltBucket }
);

export interface BoltBucket {
  readonly place: BoltPlace;
  /** Ordered by key. Can be iterated only once. @throws BoltError */
  entries(): Generator<BoltEntry>;
}

const elementBytes = 16;
const bucketHeader = 16;
const bucketFlag = 0x01;
/** Branches above a leaf: with two keys on each page, 24 levels are more than any disk holds. */
const deepestTree = 24;
/** Buckets inside one another. */
const deepestBucket = 24;

/** The bucket that contains all others. */
export function rootBucket(pages: BoltPages, rootPage: number): BoltBucket {
  return bucketAt({ pages, place: { page: rootPage, offset: 0 }, depth: 0 }, () => pages.read(rootPage));
}

function bucketAt(
  { pages, place, depth }: { readonly pages: BoltPages; readonly place: BoltPlace; readonly depth: number },
  open: () => PageRun,
): BoltBucket {
  let isWalked = false;
  return {
    place,
    *entries() {
      if (isWalked) throw new Error('a bucket is walked once only');
      isWalked = true;
      const walk: Walk = { pages, depth, last: undefined };
      yield* walkPage(walk, open(), 0);
    },
  };
}

interface Walk {
  readonly pages: BoltPages;
  /** Depth of the bucket. */
  readonly depth: number;
  /** A copy of the previous key. */
  last: Buffer | undefined;
}

function* walkPage(walk: Walk, run: PageRun, level: number): Generator<BoltEntry> {
  if (level > deepestTree)
    throw new BoltError(`the tree is deeper than ${deepestTree} levels`, { page: run.page, offset: 0 });
  let end = pageHeader + run.count * elementBytes;
  if (end > run.bytes.length)
    throw new BoltError(`it says that it has ${run.count} keys, which do not fit in`, {
      page: run.page,
      offset: 10,
    });
  for (let n = 0; n < run.count; n += 1) {
    const element = readElement(run, pageHeader + n * elementBytes, end);
    end = element.end;
    if (run.kind === 'branch') {
      yield* walkPage(walk, walk.pages.read(element.child), level + 1);
      continue;
    }
    const { key, value, place } = element;
    if (walk.last !== undefined && walk.last.compare(key) >= 0)
      throw new BoltError('its keys are not in order', place);
    walk.last = Buffer.from(key);
    yield element.isBucket
      ? { kind: 'bucket', key, place, bucket: bucketIn(walk, value, place) }
      : { kind: 'value', key, place, value };
  }
}

interface Element {
  readonly place: BoltPlace;
  readonly key: Buffer;
  readonly value: Buffer;
  readonly isBucket: boolean;
  readonly child: number;
  /** Where its bytes end. Those of the next one begin there or later, so that no byte counts twice. */
  readonly end: number;
}

function readElement({ kind, bytes, page }: PageRun, at: number, from: number): Element {
  const place = { page, offset: at };
  const isLeaf = kind === 'leaf';
  const flags = isLeaf ? bytes.readUInt32LE(at) : 0;
  const begin = at + bytes.readUInt32LE(isLeaf ? at + 4 : at);
  const keyLength = bytes.readUInt32LE(isLeaf ? at + 8 : at + 4);
  const valueLength = isLeaf ? bytes.readUInt32LE(at + 12) : 0;
  const end = begin + keyLength + valueLength;
  if (begin < from || end > bytes.length)
    throw new BoltError('a key or value lies outside of the page', place);
  if (flags > bucketFlag) throw new BoltError('an element is of an unknown kind', place);
  const child = isLeaf ? 0 : smallNumber(bytes.readBigUInt64LE(at + 8));
  if (child === undefined) throw new BoltError('the tree leads to a page that cannot be', place);
  return {
    place,
    key: bytes.subarray(begin, begin + keyLength),
    value: bytes.subarray(begin + keyLength, end),
    isBucket: flags === bucketFlag,
    child,
    end,
  };
}

function bucketIn({ pages, depth }: Walk, value: Buffer, place: BoltPlace): BoltBucket {
  if (depth >= deepestBucket)
    throw new BoltError(`more than ${deepestBucket} buckets lie inside one another`, place);
  if (value.length < bucketHeader) throw new BoltError('a bucket is cut off', place);
  const root = smallNumber(value.readBigUInt64LE(0));
  if (root === undefined) throw new BoltError('a bucket leads to a page that cannot be', place);
  return bucketAt({ pages, place, depth: depth + 1 }, () =>
    root === 0 ? inlinePage(value.subarray(bucketHeader), place) : pages.read(root),
  );
}
