// Reads certificate revocation lists (RFC 5280 section 5) strictly, and keeps a list of a million entries as the bytes it
// came in with a sorted index: nothing is made for an entry, and threads share both.

import { setImmediate } from 'node:timers/promises';
import type { Millis } from '../clock.ts';
import { sha256 } from '../digest.ts';
import { MalformedInput } from '../formats/strict-input.ts';
import {
  boundsAt,
  childrenOf,
  contextTag,
  type DerElement,
  derFields,
  derTag,
  elementAt,
  elementsOf,
  readBoolean,
  readDer,
  readSmallInteger,
  readTime,
} from './der.ts';
import { readDistinguishedName } from './distinguished-name.ts';
import { isAcceptedKey } from './key-strength.ts';
import {
  addressesOfPoint,
  type PathCertificate,
  readExtensionList,
  readListAddresses,
} from './path-certificate.ts';
import { readSignatureAlgorithm, verifiesSignature } from './signature-algorithms.ts';
import { displaySubject } from './x509.ts';

/** A list whose signature was verified. Plain data, shared by threads. */
export interface RevocationList {
  /** `authorityKey` of the authority that signed it, and its name for display. */
  readonly authority: string;
  readonly authorityName: string;
  readonly thisUpdate: Millis;
  readonly nextUpdate: Millis;
  /** The CRL number, hex without leading zeros; null: it has none. */
  readonly listNumber: string | null;
  /** The number of the list that this one adds to; null: it is complete. */
  readonly baseNumber: string | null;
  /** Which certificates it covers. */
  readonly scope: 'all' | 'leaves' | 'authorities';
  /** It covers only certificates that name one of these addresses; empty: any. */
  readonly points: readonly string[];
  /** Where a list that adds to this one can be had. */
  readonly freshest: readonly string[];
  readonly entries: number;
  /** In DER, and its entries by hash and place; see `entryOf`. */
  readonly der: Uint8Array<SharedArrayBuffer>;
  readonly index: Float64Array<SharedArrayBuffer>;
}

export interface RevokedEntry {
  readonly at: Millis;
  readonly reason: RevocationReason;
}

/** @see RFC 5280 section 5.3.1 */
const revocationReasons = [
  'unspecified',
  'keyCompromise',
  'cACompromise',
  'affiliationChanged',
  'superseded',
  'cessationOfOperation',
  'certificateHold',
  'unspecified',
  'removeFromCRL',
  'privilegeWithdrawn',
  'aACompromise',
] as const;
export type RevocationReason = (typeof revocationReasons)[number];

/** Why a list is not used: the end of a sentence that begins with the list. */
export class ListRefused extends Error {
  override readonly name = 'ListRefused';
}

/** Of a list, in bytes: a million entries fit. */
export const longestList = 64 * 1024 * 1024;
/** How far another clock may be ahead. */
export const otherClockAhead: Millis = 5 * 60 * 1000;
/** Without its entries, in bytes: read into memory before the signer of the list is known. */
const longestFrame = 64 * 1024;
const longestSerial = 64;
const entriesAtOnce = 5000;

const oids = {
  number: '2.5.29.20',
  deltaIndicator: '2.5.29.27',
  issuingPoint: '2.5.29.28',
  freshest: '2.5.29.46',
  reason: '2.5.29.21',
  entryIssuer: '2.5.29.29',
  /** Tells authorities with the same name apart. */
  issuerKey: '2.5.29.35',
} as const;

/** A list whose issuer, and so whose truth, is not known yet. */
export interface UnverifiedList {
  /** The normalized name of its issuer. */
  readonly issuerName: string;
  /** Lists with the same text are about the same certificates of one issuer: a newer one replaces the others. */
  readonly series: string;
  readonly listNumber: string | null;
  readonly thisUpdate: Millis;
  readonly der: Buffer;
  /** Verifies the signature, then reads the entries. @throws ListRefused */
  verifiedBy(issuer: PathCertificate, now: Millis): Promise<RevocationList>;
}

/**
 * Identifies an authority by its name and key, for all certificates that it has. SHA-256, base64url.
 */
export function authorityKey({ subject, publicKey }: PathCertificate): string {
  return sha256(Buffer.concat([publicKey.export({ type: 'spki', format: 'der' }), Buffer.from(subject.key)]));
}

