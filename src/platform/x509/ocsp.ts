// Asks a responder for the status of one certificate, and judges its answer (RFC 6960).

import { createHash } from 'node:crypto';
import type { Millis } from '../clock.ts';
import { MalformedInput } from '../formats/strict-input.ts';
import {
  childrenOf,
  contextTag,
  type DerElement,
  derFields,
  derTag,
  elementsOf,
  readDer,
  readObjectIdentifier,
  readSmallInteger,
  readTime,
} from './der.ts';
import { readDistinguishedName } from './distinguished-name.ts';
import { isAcceptedKey } from './key-strength.ts';
import { type PathCertificate, readExtensionList, readPathCertificate } from './path-certificate.ts';
import { otherClockAhead, type RevokedEntry, readReason } from './revocation-list.ts';
import { readSignatureAlgorithm, verifiesSignature } from './signature-algorithms.ts';
import { element } from './write-der.ts';
import { displaySubject } from './x509.ts';

/** A signed answer that counts now. */
export interface OcspAnswer {
  /** Null: the certificate is good. */
  readonly revoked: RevokedEntry | null;
  /** The authority that said so, for display. */
  readonly authorityName: string;
  readonly thisUpdate: Millis;
  /** Null: the responder always has newer information. */
  readonly nextUpdate: Millis | null;
}

/** Why an answer does not count: the end of a sentence that begins with the answer. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused';
}

/** The certificate in question. */
export interface OcspQuestion {
  readonly certificate: PathCertificate;
  readonly issuer: PathCertificate;
  /** 1 to 32 bytes. A responder may leave it out of its answer. @see RFC 8954 */
  readonly nonce: Buffer;
}

/** Of an answer, in bytes. */
export const longestAnswer = 64 * 1024;
export const ocspTypes = {
  question: 'application/ocsp-request',
  answer: 'application/ocsp-response',
} as const;

/** An answer without `nextUpdate` counts for as long after its `thisUpdate`. */
const withoutNextUpdate: Millis = 5 * 60 * 1000;
const mostResponders = 5;

const oids = {
  basic: '1.3.6.1.5.5.7.48.1.1',
  nonce: '1.3.6.1.5.5.7.48.1.2',
  signing: '1.3.6.1.5.5.7.3.9',
} as const;
// Only an identifier, and the one that every responder knows (RFC 5019 section 2.1.1).
const sha1Algorithm = element(
  derTag.sequence,
  element(derTag.objectIdentifier, Buffer.from('2b0e03021a', 'hex')),
  element(0x05),
);
const nonceOid = element(derTag.objectIdentifier, Buffer.from('2b0601050507300102', 'hex'));

/** The request in DER. */
export function ocspRequest({ nonce, ...question }: OcspQuestion): Buffer {
  const one = element(derTag.sequence, element(derTag.sequence, certificateId(question)));
  const nonceValue = element(derTag.octetString, element(derTag.octetString, nonce));
  const extensions = element(derTag.sequence, element(derTag.sequence, nonceOid, nonceValue));
  return element(derTag.sequence, element(derTag.sequence, one, element(contextTag(2), extensions)));
}

function certificateId({ certificate, issuer }: Omit<OcspQuestion, 'nonce'>): Buffer {
  return element(
    derTag.sequence,
    sha1Algorithm,
    element(derTag.octetString, sha1(subjectOf(issuer))),
    element(derTag.octetString, keyHash(issuer)),
    element(derTag.integer, Buffer.from(certificate.serialNumber, 'hex')),
  );
}

function subjectOf({ x509 }: PathCertificate): Buffer {
  const [content] = childrenOf(readDer(x509.raw), derTag.sequence);
  // Version, serial number, algorithm, issuer, validity, subject; an authority has version 3.
  const subject = childrenOf(content, derTag.sequence).filter(({ tag }) => tag === derTag.sequence)[3];
  if (subject === undefined) throw new MalformedInput('certificate');
  return subject.whole;
}

function keyHash({ publicKey }: PathCertificate): Buffer {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return sha1(childrenOf(readDer(spki), derTag.sequence)[1]?.content.subarray(1) ?? spki);
}

function sha1(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(bytes).digest();
}

/** @throws AnswerRefused */
export async function readOcspAnswer(der: Buffer, question: OcspQuestion, now: Millis): Promise<OcspAnswer> {
  try {
    return await answerIn(der, question, now);
  } catch (error) {
    throw error instanceof MalformedInput ? new AnswerRefused(`is not readable: ${error.reason}`) : error;
  }
}

const failures: Readonly<Record<number, string>> = {
  1: 'malformedRequest',
  2: 'internalError',
  3: 'tryLater',
  5: 'sigRequired',
  6: 'unauthorized',
};

