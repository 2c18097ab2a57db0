// Every credential of a database that a real controller wrote, tried through the front door after the import: what was
// accepted there is accepted here, what was refused there is refused here.

import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { exportJWK, SignJWT } from 'jose';
import { SECOND } from '../../src/platform/clock.ts';
import { decodeBase32, timeStepAt, totpCode } from '../../src/platform/secrets/totp-code.ts';
import { childrenOf, derTag, elementsOf, readDer } from '../../src/platform/x509/der.ts';
import { client as clientCertificate } from '../support/chains.ts';
import { csrPem, ecKeys } from '../support/csr.ts';
import { beginLogin, callWith, claimsOf, codeOf, login, redeem, submitPassword } from '../support/flow.ts';
import { type Answer, type HttpsClient, type HttpsConnection, httpsClient } from '../support/https-client.ts';
import { userNamed } from '../support/names.ts';
import { submitCode } from '../support/totp.ts';
import {
  database,
  type ExpectedIdentity,
  type ExpectedJwt,
  expected,
  freshHome,
  type Home,
  keyFile,
  type Running,
  validWhenTaken,
} from './support.ts';

/** Whether what happens between `before` and `after` of node:test is one server. */
interface Stage {
  readonly running: Running;
  end(): Promise<void>;
}

async function stage(home: Home): Promise<Stage> {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let done: Promise<void> = Promise.resolve();
  const running = await new Promise<Running>((resolve, reject) => {
    done = home.running(async (started) => {
      resolve(started);
      await ended;
    });
    done.catch(reject);
  });
  return {
    running,
    async end() {
      end();
      await done;
    },
  };
}

function withCertificate(running: Running, name: string): HttpsConnection {
  return httpsClient(running.url, running.caPem, {
    cert: keyFile(`${name}.crt`),
    key: keyFile(`${name}.key`),
    maxSockets: 1,
  });
}

async function jwtOf({ signer: name, claims }: ExpectedJwt, running: Running): Promise<string> {
  const signer = expected.signers.find((each) => each.name === name);
  assert.ok(signer !== undefined);
  const now = Math.floor(running.clock.now() / SECOND);
  return new SignJWT({ iss: signer.issuer, aud: signer.audience, iat: now, exp: now + 300, ...claims })
    .setProtectedHeader({ alg: signer.signingAlg, kid: signer.signingKid })
    .sign(createPrivateKey(keyFile(`${signer.signingKey}.key`)));
}

/** Whose tokens a login ends in, after a call with them. @param second a token that each call needs besides */
async function subjectOf(
  client: HttpsClient,
  answer: Answer,
  second: readonly string[] = [],
): Promise<string> {
  const tokens = await redeem(client, codeOf(answer));
  assert.equal(tokens.status, 200, tokens.text);
  const authorization = [tokens.json.access_token, ...second].map((token) => `Bearer ${token}`);
  const call = await client.get('/edge/client/v1/current-identity', { headers: { authorization } });
  assert.equal(call.status, 200, call.text);
  return claimsOf(tokens.json.access_token).sub;
}

/** The source with the address of its signer's keys on another port: a value has no checksum. */
function withPort(source: Buffer, port: number): Buffer {
  const text = source.toString('latin1');
  const changed = text.replaceAll('127.0.0.1:17490', `127.0.0.1:${String(port).padStart(5, '0')}`);
  assert.notEqual(changed, text);
  return Buffer.from(changed, 'latin1');
}

/** The subject of a certificate, DER. */
function subjectName(certPem: string): Buffer {
  const [content] = childrenOf(readDer(new X509Certificate(certPem).raw), derTag.sequence);
  const subject = elementsOf(content?.content ?? Buffer.alloc(0))[5];
  assert.ok(subject !== undefined);
  return subject.whole;
}

const named = (name: string): ExpectedIdentity => {
  const identity = expected.identities.find((each) => each.name === name);
  assert.ok(identity !== undefined, name);
  return identity;
};

const codeNow = (secret: string, running: Running, steps = 0): string => {
  const seed = decodeBase32(secret);
  assert.ok(seed !== undefined);
  return totpCode(seed, timeStepAt(running.clock.now()) + steps);
};

