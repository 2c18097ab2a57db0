// Certificates that are issued for a session: how a client gets them, what they stand for, and what they do not.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR, MINUTE, SECOND, systemClock } from '../../src/platform/clock.ts';
import { certificateFacts, parseCertificate, parseCertificates } from '../../src/platform/x509/x509.ts';
import { authenticate, sessionOf } from '../legacy/support.ts';
import {
  certificateLogin,
  enrolled,
  giveCertificate,
  overlayRoot,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import {
  authority,
  client as clientCertificate,
  clientExtensions,
  commonName,
  generalName,
  subjectAltName,
} from '../support/chains.ts';
import { csrAlgorithms, csrDer, csrPem, ecKeys, type KeyPair, keyPemOf, pemOf } from '../support/csr.ts';
import { createIdentity } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, callWith, claimsOf, codeOf, login, redeem, refresh } from '../support/flow.ts';
import type { HttpsClient } from '../support/https-client.ts';
import {
  assertRefused,
  type Caller,
  callerWith,
  createdId,
  loggedIn,
  password,
} from '../support/management.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const root = '/edge/client/v1';
const path = `${root}/current-api-session/certificates`;
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await serverOfFile({ clock, signing: true });
await server.createUser({ name: 'alice', password });

let count = 0;

/** A person whose access token is bound to the certificate of an authenticator. */
async function boundSession() {
  count += 1;
  const identityId = await createIdentity(server, `device ${count}`, { externalId: null });
  const connection = withCertificate(server, await enrolled(server, identityId));
  const tokens = await certificateLogin(connection);
  const caller = callerWith(connection, tokens.access_token, tokens.refresh_token);
  return { identityId, connection, tokens, caller, id: claimsOf(tokens.access_token).z_asid as string };
}

/** Asks for a certificate of the caller's session. */
async function certified(caller: Caller, keys: KeyPair = ecKeys()) {
  const answer = await caller.call('POST', path, { csr: csrPem(keys) });
  const id = createdId(answer);
  const certPem: string = answer.json.data.certificate;
  return { id, certPem, keyPem: keyPemOf(keys), answer };
}

function assertNotBound(answer: Awaited<ReturnType<HttpsClient['get']>>): void {
  assertRefused(answer, 401, 'UNAUTHORIZED');
  assert.match(String(answer.headers['www-authenticate']), /error="invalid"/);
}

