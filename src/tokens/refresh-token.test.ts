import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { fixedClock } from '../../test/support/fixed-clock.ts';
import type { ApiSession } from '../model/api-session.ts';
import { type ApiSessionId, asId } from '../model/ids.ts';
import { DAY, SECOND } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import { keyVault, vaultKey } from '../platform/secrets/key-vault.ts';
import type { KeyStore } from '../store/contracts/keys.ts';
import { signJwt } from './jws.ts';
import { type KeyRing, makeSigningKey, openKeyRing } from './key-ring.ts';
import {
  firstRefreshToken,
  mintOpaqueToken,
  nextRefreshToken,
  type RefreshTokenForm,
  readOpaqueToken,
  readRefreshToken,
  refreshTokenText,
} from './opaque-token.ts';

const now = Date.parse('2026-01-01T00:00:00.700Z');
const tagKey = Buffer.alloc(32, 7);
const needs = { random: systemRandom, tagKey };
const sessionId = asId<ApiSessionId>('0198a3f0-0000-7000-8000-000000000001');
const session = {
  id: sessionId,
  issuer: 'https://localhost:1280/oidc',
  identityId: asId('ana'),
  clientId: 'overlay',
} as unknown as ApiSession;

let ring: KeyRing;
before(async () => {
  const vault = keyVault(vaultKey(Buffer.alloc(32, 1)));
  const key = await makeSigningKey(vault, 'ES256', { createdAt: 0, activeFrom: 0 });
  const keys = { listSigningKeys: async () => [key] } as unknown as KeyStore;
  ring = await openKeyRing({ keys, vault, clock: fixedClock(now) });
});

const forms: readonly (readonly [RefreshTokenForm, 'refresh' | 'refresh-jwt'])[] = [
  ['opaque', 'refresh'],
  ['jwt', 'refresh-jwt'],
];

function read(form: RefreshTokenForm, text: string, key = tagKey) {
  return readRefreshToken({ ring, tagKey: key }, { form, text }, now);
}

/** What a client of this form gets for a new session. */
function given(form: RefreshTokenForm): string {
  const secret = firstRefreshToken(needs, sessionId, form);
  return refreshTokenText({ ring }, { secret, session, expiresAt: now + DAY }, now);
}

/** A JWT of our own key that is a refresh token but for these claims. */
function signed(changes: Readonly<Record<string, unknown>>, type: 'rt+jwt' | 'at+jwt' = 'rt+jwt'): string {
  const { material, header } = ring.signer('ES256', type, now);
  const jti = firstRefreshToken(needs, sessionId, 'jwt').text;
  return signJwt(material, header, { jti, z_t: 'r', ...changes });
}

describe('the secret of a refresh token', () => {
  for (const [form, kind] of forms) {
    test(`of the form ${form} is one of the session, and each that follows counts one more`, () => {
      let secret = firstRefreshToken(needs, sessionId, form);
      for (const generation of [1, 2, 3]) {
        assert.deepEqual([secret.id, secret.generation, secret.form], [sessionId, generation, form]);
        const { text, form: _form, ...token } = secret;
        assert.deepEqual(readOpaqueToken(tagKey, kind, text), token);
        const other = nextRefreshToken(needs, secret, { form });
        secret = nextRefreshToken(needs, secret, { form, retriedText: null });
        assert.notEqual(secret.text, other.text, 'it is random');
      }
    });
  }

  test('is opaque unless the client has the other form', () => {
    assert.equal(firstRefreshToken(needs, sessionId).form, 'opaque');
  });

  test('that a retry has to get again follows from the text before it and the secret of the service alone', () => {
    const presented = firstRefreshToken(needs, sessionId);
    const next = (retriedText: string, key = tagKey, form: RefreshTokenForm = 'opaque') =>
      nextRefreshToken({ random: systemRandom, tagKey: key }, presented, { form, retriedText });
    assert.deepEqual(next('presented'), next('presented'));
    const secretOf = ({ text }: { text: string }) => Buffer.from(text, 'base64url').toString('hex', 20, 52);
    assert.notEqual(secretOf(next('presented')), secretOf(next('another')));
    assert.notEqual(secretOf(next('presented')), secretOf(next('presented', Buffer.alloc(32, 8))));
    // Nodes of two releases beside each other have to agree on it.
    assert.equal(
      secretOf(next('presented')),
      '065cc0bd572b46b963ed6c1a61eabe1f09204352e6cbef90a419bb30efbad485',
    );
  });
});

