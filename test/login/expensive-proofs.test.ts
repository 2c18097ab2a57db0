// What a stranger can make this service compute with certificates, signing requests and tokens: counted, not timed.

import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { after, beforeEach, describe, test } from 'node:test';
import { MINUTE, systemClock } from '../../src/platform/clock.ts';
import { readPathCertificate } from '../../src/platform/x509/path-certificate.ts';
import { validateClientPath } from '../../src/platform/x509/path-validation.ts';
import {
  enrolled,
  overlayRoot,
  registerCa,
  submitCertificate,
  withCertificate,
} from '../support/certificates.ts';
import { authority, client, commonName, type Made, newKeys } from '../support/chains.ts';
import { signatureChecks } from '../support/counted-crypto.ts';
import { csrPem, ecKeys } from '../support/csr.ts';
import { clientApi } from '../support/enrollment.ts';
import {
  bearer,
  createIdentity,
  createSigner,
  reasonOf,
  submitJwt,
  tokenOf,
} from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { beginLogin, login, refresh, submitPassword } from '../support/flow.ts';
import type { Answer, HttpsClient } from '../support/https-client.ts';
import { loggedIn, password, rootOf } from '../support/management.ts';
import { afterPassword, passkeyPolicy, personWithPasskey, question, submit } from '../support/passkeys.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock(Math.floor(systemClock.now() / 1000) * 1000);
// Counts the signatures of the test's own thread.
const server = await serverOfFile({ clock, signing: true, threads: 1 });
const idp = await startTestIdp();
await createSigner(await rootOf(server), idp, 'idp', { enrollToTokenEnabled: true });
after(() => idp.close());
// Forget what an earlier test counted against 127.0.0.1.
beforeEach(() => clock.advance(31 * MINUTE));

/** The most that one search for a certification path may cost. */
const mostChecks = 12;

/** An RSA key with another exponent. */
function withExponent(hex: string) {
  const { publicKey, privateKey } = newKeys.rsa();
  const e = Buffer.from(hex, 'hex').toString('base64url');
  const jwk = { ...publicKey.export({ format: 'jwk' }), e };
  return { publicKey: createPublicKey({ key: jwk, format: 'jwk' }), privateKey };
}

function judged(leaf: Made, sent: readonly Made[], anchor: Made) {
  const checks = signatureChecks();
  const verdict = validateClientPath({
    leaf: leaf.der,
    intermediates: sent.map(({ der }) => der),
    anchors: [readPathCertificate(anchor.der)],
    barred: [],
    now: systemClock.now(),
    allowExpired: false,
  });
  const reason = verdict.verdict === 'trusted' ? 'trusted' : verdict.refusal.reason;
  return { reason, checks: checks() };
}

/** Seven authorities with one name and one key: each could have issued each. */
function mesh(keys: ReturnType<typeof newKeys.ec>): { readonly leaf: Made; readonly sent: readonly Made[] } {
  const name = commonName('mesh');
  const sent = Array.from({ length: 7 }, () => authority({ subject: name, keys, issuer: { name, keys } }));
  return { leaf: client({ issuer: { name, keys } }), sent };
}

describe('a path', () => {
  const root = authority({ subject: 'root' });

  test('is not followed through an RSA key with an exponent of 2^32 or more', () => {
    for (const [exponent, reason, most] of [
      ['0100000001', 'key-not-accepted', 0],
      [`01${'00'.repeat(254)}01`, 'key-not-accepted', 0],
      ['ffffffff', 'bad-signature', 1],
    ] as const) {
      const keys = withExponent(exponent);
      const between = authority({ subject: 'between', keys, issuer: root });
      const found = judged(client({ issuer: between }), [between], root);
      assert.deepEqual(found, { reason, checks: most }, exponent.slice(0, 20));
    }
  });

  test('is given up after a dozen signatures', () => {
    for (const keys of [newKeys.ec(), newKeys.ec('P-521'), newKeys.rsa()]) {
      const { leaf, sent } = mesh(keys);
      const found = judged(leaf, sent, root);
      assert.equal(found.reason, 'too-much-work');
      assert.ok(found.checks <= mostChecks, `${found.checks} signatures`);
    }
  });

  test('of eight certificates is within that limit', () => {
    const chain = [root];
    for (let depth = 0; depth < 7; depth += 1) {
      const issuer = chain.at(-1);
      assert.ok(issuer);
      chain.push(authority({ subject: `depth ${depth}`, issuer }));
    }
    const [anchor, ...sent] = chain;
    const issuer = sent.at(-1);
    assert.ok(anchor && issuer);
    assert.deepEqual(judged(client({ issuer }), sent, anchor), { reason: 'trusted', checks: 8 });
  });
});

