import 'reflect-metadata';
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign, type webcrypto } from 'node:crypto';
import { describe, test } from 'node:test';
import * as asn1 from '@peculiar/x509';
import { bitString, element, integer, oid, sequence } from '../../test/support/der-writer.ts';
import { longestCertificateRequest, readCertificateRequest } from './certificate-request.ts';
import { MalformedInput } from './malformed-input.ts';

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const algorithms = {
  sha256Rsa: sequence(oid('1.2.840.113549.1.1.11'), element(0x05)),
  sha1Rsa: sequence(oid('1.2.840.113549.1.1.5'), element(0x05)),
  sha256Ec: sequence(oid('1.2.840.10045.4.3.2')),
  sha1Ec: sequence(oid('1.2.840.10045.4.1')),
  ed25519: sequence(oid('1.3.101.112')),
  ed448: sequence(oid('1.3.101.113')),
};

const ec = (namedCurve = 'P-256'): KeyPair => generateKeyPairSync('ec', { namedCurve });
const alice = ec();

/** A request written byte by byte, wrong where a test wants it. */
function request(
  keys: KeyPair,
  algorithm: Buffer,
  hash: string | null,
  wrong: {
    version?: number;
    more?: Buffer;
    trailing?: Buffer;
    signer?: KeyPair;
    unusedBits?: number;
    spki?: Buffer;
  } = {},
): Buffer {
  const info = sequence(
    integer(wrong.version ?? 0),
    sequence(),
    wrong.spki ?? keys.publicKey.export({ format: 'der', type: 'spki' }),
    element(0xa0),
    wrong.more ?? Buffer.alloc(0),
  );
  const signature = sign(hash, info, (wrong.signer ?? keys).privateKey);
  const parts = [info, algorithm, bitString(signature, wrong.unusedBits ?? 0)];
  return sequence(...parts, wrong.trailing ?? Buffer.alloc(0));
}

function pemOf(der: Uint8Array, label = 'CERTIFICATE REQUEST'): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function spkiOf(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('hex');
}

describe('a certificate signing request', () => {
  test('gives its key when the holder of the key has signed it', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const ed = generateKeyPairSync('ed25519');
    const made: [KeyPair, Buffer][] = [
      [alice, request(alice, algorithms.sha256Ec, 'sha256')],
      [rsa, request(rsa, algorithms.sha256Rsa, 'sha256')],
      [ed, request(ed, algorithms.ed25519, null)],
    ];
    for (const curve of ['P-384', 'P-521']) {
      const keys = ec(curve);
      made.push([keys, request(keys, algorithms.sha256Ec, 'sha256')]);
    }
    for (const [keys, der] of made) {
      for (const form of [der, pemOf(der), pemOf(der, 'NEW CERTIFICATE REQUEST'), ` \r\n${pemOf(der)}\r\n `])
        assert.equal(spkiOf(readCertificateRequest(form)), spkiOf(keys.publicKey));
    }
  });

  test('made by another library, with a subject and wished extensions, is read', async () => {
    const curve = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const keys = (await crypto.subtle.generateKey(curve, true, [
      'sign',
      'verify',
    ])) as webcrypto.CryptoKeyPair;
    const made = await asn1.Pkcs10CertificateRequestGenerator.create({
      name: 'CN=root,O=admins',
      keys,
      signingAlgorithm: curve,
      extensions: [new asn1.BasicConstraintsExtension(true, 5, true)],
    });
    const spki = Buffer.from(made.publicKey.rawData).toString('hex');
    assert.equal(spkiOf(readCertificateRequest(made.toString('pem'))), spki);
    assert.equal(spkiOf(readCertificateRequest(new Uint8Array(made.rawData))), spki);
  });

  test('that was not signed by its own key is refused', () => {
    const good = request(alice, algorithms.sha256Ec, 'sha256');
    const changed = Buffer.from(good);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    const hostile = [
      request(alice, algorithms.sha256Ec, 'sha256', { signer: ec() }),
      changed,
      // Another hash than the one it says, and one that can be forged.
      request(alice, algorithms.sha256Ec, 'sha512'),
      request(alice, algorithms.sha1Ec, 'sha1'),
      request(alice, algorithms.sha256Rsa, 'sha256'),
      request(alice, algorithms.sha256Ec, 'sha256', { unusedBits: 1 }),
    ];
    for (const bad of hostile) assert.throws(() => readCertificateRequest(bad), MalformedInput);
  });

  test('for a weak or unusual key is refused', () => {
    const kinds: Buffer[] = [
      request(ec('P-224'), algorithms.sha256Ec, 'sha256'),
      request(ec('secp256k1'), algorithms.sha256Ec, 'sha256'),
      request(generateKeyPairSync('ed448'), algorithms.ed448, null),
      request(generateKeyPairSync('rsa', { modulusLength: 1024 }), algorithms.sha256Rsa, 'sha256'),
      request(generateKeyPairSync('rsa', { modulusLength: 2048 }), algorithms.sha1Rsa, 'sha1'),
      request(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }), algorithms.sha256Rsa, 'sha256'),
      request(alice, algorithms.sha256Ec, 'sha256', { spki: sequence(sequence(), bitString(Buffer.of(1))) }),
    ];
    for (const bad of kinds) assert.throws(() => readCertificateRequest(bad), MalformedInput);
  });

  test('with an RSA exponent of one, for which anything is a signature, is refused', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { n = '' } = publicKey.export({ format: 'jwk' });
    const modulus = integer(Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')]));
    const spki = sequence(
      sequence(oid('1.2.840.113549.1.1.1'), element(0x05)),
      bitString(sequence(modulus, integer(1))),
    );
    const info = sequence(integer(0), sequence(), spki, element(0xa0));
    const der = sequence(info, algorithms.sha256Rsa, bitString(Buffer.alloc(256)));
    assert.throws(() => readCertificateRequest(der), MalformedInput);
  });

  test('that is broken, of another version, several at once or followed by something is refused', () => {
    const good = request(alice, algorithms.sha256Ec, 'sha256');
    const hostile: (string | Buffer)[] = [
      '',
      'abc',
      Buffer.alloc(0),
      good.subarray(0, -1),
      Buffer.concat([good, Buffer.of(0)]),
      Buffer.concat([good, good]),
      request(alice, algorithms.sha256Ec, 'sha256', { version: 1 }),
      request(alice, algorithms.sha256Ec, 'sha256', { more: sequence() }),
      request(alice, algorithms.sha256Ec, 'sha256', { trailing: sequence() }),
      pemOf(good) + pemOf(good),
      `comment\n${pemOf(good)}`,
      `${pemOf(good)}trailing`,
      pemOf(good, 'CERTIFICATE'),
      pemOf(good).replace('BEGIN ', 'BEGIN NEW '),
      pemOf(good).replaceAll('\n', '\u2028!'),
      good.toString('base64'),
    ];
    for (const bad of hostile) assert.throws(() => readCertificateRequest(bad), MalformedInput, String(bad));
  });

  test('that is too long is refused before anything is read of it', () => {
    const long =
      pemOf(request(alice, algorithms.sha256Ec, 'sha256')) + '\n'.repeat(longestCertificateRequest);
    assert.throws(() => readCertificateRequest(long), { reason: 'certificate request too long' });
    const bytes = Buffer.alloc(longestCertificateRequest + 1, 0x30);
    assert.throws(() => readCertificateRequest(bytes), { reason: 'certificate request too long' });
  });
});
