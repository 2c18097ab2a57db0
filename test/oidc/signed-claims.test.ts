// Tokens that the service's own key really signed and that are no access tokens: what an older release,
// another kind of token or a mistake in issuing tokens would produce.

import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { HOUR, SECOND } from '../../src/platform/clock.ts';
import { headerSegment, type JwtType } from '../../src/tokens/jws.ts';
import { fixedClock } from '../support/fixed-clock.ts';
import { callWith, claimsOf, login, type Tokens } from '../support/flow.ts';
import type { Answer } from '../support/https-client.ts';
import { password } from '../support/management.ts';
import { serverOfFile } from '../support/test-server.ts';

const clock = fixedClock('2026-01-01T00:00:00Z');
let tokens: Tokens;
// biome-ignore lint/suspicious/noExplicitAny: this file changes claims at will
let claims: any;
const server = await serverOfFile({ clock });
await server.createUser({ name: 'alice', password });
beforeEach(async () => {
  tokens = await login(server, 'alice', password);
  claims = claimsOf(tokens.access_token);
});

/** A JWT with exactly this payload, signed with the current key for access tokens. */
function signed(payload: string, typ: JwtType = 'at+jwt'): string {
  const { material } = server.controller.services.ring.signer('ES256', typ, clock.now());
  const input = `${headerSegment(material, typ)}.${Buffer.from(payload).toString('base64url')}`;
  const key = { key: material.privateKey, dsaEncoding: 'ieee-p1363' } as const;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

const withClaims = (changes: object) => signed(JSON.stringify({ ...claims, ...changes }));

async function assertInvalid(token: string, what: string, error = 'invalid'): Promise<void> {
  for (const path of [
    '/edge/client/v1/current-api-session',
    '/edge/management/v1/identities',
    '/oidc/userinfo',
  ]) {
    const answer = await callWith(server, token, path);
    assert.equal(answer.status, 401, `${what}: ${answer.text}`);
    const [challenge = ''] = answer.lines('www-authenticate');
    assert.ok(challenge.startsWith(`Bearer realm="overlay-oidc", error="${error}"`), `${what}: ${challenge}`);
  }
}

const session = (token: string): Promise<Answer> => callWith(server, token);

describe('a token signed with our key', () => {
  test('is accepted with the claims that we write', async () => {
    assert.equal((await session(withClaims({}))).status, 200);
  });

  test('is refused as the other kind of token under its header, in both directions', async () => {
    await assertInvalid(signed(JSON.stringify(claims), 'JWT'), 'access claims under the header of ID tokens');
    await assertInvalid(signed(JSON.stringify(claimsOf(tokens.id_token))), 'ID token under at+jwt');
    const hint = await server.get(
      `/oidc/end_session?id_token_hint=${withClaims({ aud: 'overlay', sid: claims.z_asid })}`,
    );
    assert.equal(hint.status, 400);
    assert.equal((await session(tokens.access_token)).status, 200);
  });

  test('makes no identity an administrator: the database decides that', async () => {
    const twice = JSON.stringify(claims).replace('"z_ia":false', '"z_ia":false,"z_ia":true');
    for (const token of [withClaims({ z_ia: true }), signed(twice)]) {
      const answer = await callWith(server, token, '/edge/management/v1/identities');
      assert.ok(answer.status === 403 || answer.status === 401, answer.text);
    }
  });

  test('is refused when it contains no claims at all', async () => {
    for (const payload of ['', 'x', '{', 'null', '[]', '"a"', '7', '\ufeff{}', '{"iss":', '\u0000']) {
      if (payload !== '') await assertInvalid(signed(payload), `payload ${JSON.stringify(payload)}`);
      const hint = `/oidc/end_session?id_token_hint=${signed(payload, 'JWT')}`;
      assert.equal((await server.get(hint)).status, 400, `hint ${JSON.stringify(payload)}`);
    }
  });
});

test('an access token and its session end at the same time, and the headers never say otherwise', async () => {
  const answerAt = async (millis: number) => {
    clock.set(millis);
    return session(tokens.access_token);
  };
  const start = clock.now();
  for (const jump of [0, 1, 999, -29 * SECOND, HOUR / 2 - 1]) {
    const answer = await answerAt(start + jump);
    assert.equal(answer.status, 200, `${jump}: ${answer.text}`);
    const left = Number(answer.headers['expiration-seconds']);
    assert.ok(left >= 0 && left <= 1800, `${jump}: ${left}`);
    assert.ok(Date.parse(String(answer.headers['expires-at'])) <= claims.exp * SECOND);
  }
  for (const jump of [-HOUR, HOUR / 2, HOUR])
    assert.equal((await answerAt(start + jump)).status, 401, `${jump}`);
  clock.set(start);
});
