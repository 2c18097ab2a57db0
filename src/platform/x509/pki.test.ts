import 'reflect-metadata';
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { connect, createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import * as asn1 from '@peculiar/x509';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { DAY, MINUTE, SECOND, systemClock } from '../clock.ts';
import { createIntermediateCa, createRootCa, issueClientCertificate, issueServerCertificate } from './pki.ts';
import { certificateFacts, parseCertificate } from './x509.ts';

const needs = { clock: systemClock };
const root = await createRootCa(needs, { commonName: 'Test Root', days: 3650 });
const intermediate = await createIntermediateCa(needs, { commonName: 'Test Signer', days: 365, ca: root });

const serverNames = { dnsNames: ['localhost'], ips: ['127.0.0.1', '::1'], days: 30 };
const server = await issueServerCertificate(needs, { ...serverNames, ca: root });
const alice = { commonName: 'alice', days: 30, uris: ['spiffe://example/alice'] };

const closing: (() => void)[] = [];
after(() => {
  for (const close of closing) close();
});

/** What the server sees of a client that connects with `client`. */
async function handshake(
  options: TlsOptions,
  client: { cert?: string; key?: string; servername?: string },
): Promise<{ authorized: boolean; error: string; thumbprint: string | undefined }> {
  const listener = createServer({
    requestCert: true,
    rejectUnauthorized: false,
    ca: root.certPem,
    ...options,
  });
  closing.push(() => listener.close());
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const accepted = new Promise<TLSSocket>((resolve) => listener.once('secureConnection', resolve));
  const socket = connect({ port, host: '127.0.0.1', ca: root.certPem, servername: 'localhost', ...client });
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  const peer = await accepted;
  const certificate = peer.getPeerX509Certificate();
  socket.destroy();
  return {
    authorized: peer.authorized,
    error: String(peer.authorizationError ?? ''),
    thumbprint: certificate && certificateFacts(certificate).thumbprint,
  };
}

describe('in a TLS handshake', () => {
  const listening = { cert: server.certPem, key: server.keyPem };

  test('an issued server certificate is accepted for its names, and the client certificate is proved', async () => {
    const client = await issueClientCertificate(needs, { ...alice, ca: root });
    const seen = await handshake(listening, { cert: client.certPem, key: client.keyPem });
    assert.equal(seen.authorized, true, seen.error);
    assert.equal(seen.thumbprint, certificateFacts(parseCertificate(client.certPem)).thumbprint);
    await assert.rejects(handshake(listening, { servername: 'example.com' }), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  test('certificates under an intermediate authority are accepted with their chain', async () => {
    const client = await issueClientCertificate(needs, { ...alice, ca: intermediate });
    const other = await issueServerCertificate(needs, { ...serverNames, ca: intermediate });
    const options = { cert: other.certPem + intermediate.certPem, key: other.keyPem };
    const seen = await handshake(options, {
      cert: client.certPem + intermediate.certPem,
      key: client.keyPem,
    });
    assert.equal(seen.authorized, true, seen.error);
  });

  test('a server certificate does not serve as a client certificate', async () => {
    const seen = await handshake(listening, { cert: server.certPem, key: server.keyPem });
    assert.equal(seen.authorized, false);
    assert.equal(seen.error, 'INVALID_PURPOSE');
  });

  test('a client certificate of an expired validity, or of another authority, is not accepted', async () => {
    const past = { clock: fixedClock(systemClock.now() - 31 * DAY) };
    const expired = await issueClientCertificate(past, { ...alice, ca: root });
    const seen = await handshake(listening, { cert: expired.certPem, key: expired.keyPem });
    assert.deepEqual([seen.authorized, seen.error], [false, 'CERT_HAS_EXPIRED']);
    const stranger = await createRootCa(needs, { commonName: 'Test Root', days: 30 });
    const forged = await issueClientCertificate(needs, { ...alice, ca: stranger });
    assert.equal(
      (await handshake(listening, { cert: forged.certPem, key: forged.keyPem })).authorized,
      false,
    );
  });
});

describe('an issued certificate', () => {
  const clock = fixedClock('2026-03-01T12:00:00Z');

  test('begins five minutes ago and ends after its days, but not after its issuer', async () => {
    const ca = await createRootCa({ clock }, { commonName: 'Root', days: 10 });
    const short = certificateFacts(
      parseCertificate((await issueClientCertificate({ clock }, { ...alice, days: 1, ca })).certPem),
    );
    assert.equal(short.notBefore, clock.now() - 5 * MINUTE);
    assert.equal(short.notAfter, clock.now() + DAY);
    const long = certificateFacts(
      parseCertificate((await issueClientCertificate({ clock }, { ...alice, days: 99, ca })).certPem),
    );
    assert.equal(long.notAfter, clock.now() + 10 * DAY);
    clock.advance(10 * DAY + SECOND);
    await assert.rejects(issueClientCertificate({ clock }, { ...alice, ca }), /expired/);
  });

  test('says its purposes in critical extensions, with key identifiers that link the chain', async () => {
    const client = await issueClientCertificate(needs, { ...alice, ca: intermediate });
    const parsed = new asn1.X509Certificate(client.certPem);
    const signer = new asn1.X509Certificate(intermediate.certPem);
    const basic = parsed.getExtension(asn1.BasicConstraintsExtension);
    assert.deepEqual([basic?.ca, basic?.critical], [false, true]);
    const usage = parsed.getExtension(asn1.KeyUsagesExtension);
    assert.deepEqual([usage?.usages, usage?.critical], [asn1.KeyUsageFlags.digitalSignature, true]);
    assert.deepEqual(
      [...(parsed.getExtension(asn1.ExtendedKeyUsageExtension)?.usages ?? [])],
      [asn1.ExtendedKeyUsage.clientAuth],
    );
    assert.equal(
      parsed.getExtension(asn1.AuthorityKeyIdentifierExtension)?.keyId,
      signer.getExtension(asn1.SubjectKeyIdentifierExtension)?.keyId,
    );
    const signerBasic = signer.getExtension(asn1.BasicConstraintsExtension);
    assert.deepEqual([signerBasic?.ca, signerBasic?.pathLength, signerBasic?.critical], [true, 0, true]);
    const key = new X509Certificate(client.certPem).publicKey;
    assert.equal(key.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  });

  test('has a positive serial number of sixteen bytes, never the same', async () => {
    const seen = new Set<string>();
    for (let i = 0; i < 20; i += 1) {
      const { certPem } = await issueClientCertificate(needs, { ...alice, ca: root });
      const serial = certificateFacts(parseCertificate(certPem)).serialNumber;
      assert.match(serial, /^[4-7][0-9a-f]{31}$/);
      seen.add(serial);
    }
    assert.equal(seen.size, 20);
  });

  test('takes its common name literally', async () => {
    for (const commonName of ['CN=root,O=x', 'a+b', ' spaced ', 'Ünï "q" \\', '#1234', '<script>']) {
      const { certPem } = await issueClientCertificate(needs, { ...alice, commonName, ca: root });
      assert.equal(certificateFacts(parseCertificate(certPem)).commonName, commonName);
    }
    for (const commonName of ['', 'x'.repeat(65)])
      await assert.rejects(issueClientCertificate(needs, { ...alice, commonName, ca: root }), RangeError);
  });

  test('for a listener needs real names', async () => {
    for (const dnsNames of [['exa mple'], ['a/b'], [''], ['127.0.0.1'], ['0x7f.1'], ['::1'], ['a,b'], []])
      await assert.rejects(
        issueServerCertificate(needs, { dnsNames, ips: [], days: 1, ca: root }),
        RangeError,
      );
    for (const ips of [['localhost'], ['1.2.3'], ['10.0.0.0/8']])
      await assert.rejects(
        issueServerCertificate(needs, { dnsNames: ['a'], ips, days: 1, ca: root }),
        RangeError,
      );
    const { certPem } = await issueServerCertificate(needs, {
      dnsNames: ['*.Example.com', 'bücher.example'],
      ips: ['10.0.0.1'],
      days: 1,
      ca: root,
    });
    const facts = certificateFacts(parseCertificate(certPem));
    assert.deepEqual(facts.subjectAltNames.dns, ['*.example.com', 'xn--bcher-kva.example']);
    assert.deepEqual(facts.subjectAltNames.ips, ['10.0.0.1']);
  });

  test('needs an authority that has its own key', async () => {
    const client = await issueClientCertificate(needs, { ...alice, ca: root });
    await assert.rejects(issueClientCertificate(needs, { ...alice, ca: client }), /not an authority/);
    const mixed = { certPem: root.certPem, keyPem: intermediate.keyPem };
    await assert.rejects(issueClientCertificate(needs, { ...alice, ca: mixed }), /does not belong/);
  });
});
