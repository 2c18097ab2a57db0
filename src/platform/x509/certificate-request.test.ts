import 'reflect-metadata';
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto';
import { describe, test } from 'node:test';
import * as asn1 from '@peculiar/x509';
import { csrAlgorithms, csrDer, ecKeys, type KeyPair, pemOf } from '../../../test/support/csr.ts';
import { bitString, element, integer, oid, sequence } from '../../../test/support/der-writer.ts';
import { MalformedInput } from '../formats/strict-input.ts';
import { longestCertificateRequest, readCertificateRequest } from './certificate-request.ts';

const alice = ecKeys();

function spkiOf(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('hex');
}

describe('a certificate signing request', () => {
  test('gives its key when the holder of the key has signed it', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const ed = generateKeyPairSync('ed25519');
    const made: [KeyPair, Buffer][] = [
      [alice, csrDer(alice, csrAlgorithms.sha256Ec, 'sha256')],
      [rsa, csrDer(rsa, csrAlgorithms.sha256Rsa, 'sha256')],
      [ed, csrDer(ed, csrAlgorithms.ed25519, null)],
    ];
    for (const curve of ['P-384', 'P-521']) {
      const keys = ecKeys(curve);
      made.push([keys, csrDer(keys, csrAlgorithms.sha256Ec, 'sha256')]);
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
    const good = csrDer(alice, csrAlgorithms.sha256Ec, 'sha256');
    const changed = Buffer.from(good);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    const hostile = [
      csrDer(alice, csrAlgorithms.sha256Ec, 'sha256', { signer: ecKeys() }),
      changed,
      // Another hash than the one it says, and one that can be forged.
      csrDer(alice, csrAlgorithms.sha256Ec, 'sha512'),
      csrDer(alice, csrAlgorithms.sha1Ec, 'sha1'),
      csrDer(alice, csrAlgorithms.sha256Rsa, 'sha256'),
      csrDer(alice, csrAlgorithms.sha256Ec, 'sha256', { unusedBits: 1 }),
    ];
    for (const bad of hostile) assert.throws(() => readCertificateRequest(bad), MalformedInput);
  });

  test('for a weak or unusual key is refused', () => {
    const kinds: Buffer[] = [
      csrDer(ecKeys('P-224'), csrAlgorithms.sha256Ec, 'sha256'),
      csrDer(ecKeys('secp256k1'), csrAlgorithms.sha256Ec, 'sha256'),
      csrDer(generateKeyPairSync('ed448'), csrAlgorithms.ed448, null),
      csrDer(generateKeyPairSync('rsa', { modulusLength: 1024 }), csrAlgorithms.sha256Rsa, 'sha256'),
      csrDer(generateKeyPairSync('rsa', { modulusLength: 2048 }), csrAlgorithms.sha1Rsa, 'sha1'),
      csrDer(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }), csrAlgorithms.sha256Rsa, 'sha256'),
      csrDer(alice, csrAlgorithms.sha256Ec, 'sha256', {
        spki: sequence(sequence(), bitString(Buffer.of(1))),
      }),
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
    const der = sequence(info, csrAlgorithms.sha256Rsa, bitString(Buffer.alloc(256)));
    assert.throws(() => readCertificateRequest(der), MalformedInput);
  });

  test('that is broken, of another version, several at once or followed by something is refused', () => {
    const good = csrDer(alice, csrAlgorithms.sha256Ec, 'sha256');
    const hostile: (string | Buffer)[] = [
      '',
      'abc',
      Buffer.alloc(0),
      good.subarray(0, -1),
      Buffer.concat([good, Buffer.of(0)]),
      Buffer.concat([good, good]),
      csrDer(alice, csrAlgorithms.sha256Ec, 'sha256', { version: 1 }),
      csrDer(alice, csrAlgorithms.sha256Ec, 'sha256', { more: sequence() }),
      csrDer(alice, csrAlgorithms.sha256Ec, 'sha256', { trailing: sequence() }),
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

  test('that is too long is refused before any of it is read', () => {
    const long =
      pemOf(csrDer(alice, csrAlgorithms.sha256Ec, 'sha256')) + '\n'.repeat(longestCertificateRequest);
    assert.throws(() => readCertificateRequest(long), { reason: 'certificate request too long' });
    const bytes = Buffer.alloc(longestCertificateRequest + 1, 0x30);
    assert.throws(() => readCertificateRequest(bytes), { reason: 'certificate request too long' });
  });
});
