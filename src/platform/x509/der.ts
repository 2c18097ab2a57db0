// Reads DER (X.690) as strictly as it is defined: one encoding per value. Bytes that two parsers could understand
// differently are refused, because another parser (OpenSSL) has verified the signature over them.

import { decodeUtf8, MalformedInput } from '../formats/strict-input.ts';

/** One element. Its `content` has not been parsed yet. */
export interface DerElement {
  /** The identifier octet: class, whether constructed, tag number. */
  readonly tag: number;
  readonly content: Buffer;
  /** Including tag and length. */
  readonly whole: Buffer;
}

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  enumerated: 0x0a,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  visibleString: 0x1a,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag of `[number]` in a context; constructed by default. */
export function contextTag(number: number, form: 'constructed' | 'primitive' = 'constructed'): number {
  return (form === 'constructed' ? 0xa0 : 0x80) | number;
}

/** The only element of `bytes`. @throws MalformedInput also if anything follows it */
export function readDer(bytes: Uint8Array): DerElement {
  const [element, ...rest] = elementsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (element === undefined || rest.length > 0) throw new MalformedInput('not one DER element');
  return element;
}

/** More than anything honest has: each costs a hundred times its two bytes, and strangers send megabytes. */
const mostElements = 20_000;

/** The elements of a content, in order. For long lists see `boundsAt`. @throws MalformedInput   also if there are too many */
export function elementsOf(content: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  let at = 0;
  while (at < content.length) {
    if (elements.length === mostElements) throw new MalformedInput('too many DER elements');
    const element = elementAt(content, at);
    elements.push(element);
    at += element.whole.length;
  }
  return elements;
}

/** The element that begins there. @throws MalformedInput */
export function elementAt(content: Buffer, at: number): DerElement {
  const { start, end } = boundsAt(content, at);
  return {
    tag: content.readUInt8(at),
    content: content.subarray(start, end),
    whole: content.subarray(at, end),
  };
}

/** Where the content of the element that begins there starts and ends: for long lists. @throws MalformedInput */
export function boundsAt(content: Buffer, at: number): { readonly start: number; readonly end: number } {
  const { headerLength, length } = readHeader(content, at);
  const start = at + headerLength;
  const end = start + length;
  if (end > content.length) throw new MalformedInput('DER element cut short');
  return { start, end };
}

function readHeader(content: Buffer, at: number): { headerLength: number; length: number } {
  if (at + 2 > content.length) throw new MalformedInput('DER element cut short');
  if ((content.readUInt8(at) & 0x1f) === 0x1f) throw new MalformedInput('DER tag of several bytes');
  const first = content.readUInt8(at + 1);
  if (first < 0x80) return { headerLength: 2, length: first };
  const lengthBytes = first & 0x7f;
  if (lengthBytes === 0 || lengthBytes > 4) throw new MalformedInput('DER length');
  if (at + 2 + lengthBytes > content.length) throw new MalformedInput('DER element cut short');
  const length = content.readUIntBE(at + 2, lengthBytes);
  const shortest = length < 0x80 ? 0 : length < 0x100 ? 1 : length < 0x10000 ? 2 : length < 0x1000000 ? 3 : 4;
  if (lengthBytes !== shortest) throw new MalformedInput('DER length not in its shortest form');
  return { headerLength: 2 + lengthBytes, length };
}

/** The elements inside an element that must have this tag. @throws MalformedInput */
export function childrenOf(element: DerElement | undefined, tag: number): DerElement[] {
  return elementsOf(contentOf(element, tag));
}

/** @throws MalformedInput absent, or of another kind */
function contentOf(element: DerElement | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new MalformedInput('unexpected DER element');
  return element.content;
}

/**
 * Takes the elements of a sequence one after the other. Call `done` at the end.
 * @throws MalformedInput from `take` when the next one has another tag, from `done` when there is a next one
 */
export function derFields(elements: readonly DerElement[]) {
  let at = 0;
  return {
    take(tag: number): DerElement {
      const element = elements[at];
      if (element?.tag !== tag) throw new MalformedInput('unexpected DER element');
      at += 1;
      return element;
    },
    takeIf(tag: number): DerElement | undefined {
      const element = elements[at];
      if (element?.tag !== tag) return undefined;
      at += 1;
      return element;
    },
    done(): void {
      if (at < elements.length) throw new MalformedInput('unexpected DER element');
    },
  };
}

