import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { DAY, systemClock } from '../../src/platform/clock.ts';
import { type GeneralName, readPathCertificate } from '../../src/platform/x509/path-certificate.ts';
import {
  createIntermediateCa,
  createRootCa,
  issueClientCertificate,
  issueServerCertificate,
} from '../../src/platform/x509/pki.ts';
import { certificateFacts } from '../../src/platform/x509/x509.ts';
import {
  attributeOids,
  authority,
  authorityExtensions,
  client,
  clientExtensions,
  distinguishedName,
  extendedKeyUsage,
  generalName,
  newKeys,
  subjectAltName,
  usageOids,
} from '../support/chains.ts';
import { refusalOf } from './support.ts';

const needs = { clock: systemClock };
const ca = await createRootCa(needs, { commonName: 'Root "of" all, = + \\', days: 30 });
const signer = await createIntermediateCa(needs, { commonName: 'Signer', days: 20, ca });
const erin = await issueClientCertificate(needs, {
  commonName: 'erin',
  days: 10,
  uris: ['spiffe://example/erin', 'https://example.com/a,b'],
  ca: signer,
});

describe('our reader and the one of OpenSSL agree', () => {
  const made = [
    ...[ca, signer, erin].map(({ certPem }) => new X509Certificate(certPem).raw),
    client().der,
    client({ version: null }, []).der,
    client({
      subject: distinguishedName([attributeOids.country, 'DE', 0x13], [attributeOids.commonName, 'Käse']),
    }).der,
    client({ keys: newKeys.ed25519(), until: 30 * 365 * DAY }).der,
    authority({}, authorityExtensions(3, extendedKeyUsage(usageOids.any, usageOids.codeSigning))).der,
    client(
      {},
      clientExtensions(
        subjectAltName(
          generalName.dns('a.example.com'),
          generalName.email('erin@example.com'),
          generalName.other('erin'),
          generalName.uri('spiffe://example/x, DNS:y'),
          generalName.ip(10, 0, 0, 1),
          generalName.dns('b.example.com'),
        ),
      ),
    ).der,
  ];

  test('about times, purposes and names', () => {
    for (const der of made) {
      const ours = readPathCertificate(der);
      const theirs = certificateFacts(new X509Certificate(der));
      assert.equal(ours.thumbprint, theirs.thumbprint);
      assert.equal(
        readPathCertificate(String(new X509Certificate(der))).thumbprint,
        ours.thumbprint,
        'in PEM',
      );
      assert.equal(ours.notBefore, theirs.notBefore);
      assert.equal(ours.notAfter, theirs.notAfter);
      assert.equal(ours.extensions.isCa, theirs.isCa);
      assert.deepEqual(ours.extensions.extendedKeyUsages ?? [], theirs.extendedKeyUsages);
      assert.equal(ours.subject.commonNames[0], theirs.commonName);
      const { alternativeNames } = ours.extensions;
      const texts = (form: GeneralName['form']) =>
        alternativeNames.flatMap((name) => ('text' in name && name.form === form ? [name.text] : []));
      assert.deepEqual(texts('dns'), theirs.subjectAltNames.dns);
      assert.deepEqual(texts('uri'), theirs.subjectAltNames.uris);
      assert.deepEqual(texts('email'), theirs.subjectAltNames.emails);
    }
  });
});

test('client certificates of our own authorities are trusted, and server certificates are not', async () => {
  const server = await issueServerCertificate(needs, {
    dnsNames: ['localhost'],
    ips: [],
    days: 10,
    ca: signer,
  });
  const der = ({ certPem }: { certPem: string }) => ({ der: new X509Certificate(certPem).raw });
  const chain = (leaf: { certPem: string }) => ({ leaf: der(leaf), sent: [der(signer)], anchors: [der(ca)] });
  assert.equal(refusalOf(chain(erin)), undefined);
  assert.equal(refusalOf(chain(server))?.reason, 'wrong-usage');
});
