import { MalformedInput } from '../../platform/formats/malformed-input.ts';
import type { HashPool } from '../../platform/secrets/hash-pool.ts';
import { needsRehash, type Password, preparePassword } from '../../platform/secrets/password-hash.ts';
import type { PasswordHasher } from './password.ts';

/** The hasher over the bounded pool. */
export function passwordHasher(pool: HashPool): PasswordHasher {
  return {
    async matches(phc, password) {
      const prepared = prepare(password);
      // What cannot be a password costs nothing: whether it is one does not depend on the user.
      if (prepared === null) return false;
      return phc === null ? pool.verifyNobody(prepared) : pool.verify(phc, prepared);
    },
    hash: (password) => pool.hash(preparePassword(password)),
    isOutdated: (phc) => needsRehash(phc, pool.cost),
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