async function answerIn(der: Buffer, question: OcspQuestion, now: Millis): Promise<OcspAnswer> {
  const [status, wrapped] = childrenOf(readDer(der), derTag.sequence);
  if (status?.tag !== derTag.enumerated) throw new MalformedInput('response status');
  const code = readSmallInteger(status.content);
  if (code !== 0) throw new AnswerRefused(`is a failure: ${failures[code] ?? code}`);
  const [type, bytes] = elementsOf(wrapped?.content ?? Buffer.alloc(0)).flatMap((each) =>
    childrenOf(each, derTag.sequence),
  );
  if (readObjectIdentifier(type) !== oids.basic || bytes?.tag !== derTag.octetString)
    throw new AnswerRefused('is of an unknown type');
  const parts = derFields(childrenOf(readDer(bytes.content), derTag.sequence));
  const data = parts.take(derTag.sequence);
  const algorithm = readSignatureAlgorithm(parts.take(derTag.sequence));
  const signature = parts.take(derTag.bitString).content.subarray(1);
  const sent = parts.takeIf(contextTag(0));
  parts.done();

  const fields = derFields(elementsOf(data.content));
  fields.takeIf(contextTag(0));
  const responder = fields.takeIf(contextTag(1)) ?? fields.take(contextTag(2));
  readTime(fields.take(derTag.generalizedTime));
  const answers = childrenOf(fields.take(derTag.sequence), derTag.sequence);
  const extensions = fields.takeIf(contextTag(1));
  fields.done();
  checkExtensions(extensions, question.nonce);

  if (!algorithm.accepted) throw new AnswerRefused(`is signed with ${algorithm.name}, which is not accepted`);
  const certificates =
    sent === undefined ? [] : elementsOf(sent.content).flatMap((list) => elementsOf(list.content));
  const { issuer } = question;
  const signer = isNamed(issuer, responder)
    ? issuer
    : await delegateOf(issuer, { certificates: certificates.slice(0, mostResponders), responder, now });
  const { publicKey: key } = signer;
  if (!isAcceptedKey(key) || !(await verifiesSignature(algorithm, { data: data.whole, key, signature })))
    throw new AnswerRefused('is not signed with the key of its responder');

  const id = certificateId(question);
  const own = answers.find((each) => childrenOf(each, derTag.sequence)[0]?.whole.equals(id));
  if (own === undefined) throw new AnswerRefused('is about another certificate');
  return { ...readSingle(own, now), authorityName: displaySubject(signer.x509) };
}

/** A responder need not repeat it, but a wrong one is that of another answer. */
function checkExtensions(extensions: DerElement | undefined, nonce: Buffer | null): void {
  if (extensions === undefined) return;
  const found = readExtensionList(childrenOf(readDer(extensions.content), derTag.sequence));
  for (const [oid, { isCritical, value }] of found) {
    if (oid === oids.nonce && nonce !== null && !readDer(value).content.equals(nonce))
      throw new AnswerRefused('answers another question (nonce)');
    if (isCritical && oid !== oids.nonce)
      throw new AnswerRefused(`has a critical extension that is not supported: ${oid}`);
  }
}

/** Whether the answer says that this is who signed it: by name, or by key. */
function isNamed(certificate: PathCertificate, responder: DerElement): boolean {
  const [name] = elementsOf(responder.content);
  return responder.tag === contextTag(1)
    ? readDistinguishedName(name).key === certificate.subject.key
    : name?.content.equals(keyHash(certificate)) === true;
}

/** The certificate with which the authority lets another key answer. @see RFC 6960 section 4.2.2.2 */
async function delegateOf(
  issuer: PathCertificate,
  {
    certificates,
    responder,
    now,
  }: { readonly certificates: readonly DerElement[]; readonly responder: DerElement; readonly now: Millis },
): Promise<PathCertificate> {
  const found = certificates
    .map(({ whole }) => readPathCertificate(whole))
    .find((certificate) => isNamed(certificate, responder));
  const words = (problem: string) => new AnswerRefused(`is signed by a responder ${problem}`);
  if (found === undefined) throw words('whose certificate it does not contain');
  const { extensions, signatureAlgorithm, notBefore, notAfter } = found;
  const isIssued = found.issuer.key === issuer.subject.key && signatureAlgorithm.accepted;
  if (!isIssued || !isAcceptedKey(issuer.publicKey) || !found.x509.verify(issuer.publicKey))
    throw words('that the authority has not named');
  if (extensions.extendedKeyUsages?.includes(oids.signing) !== true)
    throw words('whose certificate is not for that (id-kp-OCSPSigning)');
  if (extensions.unknownCritical.length > 0 || extensions.keyUsage?.digitalSignature === false)
    throw words('whose certificate cannot be used for that');
  if (now < notBefore || now > notAfter) throw words('whose certificate is not valid now');
  return found;
}

/** @throws AnswerRefused also when the responder does not know the certificate */
function readSingle(single: DerElement, now: Millis): Omit<OcspAnswer, 'authorityName'> {
  const fields = derFields(childrenOf(single, derTag.sequence));
  fields.take(derTag.sequence);
  const isGood = fields.takeIf(contextTag(0, 'primitive')) !== undefined;
  const info = isGood ? undefined : fields.takeIf(contextTag(1));
  if (!isGood && info === undefined) throw new AnswerRefused('says that the certificate is unknown there');
  const thisUpdate = readTime(fields.take(derTag.generalizedTime));
  const next = fields.takeIf(contextTag(0));
  const nextUpdate = next === undefined ? null : readTime(elementsOf(next.content)[0]);
  checkExtensions(fields.takeIf(contextTag(1)), null);
  fields.done();
  if (thisUpdate > now + otherClockAhead) throw new AnswerRefused('is from the future');
  const end = nextUpdate ?? thisUpdate + withoutNextUpdate;
  if (now >= end) throw new AnswerRefused(`has been outdated since ${new Date(end).toISOString()}`);
  if (info === undefined) return { revoked: null, thisUpdate, nextUpdate };
  const [time, reason] = elementsOf(info.content);
  const why = reason === undefined ? undefined : elementsOf(reason.content)[0];
  const revoked = {
    at: readTime(time),
    reason: why === undefined ? 'unspecified' : readReason(why),
  } as const;
  return { revoked, thisUpdate, nextUpdate };
}