const [pemBegin, pemEnd] = ['-----BEGIN X509 CRL-----', '-----END X509 CRL-----'];

/** Each list of a PEM text. @throws ListRefused one is broken, or there is none */
export function listsInPem(pem: string): UnverifiedList[] {
  const lists: UnverifiedList[] = [];
  for (let begin = pem.indexOf(pemBegin); begin !== -1; ) {
    const end = pem.indexOf(pemEnd, begin);
    if (end === -1) break;
    lists.push(readList(Buffer.from(pem.slice(begin + pemBegin.length, end), 'base64')));
    begin = pem.indexOf(pemBegin, end);
  }
  if (lists.length === 0) throw new ListRefused('is no list in PEM form (BEGIN X509 CRL)');
  return lists;
}

/** The list in an answer, PEM or DER. @throws ListRefused */
export function listInAnswer(body: Buffer): UnverifiedList {
  if (body[0] === derTag.sequence) return readList(body);
  const [first, ...rest] = listsInPem(body.toString('latin1'));
  if (first === undefined || rest.length > 0) throw new ListRefused('is more than one list');
  return first;
}

/** @throws ListRefused */
function readList(der: Buffer): UnverifiedList {
  if (der.length > longestList)
    throw new ListRefused(`is larger than ${longestList / 1024 / 1024} MiB, the largest list that is read`);
  try {
    return listOf(der);
  } catch (error) {
    return asRefusal(error);
  }
}

function asRefusal(error: unknown): never {
  throw error instanceof MalformedInput ? new ListRefused(`is not readable: ${error.reason}`) : error;
}

function listOf(der: Buffer): UnverifiedList {
  const parts = derFields(childrenOf(readDer(der), derTag.sequence));
  const content = parts.take(derTag.sequence);
  const outerAlgorithm = parts.take(derTag.sequence);
  const signature = parts.take(derTag.bitString).content.subarray(1);
  parts.done();
  const fields = derFields(elementsOf(content.content));
  const version = fields.takeIf(derTag.integer);
  const algorithm = fields.take(derTag.sequence);
  const issuer = fields.take(derTag.sequence);
  const thisUpdate = takeTime(fields);
  const nextUpdate = takeTime(fields);
  const revoked = fields.takeIf(derTag.sequence);
  const extensions = fields.takeIf(contextTag(0));
  fields.done();
  if (der.length - (revoked?.content.length ?? 0) > longestFrame)
    throw new MalformedInput('too long beside its entries');
  const issuerName = readDistinguishedName(issuer).key;
  if (!outerAlgorithm.whole.equals(algorithm.whole)) throw new MalformedInput('two signature algorithms');
  if (extensions !== undefined && (version === undefined || readSmallInteger(version.content) !== 1))
    throw new MalformedInput('extensions need version 2');
  if (thisUpdate === undefined) throw new MalformedInput('thisUpdate');
  if (nextUpdate === undefined) throw new ListRefused('does not say when the next one comes (nextUpdate)');
  const { issuerKey, ...said } = readListExtensions(extensions);
  return {
    issuerName,
    series: [issuerName, said.baseNumber !== null, ...coverageOf(said), issuerKey].join(' '),
    listNumber: said.listNumber,
    thisUpdate,
    der,
    async verifiedBy(issuer, now) {
      const name = displaySubject(issuer.x509);
      if (issuer.subject.key !== issuerName) throw new ListRefused(`is not one of ${name}`);
      if (issuer.extensions.keyUsage?.cRLSign === false)
        throw new ListRefused(`is signed by ${name}, whose key usage does not allow that (cRLSign)`);
      const signed = readSignatureAlgorithm(algorithm);
      if (!signed.accepted) throw new ListRefused(`is signed with ${signed.name}, which is not accepted`);
      const { publicKey: key } = issuer;
      if (!isAcceptedKey(key) || !(await verifiesSignature(signed, { data: content.whole, key, signature })))
        throw new ListRefused(
          `names ${name} as its issuer, but was not signed with the key of that authority`,
        );
      if (thisUpdate > now + otherClockAhead)
        throw new ListRefused(`is not valid before ${new Date(thisUpdate).toISOString()}`);
      const entries = await indexed(der, revoked, { isDelta: said.baseNumber !== null }).catch(asRefusal);
      return {
        ...{ authority: authorityKey(issuer), authorityName: name, thisUpdate, nextUpdate, ...said },
        ...entries,
      };
    },
  };
}

