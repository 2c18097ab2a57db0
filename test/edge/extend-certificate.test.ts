// A client replaces the certificate that it logs in with: over a connection that proves the present one, in two steps.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SECOND, systemClock } from '../../src/platform/clock.ts';
import { certificateFacts, parseCertificate, parseCertificates } from '../../src/platform/x509/x509.ts';
import {
  certificateLogin,
  enrolled,
  giveCertificate,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import { authority, client as clientCertificate, commonName, newKeys } from '../support/chains.ts';
import { csrPem, ecKeys, type KeyPair, keyPemOf } from '../support/csr.ts';
import { createIdentity, outcomesOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { refresh } from '../support/flow.ts';
import type { HttpsClient } from '../support/https-client.ts';
import { assertRefused, callerWith, loggedIn, password, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const root = '/edge/client/v1';
const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
const server = await serverOfFile({ clock, signing: true });
const admin = await rootOf(server);

let count = 0;

/** A device that has logged in with its certificate. */
async function device() {
  count += 1;
  const identityId = await createIdentity(server, `device ${count}`, { externalId: null });
  const keys = newKeys.ec();
  const leaf = await enrolled(server, identityId, { keys });
  const connection = withCertificate(server, leaf);
  const tokens = await certificateLogin(connection);
  const caller = callerWith(connection, tokens.access_token, tokens.refresh_token);
  const path = `${root}/current-identity/authenticators/${leaf.authenticatorId}`;
  return { identityId, keys, leaf, connection, caller, path, id: leaf.authenticatorId };
}

type Device = Awaited<ReturnType<typeof device>>;

async function extended({ caller, path }: Device, keys: KeyPair): Promise<string> {
  const answer = await caller.call('POST', `${path}/extend`, { clientCertCsr: csrPem(keys) });
  assert.equal(answer.status, 200, answer.text);
  return answer.json.data.clientCert;
}

/** The id of the password authenticator. */
async function passwordOf(identityId: string): Promise<string> {
  const filter = encodeURIComponent(`identityId = "${identityId}" and method = "updb"`);
  const { data } = (await admin.get(`authenticators?filter=${filter}`)).json;
  assert.equal(data.length, 1);
  return data[0].id;
}

async function logsIn(connection: HttpsClient): Promise<boolean> {
  const { status } = await submitCertificate(connection);
  assert.ok(status === 302 || status === 401);
  return status === 302;
}

describe('a certificate that is extended', () => {
  test('gets a successor of the same identity, with the authorities of the overlay', async () => {
    const { caller, path, identityId } = await device();
    const clientCertCsr = csrPem(ecKeys(), { subject: commonName('root') });
    const answer = await caller.call('POST', `${path}/extend`, { clientCertCsr });
    assert.equal(answer.status, 200, answer.text);
    const [leaf, ...above] = parseCertificates(answer.json.data.clientCert);
    assert.ok(leaf !== undefined);
    assert.equal(certificateFacts(leaf).commonName, identityId);
    assert.deepEqual(
      above.map(({ subject }) => subject),
      ['CN=Test client CA'],
    );
    assert.ok(answer.json.data.ca.includes('BEGIN CERTIFICATE'));
  });

  test('remains the one that logs in until the client confirms the successor', async () => {
    const one = await device();
    const keys = ecKeys();
    const certPem = await extended(one, keys);
    const successor = withCertificate(server, { certPem, keyPem: keyPemOf(keys) });
    assert.deepEqual([await logsIn(one.connection), await logsIn(successor)], [true, false]);
    const confirmed = await one.caller.call('POST', `${one.path}/extend-verify`, { clientCert: certPem });
    assert.deepEqual([confirmed.status, confirmed.json], [200, { data: {}, meta: {} }]);
    assert.deepEqual([await logsIn(one.connection), await logsIn(successor)], [false, true]);
    const { data } = (await admin.get(`authenticators/${one.id}`)).json;
    const leaf = parseCertificate(certPem);
    assert.deepEqual([data.certPem, data.fingerprint], [leaf.toString(), leaf.fingerprint256]);
    assert.equal(data.isIssuedByNetwork, true);
    // A session goes on with its access token; its next refresh needs a login with the successor.
    assert.equal((await one.caller.get(`${root}/current-identity`)).status, 200);
    clock.advance(3 * SECOND);
    const refused = await refresh(one.connection, one.caller.refreshToken);
    assert.equal(refused.json.error, 'invalid_grant');
    for (const each of [one.connection, successor]) each.closeConnections();
  });

  test('has one successor: the latest one issued', async () => {
    const one = await device();
    const first = await extended(one, ecKeys());
    const second = await extended(one, ecKeys());
    for (const clientCert of [first, one.leaf.certPem, 'abc', '']) {
      const refused = await one.caller.call('POST', `${one.path}/extend-verify`, { clientCert });
      assertRefused(refused, 400, 'COULD_NOT_VALIDATE', 'clientCert');
    }
    const confirm = () => one.caller.call('POST', `${one.path}/extend-verify`, { clientCert: second });
    assert.equal((await confirm()).status, 200);
    assertRefused(await confirm(), 400, 'COULD_NOT_VALIDATE', 'clientCert');
  });

  test('has to be on the connection: a token alone gets nothing', async () => {
    const one = await device();
    const body = { clientCertCsr: csrPem(ecKeys()) };
    const session = await one.connection.post(`${root}/authenticate?method=cert`, { json: {} });
    assert.equal(session.status, 200, session.text);
    const headers = { 'zt-session': session.json.data.token };
    // The token of such a session is not bound to a connection.
    const other = await device();
    for (const elsewhere of [server, other.connection]) {
      const answer = await elsewhere.post(`${one.path}/extend`, { json: body, headers });
      assertRefused(answer, 403, 'FORBIDDEN');
      assert.deepEqual(await outcomesOf(server, answer), ['refused']);
    }
    assert.equal((await one.connection.post(`${one.path}/extend`, { json: body, headers })).status, 200);
    const certificates = `${root}/current-api-session/certificates`;
    const keys = ecKeys();
    const forSession = await one.caller.call('POST', certificates, { csr: csrPem(keys) });
    const certPem: string = forSession.json.data.certificate;
    using withSession = withCertificate(server, { certPem, keyPem: keyPemOf(keys) });
    assertRefused(await withSession.post(`${one.path}/extend`, { json: body, headers }), 403, 'FORBIDDEN');
  });

  test('is the caller’s own, and a certificate', async () => {
    const [one, other] = [await device(), await device()];
    for (const step of ['extend', 'extend-verify']) {
      const body = { clientCertCsr: csrPem(ecKeys()), clientCert: other.leaf.certPem };
      for (const path of [other.path, `${root}/current-identity/authenticators/unknown`]) {
        assertRefused(await one.caller.call('POST', `${path}/${step}`, body), 404, 'NOT_FOUND');
      }
    }
    const aliceId = await server.createUser({ name: 'alice', password });
    const alice = await loggedIn(server, 'alice');
    const path = `${root}/current-identity/authenticators/${await passwordOf(aliceId)}/extend`;
    assertRefused(await alice.call('POST', path, { clientCertCsr: csrPem(ecKeys()) }), 404, 'NOT_FOUND');
  });

  test('of a third-party authority can be renewed by that authority only', async () => {
    const ca = authority();
    await registerCa(admin, ca);
    const leaf = clientCertificate({ issuer: ca });
    const id = await giveCertificate(
      server,
      await createIdentity(server, 'partner', { externalId: null }),
      leaf,
    );
    using connection = withCertificate(server, leaf);
    const caller = callerWith(connection, (await certificateLogin(connection)).access_token);
    const path = `${root}/current-identity/authenticators/${id}/extend`;
    assertRefused(await caller.call('POST', path, { clientCertCsr: csrPem(ecKeys()) }), 409, 'CONFLICT');
  });

  test('needs a valid signing request', async () => {
    const { caller, path } = await device();
    for (const csr of ['', 'abc', csrPem(ecKeys(), { signer: ecKeys() })]) {
      const answer = await caller.call('POST', `${path}/extend`, { clientCertCsr: csr });
      assertRefused(answer, 400, 'COULD_NOT_PROCESS_CSR');
    }
    const long = csrPem(ecKeys()) + '\n'.repeat(20_000);
    const refused = await caller.call('POST', `${path}/extend`, { clientCertCsr: long });
    assertRefused(refused, 400, 'COULD_NOT_VALIDATE', 'clientCertCsr');
  });
});

describe('an extension that an administrator asks for', () => {
  test('shows in the session and in the authenticator, until it is done', async () => {
    const one = await device();
    const flags = async () => {
      const { json } = await one.connection.post(`${root}/authenticate?method=cert`, { json: {} });
      const { isCertExtendable, isCertExtendRequested, isCertKeyRollRequested, token } = json.data;
      const current = await one.connection.get(`${root}/current-api-session`, {
        headers: { 'zt-session': token },
      });
      const flags = [isCertExtendable, isCertExtendRequested, isCertKeyRollRequested];
      const byToken = await one.caller.get(`${root}/current-api-session`);
      for (const {
        json: { data },
      } of [current, byToken])
        assert.deepEqual(
          [data.isCertExtendable, data.isCertExtendRequested, data.isCertKeyRollRequested],
          flags,
        );
      return flags;
    };
    assert.deepEqual(await flags(), [true, false, false]);
    const asked = await admin.call('POST', `authenticators/${one.id}/request-extend`, {});
    assert.deepEqual([asked.status, asked.json], [200, { data: {}, meta: {} }]);
    assert.deepEqual(await flags(), [true, true, false]);
    await admin.call('POST', `authenticators/${one.id}/request-extend`, { rollKeys: true });
    assert.deepEqual(await flags(), [true, true, true]);
    const { data } = (await admin.get(`authenticators/${one.id}`)).json;
    assert.deepEqual([data.isExtendRequested, data.isKeyRollRequested], [true, true]);

    const kept = { clientCertCsr: csrPem(one.keys) };
    const refused = await one.caller.call('POST', `${one.path}/extend`, kept);
    assertRefused(refused, 400, 'COULD_NOT_PROCESS_CSR');
    assert.match(refused.json.error.message, /new key/);
    const keys = ecKeys();
    const certPem = await extended(one, keys);
    await one.caller.call('POST', `${one.path}/extend-verify`, { clientCert: certPem });
    const connection = withCertificate(server, { certPem, keyPem: keyPemOf(keys) });
    const again = await connection.post(`${root}/authenticate?method=cert`, { json: {} });
    assert.equal(again.json.data.isCertExtendRequested, false);
    assert.equal(again.json.data.isCertKeyRollRequested, false);
    for (const each of [one.connection, connection]) each.closeConnections();
  });

  test('ends what the old key opened if a new one was requested, but not the session that replaces it', async () => {
    for (const rollKeys of [true, false]) {
      const one = await device();
      const other = await certificateLogin(one.connection);
      const legacy = await one.connection.post(`${root}/authenticate?method=cert`, { json: {} });
      await admin.call('POST', `authenticators/${one.id}/request-extend`, { rollKeys });
      const clientCert = await extended(one, ecKeys());
      const calls = async () => {
        const path = `${root}/current-identity`;
        const mine = await one.caller.get(path);
        const headers = { authorization: `Bearer ${other.access_token}` };
        const bearer = await one.connection.get(path, { headers });
        const session = await one.connection.get(path, { headers: { 'zt-session': legacy.json.data.token } });
        return [mine.status, bearer.status, session.status];
      };
      assert.deepEqual(await calls(), [200, 200, 200]);
      assert.equal((await one.caller.call('POST', `${one.path}/extend-verify`, { clientCert })).status, 200);
      assert.deepEqual(await calls(), rollKeys ? [200, 401, 401] : [200, 200, 200]);
      one.connection.closeConnections();
    }
  });

  test('for a new key withdraws the successor that was fetched before with the old one', async () => {
    const one = await device();
    const clientCert = await extended(one, one.keys);
    assert.equal(
      (await admin.call('POST', `authenticators/${one.id}/request-extend`, { rollKeys: true })).status,
      200,
    );
    const refused = await one.caller.call('POST', `${one.path}/extend-verify`, { clientCert });
    assertRefused(refused, 400, 'COULD_NOT_VALIDATE', 'clientCert');
    const { data } = (await admin.get(`authenticators/${one.id}`)).json;
    assert.deepEqual(
      [data.isKeyRollRequested, data.certPem],
      [true, parseCertificate(one.leaf.certPem).toString()],
    );
    const successor = withCertificate(server, { certPem: clientCert, keyPem: keyPemOf(one.keys) });
    assert.equal(await logsIn(successor), false);
    const next = await extended(one, ecKeys());
    const confirmed = await one.caller.call('POST', `${one.path}/extend-verify`, { clientCert: next });
    assert.equal(confirmed.status, 200, confirmed.text);
    for (const each of [one.connection, successor]) each.closeConnections();
  });

  test('without a new key leaves a successor that was fetched before', async () => {
    const one = await device();
    const clientCert = await extended(one, one.keys);
    await admin.call('POST', `authenticators/${one.id}/request-extend`, {});
    const confirmed = await one.caller.call('POST', `${one.path}/extend-verify`, { clientCert });
    assert.equal(confirmed.status, 200, confirmed.text);
    one.connection.closeConnections();
  });

  test('may keep the key if no new one was requested', async () => {
    const one = await device();
    await admin.call('POST', `authenticators/${one.id}/request-extend`, {});
    assert.match(await extended(one, one.keys), /BEGIN CERTIFICATE/);
  });

  test('is for administrators, and for certificates', async () => {
    const one = await device();
    const path = `/edge/management/v1/authenticators/${one.id}/request-extend`;
    assertRefused(await one.caller.call('POST', path, {}), 403, 'FORBIDDEN');
    assertRefused(await admin.call('POST', 'authenticators/unknown/request-extend', {}), 404, 'NOT_FOUND');
    const updb = await passwordOf(await server.createUser({ name: 'bob', password }));
    assertRefused(await admin.call('POST', `authenticators/${updb}/request-extend`, {}), 404, 'NOT_FOUND');
  });
});
