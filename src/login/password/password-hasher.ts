import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import type { HashPool } from '../../platform/secrets/hash-pool.ts';
import {
  needsRehash,
  type Password,
  preparePassword,
  typedHash,
  typedPassword,
} from '../../platform/secrets/password-hash.ts';
import type { PasswordHasher } from './password.ts';

/** The hasher over the bounded pool. */
export function passwordHasher(pool: HashPool): PasswordHasher {
  return {
    async matches(phc, password) {
      const typed = typedPassword(password);
      // What cannot be a password costs nothing: whether it is one does not depend on the user.
      if (typed === undefined) return false;
      const prepared = prepare(password);
      const imported = phc === null ? undefined : typedHash(phc);
      if (imported !== undefined) {
        // Cheaper than ours: a wrong password must not tell by its time whose hash was imported.
        return (await pool.verify(imported, typed)) || pool.verifyNobody(prepared ?? typed);
      }
      // Only an imported hash can be of such a text; the work is the same all the same.
      if (phc === null || prepared === null) return pool.verifyNobody(prepared ?? typed);
      return pool.verify(phc, prepared);
    },
    hash: (password) => pool.hash(preparePassword(password)),
    isOutdated: (phc) => typedHash(phc) !== undefined || needsRehash(phc, pool.cost),
  };
}

function prepare(password: string): Password | null {
  try {
    return preparePassword(password);
  } catch (error) {
    if (error instanceof MalformedInput) return null;
    throw error;
  }
}
