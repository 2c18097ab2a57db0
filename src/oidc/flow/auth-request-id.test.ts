import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuthRequest } from '../../model/auth-request.ts';
import { asId } from '../../model/ids.ts';
import { DAY, MINUTE } from '../../platform/clock.ts';
import { authRequestMaxLifetime, authRequestSealer } from './open-auth-request.ts';

const root = Buffer.alloc(32, 1);
const start = Date.parse('2026-01-01T12:00:00Z');

function authRequest(createdAt: number): AuthRequest {
  return {
    key: asId('0198a3f0-0000-7000-8000-000000000001'),
    clientId: 'overlay',
    redirectUri: 'http://localhost:1/auth/callback',
    scopes: ['openid'],
    state: 's',
    nonce: null,
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    issuer: 'https://localhost:1280/oidc',
    requestedMethod: null,
    configTypes: [],
    browserBinding: null,
    createdAt,
  };
}

test('a sealed request is opened by any node that shares the secret', () => {
  const id = authRequestSealer(root).seal(authRequest(start));
  assert.deepEqual(authRequestSealer(root).open(id, start + MINUTE), authRequest(start));
});

test('the id is not a UUID, never repeats and shows nothing of the request', () => {
  const sealer = authRequestSealer(root);
  const ids = new Set(Array.from({ length: 1000 }, () => sealer.seal(authRequest(start))));
  assert.equal(ids.size, 1000);
  for (const id of ids) {
    assert.match(id, /^[A-Za-z0-9_-]{100,}$/);
    assert.ok(!Buffer.from(id, 'base64url').includes('localhost'));
  }
});

test('a request begun before midnight can be continued after it', () => {
  const beforeMidnight = Date.parse('2026-01-01T23:59:00Z');
  const sealer = authRequestSealer(root);
  const id = sealer.seal(authRequest(beforeMidnight));
  assert.notEqual(sealer.open(id, beforeMidnight + 2 * MINUTE), undefined);
});

test('a request past its absolute end, from another server or altered is unknown', () => {
  const sealer = authRequestSealer(root);
  const id = sealer.seal(authRequest(start));
  assert.equal(sealer.open(id, start + authRequestMaxLifetime), undefined);
  assert.equal(sealer.open(id, start + 3 * DAY), undefined);
  assert.equal(authRequestSealer(Buffer.alloc(32, 2)).open(id, start), undefined);
  for (const other of [
    '',
    'x',
    id.slice(0, -1),
    `${id}A`,
    `B${id.slice(1)}`,
    id.slice(0, 60),
    'A'.repeat(20_000),
    '__proto__',
  ]) {
    assert.equal(sealer.open(other, start), undefined, other.slice(0, 20));
  }
});