function takeTime(fields: ReturnType<typeof derFields>): Millis | undefined {
  const element = fields.takeIf(derTag.utcTime) ?? fields.takeIf(derTag.generalizedTime);
  return element && readTime(element);
}

type Said = Pick<RevocationList, 'listNumber' | 'baseNumber' | 'scope' | 'points' | 'freshest'>;

function readListExtensions(element: DerElement | undefined): Said & { readonly issuerKey: string } {
  const list = element === undefined ? [] : childrenOf(readDer(element.content), derTag.sequence);
  const found = readExtensionList(list);
  const understood: readonly string[] = [oids.number, oids.deltaIndicator, oids.issuingPoint];
  for (const [oid, { isCritical }] of found)
    if (isCritical && !understood.includes(oid))
      throw new ListRefused(`has a critical extension that is not supported: ${oid}`);
  const numberIn = (oid: string) => {
    const value = found.get(oid)?.value;
    return value === undefined ? null : readListNumber(readDer(value));
  };
  const point = found.get(oids.issuingPoint)?.value;
  const freshest = found.get(oids.freshest)?.value;
  return {
    issuerKey: found.get(oids.issuerKey)?.value.toString('hex') ?? '',
    listNumber: numberIn(oids.number),
    baseNumber: numberIn(oids.deltaIndicator),
    ...(point === undefined ? { scope: 'all', points: [] } : readIssuingPoint(point)),
    freshest: freshest === undefined ? [] : readListAddresses(freshest).slice(0, 3),
  };
}

function readListNumber({ tag, content }: DerElement): string {
  if (tag !== derTag.integer || content.length === 0 || content.length > 21 || content.readUInt8(0) > 0x7f)
    throw new MalformedInput('number');
  return content.toString('hex').replace(/^0+(?=.)/, '');
}

/** @see RFC 5280 section 5.2.5 */
function readIssuingPoint(value: Buffer): Pick<RevocationList, 'scope' | 'points'> {
  const fields = derFields(childrenOf(readDer(value), derTag.sequence));
  const name = fields.takeIf(contextTag(0));
  const isSet = (number: number) => {
    const element = fields.takeIf(contextTag(number, 'primitive'));
    return element !== undefined && readBoolean({ ...element, tag: derTag.boolean });
  };
  const [leaves, authorities] = [isSet(1), isSet(2)];
  if (fields.takeIf(contextTag(3, 'primitive')) !== undefined)
    throw new ListRefused('covers only some reasons (onlySomeReasons), which is not supported');
  if (isSet(4)) throw new ListRefused('is an indirect CRL, which is not supported');
  if (isSet(5)) throw new ListRefused('is for attribute certificates');
  fields.done();
  if (leaves && authorities) throw new MalformedInput('issuing distribution point');
  const points = name === undefined ? [] : addressesOfPoint(name);
  if (name !== undefined && points.length === 0)
    throw new ListRefused('is for a distribution point without an address, which is not supported');
  return { scope: leaves ? 'leaves' : authorities ? 'authorities' : 'all', points };
}

/** Nothing for all certificates. */
function coverageOf({ scope, points }: Pick<Said, 'scope' | 'points'>): readonly string[] {
  return scope === 'all' && points.length === 0 ? [] : [scope, ...points];
}

/** Places are below 2^26 (`longestList`), so that hash and place fit into one number exactly. */
const place = 2 ** 26;

async function indexed(
  der: Buffer,
  revoked: DerElement | undefined,
  { isDelta }: { readonly isDelta: boolean },
): Promise<Pick<RevocationList, 'entries' | 'der' | 'index'>> {
  const shared = new Uint8Array(new SharedArrayBuffer(der.length));
  shared.set(der);
  const found: number[] = [];
  const known = new Set<string>();
  if (revoked !== undefined) {
    const base = revoked.content.byteOffset - der.byteOffset;
    const end = base + revoked.content.length;
    for (let at = base; at < end; ) {
      const bounds = checkEntry(der, at, { known, isDelta });
      const { start, end: serialEnd } = boundsAt(der, bounds.start);
      found.push(hashOf(der, start, serialEnd) * place + at);
      at = bounds.end;
      // In between, requests are answered.
      if (found.length % entriesAtOnce === 0) await setImmediate();
    }
  }
  const index = new Float64Array(new SharedArrayBuffer(found.length * 8));
  index.set(found);
  index.sort();
  return { entries: found.length, der: shared, index };
}

