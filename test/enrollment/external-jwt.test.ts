import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { HOUR } from '../../src/platform/clock.ts';
import { certificateLogin, withCertificate } from '../support/certificates.ts';
import { csrPem, ecKeys, keyPemOf } from '../support/csr.ts';
import { clientApi, uniqueName } from '../support/enrollment.ts';
import { bearer, createSigner, reasonOf, redeemed, submitJwt, tokenOf } from '../support/external-jwt.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, rootOf } from '../support/management.ts';
import { startTestIdp } from '../support/test-idp.ts';
import { serverOfFile, startTestServer } from '../support/test-server.ts';

const idp = await startTestIdp();
const server = await serverOfFile({ signing: true });
const admin = await rootOf(server);
const signerId = await createSigner(admin, idp, 'idp', {
  enrollToCertEnabled: true,
  enrollToTokenEnabled: true,
  enrollNameClaimsSelector: 'preferred_username',
  enrollAttributeClaimsSelector: '/roles',
});
after(() => idp.close());

const enrollWith = (token: string | null, json: object = {}): Promise<Answer> =>
  server.post(`${clientApi}/enroll/token`, { json, ...(token === null ? {} : { headers: bearer(token) }) });
const claims = (name: string) => ({ preferred_username: name, roles: ['a', 'b', 7] });

async function identityNamed(name: string) {
  const filter = encodeURIComponent(`name="${name}"`);
  return (await admin.get(`identities?filter=${filter}`)).json.data[0];
}

