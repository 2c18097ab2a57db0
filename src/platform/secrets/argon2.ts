// The library that hashes passwords. It is native code of 2 MB, so only a thread that hashes loads it, with its first hash.
import { createRequire } from 'node:module';

type Argon2 = typeof import('@node-rs/argon2');

export const argon2id: import('@node-rs/argon2').Algorithm.Argon2id = 2;

/** Node caches loaded modules. */
export const argon2 = (): Argon2 => createRequire(import.meta.url)('@node-rs/argon2') as Argon2;
