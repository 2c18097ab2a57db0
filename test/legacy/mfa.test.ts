import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { MINUTE } from '../../src/platform/clock.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import type { Answer } from '../support/https-client.ts';
import { assertRefused, loggedIn } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';
import {
  type AuthenticatorApp,
  createTotpUser,
  partialLogin,
  password,
  scan,
  step,
  submitCode,
  totpPolicy,
} from '../support/totp.ts';
import { clientRoot, managementRoot, openSession } from './support.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
const server = await serverOfFile({ clock });

/** A person who has logged in, by either mechanism. */
interface Owner {
  call(
    method: string,
    path: string,
    init?: { readonly json?: unknown; readonly headers?: Record<string, string> },
  ): Promise<Answer>;
}

let people = 0;
const mechanisms: Readonly<Record<string, (name: string) => Promise<Owner>>> = {
  legacy: (name) => openSession(server, name),
  async oidc(name) {
    const { accessToken } = await loggedIn(server, name);
    const headers = { authorization: `Bearer ${accessToken}` };
    return {
      call: (method, path, init = {}) =>
        server.request(method, path, { ...init, headers: { ...headers, ...init.headers } }),
    };
  },
};

for (const [mechanism, open] of Object.entries(mechanisms)) {
  for (const root of [clientRoot, managementRoot]) {
    const path = `${root}/current-identity/mfa`;

    const newcomer = async () => {
      people += 1;
      const name = `person${people}`;
      await server.createUser({ name, password });
      return { name, owner: await open(name) };
    };

    const enrolled = async (): Promise<{
      name: string;
      owner: Owner;
      app: AuthenticatorApp;
      recoveryCodes: readonly string[];
    }> => {
      const { name, owner } = await newcomer();
      await owner.call('POST', path);
      const { provisioningUrl, recoveryCodes } = (await owner.call('GET', path)).json.data;
      const app = scan(clock, provisioningUrl);
      const verified = await owner.call('POST', `${path}/verify`, { json: { code: app.code() } });
      assert.deepEqual([verified.status, verified.json], [200, { data: {}, meta: {} }], verified.text);
      clock.advance(step);
      return { name, owner, app, recoveryCodes };
    };

    describe(`${path} with ${mechanism}`, () => {
      test('starts once, and is shown with its secret until it is verified', async () => {
        const { owner } = await newcomer();
        assertRefused(await owner.call('GET', path), 404, 'NOT_FOUND');
        assertRefused(await owner.call('GET', `${path}/qr-code`), 404, 'NOT_FOUND');
        assertRefused(
          await owner.call('POST', `${path}/verify`, { json: { code: '123456' } }),
          404,
          'NOT_FOUND',
        );
        const started = await owner.call('POST', path);
        assert.equal(started.status, 201, started.text);
        assert.equal(typeof started.json.data.id, 'string');
        assertRefused(await owner.call('POST', path), 409, 'MFA_EXISTS');
        const { data } = (await owner.call('GET', path)).json;
        assert.equal(data.isVerified, false);
        assert.equal(data.recoveryCodes.length, 20);
        assert.match(data.provisioningUrl, /^otpauth:\/\/totp\//);
        assert.deepEqual((await owner.call('GET', path)).json.data, data, 'as often as it is asked for');
        assertRefused(
          await owner.call('POST', `${path}/verify`, { json: { code: data.recoveryCodes[0] } }),
          400,
          'INVALID_TOTP_CODE',
        );
        const app = scan(clock, data.provisioningUrl);
        const code = { json: { code: app.code() } };
        assert.equal((await owner.call('POST', `${path}/verify`, code)).status, 200);
        const after = (await owner.call('GET', path)).json.data;
        assert.equal(after.isVerified, true);
        assert.deepEqual([after.provisioningUrl, after.recoveryCodes], [undefined, undefined]);
        assertRefused(await owner.call('GET', `${path}/qr-code`), 404, 'NOT_FOUND');
        assertRefused(await owner.call('POST', path), 409, 'MFA_EXISTS');
      });

      test('has a QR code as a picture while it is not verified', async () => {
        const { owner } = await newcomer();
        await owner.call('POST', path);
        const answer = await owner.call('GET', `${path}/qr-code`);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers['content-type'], 'image/png');
        assert.equal(answer.headers['cache-control'], 'no-store');
      });

      test('a pending one ends after half an hour, and belongs to its session', async () => {
        const { name, owner } = await newcomer();
        await owner.call('POST', path);
        const other = await open(name);
        assertRefused(await other.call('GET', path), 404, 'NOT_FOUND');
        const { provisioningUrl } = (await owner.call('GET', path)).json.data;
        const code = { json: { code: scan(clock, provisioningUrl).code() } };
        assertRefused(await other.call('POST', `${path}/verify`, code), 404, 'NOT_FOUND');
        clock.advance(29 * MINUTE);
        assert.equal((await owner.call('GET', path)).status, 200);
      });

      test('a pending one is abandoned without a code', async () => {
        const { owner } = await newcomer();
        for (const init of [
          {},
          { json: {} },
          { json: { code: '000000' } },
          { headers: { 'mfa-validation-code': 'x' } },
        ]) {
          assert.equal((await owner.call('POST', path)).status, 201);
          assert.equal((await owner.call('DELETE', path, init)).status, 200);
          assertRefused(await owner.call('DELETE', path, init), 404, 'NOT_FOUND');
        }
      });

      test('a pending one has no recovery codes to count or renew, and is verified once', async () => {
        const { owner } = await newcomer();
        await owner.call('POST', path);
        const { provisioningUrl } = (await owner.call('GET', path)).json.data;
        const json = { code: scan(clock, provisioningUrl).code() };
        const headers = { 'mfa-validation-code': json.code };
        assertRefused(await owner.call('GET', `${path}/recovery-codes`, { headers }), 404, 'NOT_FOUND');
        assertRefused(await owner.call('POST', `${path}/recovery-codes`, { json }), 404, 'NOT_FOUND');
        assert.equal((await owner.call('POST', `${path}/verify`, { json })).status, 200);
        clock.advance(step);
        const next = { code: scan(clock, provisioningUrl).code() };
        assertRefused(await owner.call('POST', `${path}/verify`, { json: next }), 404, 'NOT_FOUND');
        clock.advance(step);
      });

      test('is removed with a recovery code, which renews recovery codes too', async () => {
        const { owner, recoveryCodes } = await enrolled();
        const [code] = recoveryCodes;
        const renewed = await owner.call('POST', `${path}/recovery-codes`, { json: { code } });
        assert.equal(renewed.status, 200, renewed.text);
        const fresh: string[] = renewed.json.data.recoveryCodes;
        assert.equal(fresh.length, 20);
        for (const old of recoveryCodes.slice(0, 2)) {
          const answer = await owner.call('DELETE', path, { json: { code: old } });
          assertRefused(answer, 400, 'INVALID_TOTP_CODE');
        }
        const headers = { 'mfa-validation-code': fresh[0] ?? '' };
        assert.equal((await owner.call('DELETE', path, { headers })).status, 200);
        assertRefused(await owner.call('GET', path), 404, 'NOT_FOUND');
      });

      test('is removed with a code, in the header or in the body', async () => {
        for (const where of ['header', 'body']) {
          const { owner, app } = await enrolled();
          assertRefused(await owner.call('DELETE', path), 400, 'INVALID_TOTP_CODE');
          const init =
            where === 'body'
              ? { json: { code: `${app.code().replace(/(...)/, '$1 ')}\n` } }
              : { headers: { 'mfa-validation-code': app.code() } };
          assert.equal((await owner.call('DELETE', path, init)).status, 200);
          assertRefused(await owner.call('GET', path), 404, 'NOT_FOUND');
          clock.advance(step);
        }
      });

      test('counts recovery codes for a code of the app, and not for one of them', async () => {
        const { owner, app, recoveryCodes } = await enrolled();
        assertRefused(await owner.call('GET', `${path}/recovery-codes`), 400, 'COULD_NOT_VALIDATE', 'code');
        const withCode = (code: string) => ({ headers: { 'mfa-validation-code': code } });
        assertRefused(
          await owner.call('GET', `${path}/recovery-codes`, withCode(recoveryCodes[0] ?? '')),
          400,
          'INVALID_TOTP_CODE',
        );
        const answer = await owner.call('GET', `${path}/recovery-codes`, withCode(app.code()));
        assert.deepEqual(answer.json.data, { recoveryCodesLeft: 20 }, answer.text);
        clock.advance(step);
      });

      test('renews recovery codes: the old ones no longer work, the new ones are shown once', async () => {
        const { name, owner, app, recoveryCodes } = await enrolled();
        const json = { code: app.code() };
        const answer = await owner.call('POST', `${path}/recovery-codes`, { json });
        assert.equal(answer.status, 200, answer.text);
        const fresh: string[] = answer.json.data.recoveryCodes;
        assert.equal(new Set([...fresh, ...recoveryCodes]).size, 40);
        const again = await owner.call('POST', `${path}/recovery-codes`, { json });
        assertRefused(again, 400, 'INVALID_TOTP_CODE');
        const login = await partialLogin(server, name);
        assert.equal((await submitCode(server, login, recoveryCodes[1])).status, 400);
        assert.equal((await submitCode(server, login, fresh[1])).status, 302);
      });
    });
  }
}

