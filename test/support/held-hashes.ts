// A pool of password hashes with one thread that a test holds, so that it decides when each hash begins and ends.

import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { systemClock } from '../../src/platform/clock.ts';
import { createHashPool, type HashPool } from '../../src/platform/secrets/hash-pool.ts';
import type { HashRequest } from '../../src/platform/secrets/hash-worker.ts';
import { hashPasswordBlocking, verifyPasswordBlocking } from '../../src/platform/secrets/password-hash.ts';

export interface HeldHashes {
  readonly hashPool: HashPool;
  /** How many hashes have begun so far. */
  begun(): number;
  /** From now on, hashes that begin do not end. */
  hold(): void;
  /** Ends the one that is held, and all later ones. */
  release(): void;
}

export function heldHashes(longestQueue = 64): HeldHashes {
  let begun = 0;
  let isHeld = false;
  let held: (() => void) | undefined;
  const thread = Object.assign(new EventEmitter(), {
    ref() {},
    unref() {},
    terminate: async () => 0,
    postMessage(request: HashRequest) {
      begun += 1;
      const end = () => thread.emit('message', { result: resultOf(request) });
      if (isHeld) held = end;
      else setImmediate(end);
    },
  });
  const options = {
    cost: { memoryKiB: 64, passes: 1, lanes: 1 },
    threads: 1,
    longestQueue,
    startThread: () => thread as unknown as Worker,
  };
  return {
    hashPool: createHashPool({ clock: systemClock }, options),
    begun: () => begun,
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      held?.();
      held = undefined;
    },
  };
}

function resultOf(request: HashRequest): string | boolean {
  const { password } = request;
  return 'cost' in request
    ? hashPasswordBlocking(password, request.cost)
    : verifyPasswordBlocking(request.phc, password);
}
