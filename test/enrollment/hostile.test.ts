// Enrollment under attack: tokens of every other kind, names that imitate another identity's, authorities that are
// turned off during an enrollment.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { registerCa, withCertificate } from '../support/certificates.ts';
import {
  authority,
  client,
  clientExtensions,
  generalName,
  type Made,
  subjectAltName,
} from '../support/chains.ts';
import { csrPem, ecKeys } from '../support/csr.ts';
import { clientApi, enroll, enrollBy, enrolledDevice, invited, uniqueName } from '../support/enrollment.ts';
import { createSigner, reasonOf, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { beginLogin, callWith, obtainCode, refresh } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, loggedIn, password, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile } from '../support/test-server.ts';

const server = await serverOfFile({ signing: true });
const admin = await rootOf(server);

const csr = () => csrPem(ecKeys());
const identityCount = async () =>
  (await admin.get('identities?limit=1')).json.meta.pagination.totalCount as number;

describe('an enrollment token', () => {
  test('is never taken for anything else, nor anything else for it', async () => {
    const { token, jwt } = await invited(admin);
    const caller = await loggedIn(server, 'root');
    const code = await obtainCode(server, 'root', password);
    const legacy = await server.post(`${clientApi}/authenticate?method=password`, {
      json: { username: 'root', password },
    });
    const ztSession = legacy.json.data.token;
    const others = [code, caller.refreshToken, caller.accessToken, ztSession, await beginLogin(server), jwt];
    for (const other of others) {
      assertRefused(await enroll(server, other, csr()), 400, 'INVALID_ENROLLMENT_TOKEN');
      const json = { password: 'nine calm rivers' };
      assertRefused(await enrollBy(server, 'updb', other, { json }), 400, 'INVALID_ENROLLMENT_TOKEN');
    }
    for (const secret of [token, jwt]) {
      assert.equal((await callWith(server, secret)).status, 401);
      assert.equal((await submitJwt(server, secret)).status, 401);
      assert.equal((await refresh(server, secret)).json.error, 'invalid_grant');
      const headers = { 'zt-session': secret };
      assert.equal((await server.get(`${clientApi}/current-identity`, { headers })).status, 401);
      const hint = encodeURIComponent(secret);
      assert.equal((await server.get(`/oidc/end_session?id_token_hint=${hint}`)).headers.location, undefined);
    }
    await enrolledDevice(server, token);
    // After all attempts with the refresh token, its session continues.
    assert.equal((await refresh(server, caller.refreshToken)).status, 200);
  });

  test('is accepted in exactly its own form, and once per request', async () => {
    const { token } = await invited(admin);
    const { token: other } = await invited(admin);
    const forms = [
      token.toUpperCase(),
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      ` ${token}`,
      `${token}\n`,
      token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      'x'.repeat(8000),
    ];
    for (const form of forms) {
      const answer = await enroll(server, form, csr());
      assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
    }
    const twice = await server.post(`${clientApi}/enroll?method=ott&token=${token}&token=${other}`, {
      json: { clientCsr: csr() },
    });
    assert.equal(twice.status, 400, twice.text);
    const contradictory = await server.post(`${clientApi}/enroll?method=ott&token=${token}`, {
      json: { clientCsr: csr(), token: other },
    });
    assert.equal(contradictory.status, 400, contradictory.text);
    await enrolledDevice(server, token);
    await enrolledDevice(server, other);
  });

  test('is not guessed from the enrollment that it belongs to', async () => {
    const { enrollmentId, token } = await invited(admin);
    const answer = await enroll(
      server,
      `${enrollmentId}${token.slice(enrollmentId.length, -43)}${'A'.repeat(43)}`,
      csr(),
    );
    assertRefused(answer, 400, 'INVALID_ENROLLMENT_TOKEN');
    assertRefused(await enroll(server, enrollmentId, csr()), 400, 'INVALID_ENROLLMENT_TOKEN');
  });
});