describe('after an import, everybody logs in with what they have', () => {
  let home: Home;
  let server: Stage;
  let running: Running;
  const jwks = createServer(async (request, response) => {
    const signer = expected.signers.find(({ jwksEndpoint }) => jwksEndpoint?.endsWith(String(request.url)));
    const key = createPrivateKey(keyFile(`${signer?.signingKey}.key`));
    const { n, e, kty } = await exportJWK(key);
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ keys: [{ n, e, kty, kid: signer?.signingKid, use: 'sig', alg: 'RS256' }] }),
    );
  });
  before(async () => {
    await new Promise<void>((listening) => jwks.listen(0, '127.0.0.1', listening));
    home = await freshHome({ source: withPort(database, (jwks.address() as AddressInfo).port) });
    const imported = await home.importFile(
      '--trust',
      'controller-ca.pem',
      '--signing-key',
      'controller-signing-ca.key',
    );
    assert.equal(imported.code, 0, imported.stderr);
    server = await stage(home);
    running = server.running;
  });
  after(async () => {
    await server.end();
    jwks.close();
    await home.cli[Symbol.asyncDispose]();
  });

  for (const identity of expected.identities) {
    for (const {
      username = '',
      password = '',
      oldPasswords = [],
      loginRefused,
      asks,
      method,
    } of identity.authenticators) {
      if (method !== 'updb') continue;
      test(`password of ${identity.name}: ${loginRefused ?? (asks.length > 0 ? `asks for ${asks.join()}` : 'logs in')}`, async () => {
        for (const old of [...oldPasswords, `${password} `, password.toUpperCase().concat('x')]) {
          const refused = await submitPassword(running, await beginLogin(running), username, old);
          assert.equal(refused.status, 401, old);
        }
        const id = await beginLogin(running);
        const answer = await submitPassword(running, id, username, password);
        if (loginRefused !== undefined) return assert.equal(answer.status, 401, answer.text);
        if (asks.length === 0) return assert.equal(await subjectOf(running, answer), identity.id);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(
          answer.json.authQueries.map(({ typeId }: { typeId: string }) => typeId.replace('TOTP', 'MFA')),
          asks,
        );
      });
    }
    for (const { cert, replaced, loginRefused, asks } of identity.authenticators) {
      if (cert === undefined) continue;
      test(`certificate ${cert} of ${identity.name}: ${loginRefused ?? 'logs in'}`, async () => {
        const client = withCertificate(running, cert);
        const answer = await client.post('/oidc/login/cert', {
          json: { authRequestId: await beginLogin(client) },
        });
        if (loginRefused !== undefined) assert.equal(answer.status, 401, answer.text);
        else if (asks.length === 0) assert.equal(await subjectOf(client, answer), identity.id);
        else assert.equal(answer.json.authQueries.length, asks.length, answer.text);
        client.closeConnections();
        if (replaced === undefined) return;
        using former = withCertificate(running, replaced);
        const refused = await former.post('/oidc/login/cert', {
          json: { authRequestId: await beginLogin(former) },
        });
        assert.equal(refused.status, 401, refused.text);
      });
    }
    const { certByExternalId, extJwt = [] } = identity;
    if (certByExternalId !== undefined)
      test(`certificate ${certByExternalId}, which only the rule of its CA knows, logs in ${identity.name}`, async () => {
        using client = withCertificate(running, certByExternalId);
        const answer = await client.post('/oidc/login/cert', {
          json: { authRequestId: await beginLogin(client) },
        });
        assert.equal(await subjectOf(client, answer), identity.id);
      });
    for (const jwt of extJwt)
      test(`a token of ${jwt.signer} logs in ${identity.name}`, async () => {
        const headers = { authorization: `Bearer ${await jwtOf(jwt, running)}` };
        const json = { authRequestId: await beginLogin(running) };
        const answer = await running.post('/oidc/login/ext-jwt', { json, headers });
        assert.equal(await subjectOf(running, answer), identity.id);
      });
  }

  test('a password login that also needs a token is complete with it', async () => {
    const { secondaryJwt, authenticators, id } = named('two steps');
    assert.ok(secondaryJwt !== undefined);
    const { username, password } = authenticators[0] ?? {};
    const jwt = await jwtOf(secondaryJwt, running);
    const headers = { authorization: `Bearer ${jwt}` };
    const json = { authRequestId: await beginLogin(running), username, password };
    const answer = await running.post('/oidc/login/username', { json, headers });
    assert.equal(await subjectOf(running, answer, [jwt]), id);
  });

  test('a signer that was disabled vouches for no identity', async () => {
    const jwt = await jwtOf({ signer: 'idp-disabled', claims: { sub: named('alice').id } }, running);
    const json = { authRequestId: await beginLogin(running) };
    const answer = await running.post('/oidc/login/ext-jwt', {
      json,
      headers: { authorization: `Bearer ${jwt}` },
    });
    assert.equal(answer.status, 401);
  });

  for (const { name, id, totp, authenticators } of expected.identities) {
    const { username, password = '' } = authenticators[0] ?? {};
    if (totp === undefined || !totp.isVerified || username === undefined) continue;
    const partial = async () => {
      const request = await beginLogin(running);
      assert.equal((await submitPassword(running, request, username, password)).status, 200);
      return request;
    };
    test(`the app of ${name} goes on working, and each code works once`, async () => {
      const code = codeNow(totp.secret, running);
      assert.equal(await subjectOf(running, await submitCode(running, await partial(), code)), id);
      assert.equal((await submitCode(running, await partial(), code)).status, 400);
      assert.equal((await submitCode(running, await partial(), '000000')).status, 400);
    });
    test(`recovery codes of ${name}: those that were left work once, those that were used do not`, async () => {
      const used = [...totp.usedRecoveryCodes];
      for (const code of totp.recoveryCodes) {
        assert.equal(
          await subjectOf(running, await submitCode(running, await partial(), code.toLowerCase())),
          id,
        );
        // After a good one: too many wrong ones in a row lock the factor.
        const former = used.pop();
        if (former === undefined) continue;
        assert.equal((await submitCode(running, await partial(), former)).status, 400, former);
      }
      const [first = ''] = totp.recoveryCodes;
      assert.equal((await submitCode(running, await partial(), first)).status, 400);
    });
  }

  test('TOTP that was started and never confirmed is not required, and can be started again', async () => {
    const { totp, authenticators } = named('totp started');
    const { username = '', password = '' } = authenticators[0] ?? {};
    const tokens = await login(running, username, password);
    const call = await callWith(running, tokens.access_token, '/edge/client/v1/current-identity/mfa');
    assert.equal(call.status, 404);
    assert.equal(totp?.isVerified, false);
  });

  test('a password is hashed anew at the first login, and works afterwards too', async () => {
    const stored = async () =>
      (await running.store.authenticators.findPasswordLogin(userNamed('enabled-again').usernameKey))
        ?.passwordHash;
    const [{ password = '' } = {}] = named('enabled again').authenticators;
    assert.match(String(await stored()), /^\$argon2id\$v=19\$m=47104,t=2,p=1\$/);
    const imported = await running.store.authenticators.findPasswordLogin(userNamed('gone').usernameKey);
    assert.match(String(imported?.passwordHash), /^typed:\$argon2id\$v=19\$m=3072,t=1,p=4\$/);
    await login(running, 'enabled-again', password);
  });
});

