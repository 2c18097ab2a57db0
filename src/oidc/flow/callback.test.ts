import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import { asId } from '../../model/ids.ts';
import { SECOND } from '../../platform/clock.ts';
import { sha256 } from '../../platform/digest.ts';
import { clientRegistry } from '../clients.ts';
import { callbackPath, callbackSealer, followCallback, handOver, wayBack } from './callback.ts';
import { codeLifetime } from './open-auth-request.ts';

const start = Date.parse('2026-01-01T12:00:00Z');
const issuer = 'https://localhost:1280/oidc';
const redirectUri = 'http://localhost:1/auth/callback';
const origin = { requestId: 'r', ipAddress: '192.0.2.1', issuer };
const cookie = 'a'.repeat(43);
const callbacks = callbackSealer(Buffer.alloc(32, 1));
const clients = clientRegistry(['sdk'], { find: () => undefined, all: () => [] });

const begun: AuthRequest = {
  key: asId('0198a3f0-0000-7000-8000-000000000001'),
  clientId: 'overlay',
  redirectUri,
  scopes: ['openid'],
  state: 'the state',
  nonce: null,
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  issuer,
  requestedMethod: null,
  configTypes: [],
  browserBinding: null,
  createdAt: start,
};

const needsAt = (now: number) => ({ callbacks, clients, clock: fixedClock(now) });
const locationOf = (handover: ReturnType<typeof handOver>) =>
  handover.kind === 'redirect' ? handover.location : assert.fail('a form');
const direct = (request: Partial<AuthRequest>) => handOver(needsAt(start), { ...begun, ...request }, 'C');
const hop = (request: Partial<AuthRequest> = {}) => locationOf(direct({ clientId: 'sdk', ...request }));
const idIn = (location: string) => location.slice(`${issuer}${callbackPath}?id=`.length);
const final = `${redirectUri}?code=C&state=the%20state&iss=https%3A%2F%2Flocalhost%3A1280%2Foidc`;

function isUnknown(error: unknown): boolean {
  return error instanceof AuthError && error.code === 'auth_request_unknown';
}

describe('a finished login', () => {
  test('leads straight to the client, with code, state and issuer', () => {
    assert.equal(locationOf(direct({})).replaceAll('+', '%20'), final);
    const stateless = `${redirectUri}?code=C&iss=https%3A%2F%2Flocalhost%3A1280%2Foidc`;
    assert.equal(locationOf(direct({ state: null })), stateless);
    assert.match(locationOf(direct({ clientId: 'gone' })), /^http:\/\/localhost:1\//);
    assert.deepEqual(direct({ responseMode: 'form_post' }), {
      kind: 'form',
      action: redirectUri,
      fields: [
        ['code', 'C'],
        ['state', 'the state'],
        ['iss', issuer],
      ],
    });
    const asForm = direct({ responseMode: 'form_post', state: null });
    assert.ok(asForm.kind === 'form' && asForm.fields.every(([name]) => name !== 'state'));
    assert.deepEqual(wayBack(begun), { redirectUri, state: 'the state', issuer });
  });

  test('leads clients of the compatibility profile there through a second redirect that reveals nothing by itself', () => {
    const location = hop();
    assert.ok(location.startsWith(`${issuer}/authorize/callback?id=`), location);
    assert.doesNotMatch(Buffer.from(idIn(location), 'base64url').toString('latin1'), /code|localhost/);
    const followed = followCallback(needsAt(start), { id: idIn(location), browser: [] }, origin);
    assert.equal(locationOf(followed).replaceAll('+', '%20'), final);
  });

  test('of the hop ends with its code', () => {
    assert.equal(codeLifetime, 60 * SECOND);
    const id = idIn(hop());
    assert.ok(followCallback(needsAt(start + codeLifetime - 1), { id, browser: [] }, origin));
    assert.throws(
      () => followCallback(needsAt(start + codeLifetime), { id, browser: [] }, origin),
      isUnknown,
    );
  });

  test('of the hop is for the bind point and the browser that it was begun at', () => {
    const id = idIn(hop());
    const elsewhere = { ...origin, issuer: 'https://other/oidc' };
    assert.throws(() => followCallback(needsAt(start), { id, browser: [] }, elsewhere), isUnknown);
    for (const text of ['', 'x', id.slice(1), `${id}A`]) {
      assert.throws(() => followCallback(needsAt(start), { id: text, browser: [] }, origin), isUnknown, text);
    }
    const other = callbackSealer(Buffer.alloc(32, 2));
    assert.throws(
      () => followCallback({ ...needsAt(start), callbacks: other }, { id, browser: [] }, origin),
      isUnknown,
    );

    const bound = idIn(hop({ browserBinding: sha256(cookie) }));
    assert.ok(
      followCallback(needsAt(start), { id: bound, browser: [sha256('another'), sha256(cookie)] }, origin),
    );
    for (const presented of [[], [sha256('another')]]) {
      assert.throws(
        () => followCallback(needsAt(start), { id: bound, browser: presented }, origin),
        AuthError,
      );
    }
  });
});
