// The thread that hashes passwords for hash-pool.ts, one at a time.
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import {
  type HashCost,
  hashPasswordBlocking,
  type Password,
  verifyPasswordBlocking,
} from './password-hash.ts';

export type HashRequest =
  | { readonly kind: 'hash'; readonly password: Password; readonly cost: HashCost }
  | { readonly kind: 'verify'; readonly password: Password; readonly phc: string };

export type HashReply =
  | { readonly kind: 'hash'; readonly phc: string }
  | { readonly kind: 'verify'; readonly matches: boolean }
  | { readonly kind: 'failed'; readonly message: string };

/** Steps by which requests come before hashes, where both want the same core. */
const NICENESS = 10;

giveWay();

parentPort?.on('message', (request: HashRequest) => parentPort?.postMessage(answer(request)));

// Linux keeps a priority for each thread and takes 0 for the calling one; elsewhere it is that of the process.
function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICENESS);
  } catch {
    // A sandbox may forbid it; hashes then compete as everything does.
  }
}

function answer(request: HashRequest): HashReply {
  try {
    return request.kind === 'hash'
      ? { kind: 'hash', phc: hashPasswordBlocking(request.password, request.cost) }
      : { kind: 'verify', matches: verifyPasswordBlocking(request.phc, request.password) };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : 'password hashing failed' };
  }
}
