import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  certificateLogin,
  enrolled,
  overlayRoot,
  registerCa,
  withCertificate,
} from '../support/certificates.ts';
import { authority, client, clientExtensions, extendedKeyUsage, type Made } from '../support/chains.ts';
import { clientApi, enrollBy, invited, uniqueName } from '../support/enrollment.ts';
import { createIdentity, reasonOf } from '../support/external-jwt.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { assertRefused, rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const ca = authority({ subject: 'Makers' });
const other = authority({ subject: 'Others' });
const server = await serverOfFile();
const admin = await rootOf(server);
const more = { isOttCaEnrollmentEnabled: true, identityRoles: ['made'] };
const caId = await registerCa(admin, ca, { name: 'Makers', isAutoCaEnrollmentEnabled: true, ...more });
const otherId = await registerCa(admin, other, { name: 'Others', isOttCaEnrollmentEnabled: true });

async function over(leaf: Made, call: (client: HttpsClient) => Promise<Answer>): Promise<Answer> {
  using connection = withCertificate(server, leaf);
  return await call(connection);
}

const ottca = (leaf: Made, token: string) =>
  over(leaf, (connection) =>
    enrollBy(connection, 'ottca', token, { body: '', headers: { 'content-type': 'text/plain' } }),
  );
const byCa = (leaf: Made, json?: object) =>
  over(leaf, (connection) =>
    json === undefined ? enrollBy(connection, 'ca', null) : enrollBy(connection, 'ca', null, { json }),
  );

async function logsInAs(leaf: Made): Promise<string> {
  using connection = withCertificate(server, leaf);
  assert.equal(typeof (await certificateLogin(connection)).access_token, 'string');
  const legacy = await connection.post(`${clientApi}/authenticate?method=cert`, { json: {} });
  return legacy.json.data.identity.id;
}

