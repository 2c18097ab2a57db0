import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '../../../test/support/fixed-clock.ts';
import { AuthError } from '../../errors/auth-error.ts';
import type { ApiSession, SessionEndReason } from '../../model/api-session.ts';
import type { AuditEvent } from '../../model/audit-event.ts';
import { type ApiSessionId, asId, type IdentityId } from '../../model/ids.ts';
import { systemRandom } from '../../platform/random.ts';
import { firstRefreshToken } from '../../tokens/opaque-token.ts';
import type { Client } from '../clients.ts';
import type { OidcServices } from '../services.ts';
import type { GrantRequest } from './grant.ts';
import { continuedHere, presentedRefreshToken, refreshRefused } from './use-refresh-token.ts';

const origin = { requestId: 'r', ipAddress: '192.0.2.1', issuer: 'https://localhost:1280/oidc' };
const sessionId = asId<ApiSessionId>('0198a3f0-0000-7000-8000-000000000001');
const identityId = asId<IdentityId>('ana');
const client: Client = { clientId: 'overlay', profile: 'strict', registered: null };

/** The refusal that a client gets, and what was recorded of it. */
function refused(
  reason: string,
  {
    endReason = null,
    clientId = client.clientId,
  }: { endReason?: SessionEndReason | null; clientId?: string },
): { readonly refusal: AuthError; readonly recorded: readonly AuditEvent[] } {
  const recorded: AuditEvent[] = [];
  const audit = {
    record(event: AuditEvent, from: unknown) {
      assert.equal(from, origin);
      recorded.push(event);
    },
  };
  const session = { id: sessionId, identityId, clientId: client.clientId, endReason } as ApiSession;
  const request = { client: { ...client, clientId }, origin } as GrantRequest;
  return { refusal: refreshRefused({ audit }, request, { session, reason }), recorded };
}

const descriptions = {
  expired: 'the refresh token has expired; log in again',
  revoked: 'the session of the refresh token has ended; log in again',
  reused: 'the refresh token has been used already; use its successor',
};

/** What the store or the session says, and what the client of the session is told of it. */
const told: readonly (readonly [string, SessionEndReason | null, keyof typeof descriptions | undefined])[] = [
  ['expired', null, 'expired'],
  ['reused', null, 'reused'],
  ['duplicate', null, 'reused'],
  ['identity-unavailable', null, 'revoked'],
  ['ended', 'refresh-reuse', 'reused'],
  ['ended', 'code-reuse', 'reused'],
  ['ended', 'logout', 'revoked'],
  ['ended', 'administrator', 'revoked'],
  ['unknown', null, undefined],
  ['wrong-binding', null, undefined],
];

describe('a refused refresh', () => {
  for (const [reason, endReason, expected] of told) {
    const detail = `refresh token refused: ${reason}`;

    test(`says ${expected ?? 'nothing'} to its client: ${reason} ${endReason ?? ''}`, () => {
      const { refusal, recorded } = refused(reason, { endReason });
      const description =
        expected === undefined ? new AuthError('invalid_grant').description : descriptions[expected];
      assert.deepEqual(
        [refusal.code, refusal.reason, refusal.description, refusal.detail],
        ['invalid_grant', expected, description, detail],
      );
      assert.deepEqual(recorded, [
        { event: 'refresh.refused', reason, sessionId, identityId, clientId: 'overlay' },
      ]);
    });

    test(`says nothing to another client: ${reason} ${endReason ?? ''}`, () => {
      const { refusal, recorded } = refused(reason, { endReason, clientId: 'other' });
      const { description } = new AuthError('invalid_grant');
      assert.deepEqual(
        [refusal.code, refusal.reason, refusal.description, refusal.detail],
        ['invalid_grant', undefined, description, detail],
      );
      assert.deepEqual(recorded, [
        { event: 'refresh.refused', reason, sessionId, identityId, clientId: 'other' },
      ]);
    });
  }
});

test('only a session of an alias moves, and only from an address of the cluster', () => {
  const [here, there, gone] = ['https://one/oidc', 'https://two/oidc', 'https://gone/oidc'];
  const needs = { issuers: new Set([here, there]), audit: { record: () => undefined } };
  for (const [profile, from, moves] of [
    ['strict', here, true],
    ['compatibility', here, true],
    ['strict', there, false],
    ['compatibility', there, true],
    ['compatibility', gone, false],
  ] as const) {
    const session = { id: sessionId, issuer: from } as ApiSession;
    const request = { client: { ...client, profile }, origin: { ...origin, issuer: here } } as GrantRequest;
    const continued = () => continuedHere(needs, request, session);
    if (moves) assert.deepEqual(continued(), { ...session, issuer: here });
    else assert.throws(continued, { code: 'invalid_grant', reason: undefined });
  }
});

test('a text that this service did not make is refused before anything is asked', () => {
  const needs = { tagKey: Buffer.alloc(32, 7), random: systemRandom, clock: fixedClock(0) };
  // The opaque form needs no keys.
  const presented = (text: string) =>
    presentedRefreshToken(needs as unknown as OidcServices, { client }, text);
  const { text, hash } = firstRefreshToken(needs, sessionId);
  assert.deepEqual(presented(text), { id: sessionId, generation: 1, hash, text });
  for (const wrong of ['', 'x', `${text}A`, firstRefreshToken(needs, sessionId, 'jwt').text]) {
    assert.throws(() => presented(wrong), {
      code: 'invalid_grant',
      detail: 'refresh refused: not a refresh token of this service',
    });
  }
});
