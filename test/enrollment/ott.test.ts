import 'reflect-metadata';
import assert from 'node:assert/strict';
import { type webcrypto, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import * as asn1 from '@peculiar/x509';
import { HOUR, systemClock } from '../../src/platform/clock.ts';
import { certificateFacts, parseCertificates } from '../../src/platform/x509/x509.ts';
import { certificateLogin, withCertificate } from '../support/certificates.ts';
import { commonName, newKeys } from '../support/chains.ts';
import { csrAlgorithms, csrDer, csrPem, ecKeys, pemOf } from '../support/csr.ts';
import { clientApi, enroll, enrollBy, enrolledDevice, invited } from '../support/enrollment.ts';
import { reasonOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { assertRefused, loggedIn, rootOf } from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const server = await serverOfFile({ signing: true });
const admin = await rootOf(server);

const csr = () => csrPem(ecKeys());

describe('an identity with a one-time token', () => {
  test('gets a certificate for its key, with which it logs in', async () => {
    const { id, token } = await invited(admin);
    const keys = ecKeys();
    const answer = await enroll(server, token, csrPem(keys));
    assert.equal(answer.status, 200, answer.text);
    // Existing SDKs recognize a PEM by exactly this.
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal(answer.headers['cache-control'], 'no-store');
    const { cert, ca } = answer.json.data;
    const [leaf, ...rest] = parseCertificates(cert);
    assert.ok(leaf);
    assert.equal(certificateFacts(leaf).commonName, id);
    assert.deepEqual(leaf.publicKey.export({ format: 'jwk' }), keys.publicKey.export({ format: 'jwk' }));
    assert.equal(rest.length, 1);
    assert.ok(parseCertificates(ca).some((each) => rest[0]?.verify(each.publicKey)));

    const keyPem = keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    using client = withCertificate(server, { certPem: cert, keyPem });
    assert.equal(typeof (await certificateLogin(client)).access_token, 'string');
    const legacy = await client.post(`${clientApi}/authenticate?method=cert`, { json: {} });
    assert.equal(legacy.json.data.identity.id, id, legacy.text);
  });

  test('is enrolled once: the token then looks like one that never existed', async () => {
    const { id, token } = await invited(admin);
    await enrolledDevice(server, token);
    const again = await enroll(server, token, csr());
    assertRefused(again, 400, 'INVALID_ENROLLMENT_TOKEN');
    assert.equal(await reasonOf(server, again), 'enrollment-token-unknown');
    const never = await enroll(server, 'x'.repeat(91), csr());
    assertRefused(never, 400, 'INVALID_ENROLLMENT_TOKEN');
    assert.equal(never.json.error.message, again.json.error.message);
    const { enrollment } = (await admin.get(`identities/${id}`)).json.data;
    assert.deepEqual(enrollment, {});
  });

  test('is enrolled by one of many requests at once', async () => {
    const { id, token } = await invited(admin);
    const answers = await Promise.all(Array.from({ length: 12 }, () => enroll(server, token, csr())));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
    const authenticators = (await admin.get(`identities/${id}/authenticators`)).json.data;
    assert.equal(authenticators.length, 1);
  });

  test('is refused while it is disabled, and when it is deleted', async () => {
    const { id, token } = await invited(admin);
    await admin.call('POST', `identities/${id}/disable`, {});
    const disabled = await enroll(server, token, csr());
    assertRefused(disabled, 400, 'INVALID_ENROLLMENT_TOKEN');
    assert.equal(await reasonOf(server, disabled), 'identity-disabled');
    await admin.call('DELETE', `identities/${id}`);
    assertRefused(await enroll(server, token, csr()), 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test('cannot use the token of another method', async () => {
    const { token } = await invited(admin, { updb: 'somebody' });
    const answer = await enroll(server, token, csr());
    assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
    assert.equal(await reasonOf(server, answer), 'enrollment-other-method');
    const ott = await invited(admin);
    const other = await enrollBy(server, 'updb', ott.token, { json: { password: 'nine calm rivers' } });
    assertRefused(other, 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test('keeps its token when the request for a certificate is bad', async () => {
    const { token } = await invited(admin);
    const keys = ecKeys();
    const bad = [
      pemOf(csrDer(newKeys.rsa(1024), csrAlgorithms.sha256Rsa)),
      csrPem(keys, { signer: ecKeys() }),
      csrPem(ecKeys('P-384'), { signer: keys }),
      pemOf(csrDer(keys, csrAlgorithms.sha1Ec, 'sha1')),
      csrPem(keys).replace('REQUEST', 'PLEASE'),
      'abc',
    ];
    for (const one of bad) {
      const answer = await enroll(server, token, one);
      assertRefused(answer, 400, 'COULD_NOT_PROCESS_CSR');
      assert.equal(await reasonOf(server, answer), 'enrollment-request-refused');
    }
    assertRefused(await enroll(server, token, ''), 'clientCsr');
    await enrolledDevice(server, token);
  });

  test('gets a certificate in its own name, even if it asks for another one', async () => {
    const victim = await invited(admin);
    const { id, token } = await invited(admin);
    const asVictim = await enroll(server, token, csrPem(ecKeys(), { subject: commonName(victim.id) }));
    assert.equal(certificateFacts(new X509Certificate(asVictim.json.data.cert)).commonName, id);
    const curve = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
    const keys = (await crypto.subtle.generateKey(curve, true, [
      'sign',
      'verify',
    ])) as webcrypto.CryptoKeyPair;
    const asAuthority = await asn1.Pkcs10CertificateRequestGenerator.create({
      name: 'CN=Test overlay root',
      keys,
      signingAlgorithm: curve,
      extensions: [new asn1.BasicConstraintsExtension(true, 5, true)],
    });
    const answer = await enroll(server, victim.token, asAuthority.toString('pem'));
    const facts = certificateFacts(new X509Certificate(answer.json.data.cert));
    assert.equal(facts.isCa, false);
    assert.equal(facts.commonName, victim.id);
  });

  test('sends its request in every form that existing SDKs use', async () => {
    const plain = await invited(admin);
    const ofCSdk = await server.post(`${clientApi}/enroll?method=ott&token=${plain.token}`, {
      body: csr(),
      headers: { 'content-type': 'text/plain', accept: 'application/json' },
    });
    assert.equal(ofCSdk.status, 200, ofCSdk.text);
    const inPath = await invited(admin);
    const json = { token: inPath.token, clientCsr: csr() };
    assert.equal((await server.post(`${clientApi}/enroll/ott`, { json })).status, 200);
    const byDefault = await invited(admin);
    const withoutMethod = await server.post(`${clientApi}/enroll?token=${byDefault.token}`, {
      json: { clientCsr: csr() },
    });
    assert.equal(withoutMethod.status, 200, withoutMethod.text);
  });

  test('cannot invent methods, leave the token out or send other bodies', async () => {
    assertRefused(await enrollBy(server, 'magic', 'x'), 'method');
    assertRefused(await enrollBy(server, 'ott', null), 'token');
    const form = await enrollBy(server, 'ott', 'x', { form: { clientCsr: 'y' } });
    assertRefused(form, 415, 'UNSUPPORTED_MEDIA_TYPE');
    const large = await enroll(server, 'x', 'A'.repeat(40_000));
    assertRefused(large, 413, 'REQUEST_ENTITY_TOO_LARGE');
  });
});

test('every enrollment is in the audit trail, without its token', async () => {
  const { id, token } = await invited(admin);
  await enrolledDevice(server, token);
  await enroll(server, token, csr());
  const lines = JSON.stringify(server.log.entries);
  assert.match(lines, /enrollment\.completed/);
  assert.match(lines, /enrollment\.refused/);
  assert.ok(lines.includes(id));
  assert.ok(!lines.includes(token));
});

test('a token is refused after it expires, and works again after a refresh', async () => {
  const clock = fixedClock(systemClock.now());
  await using later = await startTestServer({ signing: true, clock });
  const { token, enrollmentId, id } = await invited(await rootOf(later));
  clock.advance(3 * HOUR);
  const late = await enroll(later, token, csr());
  assertRefused(late, 400, 'ENROLLMENT_EXPIRED');
  assert.equal(await reasonOf(later, late), 'enrollment-expired');
  const root = await loggedIn(later, 'root');
  assert.equal((await root.call('POST', `enrollments/${enrollmentId}/refresh`, {})).status, 200);
  assertRefused(await enroll(later, token, csr()), 400, 'INVALID_ENROLLMENT_TOKEN');
  const { enrollment } = (await root.get(`identities/${id}`)).json.data;
  await enrolledDevice(later, enrollment.ott.token);
});
