import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { AuthRequest } from '../../model/auth-request.ts';
import { asId } from '../../model/ids.ts';
import { DAY, MINUTE } from '../../platform/clock.ts';
import { sha256 } from '../../platform/digest.ts';
import { clientRegistry } from '../clients.ts';
import {
  authRequestLifetime,
  authRequestMaxLifetime,
  authRequestSealer,
  isSameBrowser,
  isSamePlace,
  openAuthRequest,
  requireSameBrowser,
  requireSamePlace,
} from './open-auth-request.ts';

const start = Date.parse('2026-01-01T12:00:00Z');
const issuer = 'https://localhost:1280/oidc';
const redirectUris = [{ kind: 'exact', uri: 'http://localhost:1/auth/callback' }] as const;
const bindPoint = { issuer, redirectUris };
const cookie = 'a'.repeat(43);
const root = Buffer.alloc(32, 1);
const sealer = authRequestSealer(root);

const begun: AuthRequest = {
  key: asId('0198a3f0-0000-7000-8000-000000000001'),
  clientId: 'overlay',
  redirectUri: 'http://localhost:1/auth/callback',
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

function opened(
  request: Partial<AuthRequest>,
  browser: readonly string[],
  { at = start, from = bindPoint, id = sealer.seal({ ...begun, ...request }) } = {},
): AuthRequest {
  const needs = {
    sealer,
    clients: clientRegistry(['sdk'], { find: () => undefined, all: () => [] }),
    clock: fixedClock(at),
  };
  return openAuthRequest(needs, { authRequestId: id, browser }, from);
}

function refusalOf(work: () => unknown): AuthError {
  try {
    work();
  } catch (error) {
    if (error instanceof AuthError) return error;
  }
  return assert.fail('was not refused');
}

describe('an auth request id', () => {
  test('opens where it began, for every client', () => {
    for (const clientId of ['overlay', 'sdk']) {
      assert.deepEqual(opened({ clientId }, []), { ...begun, clientId });
    }
  });

  test('is bound to the browser that continues it', () => {
    const [own, other] = [sha256(cookie), sha256('another')];
    assert.equal(opened({}, [own, other]).browserBinding, own);
    assert.equal(opened({ browserBinding: own }, [own]).browserBinding, own);
    assert.equal(opened({ browserBinding: own }, [other, own]).browserBinding, own);
  });

  test('of another bind point, client, browser or service, or without a way back, is unknown', () => {
    const elsewhere = { ...bindPoint, issuer: 'https://other:1280/oidc' };
    const bound = { browserBinding: sha256(cookie) };
    const refusals: readonly (readonly [string, () => unknown])[] = [
      ['the request was begun at another bind point', () => opened({}, [], { from: elsewhere })],
      ['the client is no longer configured', () => opened({ clientId: 'gone' }, [])],
      [
        'the redirect_uri is no longer registered',
        () => opened({ redirectUri: 'https://was.example/cb' }, []),
      ],
      ['the binding cookie is missing or another browser is used', () => opened(bound, [])],
      ['the binding cookie is missing or another browser is used', () => opened(bound, [sha256('another')])],
    ];
    for (const [detail, work] of refusals) {
      const refusal = refusalOf(work);
      assert.equal(refusal.message, `auth_request_unknown: ${detail}`);
      assert.equal(refusal.code, 'auth_request_unknown');
      assert.equal(refusal.startAgain, undefined);
    }
    const foreign = refusalOf(() => opened({}, [], { id: 'nonsense' }));
    assert.deepEqual([foreign.code, foreign.startAgain], ['auth_request_unknown', undefined]);
  });

  test('that has expired says where the same request starts again', () => {
    const ended = refusalOf(() => opened({}, [], { at: start + authRequestMaxLifetime + MINUTE }));
    assert.equal(ended.code, 'auth_request_unknown');
    assert.match(ended.startAgain ?? '', /^\/oidc\/authorization\?.*state=the\+state/);
  });

  test('that has expired says so only in its own browser, at its own bind point', () => {
    const own = sha256(cookie);
    const at = start + authRequestMaxLifetime + MINUTE;
    const elsewhere = { ...bindPoint, issuer: 'https://other:1280/oidc' };
    const startAgain = (browser: readonly string[], from = bindPoint) =>
      refusalOf(() => opened({ browserBinding: own }, browser, { at, from })).startAgain;
    assert.notEqual(startAgain([own]), undefined);
    assert.equal(startAgain([]), undefined);
    assert.equal(startAgain([sha256('another')]), undefined);
    assert.equal(startAgain([own], elsewhere), undefined);
  });
});

test('a request is open for half an hour to the millisecond, and a primary login has ten minutes of that', () => {
  assert.deepEqual([authRequestLifetime, authRequestMaxLifetime], [600_000, 1_800_000]);
  const id = sealer.seal(begun);
  const end = start + authRequestMaxLifetime;
  assert.deepEqual(opened({}, [], { id, at: end - 1 }), begun);
  assert.match(refusalOf(() => opened({}, [], { id, at: end })).detail ?? '', /took too long/);
});

test('a browser is recognized by its cookie; an unbound login accepts any browser', () => {
  const table: readonly (readonly [string | null, string | null, boolean])[] = [
    [null, null, true],
    [null, 'a', true],
    ['a', 'a', true],
    ['a', 'b', false],
    ['a', null, false],
    ['a', '', false],
  ];
  for (const [binding, presented, same] of table) {
    const browser = presented === null ? [] : ['another', presented];
    assert.equal(isSameBrowser(binding, browser), same, `${binding} ${presented}`);
    if (same) requireSameBrowser(binding, browser);
    else assert.throws(() => requireSameBrowser(binding, browser), { code: 'auth_request_unknown' });
    // After the first step no other browser is let in any more.
    const isThere = same && (binding !== null || presented === null);
    assert.equal(isSamePlace(binding, presented), isThere, `${binding} ${presented}`);
    if (isThere) requireSamePlace(binding, presented);
    else assert.throws(() => requireSamePlace(binding, presented), { code: 'auth_request_unknown' });
  }
});

test('a sealed request is opened by any node that shares the secret', () => {
  const id = authRequestSealer(root).seal(begun);
  assert.deepEqual(authRequestSealer(root).open(id, start + MINUTE), begun);
});

test('the id is not a UUID, never repeats and shows nothing of the request', () => {
  const ids = new Set(Array.from({ length: 1000 }, () => sealer.seal(begun)));
  assert.equal(ids.size, 1000);
  for (const id of ids) {
    assert.match(id, /^[A-Za-z0-9_-]{100,}$/);
    assert.ok(!Buffer.from(id, 'base64url').includes('localhost'));
  }
});

test('a request begun before midnight can be continued after it', () => {
  const beforeMidnight = Date.parse('2026-01-01T23:59:00Z');
  const id = sealer.seal({ ...begun, createdAt: beforeMidnight });
  assert.notEqual(sealer.open(id, beforeMidnight + 2 * MINUTE), undefined);
});

test('a request of days ago, from another server or altered is unknown', () => {
  const id = sealer.seal(begun);
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
