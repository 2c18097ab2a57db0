import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import type { BrowserSession } from '../../model/browser-session.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';
import { systemRandom } from '../../platform/random.ts';
import type { RegisteredClient } from '../../sessions/account-view.ts';
import { mintOpaqueToken } from '../../tokens/opaque-token.ts';
import { clientRegistry } from '../clients.ts';
import { applicationKey, presentedSession } from './browser-session.ts';

describe('an application', () => {
  const clients = clientRegistry([], {
    find: (id) => (id === 'wiki' ? ({} as RegisteredClient) : undefined),
    all: () => [],
  });
  const isOne = (clientId: string, one: string, other: string) =>
    applicationKey(clients, { clientId, redirectUri: one }) ===
    applicationKey(clients, { clientId, redirectUri: other });

  test('is a registered client at web addresses, whichever of them', () => {
    assert.ok(isOne('wiki', 'https://wiki.example/cb', 'https://localhost.example/cb?a=b'));
    assert.ok(isOne('wiki', 'https://wiki.example/cb', 'https://not-localhost/cb'));
  });

  test('is each address where any program may listen, or where many share a client', () => {
    const shared: readonly (readonly [string, string])[] = [
      ['http://127.0.0.1:1/cb', 'http://127.0.0.1:2/cb'],
      ['https://localhost:1/cb', 'https://localhost:2/cb'],
      ['https://127.0.0.1:1/cb', 'https://127.0.0.1:2/cb'],
      ['https://[::1]:1/cb', 'https://[::1]:2/cb'],
      ['com.example.wiki:/cb', 'com.example.wiki:/other'],
    ];
    for (const [one, other] of shared) assert.ok(!isOne('wiki', one, other), one);
    for (const client of ['overlay', 'gone'])
      assert.ok(!isOne(client, 'https://wiki.example/cb', 'https://evil.example/cb'), client);
  });
});

describe('the session of a cookie', () => {
  const issuer = 'https://localhost:1280/oidc';
  const rules = { idle: 30 * MINUTE, absolute: 12 * HOUR };
  const clock = fixedClock('2026-01-01T12:00:00Z');
  const tagKey = Buffer.alloc(32, 1);
  const { text, hash } = mintOpaqueToken({ random: systemRandom, tagKey }, 'browser-session', {
    id: '0198a3f0-0000-7000-8000-000000000001',
    generation: 1,
  });
  const opened = { issuer, createdAt: clock.now() - 2 * HOUR, lastUsedAt: clock.now() - 10 * MINUTE };
  const found = (at: Partial<Parameters<typeof presentedSession>[1]>, cookie: string | null = text) => {
    const findByToken = async (_id: string, token: string) =>
      token === hash ? (opened as BrowserSession) : null;
    const needs = { store: { browserSessions: { findByToken } }, clock, tagKey };
    return presentedSession(needs, { issuer, browserSession: rules, ...at }, cookie);
  };

  test('is found where it was opened', async () => {
    assert.equal((await found({}))?.tokenHash, hash);
    assert.equal(await found({}, null), null);
    assert.equal(await found({}, `${text}A`), null);
  });

  test('does not count at another bind point, whose cookies a browser sends along if only the port differs', async () => {
    assert.equal(await found({ issuer: 'https://localhost:1281/oidc' }), null);
  });

  test('does not count where browsers do not stay signed in any more', async () => {
    assert.equal(await found({ browserSession: null }), null);
  });

  test('has ended when the times of today are over, though longer ones were in use when it was opened', async () => {
    assert.equal(await found({ browserSession: { ...rules, idle: 10 * MINUTE } }), null);
    assert.notEqual(await found({ browserSession: { ...rules, idle: 10 * MINUTE + 1 } }), null);
    assert.equal(await found({ browserSession: { ...rules, absolute: 2 * HOUR } }), null);
    assert.notEqual(await found({ browserSession: { ...rules, absolute: 2 * HOUR + 1 } }), null);
  });
});