describe('an enrollment with an external JWT', () => {
  test('makes an identity that logs in with such JWTs', async () => {
    const [subject, name] = [uniqueName('sub'), uniqueName('person')];
    const answer = await enrollWith(await tokenOf(server, idp, subject, claims(name)));
    assert.equal(answer.status, 200, answer.text);
    const document = await identityNamed(name);
    assert.equal(document.externalId, subject);
    assert.deepEqual(document.roleAttributes, ['a', 'b']);
    assert.equal(document.isAdmin, false);
    const login = await submitJwt(server, await tokenOf(server, idp, subject));
    assert.equal(typeof (await redeemed(server, login)).access_token, 'string');
  });

  test('gets only those role attributes that the signer lets people have', async () => {
    const change = async (createIdentities: object | null) => {
      const answer = await admin.call('PATCH', `external-jwt-signers/${signerId}`, { createIdentities });
      assert.equal(answer.status, 200, answer.text);
    };
    for (const [allowedRoleAttributes, expected] of [
      [['b', 'c'], ['b']],
      [[], []],
      [undefined, ['a', 'b']],
    ] as const) {
      await change({ name: 'preferred_username', roleAttributes: '/roles', allowedRoleAttributes });
      const name = uniqueName();
      assert.equal((await enrollWith(await tokenOf(server, idp, name, claims(name)))).status, 200);
      assert.deepEqual((await identityNamed(name)).roleAttributes, expected);
    }
    await change(null);
  });

  test('takes over the address that the provider vouches for, and no other', async () => {
    for (const [said, email, emailVerified] of [
      [{ email: 'ada@example.com', email_verified: true }, 'ada@example.com', true],
      [{ email: 'bea@example.com', email_verified: 'true' }, 'bea@example.com', true],
      [{ email: 'cas@example.com', email_verified: false }, null, false],
      [{ email: 'dan@example.com' }, null, false],
      [{ email: 'no address', email_verified: true }, null, false],
      [{ email: ['eve@example.com'], email_verified: true }, null, false],
      [{}, null, false],
    ] as const) {
      const name = uniqueName();
      const answer = await enrollWith(await tokenOf(server, idp, name, { ...claims(name), ...said }));
      assert.equal(answer.status, 200, answer.text);
      const document = await identityNamed(name);
      assert.deepEqual([document.email, document.emailVerified], [email, emailVerified]);
    }
  });

  test('with a request for a certificate makes one that logs in with it', async () => {
    const [subject, name] = [uniqueName('sub'), uniqueName('person')];
    const keys = ecKeys();
    const token = await tokenOf(server, idp, subject, claims(name));
    const answer = await enrollWith(token, { clientCsr: csrPem(keys) });
    assert.equal(answer.status, 200, answer.text);
    const device = { certPem: answer.json.data.cert, keyPem: keyPemOf(keys) };
    using client = withCertificate(server, device);
    assert.equal(typeof (await certificateLogin(client)).access_token, 'string');
  });

  test('is made once for each subject and name', async () => {
    const [subject, name] = [uniqueName('sub'), uniqueName('person')];
    const token = await tokenOf(server, idp, subject, claims(name));
    const answers = await Promise.all([enrollWith(token), enrollWith(token), enrollWith(token)]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409]);
    const renamed = await enrollWith(await tokenOf(server, idp, subject, claims(uniqueName())));
    assertRefused(renamed, 409, 'CONFLICT');
    const namesake = await enrollWith(await tokenOf(server, idp, uniqueName(), claims(name)));
    assertRefused(namesake, 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
  });

  test('counts as a new identity of the signer, as a first login does', async (t) => {
    const configure = (yaml: string) => yaml.replace('maxNewIdentities: 1000', 'maxNewIdentities: 2');
    const clock = fixedClock('2026-01-01T00:00:00Z');
    const limited = await startTestServer({ clock, configure, signing: true });
    t.after(() => limited.close());
    await createSigner(await rootOf(limited), idp, 'idp', {
      enrollToCertEnabled: true,
      enrollToTokenEnabled: true,
      enrollNameClaimsSelector: 'preferred_username',
      createIdentities: { name: 'preferred_username' },
    });
    const tokenFor = (name: string) => tokenOf(limited, idp, name, claims(name));
    const enroll = async (name: string, json: object = {}) =>
      limited.post(`${clientApi}/enroll/token`, { json, headers: bearer(await tokenFor(name)) });
    const certified = { clientCsr: csrPem(ecKeys()) };
    assert.equal((await enroll('first', certified)).status, 200);
    assertRefused(await enroll('first'), 409, 'CONFLICT');
    assert.equal((await enroll('second')).status, 200);
    for (const refused of [await enroll('third'), await enroll('third', certified)]) {
      assertRefused(refused, 429, 'RATE_LIMITED');
      assert.equal(await reasonOf(limited, refused), 'too-many-newcomers');
    }
    const atLogin = await submitJwt(limited, await tokenFor('third'));
    assert.equal(await reasonOf(limited, atLogin), 'too-many-newcomers');
    clock.advance(HOUR);
    assert.equal((await enroll('third')).status, 200);
  });

  test('is refused without a valid token, alike for every cause', async () => {
    const good = await tokenOf(server, idp, uniqueName(), claims(uniqueName()));
    const expired = await tokenOf(server, idp, uniqueName(), { exp: 1_600_000_000, iat: 1_500_000_000 });
    const foreign = await tokenOf(server, idp, uniqueName(), { aud: 'another' });
    for (const token of [null, 'abc', expired, foreign, `${good.slice(0, -8)}AAAAAAAA`]) {
      const answer = await enrollWith(token);
      assertRefused(answer, 401, 'INVALID_AUTH');
    }
  });

  test('is refused where the name is missing or the request for a certificate is bad', async () => {
    const unnamed = await enrollWith(await tokenOf(server, idp, uniqueName()));
    assertRefused(unnamed, 400, 'COULD_NOT_VALIDATE');
    assert.equal(await reasonOf(server, unnamed), 'enrollment-name-refused');
    const token = await tokenOf(server, idp, uniqueName(), claims(uniqueName()));
    assertRefused(await enrollWith(token, { clientCsr: 'abc' }), 400, 'COULD_NOT_PROCESS_CSR');
  });

  test('takes no address that the provider did not verify, neither as name nor as role attribute', async () => {
    const selectors = [
      [{ enrollNameClaimsSelector: 'email', enrollAttributeClaimsSelector: null }, {}],
      [{ enrollNameClaimsSelector: 'preferred_username', enrollAttributeClaimsSelector: 'email' }, {}],
      [{ enrollAttributeClaimsSelector: '/email/0' }, { list: true }],
    ] as const;
    for (const [selector, { list = false }] of selectors.map(
      ([one, two]) => [one, two as { list?: boolean }] as const,
    )) {
      await admin.call('PATCH', `external-jwt-signers/${signerId}`, selector);
      const name = uniqueName();
      const email = `${name.replaceAll(' ', '-')}@example.com`;
      const sent = (more: object) =>
        tokenOf(server, idp, name, { preferred_username: name, email: list ? [email] : email, ...more });
      const about = JSON.stringify(selector);
      const refused = await enrollWith(await sent({}));
      assertRefused(refused, 400, 'COULD_NOT_VALIDATE');
      assert.equal(await reasonOf(server, refused), 'email-not-verified', about);
      assert.equal(await identityNamed(name), undefined, about);
      assert.equal(await identityNamed(email), undefined, about);
      assert.equal((await enrollWith(await sent({ email_verified: true }))).status, 200, about);
    }
    await admin.call('PATCH', `external-jwt-signers/${signerId}`, {
      enrollNameClaimsSelector: 'preferred_username',
      enrollAttributeClaimsSelector: '/roles',
    });
  });

  test('is refused where the signer does not allow it', async () => {
    const token = await tokenOf(server, idp, uniqueName(), claims(uniqueName()));
    const settings = [
      [{ enrollToTokenEnabled: false }, {}],
      [{ enrollToTokenEnabled: true, enrollToCertEnabled: false }, { clientCsr: csrPem(ecKeys()) }],
      [{ useExternalId: false }, {}],
    ] as const;
    for (const [setting, json] of settings) {
      await admin.call('PATCH', `external-jwt-signers/${signerId}`, setting);
      const answer = await enrollWith(token, json);
      assertRefused(answer, 409, 'INVALID_ENROLLMENT_NOT_ALLOWED');
      assert.equal(await reasonOf(server, answer), 'enrollment-not-allowed');
    }
    await admin.call('PATCH', `external-jwt-signers/${signerId}`, { enabled: false });
    assertRefused(await enrollWith(token), 401, 'INVALID_AUTH');
  });
});