/** @param of.known extensions of entries that were read before: lists repeat a few */
function checkEntry(
  der: Buffer,
  at: number,
  { known, isDelta }: { readonly known: Set<string>; readonly isDelta: boolean },
): { readonly start: number; readonly end: number } {
  const bounds = boundsAt(der, at);
  const serial = boundsAt(der, bounds.start);
  const { start: dateStart, end: dateEnd } = boundsAt(der, serial.end);
  const length =
    der[serial.end] === derTag.utcTime ? 13 : der[serial.end] === derTag.generalizedTime ? 15 : 0;
  const isEntry = der[at] === derTag.sequence && der[bounds.start] === derTag.integer;
  if (!isEntry || dateEnd > bounds.end || dateEnd - dateStart !== length) throw new MalformedInput('entry');
  if (serial.end - serial.start > longestSerial)
    throw new ListRefused('has a serial number that is too long');
  if (dateEnd === bounds.end) return bounds;
  const extensions = der.toString('latin1', dateEnd, bounds.end);
  if (known.has(extensions)) return bounds;
  const [list, ...rest] = elementsOf(der.subarray(dateEnd, bounds.end));
  if (list === undefined || rest.length > 0) throw new MalformedInput('entry');
  const found = readExtensionList(childrenOf(list, derTag.sequence));
  if (found.has(oids.entryIssuer)) throw new ListRefused('is an indirect CRL, which is not supported');
  for (const [oid, { isCritical }] of found)
    if (isCritical && oid !== oids.reason)
      throw new ListRefused(`has an entry with a critical extension that is not supported: ${oid}`);
  if (reasonIn(found) === 'removeFromCRL' && !isDelta)
    throw new ListRefused('takes an entry back (removeFromCRL) that it would have to leave out');
  if (known.size < 1000) known.add(extensions);
  return bounds;
}

function reasonIn(found: ReturnType<typeof readExtensionList>): RevocationReason {
  const value = found.get(oids.reason)?.value;
  if (value === undefined) return 'unspecified';
  return readReason(readDer(value));
}

/** An ENUMERATED CRLReason. @throws MalformedInput */
export function readReason({ tag, content }: DerElement): RevocationReason {
  const reason = tag === derTag.enumerated ? revocationReasons[readSmallInteger(content)] : undefined;
  if (reason === undefined) throw new MalformedInput('reason');
  return reason;
}

/** 27 bits of FNV-1a over the significant bytes. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  let at = from;
  while (at < to - 1 && bytes[at] === 0) at += 1;
  for (; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash >>> 5;
}

/** The entry of a certificate. @param serialNumber hex, of `PathCertificate` */
export function entryOf(
  { der, index, thisUpdate }: Pick<RevocationList, 'der' | 'index' | 'thisUpdate'>,
  serialNumber: string,
): RevokedEntry | undefined {
  const serial = Buffer.from(serialNumber, 'hex');
  const first = hashOf(serial, 0, serial.length) * place;
  const bytes = Buffer.from(der.buffer, der.byteOffset, der.byteLength);
  for (let at = firstFrom(index, first); ; at += 1) {
    const key = index[at];
    if (key === undefined || key >= first + place) return undefined;
    const [number, date, extensions] = elementsOf(elementAt(bytes, key - first).content);
    if (number === undefined || !significant(number.content).equals(significant(serial))) continue;
    const list = extensions === undefined ? [] : childrenOf(extensions, derTag.sequence);
    return { at: timeIn(date) ?? thisUpdate, reason: reasonIn(readExtensionList(list)) };
  }
}

/** Of an entry; undefined: on no day of the calendar, which changes nothing. */
function timeIn(date: DerElement | undefined): Millis | undefined {
  try {
    return readTime(date);
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    return undefined;
  }
}

function firstFrom(index: Float64Array, key: number): number {
  let from = 0;
  let to = index.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((index[middle] ?? 0) < key) from = middle + 1;
    else to = middle;
  }
  return from;
}

function significant(bytes: Buffer): Buffer {
  let at = 0;
  while (at < bytes.length - 1 && bytes[at] === 0) at += 1;
  return bytes.subarray(at);
}