describe('a certificate of a session', () => {
  test('names its session and identity, with any request', async () => {
    const { caller, id, identityId } = await boundSession();
    const keys = ecKeys();
    const csr = csrPem(keys, { subject: commonName('root') });
    const answer = await caller.call('POST', path, { csr });
    const certificateId = createdId(answer);
    const [leaf, ...above] = parseCertificates(answer.json.data.certificate);
    assert.ok(leaf !== undefined);
    const facts = certificateFacts(leaf);
    assert.equal(facts.subject, `CN=${identityId}`);
    assert.deepEqual(facts.subjectAltNames.uris, [
      `spiffe://localhost/identity/${identityId}/apiSession/${id}/apiSessionCertificate/${certificateId}`,
    ]);
    assert.equal(facts.notAfter, clock.now() + 12 * HOUR);
    assert.deepEqual(
      above.map(({ subject }) => subject),
      ['CN=Test client CA'],
    );
    const cas = parseCertificates(answer.json.data.cas).map(({ subject }) => subject);
    assert.ok(cas.includes('CN=Test overlay root'));
    assert.equal(answer.json.data._links.self.href, `./current-api-session/certificates/${certificateId}`);
  });

  test('proves a bound access token on another connection, but opens and refreshes nothing', async () => {
    const { caller, tokens } = await boundSession();
    using connection = withCertificate(server, await certified(caller));
    assertNotBound(await callWith(server, tokens.access_token));
    for (let i = 0; i < 2; i += 1)
      assert.equal((await callWith(connection, tokens.access_token)).status, 200);
    const login = await submitCertificate(connection);
    assertRefused(login, 401, 'INVALID_AUTH');
    assert.equal((await refresh(connection, tokens.refresh_token)).json.error, 'invalid_grant');
  });

  test('is no fresh proof of who it is, which the certificate that opened the session is', async () => {
    const { caller, tokens } = await boundSession();
    using connection = withCertificate(server, await certified(caller));
    clock.advance(10 * MINUTE);
    const mfa = `${root}/current-identity/mfa`;
    const answer = await callerWith(connection, tokens.access_token).call('POST', mfa);
    assertRefused(answer, 401, 'UNAUTHORIZED');
    assert.match(String(answer.headers['www-authenticate']), /error="insufficient_user_authentication"/);
    assert.equal((await caller.call('POST', mfa)).status, 201);
  });

  test('works for its own session only, even with the key of another one', async () => {
    const one = await boundSession();
    const again = await certificateLogin(one.connection);
    const other = await boundSession();
    const keys = ecKeys();
    using connection = withCertificate(server, await certified(one.caller, keys));
    await certified(other.caller, keys);
    // First one that is not known yet, then one that is.
    for (let i = 0; i < 2; i += 1) {
      assertNotBound(await callWith(connection, again.access_token));
      assertNotBound(await callWith(connection, other.tokens.access_token));
      assert.equal((await callWith(connection, one.tokens.access_token)).status, 200);
    }
  });

  test("that an attacker made with the session's name, under an authority of the overlay, does not work", async () => {
    const { tokens, id, identityId } = await boundSession();
    const uri = `spiffe://localhost/identity/${identityId}/apiSession/${id}/apiSessionCertificate/x`;
    const extensions = clientExtensions(subjectAltName(generalName.uri(uri)));
    const forged = clientCertificate({ issuer: await overlayRoot() }, extensions);
    using connection = withCertificate(server, forged);
    assertNotBound(await callWith(connection, tokens.access_token));
  });

  test('ends at its time', async () => {
    const { caller, connection } = await boundSession();
    let token = caller.refreshToken;
    const other = withCertificate(server, await certified(caller));
    assert.equal((await callWith(other, caller.accessToken)).status, 200);
    clock.advance(12 * HOUR - MINUTE);
    const before = (await refresh(connection, token)).json;
    token = before.refresh_token;
    assert.equal((await callWith(other, before.access_token)).status, 200);
    clock.advance(MINUTE);
    const later = (await refresh(connection, token)).json;
    assert.equal((await callWith(connection, later.access_token)).status, 200);
    assertNotBound(await callWith(other, later.access_token));
    assert.deepEqual((await callWith(connection, later.access_token, path)).json.data, []);
    for (const each of [connection, other]) each.closeConnections();
  });

  test('ends when it is revoked, and when its session ends', async () => {
    const { caller, tokens } = await boundSession();
    const revoked = await certified(caller);
    const kept = await certified(caller);
    const [one, two] = [withCertificate(server, revoked), withCertificate(server, kept)];
    for (const each of [one, two]) assert.equal((await callWith(each, tokens.access_token)).status, 200);
    assert.equal((await caller.call('DELETE', `${path}/${revoked.id}`)).status, 200);
    assertNotBound(await callWith(one, tokens.access_token));
    assertRefused(await caller.call('DELETE', `${path}/${revoked.id}`), 404, 'NOT_FOUND');
    assert.equal((await callWith(two, tokens.access_token)).status, 200);
    assert.equal((await caller.call('DELETE', `${root}/current-api-session`)).status, 200);
    assertNotBound(await callWith(two, tokens.access_token));
    for (const each of [one, two]) each.closeConnections();
  });

  test('ends when it is revoked at a moment after which everything is read again', async () => {
    const { caller, tokens } = await boundSession();
    const revoked = await certified(caller);
    using connection = withCertificate(server, revoked);
    assert.equal((await callWith(connection, tokens.access_token)).status, 200);
    // Memory that was read by a clock that was ahead is not trusted; later changes are not read one by one.
    clock.set(clock.now() - 3 * SECOND);
    assert.equal((await caller.call('DELETE', `${path}/${revoked.id}`)).status, 200);
    assertNotBound(await callWith(connection, tokens.access_token));
    clock.advance(3 * SECOND);
    assertNotBound(await callWith(connection, tokens.access_token));
  });

  test('ends with the trust in the authority that signed it', async () => {
    // The authorities are replaced in the thread of the test only.
    await using own = await startTestServer({ clock, signing: true, threads: 1 });
    const identityId = await createIdentity(own, 'device', { externalId: null });
    const connection = withCertificate(own, await enrolled(own, identityId));
    const tokens = await certificateLogin(connection);
    const other = withCertificate(own, await certified(callerWith(connection, tokens.access_token)));
    assert.equal((await callWith(other, tokens.access_token)).status, 200);
    own.controller.services.replaceOwnAuthorities([]);
    assertNotBound(await callWith(other, tokens.access_token));
    for (const each of [connection, other]) each.closeConnections();
  });

  test('is one of at most eight: the oldest is revoked', async () => {
    const { caller, tokens } = await boundSession();
    const first = await certified(caller);
    using connection = withCertificate(server, first);
    assert.equal((await callWith(connection, tokens.access_token)).status, 200);
    for (let i = 0; i < 8; i += 1) await certified(caller);
    assertNotBound(await callWith(connection, tokens.access_token));
    const listed = (await caller.get(path)).json;
    assert.equal(listed.data.length, 8);
    assert.equal(listed.meta.pagination.totalCount, 8);
  });

  test('is seen by its own session only', async () => {
    const { caller } = await boundSession();
    const other = await boundSession();
    const { id, certPem } = await certified(caller);
    const { data } = (await caller.get(`${path}/${id}`)).json;
    const leaf = parseCertificate(certPem);
    assert.equal(data.certificate, leaf.toString());
    assert.equal(data.fingerprint, leaf.fingerprint256);
    assert.deepEqual((await caller.get(path)).json.data, [data]);
    for (const method of ['GET', 'DELETE'])
      assertRefused(await other.caller.call(method, `${path}/${id}`), 404, 'NOT_FOUND');
    assert.deepEqual((await other.caller.get(path)).json.data, []);
  });

  test('is given to a session of the zt-session header too', async () => {
    const session = sessionOf(server, await authenticate(server, 'alice'));
    const answer = await session.post('current-api-session/certificates', { csr: csrPem(ecKeys()) });
    const id = createdId(answer);
    const [uri] = certificateFacts(parseCertificate(answer.json.data.certificate)).subjectAltNames.uris;
    assert.match(uri ?? '', new RegExp(`/apiSession/${session.id}/`));
    assert.equal((await session.call('DELETE', `current-api-session/certificates/${id}`)).status, 200);
  });
});

