import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../clock.ts';
import { sha256 } from '../digest.ts';
import { MalformedInput } from '../formats/strict-input.ts';
import { createRootCa, issueClientCertificate } from './pki.ts';
import { certificateFacts, parseCertificate, parseCertificates, thumbprint } from './x509.ts';

const needs = { clock: systemClock };
const root = await createRootCa(needs, { commonName: 'Test Root', days: 30 });

async function client(uris: string[]) {
  const { certPem } = await issueClientCertificate(needs, { commonName: 'alice', days: 1, uris, ca: root });
  return parseCertificate(certPem);
}

describe('the facts of a certificate', () => {
  test('include its names, purposes and thumbprint', async () => {
    const certificate = await client(['spiffe://example/alice']);
    const facts = certificateFacts(certificate);
    assert.equal(facts.subject, 'CN=alice');
    assert.equal(facts.issuer, 'CN=Test Root');
    assert.equal(facts.commonName, 'alice');
    assert.deepEqual(facts.subjectAltNames, {
      dns: [],
      uris: ['spiffe://example/alice'],
      emails: [],
      ips: [],
    });
    assert.deepEqual(facts.extendedKeyUsages, ['1.3.6.1.5.5.7.3.2']);
    assert.equal(facts.isCa, false);
    assert.equal(certificateFacts(parseCertificate(root.certPem)).isCa, true);
    assert.equal(facts.thumbprint, sha256(certificate.raw));
    assert.equal(facts.thumbprint, thumbprint(certificate));
    assert.match(facts.fingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    const bytes = Buffer.from(facts.fingerprint.replaceAll(':', ''), 'hex');
    assert.equal(bytes.toString('base64url'), facts.thumbprint);
  });

  test('are empty where the certificate says nothing', async () => {
    const facts = certificateFacts(await client([]));
    assert.deepEqual(facts.subjectAltNames, { dns: [], uris: [], emails: [], ips: [] });
  });

  test('keep one alternative name one, with any characters', async () => {
    const hostile = [
      'http://a/, DNS:evil.example',
      'http://a/,URI:b',
      'http://a/"quoted"',
      "http://a/'quoted'",
      'http://a/\\, DNS:evil',
      'http://a/\n, DNS:evil',
      '',
    ];
    for (const uri of hostile) {
      const facts = certificateFacts(await client([uri, 'urn:last']));
      assert.deepEqual(facts.subjectAltNames, { dns: [], uris: [uri, 'urn:last'], emails: [], ips: [] }, uri);
    }
  });
});

describe('reading certificates', () => {
  test('a bundle gives every certificate in its order', async () => {
    const other = (await client([])).toString();
    const found = parseCertificates(`# roots\n${root.certPem}\n${other}trailing`);
    assert.deepEqual(
      found.map((certificate) => certificate.subject),
      ['CN=Test Root', 'CN=alice'],
    );
  });

  test('DER is read like PEM, and what is not a certificate is refused', async () => {
    const certificate = await client([]);
    assert.equal(thumbprint(parseCertificate(certificate.raw)), thumbprint(certificate));
    for (const input of ['', 'abc', root.keyPem, certificate.raw.subarray(0, 50), Buffer.alloc(0)])
      assert.throws(() => parseCertificate(input), MalformedInput);
    // The last month of a year is the twelfth.
    const der = certificate.raw.toString('latin1');
    for (const { index } of der.matchAll(/\d{12}Z/g)) {
      const unreadable = Buffer.from(certificate.raw);
      unreadable.write('991331', index, 'latin1');
      assert.throws(() => parseCertificate(unreadable), MalformedInput, String(index));
    }
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
    // A file that was written in part: what is left of it would be trusted, the rest silently not.
    const cut = [28, 40, 300, -40, -5].map(
      (length) => root.certPem + root.certPem.trimEnd().slice(0, length),
    );
    for (const input of ['', root.keyPem, broken, root.certPem + broken, ...cut])
      assert.throws(() => parseCertificates(input), MalformedInput, input);
    const request = '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n';
    assert.equal(parseCertificates(request + root.certPem + root.keyPem).length, 1);
  });
});
