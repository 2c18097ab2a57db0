// Whole enrollments, with the requests of existing clients in their order and form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateLogin } from '../support/certificates.ts';
import { csrPem, ecKeys, keyPemOf } from '../support/csr.ts';
import { clientApi, invited, presentedLeaf, verifiedClaims } from '../support/enrollment.ts';
import { claimsOf } from '../support/flow.ts';
import { httpsClient } from '../support/https-client.ts';
import { rootOf } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile({ signing: true });
const admin = await rootOf(server);

/** From then on, a device trusts only the authorities in the answer of its enrollment. */
async function logsIn(id: string, ca: string, cert: string, key: string): Promise<void> {
  using device = httpsClient(server.url, ca, { cert, key, maxSockets: 1 });
  const tokens = await certificateLogin(device);
  assert.equal(claimsOf(tokens.access_token).sub, id);
  const legacy = await device.post(`${clientApi}/authenticate?method=cert`, { json: {} });
  assert.equal(legacy.status, 200, legacy.text);
  assert.equal(legacy.json.data.identity.id, id);
}

test('the Go SDK: the key of the server verifies the JWT, its leaf alone is trusted until the CA list is there', async () => {
  const { id, jwt } = await invited(admin);
  const claims = await verifiedClaims(claimsOf(jwt).iss, jwt);
  const leaf = await presentedLeaf(claims.iss);
  const pinned = httpsClient(claims.iss, leaf.toString(), { allowPartialTrustChain: true });
  // Any status will do; it is the handshake that counts.
  assert.equal(typeof (await pinned.get('/')).status, 'number');
  const list = await pinned.get(`${clientApi}/.well-known/est/cacerts`);
  assert.equal(list.status, 200);
  assert.equal(list.headers['content-type'], 'application/pkcs7-mime');

  const keys = ecKeys();
  const answer = await pinned.post(`${clientApi}/enroll?method=${claims.em}&token=${claims.jti}`, {
    body: csrPem(keys),
    headers: { 'content-type': 'application/x-pem-file' },
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['content-type'], 'application/json');
  const { ca, cert } = answer.json.data;
  pinned.closeConnections();
  await logsIn(id, ca, cert, keyPemOf(keys));
});

test('the C SDK: text, asking for JSON, and for a PKCS #7 without prefix', async () => {
  const { id, jwt } = await invited(admin);
  const { jti } = await verifiedClaims(server.url, jwt);
  const list = await server.get('/.well-known/est/cacerts', {
    headers: { accept: 'application/pkcs7-mime' },
  });
  assert.equal(list.status, 200);
  const keys = ecKeys();
  const answer = await server.post(`${clientApi}/enroll?method=ott&token=${jti}`, {
    body: csrPem(keys),
    headers: { 'content-type': 'text/plain', accept: 'application/json' },
  });
  assert.equal(answer.status, 200, answer.text);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  await logsIn(id, answer.json.data.ca, answer.json.data.cert, keyPemOf(keys));
});

test('the command line of such controllers: created in two calls, enrolled with nothing but the file', async () => {
  const created = await admin.call('POST', 'identities', {
    name: 'two calls',
    type: 'Device',
    isAdmin: false,
    roleAttributes: null,
    externalId: null,
    authPolicyId: null,
    enrollment: { ott: true },
    tags: null,
  });
  assert.equal(created.status, 201, created.text);
  const { id } = created.json.data;
  const { jwt, expiresAt, token } = (await admin.get(`identities/${id}`)).json.data.enrollment.ott;
  const { exp, jti } = await verifiedClaims(server.url, jwt);
  assert.equal(jti, token);
  assert.equal(exp, Math.floor(Date.parse(expiresAt) / 1000));
  const keys = ecKeys();
  const answer = await server.post(`${clientApi}/enroll?method=ott&token=${jti}`, {
    body: csrPem(keys),
    headers: { 'content-type': 'application/x-pem-file', accept: '*/*' },
  });
  await logsIn(id, answer.json.data.ca, answer.json.data.cert, keyPemOf(keys));
});