describe('an enrollment with a token and a certificate of a third-party CA', () => {
  test('gives the identity the certificate of the connection', async () => {
    const { id, token } = await invited(admin, { ottca: caId });
    const leaf = client({ issuer: ca, subject: 'device one' });
    const answer = await ottca(leaf, token);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(await logsInAs(leaf), id);
    assertRefused(await ottca(client({ issuer: ca }), token), 400, 'INVALID_ENROLLMENT_TOKEN');
  });

  test('works for each of two CAs with one key, by the rules of that of the token', async () => {
    const old = authority({ subject: 'Renewed' });
    const renewed = authority({ subject: 'Renewed', keys: old.keys });
    const may = { isOttCaEnrollmentEnabled: true };
    const ids = [await registerCa(admin, old, may), await registerCa(admin, renewed, may)];
    const tokens = [await invited(admin, { ottca: ids[0] }), await invited(admin, { ottca: ids[1] })];
    for (const { id, token } of tokens) {
      const leaf = client({ issuer: old });
      const answer = await ottca(leaf, token);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(await logsInAs(leaf), id);
    }
    for (const id of ids) {
      const { token } = await invited(admin, { ottca: id });
      const path = `cas/${id}`;
      assert.equal((await admin.call('PATCH', path, { isOttCaEnrollmentEnabled: false })).status, 200);
      assertRefused(await ottca(client({ issuer: old }), token), 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
      assert.equal((await admin.call('PATCH', path, may)).status, 200);
    }
    const namesake = authority({ subject: 'Renewed' });
    await registerCa(admin, namesake, may);
    const { token } = await invited(admin, { ottca: ids[0] });
    assertRefused(await ottca(client({ issuer: namesake }), token), 400, 'INVALID_CERT_PEM');
  });

  test('is refused when a page of another site sends it with the certificate of its visitor', async () => {
    const { token } = await invited(admin, { ottca: caId });
    const leaf = client({ issuer: ca });
    const headers = { 'content-type': 'text/plain' };
    for (const page of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
      { origin: 'null', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ]) {
      const answer = await over(leaf, (connection) =>
        enrollBy(connection, 'ottca', token, { body: '', headers: { ...headers, ...page } }),
      );
      assertRefused(answer, 403, 'FORBIDDEN');
    }
    assert.equal((await ottca(leaf, token)).status, 200, 'the token is unused, the certificate nobody has');
  });

  test('is refused without a certificate, or with one that this CA did not issue', async () => {
    const { token } = await invited(admin, { ottca: caId });
    const without = await enrollBy(server, 'ottca', token);
    assertRefused(without, 400, 'INVALID_CERT_PEM');
    assert.equal(await reasonOf(server, without), 'no-certificate');
    const cases: readonly (readonly [Made, string])[] = [
      [client({ issuer: other }), 'enrollment-other-ca'],
      [client({ issuer: await overlayRoot() }), 'enrollment-other-ca'],
      [client({ issuer: authority() }), 'untrusted-chain'],
      [client({ issuer: ca, from: -2000, until: -1000 }), 'certificate-expired'],
      [
        client({ issuer: ca }, clientExtensions().with(-1, extendedKeyUsage('1.3.6.1.5.5.7.3.1'))),
        'certificate-usage',
      ],
    ];
    for (const [leaf, reason] of cases) {
      const answer = await ottca(leaf, token);
      assertRefused(answer, 400, 'INVALID_CERT_PEM');
      assert.equal(await reasonOf(server, answer), reason);
    }
    assert.equal((await ottca(client({ issuer: ca }), token)).status, 200);
  });

  test('is refused when the CA no longer allows it', async () => {
    const { token } = await invited(admin, { ottca: otherId });
    await admin.call('PATCH', `cas/${otherId}`, { isOttCaEnrollmentEnabled: false });
    const answer = await ottca(client({ issuer: other }), token);
    assertRefused(answer, 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
    await admin.call('PATCH', `cas/${otherId}`, { isOttCaEnrollmentEnabled: true });
  });

  test('is refused with a certificate that another identity already has', async () => {
    const owner = await createIdentity(server, uniqueName());
    const leaf = await enrolled(server, owner, { issuer: ca });
    const { token } = await invited(admin, { ottca: caId });
    assertRefused(await ottca(leaf, token), 409, 'CONFLICT');
    assert.equal(await logsInAs(leaf), owner);
  });
});

describe('an enrollment by CA alone', () => {
  test('makes an identity as the CA says', async () => {
    const leaf = client({ issuer: ca, subject: 'drill 7' });
    const answer = await byCa(leaf);
    assert.equal(answer.status, 200, answer.text);
    const id = await logsInAs(leaf);
    const document = (await admin.get(`identities/${id}`)).json.data;
    assert.equal(document.name, 'Makers-drill 7');
    assert.deepEqual(document.roleAttributes, ['made']);
    assert.equal(document.isAdmin, false);
    assertRefused(await byCa(leaf), 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
  });

  test('names it by the format of the CA, and takes its external id', async () => {
    const own = authority();
    const externalIdClaim = {
      location: 'COMMON_NAME',
      matcher: 'ALL',
      matcherCriteria: '',
      parser: 'NONE',
      parserCriteria: '',
      index: 0,
    };
    await registerCa(admin, own, {
      name: 'Own',
      isAutoCaEnrollmentEnabled: true,
      identityNameFormat: '[requestedName] of [caName] [nothing]',
      externalIdClaim,
    });
    const leaf = client({ issuer: own, subject: '[caName] 8' });
    assert.equal((await byCa(leaf, { name: 'saw' })).status, 200);
    const document = (await admin.get(`identities/${await logsInAs(leaf)}`)).json.data;
    assert.equal(document.name, 'saw of Own [nothing]');
    assert.equal(document.externalId, '[caName] 8');
    const renewed = await byCa(client({ issuer: own, subject: '[caName] 8' }), { name: 'another' });
    assertRefused(renewed, 409, 'CONFLICT');
  });

  test('is refused where the CA does not allow it, and creates nothing', async () => {
    const before = (await admin.get('identities?limit=1')).json.meta.pagination.totalCount;
    const answer = await byCa(client({ issuer: other, subject: 'stranger' }));
    assertRefused(answer, 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
    assert.equal(await reasonOf(server, answer), 'enrollment-not-allowed');
    assertRefused(await byCa(client({ issuer: await overlayRoot() })), 400, 'INVALID_CERT_PEM');
    assertRefused(await enrollBy(server, 'ca', null), 400, 'INVALID_CERT_PEM');
    const now = (await admin.get('identities?limit=1')).json.meta.pagination.totalCount;
    assert.equal(now, before);
  });
});
