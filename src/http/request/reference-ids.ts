import type { Random } from '../../platform/random.ts';

/** Crockford's base 32: no I, L, O, U, so that an id can be read out over the telephone. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 10;
const POOL = 400;

/**
 * A source of reference ids: ten characters, 50 random bits. They name a request towards people and grant nothing.
 * Random bytes are taken many at a time, because every request needs an id.
 */
export function referenceIds(random: Random): () => string {
  let pool = random.bytes(0);
  let at = 0;
  return () => {
    if (at >= pool.length) {
      pool = random.bytes(LENGTH * POOL);
      at = 0;
    }
    let id = '';
    for (let end = at + LENGTH; at < end; at += 1) id += ALPHABET[(pool[at] ?? 0) & 31];
    return id;
  };
}
