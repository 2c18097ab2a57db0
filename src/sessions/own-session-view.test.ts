import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiSessionId, asId } from '../model/ids.ts';
import type { OwnSession } from '../store/contracts/api-sessions.ts';
import { ownSessionView } from './own-session-view.ts';

const id = asId<ApiSessionId>('one');
const now = 1000;

/** A store whose only session a test changes. */
function storeWith(version: number | null) {
  const state = { version, ipAddress: 'first', expiresAt: 2000, reads: 0, beforeRead: () => {} };
  const store = {
    sessionVersion: () => state.version,
    apiSessions: {
      async findOwn(_id: ApiSessionId, at: number) {
        state.reads += 1;
        state.beforeRead();
        const { ipAddress, expiresAt } = state;
        return at < expiresAt ? ({ passed: [], ipAddress, expiresAt } as unknown as OwnSession) : null;
      },
    },
  };
  return { state, view: ownSessionView(store) };
}

test('a session is read once, and again when its version has changed', async () => {
  const { state, view } = storeWith(1);
  const first = view.find(id, now);
  assert.ok(first instanceof Promise);
  const session = await first;
  assert.equal(view.find(id, now), session, 'at once');
  state.ipAddress = 'second';
  state.version = 2;
  assert.equal((await view.find(id, now))?.ipAddress, 'second');
  assert.equal(view.find(asId('another'), now) instanceof Promise, true);
  assert.equal(state.reads, 3);
});

test('a session that changes while it is read is read again', async () => {
  const { state, view } = storeWith(1);
  // The commit comes before the version: between them, the new row is found under the old version.
  state.beforeRead = () => {
    state.version = 2;
  };
  await view.find(id, now);
  assert.ok(view.find(id, now) instanceof Promise);
});

test('one that has expired is refused without a read, and one that is gone is read each time', async () => {
  const { state, view } = storeWith(1);
  await view.find(id, now);
  assert.notEqual(view.find(id, 1999), null);
  assert.equal(view.find(id, 2000), null);
  assert.equal(state.reads, 1);
  state.version = 2;
  state.expiresAt = 0;
  for (const reads of [2, 3]) {
    assert.equal(await view.find(id, now), null);
    assert.equal(state.reads, reads);
  }
});

test('without versions nothing is remembered', async () => {
  const { state, view } = storeWith(null);
  await view.find(id, now);
  assert.equal((await view.find(id, now))?.ipAddress, 'first');
  assert.equal(state.reads, 2);
});
