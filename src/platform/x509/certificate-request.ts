// Certification requests (PKCS #10, RFC 2986). Only the public key is taken from one: the sender does not decide who a
// certificate is for, and its uses.

import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { MalformedInput } from '../formats/strict-input.ts';
import { childrenOf, contextTag, derFields, derTag, readDer } from './der.ts';
import { describeKey, isAcceptedKey } from './key-strength.ts';
import { isForKey, readSignatureAlgorithm } from './signature-algorithms.ts';

/** The longest accepted request, in bytes or characters. One with a key of 8192 bits takes less than a quarter. */
export const longestCertificateRequest = 16 * 1024;

// RFC 7468 section 7. Older programs write the second label.
const pemRequest =
  /^\s*-----BEGIN (NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END \1CERTIFICATE REQUEST-----\s*$/;

/**
 * The public key of exactly one request (PEM text, or DER), after checking that its holder signed the request and that
 * certificates may contain such a key. Subject and attributes are covered by the signature and ignored.
 * @throws MalformedInput too long, not one request, signed by another key or with a weak hash, or a weak key
 */
export function readCertificateRequest(request: string | Uint8Array): KeyObject {
  if (request.length > longestCertificateRequest) throw new MalformedInput('certificate request too long');
  const fields = derFields(childrenOf(readDer(derOf(request)), derTag.sequence));
  const signedPart = fields.take(derTag.sequence);
  const algorithm = fields.take(derTag.sequence);
  const signature = fields.take(derTag.bitString).content;
  fields.done();

  const info = derFields(childrenOf(signedPart, derTag.sequence));
  const version = info.take(derTag.integer).content;
  info.take(derTag.sequence);
  const key = readKey(info.take(derTag.sequence).whole);
  // Some programs omit the attributes if there are none.
  info.takeIf(contextTag(0));
  info.done();
  if (version.length !== 1 || version[0] !== 0) throw new MalformedInput('version of a certificate request');
  if (!isAcceptedKey(key))
    throw new MalformedInput(`certificates may not hold a key of kind ${describeKey(key)}`);

  const scheme = readSignatureAlgorithm(algorithm);
  if (scheme.isPss || !isForKey(scheme, key))
    throw new MalformedInput('signature algorithm of a certificate request');
  // The first byte says how many of the last bits do not count.
  if (signature[0] !== 0 || !verify(scheme.hash, signedPart.whole, key, signature.subarray(1)))
    throw new MalformedInput('certificate request not signed by its own key');
  return key;
}

function derOf(request: string | Uint8Array): Uint8Array {
  if (typeof request !== 'string') return request;
  const [, , base64] = pemRequest.exec(request) ?? [];
  if (base64 === undefined) throw new MalformedInput('not one certificate request in PEM form');
  return Buffer.from(base64, 'base64');
}

function readKey(spki: Buffer): KeyObject {
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    throw new MalformedInput('public key of a certificate request');
  }
}