describe('an enrollment that was not requested', () => {
  test('cannot be made by a caller with only the password', async () => {
    const policy = await totpPolicy(server);
    await createTotpUser(server, policy, 'victim');
    const first = await openSession(server, 'victim');
    await first.post('current-identity/mfa');
    const { provisioningUrl } = (await first.get('current-identity/mfa')).json.data;
    const app = scan(clock, provisioningUrl);
    assert.equal((await first.post('current-identity/mfa/verify', { code: app.code() })).status, 200);
    const thief = await openSession(server, 'victim');
    assertRefused(await thief.post('current-identity/mfa'), 409, 'MFA_EXISTS');
    assert.deepEqual(Object.keys((await thief.get('current-identity/mfa')).json.data), ['id', 'isVerified']);
    assertRefused(await thief.call('DELETE', 'current-identity/mfa'), 401, 'UNAUTHORIZED');
  });
});

test('the picture of a QR code is a PNG of one bit per pixel, large enough to be read', async () => {
  const { qrCodePng } = await import('../../src/pages/qr-code.ts');
  const png = qrCodePng('otpauth://totp/localhost:alice?issuer=localhost&secret=ABCDEFGHIJKLMNOP');
  assert.ok(png !== null);
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  assert.ok(width >= 256 && width === height);
  const at = png.indexOf('IDAT');
  const lines = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  assert.equal(qrCodePng('x'.repeat(801)), null, 'no camera reads it');
  assert.equal(lines.length, height * (1 + Math.ceil(width / 8)));
});
