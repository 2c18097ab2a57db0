// Certificate signing requests, written byte by byte, so that a test can make wrong ones too.

import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bitString, element, integer, oid, sequence } from './der-writer.ts';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export const csrAlgorithms = {
  sha256Rsa: sequence(oid('1.2.840.113549.1.1.11'), element(0x05)),
  sha1Rsa: sequence(oid('1.2.840.113549.1.1.5'), element(0x05)),
  sha256Ec: sequence(oid('1.2.840.10045.4.3.2')),
  sha1Ec: sequence(oid('1.2.840.10045.4.1')),
  ed25519: sequence(oid('1.3.101.112')),
  ed448: sequence(oid('1.3.101.113')),
};

export const ecKeys = (namedCurve = 'P-256'): KeyPair => generateKeyPairSync('ec', { namedCurve });

export interface CsrChanges {
  /** DER of a name. */
  readonly subject?: Buffer;
  readonly version?: number;
  /** After the attributes. */
  readonly more?: Buffer;
  /** After the signature. */
  readonly trailing?: Buffer;
  readonly signer?: KeyPair;
  readonly unusedBits?: number;
  readonly spki?: Buffer;
}

/** DER. @param hash of the signature; null for kinds of keys that include their own */
export function csrDer(
  keys: KeyPair,
  algorithm = csrAlgorithms.sha256Ec,
  hash: string | null = 'sha256',
  changes: CsrChanges = {},
): Buffer {
  const info = sequence(
    integer(changes.version ?? 0),
    changes.subject ?? sequence(),
    changes.spki ?? keys.publicKey.export({ format: 'der', type: 'spki' }),
    element(0xa0),
    changes.more ?? Buffer.alloc(0),
  );
  const signature = sign(hash, info, (changes.signer ?? keys).privateKey);
  const parts = [info, algorithm, bitString(signature, changes.unusedBits ?? 0)];
  return sequence(...parts, changes.trailing ?? Buffer.alloc(0));
}

export function pemOf(der: Uint8Array, label = 'CERTIFICATE REQUEST'): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** PEM, with a P-256 key. */
export function csrPem(keys: KeyPair, changes: CsrChanges = {}): string {
  return pemOf(csrDer(keys, csrAlgorithms.sha256Ec, 'sha256', changes));
}

export function keyPemOf({ privateKey }: KeyPair): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}