describe('a certificate of a third-party CA', () => {
  const maker = authority({ subject: 'Hostile' });
  let caId: string;
  before(async () => {
    caId = await registerCa(admin, maker, {
      name: 'Hostile',
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      identityNameFormat: '[commonName][requestedName]',
    });
  });

  async function enrolByCa(subject: string | Buffer, name = ''): Promise<Answer> {
    using connection = withCertificate(server, client({ issuer: maker, subject }));
    return await enrollBy(connection, 'ca', null, { json: { name } });
  }

  test('does not make an identity whose name passes for another one', async () => {
    await server.createUser({ name: 'Zo\u00eb Ng', password });
    const before = await identityCount();
    const taken = [
      'root',
      ' root ',
      'Zo\u00eb Ng',
      'Zoe\u0308 Ng',
      'Zoe\u0308\u00a0Ng',
      'Zo\u00eb\u2003Ng\u3000',
    ];
    for (const name of taken) {
      const answer = await enrolByCa(name);
      assertRefused(answer, 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
    }
    const lookAlikes = [
      ...['ro\u200bot', 'root\u200d', 'root\ufeff', 'ro\u00adot', 'ro\u2060ot', '\u200eroot', 'root\u061c'],
      ...['ro\u200cot', 'root\u{e0061}', 'ro\u180eot', 'ro\u034fot'],
      ...[
        'root\n',
        'ro\tot',

        '\u202etoor',
        'ro\u2028ot',
        'root\u0085',
        '\u2066root\u2069',
        '',
        '   ',
      ],
      'x'.repeat(256),
    ];
    for (const name of lookAlikes) {
      const answer = await enrolByCa('', name);
      assert.ok([400, 409].includes(answer.status), JSON.stringify(name));
      assert.equal(await reasonOf(server, answer), 'enrollment-name-refused', JSON.stringify(name));
    }
    assert.equal(await identityCount(), before);
  });

  test('may have a name in any script', async () => {
    const names = [
      '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
      '\u0915\u094d\u200d\u0937',
      '\u{1f469}\u200d\u{1f4bb}',
      '\u2764\ufe0f',
    ];
    for (const name of names) {
      const answer = await enrolByCa('', `${name} ${uniqueName()}`);
      assert.equal(answer.status, 200, answer.text);
    }
  });

  test('is read once: its content is not treated as a placeholder', async () => {
    assert.equal((await enrolByCa('[requestedName]', '[caId][constructor][__proto__]')).status, 200);
    const filter = encodeURIComponent('name="[requestedName][caId][constructor][__proto__]"');
    assert.equal((await admin.get(`identities?filter=${filter}`)).json.data.length, 1);
  });

  test('does not make an identity with an external id that no administrator could give', async () => {
    const externalIdClaim = { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE' };
    await admin.call('PATCH', `cas/${caId}`, { identityNameFormat: '[requestedName]', externalIdClaim });
    const before = await identityCount();
    for (const subject of ['x'.repeat(300), 'bo\u200bss', 'boss\n', '\u202eboss']) {
      const answer = await enrolByCa(subject, uniqueName());
      assert.equal(answer.status, 400, answer.text);
    }
    assert.equal(await identityCount(), before);
    await admin.call('PATCH', `cas/${caId}`, {
      identityNameFormat: '[commonName][requestedName]',
      externalIdClaim: null,
    });
  });

  test('does not log in the identity that it names, by id, by name or by SPIFFE id', async () => {
    const { id } = (await admin.get('current-identity')).json.data;
    const session = (await admin.get('current-api-session')).json.data.id;
    const uri = `spiffe://localhost/identity/${id}/apiSession/${session}/apiSessionCertificate/x`;
    for (const subject of [id, 'root']) {
      const leaf = client({ issuer: maker, subject }, clientExtensions(subjectAltName(generalName.uri(uri))));
      using connection = withCertificate(server, leaf);
      const authRequestId = await beginLogin(connection);
      assert.equal((await connection.post('/oidc/login/cert', { json: { authRequestId } })).status, 401);
      const legacy = await connection.post(`${clientApi}/authenticate?method=cert`, { json: {} });
      assert.equal(legacy.status, 401);
    }
  });

  test('cannot be used over a connection that was made before its CA was turned off', async () => {
    const cases: readonly (readonly [object, object])[] = [
      [{ isAuthEnabled: false }, { isAuthEnabled: true }],
      [
        { isOttCaEnrollmentEnabled: false, isAutoCaEnrollmentEnabled: false },
        { isOttCaEnrollmentEnabled: true, isAutoCaEnrollmentEnabled: true },
      ],
    ];
    for (const [off, on] of cases) {
      const { token } = await invited(admin, { ottca: caId });
      const leaf: Made = client({ issuer: maker, subject: uniqueName() });
      using connection = withCertificate(server, leaf);
      assert.equal((await connection.get(`${clientApi}/version`)).status, 200);
      await admin.call('PATCH', `cas/${caId}`, off);
      for (const [method, secret] of [
        ['ottca', token],
        ['ca', null],
      ] as const) {
        const answer = await enrollBy(connection, method, secret, { json: {} });
        assert.ok([400, 409].includes(answer.status), answer.text);
      }
      await admin.call('PATCH', `cas/${caId}`, on);
      assert.equal((await enrollBy(connection, 'ottca', token, { json: {} })).status, 200);
    }
  });
});

test('an external JWT makes no identity whose name or id is another identity\u2019s', async () => {
  await using idp = await startTestIdp();
  const enrolling = {
    enrollToTokenEnabled: true,
    enrollToCertEnabled: true,
    enrollNameClaimsSelector: 'nick',
  };
  await createSigner(admin, idp, 'open house', enrolling);
  const { id } = (await admin.get('current-identity')).json.data;
  await admin.call('PATCH', `identities/${id}`, { externalId: 'boss' });
  const before = await identityCount();
  const attempts: readonly (readonly [string, unknown, number])[] = [
    ['boss', 'impostor', 409],
    ['nobody', 'root', 409],
    ['nobody', 'ro\u200bot', 400],
    ['nobody', 'root\n', 409],
    ['nobody', 'ro\not', 400],
    ['nobody', ['root'], 400],
    ['nobody', { toString: 'root' }, 400],
    ['nobody', '', 400],
    ['x'.repeat(256), 'somebody', 400],
    ['\u{1f469}'.repeat(1000), 'somebody', 401],
    ['boss\0', 'somebody', 401],
    ['bo\u200bss', 'somebody', 400],
    ['boss\n', 'somebody', 400],
  ];
  for (const [subject, nick, status] of attempts) {
    const headers = { authorization: `Bearer ${await tokenOf(server, idp, subject, { nick })}` };
    for (const json of [{}, { clientCsr: csr() }]) {
      const answer = await server.post(`${clientApi}/enroll/token`, { json, headers });
      assert.equal(answer.status, status, `${subject} ${JSON.stringify(nick)} ${answer.text}`);
    }
  }
  assert.equal(await identityCount(), before);
});
