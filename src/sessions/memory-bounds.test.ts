// The views of callers are as large as they promise, however many come.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixedClock } from '../../test/support/fixed-clock.ts';
import { asId } from '../model/ids.ts';
import { MINUTE } from '../platform/clock.ts';
import { accountView } from './account-view.ts';
import { legacySessionView } from './legacy-session-view.ts';
import { ownSessionView } from './own-session-view.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

/** Asks a view for what belongs to this caller. */
type Ask = (caller: string) => unknown;

/** Each view in a process with so many threads that this one keeps two callers. `read` counts what the store is asked. */
const views: Readonly<Record<string, (read: () => void) => Ask>> = {
  'accounts of identities': (read) => {
    const findAccount = async (id: string) => {
      read();
      const identity = { id, type: 'User', authPolicyId: 'default', permissions: [], roleAttributes: [] };
      return { identity: { ...identity, disabledUntil: null, disabledAt: null }, policy: { id: 'default' } };
    };
    const view = accountView({ identities: { findAccount } } as never, 50_000);
    return (caller) => view.find(asId(caller), now);
  },
  'legacy sessions': (read) => {
    const findByTokenHash = async (hash: string) => {
      read();
      return { id: `session of ${hash}`, mechanism: 'legacy', endedAt: null, expiresAt: now + MINUTE };
    };
    const store = { apiSessions: { findByTokenHash } } as never;
    const needs = { store, log: undefined as never, clock: fixedClock(now) };
    const view = legacySessionView(needs, () => MINUTE, 50_000);
    return (caller) => view.find(caller);
  },
  'sessions that their owners look at': (read) => {
    const findOwn = async () => {
      read();
      return { passed: [], expiresAt: now + MINUTE };
    };
    const view = ownSessionView({ sessionVersion: () => 1, apiSessions: { findOwn } } as never, 10_000);
    return (caller) => view.find(asId(caller), now);
  },
};

describe('the view of', () => {
  for (const [name, viewOf] of Object.entries(views)) {
    test(`${name} keeps those used last, and at most twice as many`, async () => {
      let reads = 0;
      const ask = viewOf(() => {
        reads += 1;
      });
      for (const caller of ['a', 'b', 'a', 'b', 'a', 'b']) await ask(caller);
      assert.equal(reads, 2, 'two are kept');
      reads = 0;
      for (const _round of [1, 2, 3]) for (const caller of ['v', 'w', 'x', 'y', 'z']) await ask(caller);
      assert.equal(reads, 15, 'five in turn never find themselves');
    });
  }
});
