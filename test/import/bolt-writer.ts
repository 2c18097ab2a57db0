// Writes bolt databases of any content, sound or not, in one long page with every bucket inside its parent.

import { Buffer } from 'node:buffer';

export type Content = { readonly [key: string]: Content | Buffer };

const pageSize = 4096;
const metaOffset = 16;

/** Values as the source writes them. */
export const value = {
  text: (text: string): Buffer => Buffer.concat([Buffer.from([5]), Buffer.from(text)]),
  flag: (flag: boolean): Buffer => Buffer.from([1, flag ? 1 : 0]),
  int: (number: number): Buffer => {
    const bytes = Buffer.alloc(9, 3);
    bytes.writeBigInt64LE(BigInt(number), 1);
    return bytes;
  },
  float: (number: number): Buffer => {
    const bytes = Buffer.alloc(9, 4);
    bytes.writeDoubleLE(number, 1);
    return bytes;
  },
  time: (text: string): Buffer => {
    const bytes = Buffer.alloc(16, 0xff);
    bytes.writeUInt16BE(0x0601, 0);
    bytes.writeBigInt64BE(BigInt(Math.floor(Date.parse(text) / 1000)) + 62_135_596_800n, 2);
    bytes.writeInt32BE(0, 10);
    return bytes;
  },
  /** A list of texts. */
  set: (...texts: readonly string[]): Content =>
    Object.fromEntries(texts.map((text) => [`\x05${text}`, Buffer.alloc(0)])),
} as const;

function leafPage(content: Content, header: { readonly id: number; readonly overflow: number }): Buffer {
  const keys = Object.keys(content)
    .map((key) => ({ key, bytes: Buffer.from(key) }))
    .sort((one, other) => one.bytes.compare(other.bytes));
  const elements = Buffer.alloc(16 * keys.length);
  const data: Buffer[] = [];
  let position = 16 + elements.length;
  for (const [n, { key, bytes }] of keys.entries()) {
    const member = content[key];
    if (member === undefined) throw new Error(key);
    const isBucket = !Buffer.isBuffer(member);
    const stored = isBucket ? inlineBucket(member) : member;
    const at = 16 * n;
    elements.writeUInt32LE(isBucket ? 1 : 0, at);
    elements.writeUInt32LE(position - 16 - at, at + 4);
    elements.writeUInt32LE(bytes.length, at + 8);
    elements.writeUInt32LE(stored.length, at + 12);
    data.push(bytes, stored);
    position += bytes.length + stored.length;
  }
  return Buffer.concat([pageHeader({ ...header, flags: 2, count: keys.length }), elements, ...data]);
}

function inlineBucket(content: Content): Buffer {
  return Buffer.concat([Buffer.alloc(16), leafPage(content, { id: 0, overflow: 0 })]);
}

export function pageHeader(header: { id: number; flags: number; count: number; overflow: number }): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(BigInt(header.id), 0);
  bytes.writeUInt16LE(header.flags, 8);
  bytes.writeUInt16LE(header.count, 10);
  bytes.writeUInt32LE(header.overflow, 12);
  return bytes;
}

/** A meta page with the right checksum. */
export function metaPage(page: number, meta: { root: number; pages: number; transaction: number }): Buffer {
  const bytes = Buffer.alloc(pageSize);
  pageHeader({ id: page, flags: 4, count: 0, overflow: 0 }).copy(bytes);
  bytes.writeUInt32LE(0xed0cdaed, metaOffset);
  bytes.writeUInt32LE(2, metaOffset + 4);
  bytes.writeUInt32LE(pageSize, metaOffset + 8);
  bytes.writeBigUInt64LE(BigInt(meta.root), metaOffset + 16);
  bytes.writeBigUInt64LE(BigInt(meta.pages), metaOffset + 40);
  bytes.writeBigUInt64LE(BigInt(meta.transaction), metaOffset + 48);
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes.subarray(metaOffset, metaOffset + 56))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  bytes.writeBigUInt64LE(hash, metaOffset + 56);
  return bytes;
}

/** A whole database. */
export function boltDatabase(content: Content): Buffer {
  const root = 2;
  const length = leafPage(content, { id: root, overflow: 0 }).length;
  const pages = Math.ceil(length / pageSize);
  const page = leafPage(content, { id: root, overflow: pages - 1 });
  const meta = { root, pages: root + pages };
  return Buffer.concat([
    metaPage(0, { ...meta, transaction: 1 }),
    metaPage(1, { ...meta, transaction: 2 }),
    page,
    Buffer.alloc(pages * pageSize - page.length),
  ]);
}

/** A database whose pages from the third on are given, the first of them its root. */
export function boltOfPages(...pages: readonly Buffer[]): Buffer {
  const meta = { root: 2, pages: 2 + pages.length };
  const padded = pages.map((page) => Buffer.concat([page, Buffer.alloc(pageSize - page.length)]));
  return Buffer.concat([
    metaPage(0, { ...meta, transaction: 1 }),
    metaPage(1, { ...meta, transaction: 2 }),
    ...padded,
  ]);
}