describe('the text of a refresh token', () => {
  test('is the secret itself', () => {
    const secret = firstRefreshToken(needs, sessionId);
    assert.equal(refreshTokenText({ ring }, { secret, session, expiresAt: now }, now), secret.text);
  });

  test('of the other form is a JWT for this service alone, which says when it ends', () => {
    const secret = firstRefreshToken(needs, sessionId, 'jwt');
    const text = refreshTokenText({ ring }, { secret, session, expiresAt: now + DAY }, now);
    const [header = '', payload = ''] = text.split('.');
    assert.equal(header, ring.signer('ES256', 'rt+jwt', now).header);
    const issuedAt = Math.floor(now / SECOND);
    assert.deepEqual(JSON.parse(Buffer.from(payload, 'base64url').toString()), {
      iss: session.issuer,
      sub: 'ana',
      aud: session.issuer,
      client_id: 'overlay',
      exp: issuedAt + DAY / SECOND,
      iat: issuedAt,
      jti: secret.text,
      z_asid: sessionId,
      z_t: 'r',
    });
  });
});

describe('a text is a refresh token', () => {
  test('in the form that was given out, and in no other', () => {
    for (const [form] of forms) {
      const token = read(form, given(form));
      assert.deepEqual([token?.id, token?.generation], [sessionId, 1]);
      for (const [other] of forms) {
        if (other !== form) assert.equal(read(other, given(form)), undefined, `${form} as ${other}`);
      }
    }
    // The secret inside a JWT is none by itself, nor is one of the opaque form inside a JWT.
    for (const [form] of forms) {
      assert.equal(read(form, firstRefreshToken(needs, sessionId, 'jwt').text), undefined);
    }
    assert.equal(read('jwt', signed({ jti: firstRefreshToken(needs, sessionId).text })), undefined);
  });

  test('with any claim about its end: the store decides', () => {
    assert.equal(read('jwt', signed({ exp: 1 }))?.id, sessionId);
  });

  test('only when this service made it', () => {
    for (const [form] of forms) {
      const text = given(form);
      assert.equal(read(form, text, Buffer.alloc(32, 8)), undefined, 'the secret of another service');
      for (const wrong of ['', 'x', 'a.b.c', `${text}A`, text.slice(0, -8), `x${text}`]) {
        assert.equal(read(form, wrong), undefined, wrong.slice(0, 20));
      }
      const code = mintOpaqueToken(needs, 'code', { id: sessionId, generation: 1 }).text;
      assert.equal(read(form, form === 'jwt' ? signed({ jti: code }) : code), undefined, 'a code');
    }
  });

  test('only as a JWT of that type with those claims', () => {
    assert.notEqual(read('jwt', signed({})), undefined);
    assert.equal(read('jwt', signed({}, 'at+jwt')), undefined);
    for (const z_t of ['a', '', 'R', 1, null, undefined, ['r']]) {
      assert.equal(read('jwt', signed({ z_t })), undefined, `z_t ${z_t}`);
    }
    const { text } = firstRefreshToken(needs, sessionId, 'jwt');
    for (const jti of [undefined, null, 1, [text], { text }, '']) {
      assert.equal(read('jwt', signed({ jti })), undefined, `jti ${jti}`);
    }
  });

  test('up to 4096 characters', () => {
    const about = Math.floor(((4096 - signed({ more: '' }).length) * 3) / 4);
    const lengths = new Set<number>();
    for (let more = about - 3; more <= about + 3; more += 1) {
      const text = signed({ more: 'x'.repeat(more) });
      lengths.add(text.length);
      assert.equal(read('jwt', text) !== undefined, text.length <= 4096, String(text.length));
    }
    for (const bound of [4096, 4097]) assert.ok(lengths.has(bound), `${bound} was tried`);
  });
});