describe('a refused chain', () => {
  test('is not judged again on its connection, until authorities change or a minute is over', async () => {
    const other = authority({ subject: 'another root' });
    const between = authority({ subject: 'between', issuer: other });
    const leaf = client({ issuer: between });
    using connection = withCertificate(server, leaf, between);
    const spent = async () => {
      const authRequestId = await beginLogin(connection);
      const checks = signatureChecks();
      const answer = await connection.post('/oidc/login/cert', { json: { authRequestId } });
      assert.equal(await reasonOf(server, answer), 'untrusted-chain');
      return checks();
    };
    assert.equal(await spent(), 1);
    for (let again = 0; again < 3; again += 1) assert.equal(await spent(), 0);
    clock.advance(MINUTE);
    assert.equal(await spent(), 1);
    assert.equal(await spent(), 0);
    await registerCa(await loggedIn(server, 'root'), other);
    // The authority is trusted now, but the certificate belongs to no identity.
    const known = await submitCertificate(connection);
    assert.equal(await reasonOf(server, known), 'unknown-thumbprint');
  });

  test('is remembered for enrollments too', async () => {
    const leaf = client({ issuer: authority({ subject: 'Test overlay root' }) });
    using connection = withCertificate(server, leaf);
    const spent = async () => {
      const checks = signatureChecks();
      const answer = await connection.post(`${clientApi}/enroll/ca`, { json: {} });
      assert.equal(answer.status, 400, answer.text);
      return checks();
    };
    assert.equal(await spent(), 1);
    assert.equal(await spent(), 0);
  });
});

describe('the source of refused proofs', () => {
  /** This many are refused; after that, everything from the address is told to wait, at no cost. */
  async function assertThrottled(refuse: () => Promise<Answer>, status: number): Promise<void> {
    for (let round = 0; round < 30; round += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, refuse));
      for (const answer of answers) assert.equal(answer.status, status, answer.text);
    }
    const checks = signatureChecks();
    const late = await refuse();
    assert.equal(late.status, 429, late.text);
    assert.equal(late.headers['retry-after'], '60');
    assert.equal(checks(), 0);
    const id = await beginLogin(server);
    assert.equal(
      (await submitPassword(server, id, 'root', password)).status,
      429,
      'one counter for all methods',
    );
  }

  async function withStranger(run: (connection: HttpsClient) => Promise<void>): Promise<void> {
    using connection = withCertificate(server, client({ issuer: authority() }));
    await run(connection);
  }

  test('is throttled for certificates', () =>
    withStranger((connection) => assertThrottled(() => submitCertificate(connection), 401)));

  test('is throttled for certificates with the legacy mechanism', () =>
    withStranger((connection) =>
      assertThrottled(() => connection.post(`${clientApi}/authenticate?method=cert`, { json: {} }), 401),
    ));

  test('is throttled for external JWTs', async () => {
    const forged = `${(await tokenOf(server, idp, 'ana@idp')).slice(0, -8)}AAAAAAAA`;
    await assertThrottled(() => submitJwt(server, forged), 401);
  });

  for (const [step, status] of [
    ['first', 401],
    ['second', 400],
  ] as const) {
    test(`is throttled for passkeys as the ${step} proof`, async () => {
      const pat = await personWithPasskey(server);
      const authPolicyId = await passkeyPolicy(server, { requirePasskey: step === 'second' });
      await server.store.identities.update(pat.id, { authPolicyId }, clock.now());
      const id = step === 'first' ? await beginLogin(server) : await afterPassword(server, pat);
      const asked = await question(server, id);
      const right = pat.authenticator.get(asked);
      const wrong = pat.authenticator.get(asked, { isVerified: false });
      await assertThrottled(() => submit(server, id, wrong), status);
      assert.equal((await submit(server, id, right)).status, 429, 'the right one has to wait, too');
      clock.advance(MINUTE);
      assert.equal((await submit(server, id, pat.authenticator.get(asked))).status, 302);
    });
  }

  test('is throttled for enrollments by certificate', () =>
    withStranger((connection) =>
      assertThrottled(() => connection.post(`${clientApi}/enroll/ca`, { json: {} }), 400),
    ));

  test('is throttled for enrollments by external JWT', async () => {
    const headers = bearer(await tokenOf(server, idp, 'ana@idp', { aud: 'another' }));
    await assertThrottled(() => server.post(`${clientApi}/enroll/token`, { json: {}, headers }), 401);
  });

  test('does not count if nothing was presented, or for valid proofs', async () => {
    const leaf = await enrolled(server, await createIdentity(server, 'dev'), { issuer: await overlayRoot() });
    using connection = withCertificate(server, leaf);
    for (let round = 0; round < 31; round += 1) {
      await Promise.all(Array.from({ length: 10 }, () => submitCertificate(server)));
      await Promise.all(Array.from({ length: 10 }, () => submitJwt(server)));
      assert.equal((await submitCertificate(connection)).status, 302);
    }
  });
});