/** Dotted decimal. @throws MalformedInput */
export function readObjectIdentifier(element: DerElement | undefined): string {
  const content = contentOf(element, derTag.objectIdentifier);
  const arcs: number[] = [];
  let arc = 0;
  let startsArc = true;
  for (const byte of content) {
    if ((startsArc && byte === 0x80) || arc > 0xffff_ffff) throw new MalformedInput('object identifier');
    arc = arc * 128 + (byte & 0x7f);
    startsArc = byte < 0x80;
    if (!startsArc) continue;
    if (arcs.length === 0) {
      const top = Math.min(Math.floor(arc / 40), 2);
      arcs.push(top, arc - top * 40);
    } else arcs.push(arc);
    arc = 0;
  }
  if (arcs.length === 0 || !startsArc) throw new MalformedInput('object identifier');
  return arcs.join('.');
}

/** An encoded default (FALSE) is accepted: it is common and unambiguous. @throws MalformedInput */
export function readBoolean(element: DerElement | undefined): boolean {
  const content = contentOf(element, derTag.boolean);
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw new MalformedInput('boolean');
  return content[0] === 0xff;
}

/** @throws MalformedInput negative, over 2^31 - 1, or not in its shortest form */
export function readSmallInteger(content: Buffer): number {
  const [first = 0x80, second = 0] = content;
  if (first >= 0x80 || (first === 0 && content.length > 1 && second < 0x80) || content.length > 4)
    throw new MalformedInput('integer');
  return content.readUIntBE(0, content.length);
}

/** Whether bits are set, by number; bits beyond the end are not. @throws MalformedInput */
export function readNamedBits(element: DerElement | undefined): (bit: number) => boolean {
  const content = contentOf(element, derTag.bitString);
  const [unused = 8] = content;
  const last = content.at(-1) ?? 0;
  if (
    unused > 7 ||
    (content.length === 1 && unused > 0) ||
    (last & ((1 << unused) - 1) & 0xff && content.length > 1)
  )
    throw new MalformedInput('bit string');
  return (bit) => ((content[1 + (bit >> 3)] ?? 0) & (0x80 >> (bit & 7))) !== 0;
}

/**
 * Millis. UTCTime and GeneralizedTime in the only forms that RFC 5280 section 4.1.2.5 allows. @throws MalformedInput
 */
export function readTime(element: DerElement | undefined): number {
  const text = (element?.content ?? Buffer.alloc(0)).toString('latin1');
  const long = element?.tag === derTag.generalizedTime;
  if (!long && element?.tag !== derTag.utcTime) throw new MalformedInput('time');
  const match = (
    long ? /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/ : /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/
  ).exec(text);
  if (match === null) throw new MalformedInput('time');
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  // Two digits mean 1950 to 2049.
  const fullYear = long ? year : year + (year < 50 ? 2000 : 1900);
  const pad = (part: number) => String(part).padStart(2, '0');
  const iso = `${String(fullYear).padStart(4, '0')}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:${pad(second)}.000Z`;
  const millis = Date.parse(iso);
  // Date.parse takes 31 February for a day in March; converting back reveals it.
  if (Number.isNaN(millis) || new Date(millis).toISOString() !== iso) throw new MalformedInput('time');
  return millis;
}

/** The text of any of the string types of X.520, or undefined for another type. @throws MalformedInput */
export function readText(element: DerElement): string | undefined {
  const { content } = element;
  switch (element.tag) {
    case derTag.utf8String:
      return decodeUtf8(content);
    case derTag.printableString:
    case derTag.ia5String:
    case derTag.visibleString:
      return readAscii(content);
    case derTag.teletexString:
      // T.61 in the standard, Latin-1 in practice.
      return content.toString('latin1');
    case derTag.bmpString:
      return readWide(content, 2);
    case derTag.universalString:
      return readWide(content, 4);
    default:
      return undefined;
  }
}

/** @throws MalformedInput a byte outside ASCII */
export function readAscii(content: Buffer): string {
  if (content.some((byte) => byte > 0x7f)) throw new MalformedInput('text outside ASCII');
  return content.toString('latin1');
}

function readWide(content: Buffer, width: 2 | 4): string {
  if (content.length % width !== 0) throw new MalformedInput('text cut short');
  let text = '';
  for (let at = 0; at < content.length; at += width) {
    const point = content.readUIntBE(at, width);
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) throw new MalformedInput('text');
    text += String.fromCodePoint(point);
  }
  return text;
}
