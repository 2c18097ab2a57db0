// The thread that hashes passwords for hash-pool.ts, one at a time.
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { HashCost } from './hash-cost.ts';
import { hashPasswordBlocking, type Password, verifyPasswordBlocking } from './password-hash.ts';

export type HashRequest =
  | { readonly password: Password; readonly cost: HashCost }
  | { readonly password: Password; readonly phc: string };

export type HashReply = { readonly result: string | boolean } | { readonly failed: string };

// A thread that answers requests must not wait for a hash. Linux takes this for the calling thread alone, other systems
// for the whole process. Where a sandbox refuses it, hashes compete with requests.
if (process.platform === 'linux') {
  try {
    setPriority(Math.min(19, getPriority() + 10));
  } catch {}
}

parentPort?.on('message', (request: HashRequest) => parentPort?.postMessage(answer(request)));

function answer(request: HashRequest): HashReply {
  try {
    const { password } = request;
    return {
      result:
        'cost' in request
          ? hashPasswordBlocking(password, request.cost)
          : verifyPasswordBlocking(request.phc, password),
    };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : 'password hashing failed' };
  }
}
