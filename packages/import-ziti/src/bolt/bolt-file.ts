// Reads a bolt database (the format of bbolt, version 2) without writing to it or locking it. The file may be damaged
// or malicious: its length bounds what is read, and every number in it is checked before it is used.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type BoltBucket, rootBucket } from './bolt-bucket.ts';
import { BoltError } from './bolt-error.ts';
import { metaBytes, readMeta } from './bolt-meta.ts';
import { boltPages } from './bolt-pages.ts';

export interface BoltFile {
  readonly root: BoltBucket;
  readonly pageSize: number;
  readonly pages: number;
  readonly transaction: bigint;
  /** A meta page that was skipped because it is damaged; undefined when both are sound. */
  readonly damaged: string | undefined;
  /** @throws BoltError the file has changed since it was opened, so what was read may be inconsistent */
  requireUnchanged(): void;
  close(): void;
}

const gzipMark = 0x1f8b;

/** @throws BoltError, or Error of node:fs when it cannot be opened */
export function openBoltFile(path: string): BoltFile {
  const file = openSync(path, 'r');
  try {
    return readBoltFile(file);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function readBoltFile(file: number): BoltFile {
  const stat = fstatSync(file);
  if (!stat.isFile()) throw new BoltError('this is not a file');
  const readAt = (position: number, length: number) => readFully(file, position, length);
  const beginning = readAt(0, 2);
  if (beginning.length === 2 && beginning.readUInt16BE(0) === gzipMark)
    throw new BoltError('the file is compressed: unpack it with gunzip first');
  const readMetas = () => readMeta((position) => readAt(position, metaBytes));
  const { meta, damaged } = readMetas();
  const { pageSize, pages, rootPage, transaction } = meta;
  if (stat.size < pages * pageSize)
    throw new BoltError(
      `the file is cut off: it has ${stat.size} bytes, and its ${pages} pages take ${pages * pageSize}`,
      { page: Math.floor(stat.size / pageSize), offset: stat.size % pageSize },
    );
  return {
    root: rootBucket(boltPages(meta, readAt), rootPage),
    pageSize,
    pages,
    transaction,
    damaged,
    requireUnchanged() {
      if (readMetas().meta.transaction !== transaction)
        throw new BoltError(
          'the file was written to while it was read: stop the controller, or take a snapshot',
        );
    },
    close: () => closeSync(file),
  };
}

/** Fewer bytes than asked for only at the end of the file. */
function readFully(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const read = readSync(file, bytes, done, length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}