describe('a certificate signing request', () => {
  test('that is invalid is refused, with the reason', async () => {
    const alice = await loggedIn(server, 'alice');
    const hostile = [
      '',
      'abc',
      csrPem(ecKeys(), { signer: ecKeys() }),
      csrPem(ecKeys()) + csrPem(ecKeys()),
      pemOf(csrDer(ecKeys(), csrAlgorithms.sha1Ec, 'sha1')),
      csrPem(ecKeys('secp256k1')),
    ];
    for (const csr of hostile) {
      const answer = await alice.call('POST', path, { csr });
      assertRefused(answer, 400, 'COULD_NOT_PROCESS_CSR');
      assert.match(answer.json.error.message, /request cannot be processed: ./);
    }
    const long = csrPem(ecKeys()) + '\n'.repeat(20_000);
    assertRefused(await alice.call('POST', path, { csr: long }), 400, 'COULD_NOT_VALIDATE', 'csr');
    assertRefused(await alice.call('POST', path, {}), 400, 'COULD_NOT_VALIDATE', 'csr');
    assertRefused(await server.post(path, { json: { csr: csrPem(ecKeys()) } }), 401, 'UNAUTHORIZED');
  });

  test('is refused where nothing signs certificates', async () => {
    await using own = await startTestServer({ clock });
    await own.createUser({ name: 'alice', password });
    const alice = await loggedIn(own, 'alice');
    const answer = await alice.call('POST', path, { csr: csrPem(ecKeys()) });
    assertRefused(answer, 400, 'COULD_NOT_PROCESS_CSR');
    assert.equal(answer.json.error.message, 'This service issues no client certificates');
  });
});