describe('a certificate signing request', () => {
  const bad = csrPem(ecKeys(), { signer: ecKeys() });

  test('is not read before the credentials were accepted', async () => {
    const authRequestId = await beginLogin(server);
    const submit = (secret: string) =>
      server.post('/oidc/login/username', {
        json: { authRequestId, username: 'root', password: secret, csrPem: bad },
      });
    const checks = signatureChecks();
    const wrong = await submit('wrong');
    assert.deepEqual([wrong.status, wrong.json.error.code, checks()], [401, 'INVALID_AUTH', 0]);
    const right = await submit(password);
    assert.deepEqual([right.status, right.json.error.code], [400, 'COULD_NOT_PROCESS_CSR']);
    assert.ok(checks() > 0);
    // Nothing of the refused login remains.
    const queries = await server.get(`/oidc/login/auth-queries?id=${authRequestId}`);
    assert.equal(queries.status, 400, queries.text);
    assert.equal((await submitPassword(server, authRequestId, 'root', password)).status, 302);
  });

  test('is not read before the refresh token is known to be ours, and uses nothing up', async () => {
    const tokens = await login(server, 'root', password);
    const [id, generation, random] = tokens.refresh_token.split('.');
    const checks = signatureChecks();
    for (const text of ['abc', `${tokens.refresh_token.slice(0, -2)}xx`, `${id}.${generation}.${random}`]) {
      const refused = await refresh(server, text, { csr_pem: bad });
      assert.deepEqual([refused.status, refused.json.error, checks()], [400, 'invalid_grant', 0]);
    }
    const refused = await refresh(server, tokens.refresh_token, { csr_pem: bad });
    assert.equal(refused.status, 400);
    assert.notEqual(refused.json.error, 'invalid_grant');
    assert.equal((await refresh(server, tokens.refresh_token)).status, 200);
  });

  test('is not read before the enrollment token was accepted', async () => {
    const checks = signatureChecks();
    const send = (method: string, headers = {}) =>
      server.post(`${clientApi}/enroll/${method}`, { json: { token: 'made-up', clientCsr: bad }, headers });
    assert.equal((await send('ott')).json.error.code, 'INVALID_ENROLLMENT_TOKEN');
    assert.equal(checks(), 0);
    assert.equal((await send('token', bearer('a.b.c'))).json.error.code, 'INVALID_AUTH');
    assert.equal(checks(), 0);
  });
});
