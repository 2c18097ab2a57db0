// The thread that hashes passwords for hash-pool.ts, one at a time.
import { parentPort } from 'node:worker_threads';
import type { HashCost } from './hash-cost.ts';
import { hashPasswordBlocking, type Password, verifyPasswordBlocking } from './password-hash.ts';

export type HashRequest =
  | { readonly kind: 'hash'; readonly password: Password; readonly cost: HashCost }
  | { readonly kind: 'verify'; readonly password: Password; readonly phc: string };

export type HashReply =
  | { readonly kind: 'hash'; readonly phc: string }
  | { readonly kind: 'verify'; readonly matches: boolean }
  | { readonly kind: 'failed'; readonly message: string };

parentPort?.on('message', (request: HashRequest) => parentPort?.postMessage(answer(request)));

function answer(request: HashRequest): HashReply {
  try {
    return request.kind === 'hash'
      ? { kind: 'hash', phc: hashPasswordBlocking(request.password, request.cost) }
      : { kind: 'verify', matches: verifyPasswordBlocking(request.phc, request.password) };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : 'password hashing failed' };
  }
}