describe('csrPem at login', () => {
  const keys = ecKeys();

  test('brings a certificate of the session with the tokens, by JSON and by form', async () => {
    for (const form of [false, true]) {
      const fields = {
        authRequestId: await beginLogin(server),
        username: 'alice',
        password,
        csrPem: csrPem(keys),
      };
      const answer = await server.post('/oidc/login/username', form ? { form: fields } : { json: fields });
      assert.equal(answer.status, 302, answer.text);
      const tokens = (await redeem(server, codeOf(answer))).json;
      const claims = claimsOf(tokens.access_token);
      assert.equal(claims.cnf, undefined);
      const [leaf, ...above] = parseCertificates(tokens.session_cert);
      assert.equal(above.length, 1);
      assert.ok(leaf !== undefined);
      const facts = certificateFacts(leaf);
      assert.equal(facts.commonName, claims.sub);
      assert.ok(facts.subjectAltNames.uris[0]?.includes(`/apiSession/${claims.z_asid}/`));
      const listed = (await callWith(server, tokens.access_token, path)).json.data;
      assert.deepEqual(
        listed.map(({ certificate }: { certificate: string }) => certificate),
        [leaf.toString()],
      );
    }
    assert.equal('session_cert' in (await login(server, 'alice', password)), false);
  });

  test('by certificate gives one that proves the tokens on another connection', async () => {
    const { connection } = await boundSession();
    const json = { authRequestId: await beginLogin(connection), csrPem: csrPem(keys) };
    const code = codeOf(await connection.post('/oidc/login/cert', { json }));
    const tokens = (await redeem(connection, code)).json;
    const other = withCertificate(server, { certPem: tokens.session_cert, keyPem: keyPemOf(keys) });
    assert.equal((await callWith(other, tokens.access_token)).status, 200);
    for (const each of [connection, other]) each.closeConnections();
  });

  test('that is invalid is refused once the password is right, and no sooner', async () => {
    const authRequestId = await beginLogin(server);
    for (const bad of ['abc', csrPem(keys, { signer: ecKeys() })]) {
      const submit = (secret: string) =>
        server.post('/oidc/login/username', {
          json: { authRequestId, username: 'alice', password: secret, csrPem: bad },
        });
      assertRefused(await submit('wrong'), 401, 'INVALID_AUTH');
      assertRefused(await submit(password), 400, 'COULD_NOT_PROCESS_CSR');
    }
  });
});

describe('csr_pem at a refresh', () => {
  const keys = ecKeys();

  test('brings a new certificate of the session with the tokens', async () => {
    const { connection, tokens, id } = await boundSession();
    clock.advance(3 * SECOND);
    const answer = await refresh(connection, tokens.refresh_token, { csr_pem: csrPem(keys) });
    assert.equal(answer.status, 200, answer.text);
    const [uri] = certificateFacts(parseCertificate(answer.json.session_cert)).subjectAltNames.uris;
    assert.match(uri ?? '', new RegExp(`/apiSession/${id}/`));
    const other = withCertificate(server, { certPem: answer.json.session_cert, keyPem: keyPemOf(keys) });
    assert.equal((await callWith(other, answer.json.access_token)).status, 200);
    for (const each of [connection, other]) each.closeConnections();
  });

  test('that is invalid uses nothing up', async () => {
    const { refresh_token: token } = await login(server, 'alice', password);
    const bad = await refresh(server, token, { csr_pem: 'abc' });
    assert.deepEqual([bad.status, bad.json.error], [400, 'invalid_request']);
    assert.match(bad.json.error_description, /not one certificate request/);
    assert.equal((await refresh(server, token)).status, 200);
  });
});

describe('z_ice', () => {
  test('is true for a session that a certificate of the overlay opened, where there is an authority', async () => {
    const { tokens, connection } = await boundSession();
    assert.equal(claimsOf(tokens.access_token).z_ice, true);
    clock.advance(3 * SECOND);
    const refreshed = await refresh(connection, tokens.refresh_token);
    assert.equal(claimsOf(refreshed.json.access_token).z_ice, true);
    assert.equal(claimsOf((await login(server, 'alice', password)).access_token).z_ice, false);
    connection.closeConnections();
  });

  test('is false for a certificate of a third-party authority', async () => {
    await server.createUser({ name: 'root', password, isAdmin: true });
    const ca = authority();
    await registerCa(await loggedIn(server, 'root'), ca);
    const leaf = clientCertificate({ issuer: ca });
    await giveCertificate(server, await createIdentity(server, 'elsewhere', { externalId: null }), leaf);
    using connection = withCertificate(server, leaf);
    assert.equal(claimsOf((await certificateLogin(connection)).access_token).z_ice, false);
  });
});
