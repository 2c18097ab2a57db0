// Recognizes a JWT that was used as one proof when it is presented again as another. The signature is ignored: with
// some algorithms one token has several valid signatures.

import { sha256 } from '../../platform/digest.ts';
import { readForeignJwt } from './foreign-jwt.ts';

/** Hashes of what identifies the token as a proof: what is signed, and issuer with `jti` if it has one. */
export function proofHashes(token: string): readonly string[] {
  const signedPart = sha256(token.slice(0, token.lastIndexOf('.')));
  const jwtId = jwtIdOf(token);
  return jwtId === null ? [signedPart] : [signedPart, sha256(jwtId)];
}

/** Whether two tokens are one proof. @param one, other as `proofHashes` gives them */
export function isSameProof(one: readonly string[], other: readonly string[]): boolean {
  return one.some((hash) => other.includes(hash));
}

function jwtIdOf(token: string): string | null {
  try {
    const { issuer, claims } = readForeignJwt(token);
    return typeof claims.jti === 'string' ? JSON.stringify([issuer, claims.jti]) : null;
  } catch {
    // Not a JWT, so it cannot be anybody's proof.
    return null;
  }
}
