import 'reflect-metadata';
import assert from 'node:assert/strict';
import { generateKeyPairSync, type webcrypto, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import * as asn1 from '@peculiar/x509';
import { fixedClock } from '../../test/support/fixed-clock.ts';
import { asId, type IdentityId } from '../model/ids.ts';
import { DAY, HOUR, MINUTE } from '../platform/clock.ts';
import { MalformedInput } from '../platform/formats/strict-input.ts';
import { createIntermediateCa, createRootCa } from '../platform/x509/pki.ts';
import { certificateFacts, parseCertificate, parseCertificates } from '../platform/x509/x509.ts';
import { clientCertificateIssuer, signingAuthority } from './client-certificate-issuer.ts';

const clock = fixedClock('2026-03-01T12:00:00Z');
const root = await createRootCa({ clock }, { commonName: 'Root', days: 90 });
const signer = await createIntermediateCa({ clock }, { commonName: 'Signer', days: 30, ca: root });
const authority = signingAuthority(parseCertificates(signer.certPem + root.certPem), signer.keyPem);
const erin = asId<IdentityId>('0198c0de-0000-7000-8000-000000000001');

/** A request that wishes for much. */
async function hostileRequest(): Promise<string> {
  const curve = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = (await crypto.subtle.generateKey(curve, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const made = await asn1.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=somebody-else,O=admins',
    keys,
    signingAlgorithm: curve,
    extensions: [
      new asn1.BasicConstraintsExtension(true, 5, true),
      new asn1.ExtendedKeyUsageExtension([asn1.ExtendedKeyUsage.serverAuth]),
      new asn1.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'controller.example' },
        { type: 'url', value: 'spiffe://overlay/identity/somebody-else' },
      ]),
    ],
  });
  return made.toString('pem');
}

describe('the issuer of client certificates', () => {
  test('takes nothing but the key from a request', async () => {
    const issuer = clientCertificateIssuer({ clock }, authority);
    const key = issuer.readRequest(await hostileRequest());
    const uris = ['spiffe://overlay/identity/x'];
    const issued = await issuer.issue({ key, identityId: erin, uris, lifetime: 12 * HOUR });
    const facts = certificateFacts(parseCertificate(issued.certPem));
    assert.equal(facts.subject, `CN=${erin}`);
    assert.deepEqual(facts.subjectAltNames, { dns: [], uris, emails: [], ips: [] });
    assert.deepEqual(facts.extendedKeyUsages, [asn1.ExtendedKeyUsage.clientAuth]);
    assert.equal(facts.isCa, false);
    assert.deepEqual(
      [facts.thumbprint, facts.notBefore, facts.notAfter],
      [issued.thumbprint, issued.notBefore, issued.notAfter],
    );
    assert.equal(issued.notBefore, clock.now() - 5 * MINUTE);
    assert.equal(issued.notAfter, clock.now() + 12 * HOUR);
  });

  test('answers with the chain, the certificate first and without the root', async () => {
    const issuer = clientCertificateIssuer({ clock }, authority);
    const key = issuer.readRequest(await hostileRequest());
    const { certPem, chainPem } = await issuer.issue({ key, identityId: erin, lifetime: HOUR });
    const chain = parseCertificates(chainPem);
    assert.equal(chain[0]?.fingerprint256, new X509Certificate(certPem).fingerprint256);
    assert.deepEqual(
      chain.slice(1).map((each) => each.subject),
      ['CN=Signer'],
    );
    assert.ok(chain[0]?.checkIssued(new X509Certificate(signer.certPem)));
    assert.equal(chain[0]?.subjectAltName, undefined);
  });

  test('never issues beyond the end of its authority, nor with one that has ended', async () => {
    const later = fixedClock(clock.now() + 20 * DAY);
    const issuer = clientCertificateIssuer({ clock: later }, authority);
    const key = issuer.readRequest(await hostileRequest());
    const issued = await issuer.issue({ key, identityId: erin, lifetime: 365 * DAY });
    assert.equal(issued.notAfter, clock.now() + 30 * DAY);
    later.advance(10 * DAY);
    await assert.rejects(issuer.issue({ key, identityId: erin, lifetime: HOUR }), { code: 'unavailable' });
  });

  test('says why a request is refused, and refuses all of them without an authority', async () => {
    const issuer = clientCertificateIssuer({ clock }, authority);
    assert.throws(() => issuer.readRequest('abc'), {
      code: 'csr_not_acceptable',
      description:
        'The certificate signing request cannot be processed: not one certificate request in PEM form',
    });
    const key = issuer.readRequest(await hostileRequest());
    issuer.replaceAuthority(null);
    assert.equal(issuer.isAvailable, false);
    assert.throws(() => issuer.readRequest('abc'), { code: 'csr_not_acceptable' });
    await assert.rejects(issuer.issue({ key, identityId: erin, lifetime: HOUR }), {
      code: 'csr_not_acceptable',
    });
  });

  test("needs an authority and that authority's own key", () => {
    const certificates = parseCertificates(signer.certPem);
    for (const key of [root.keyPem, 'abc', ''])
      assert.throws(() => signingAuthority(certificates, key), MalformedInput);
    const encrypted = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      format: 'pem',
      type: 'pkcs8',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    });
    assert.throws(() => signingAuthority(certificates, encrypted.toString()), MalformedInput);
    assert.throws(() => signingAuthority([], signer.keyPem), MalformedInput);
  });
});
