import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connect } from 'node:tls';
import { systemClock } from '../../src/platform/clock.ts';
import {
  childrenOf,
  contextTag,
  derTag,
  readDer,
  readObjectIdentifier,
} from '../../src/platform/x509/der.ts';
import { createIntermediateCa, issueServerCertificate } from '../../src/platform/x509/pki.ts';
import { clientApi, presentedLeaf, verifiedClaims } from '../support/enrollment.ts';
import { httpsClient } from '../support/https-client.ts';
import { testPki } from '../support/test-pki.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile();

/** The certificates in a degenerate PKCS #7. */
function certificatesIn(base64: string): X509Certificate[] {
  const [type, wrapped] = childrenOf(readDer(Buffer.from(base64, 'base64')), derTag.sequence);
  assert.equal(readObjectIdentifier(type), '1.2.840.113549.1.7.2');
  const [signedData] = childrenOf(wrapped, contextTag(0));
  const [version, , content, certificates, signers, ...more] = childrenOf(signedData, derTag.sequence);
  assert.deepEqual([...(version?.content ?? [])], [1]);
  assert.equal(content?.tag, derTag.sequence);
  assert.equal(signers?.content.length, 0);
  assert.deepEqual(more, []);
  return childrenOf(certificates, contextTag(0)).map(({ whole }) => new X509Certificate(whole));
}

describe('the list of authorities', () => {
  test('is a PKCS #7 in base64 lines that verifies the server, with and without the prefix', async () => {
    const leaf = await presentedLeaf(server.url);
    for (const path of ['/.well-known/est/cacerts', `${clientApi}/.well-known/est/cacerts`]) {
      for (const accept of ['application/pkcs7-mime', 'application/json', '*/*']) {
        const answer = await server.get(path, { headers: { accept } });
        assert.equal(answer.status, 200, answer.text);
        assert.equal(answer.headers['content-type'], 'application/pkcs7-mime');
        const lines = answer.text.trimEnd().split('\n');
        assert.ok(
          lines.every((line, at) => (at < lines.length - 1 ? line.length === 64 : line.length <= 64)),
        );
        const [root, ...more] = certificatesIn(answer.text);
        assert.deepEqual(more, []);
        assert.equal(root?.ca, true);
        assert.ok(root && leaf.verify(root.publicKey));
      }
    }
  });

  test('can be read by OpenSSL', async (t) => {
    const { text } = await server.get('/.well-known/est/cacerts');
    const input = `-----BEGIN PKCS7-----\n${text}-----END PKCS7-----\n`;
    try {
      const out = execFileSync('openssl', ['pkcs7', '-print_certs'], { input }).toString();
      assert.match(out, /Test overlay root/);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error;
      t.skip('there is no openssl on this machine');
    }
  });

  test('verifies a listener that sends its leaf and an intermediate', async () => {
    const { ca } = await testPki();
    const needs = { clock: systemClock };
    const between = await createIntermediateCa(needs, { commonName: 'Between', days: 5, ca });
    const leaf = await issueServerCertificate(needs, {
      dnsNames: ['localhost'],
      ips: [],
      days: 3,
      ca: between,
    });
    writeFileSync(join(server.home, 'server.pem'), leaf.certPem + between.certPem);
    writeFileSync(join(server.home, 'server.key'), leaf.keyPem);
    await server.controller.reload();
    const { port } = new URL(server.url);
    const chain = await new Promise<string[]>((fulfil, fail) => {
      const socket = connect({ port: Number(port), servername: 'localhost', ca: ca.certPem }, () => {
        const top = socket.getPeerCertificate(true);
        fulfil([top.subject.CN, top.issuerCertificate.subject.CN].map(String));
        socket.destroy();
      });
      socket.once('error', fail);
    });
    assert.deepEqual(chain, ['localhost', 'Between']);
    using fresh = httpsClient(server.url, ca.certPem);
    const names = certificatesIn((await fresh.get('/.well-known/est/cacerts')).text).map(
      ({ subject }) => subject,
    );
    assert.deepEqual(names.toSorted(), ['CN=Between', 'CN=Test overlay root']);
    // The JWTs follow the certificate.
    const { token } = (await fresh.get(`${clientApi}/network-jwts`)).json.data[0];
    const { em, sub, iss } = await verifiedClaims(server.url, token);
    assert.deepEqual([em, sub, iss], ['network', 'default', server.url]);
  });
});