describe('after an import, pending enrollments still work', () => {
  let home: Home;
  before(async () => {
    home = await freshHome();
    const options = ['--trust', 'controller-ca.pem', '--signing-key', 'controller-signing-ca.key'];
    assert.equal((await home.importFile(...options)).code, 0);
  });
  after(() => home.cli[Symbol.asyncDispose]());
  const tokenOf = (name: string) => named(name).enrollments[0]?.token ?? '';
  const enroll = (client: HttpsClient, method: string, token: string, body: object = {}) =>
    client.post(`/edge/client/v1/enroll?method=${method}&token=${token}`, { json: body });

  test('each token enrolls its identity once, in its own way', () =>
    home.running(async (running) => {
      const keys = ecKeys();
      const csr = await enroll(running, 'ott', tokenOf('pending ott'), { clientCsr: csrPem(keys) });
      assert.equal(csr.status, 200, csr.text);
      const key = keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      const device = httpsClient(running.url, running.caPem, {
        cert: csr.json.data.cert,
        key,
        maxSockets: 1,
      });
      const answer = await device.post('/oidc/login/cert', {
        json: { authRequestId: await beginLogin(device) },
      });
      assert.equal(await subjectOf(device, answer), named('pending ott').id);
      device.closeConnections();
      const again = await enroll(running, 'ott', tokenOf('pending ott'), { clientCsr: csrPem(ecKeys()) });
      assert.equal(again.status, 400);

      const password = { password: 'a long walk at noon' };
      const updb = await enroll(running, 'updb', tokenOf('pending updb'), password);
      assert.equal(updb.status, 200, updb.text);
      const tokens = await login(running, 'pending-user', password.password);
      assert.equal(claimsOf(tokens.access_token).sub, named('pending updb').id);

      const privateKey = createPrivateKey(keyFile('ca-ott.key'));
      const issuer = {
        name: subjectName(keyFile('ca-ott.crt')),
        keys: { privateKey, publicKey: createPublicKey(privateKey) },
      };
      const leaf = clientCertificate({ issuer, ...validWhenTaken });
      using partner = httpsClient(running.url, running.caPem, {
        cert: leaf.certPem,
        key: leaf.keyPem,
        maxSockets: 1,
      });
      const ottca = await enroll(partner, 'ottca', tokenOf('pending ottca'));
      assert.equal(ottca.status, 200, ottca.text);
      const json = { authRequestId: await beginLogin(partner) };
      assert.equal(
        await subjectOf(partner, await partner.post('/oidc/login/cert', { json })),
        named('pending ottca').id,
      );
    }));

  test('expired tokens, tokens of another method and unknown tokens are refused', () =>
    home.running(async (running) => {
      const expired = await enroll(running, 'ott', tokenOf('expired ott'), { clientCsr: csrPem(ecKeys()) });
      assert.equal(expired.status, 400);
      assert.equal(expired.json.error.code, 'ENROLLMENT_EXPIRED');
      const other = await enroll(running, 'ott', tokenOf('pending ottca'), { clientCsr: csrPem(ecKeys()) });
      assert.equal(other.status, 400);
      const nobody = '00000000-0000-4000-8000-000000000000';
      assert.equal((await enroll(running, 'ott', nobody, { clientCsr: csrPem(ecKeys()) })).status, 400);
    }));
});
